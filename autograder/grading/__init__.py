"""The instructor's side: hidden cases and points for nbgrader."""

from .award import award

__all__ = ["award"]
