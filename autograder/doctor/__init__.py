"""Checks of the course's own content: that exercises grade as they say, and that no file is missing or unfinished."""

from .exercise_checks import DRAWS, examine

__all__ = ["DRAWS", "examine"]
