"""Filmstrips: interactive explorers in the book without a kernel, along some of their controls.

The explorer draws all frames when the book is built; `html` packs them into one file and returns the still for the
page. ``filmstrip.js`` only selects frames.
"""

from .page import html

__all__ = ["html"]
