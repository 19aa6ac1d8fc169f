"""Filmstrips: every explorer live in the book along some of its controls, with no kernel.

The frames are drawn beforehand by the explorer's own Python; `html` packs them into
one file and returns the still that stands on the page. ``filmstrip.js`` only
picks frames: it knows no physics.
"""

from .page import html

__all__ = ["html"]
