"""A locked room for student code. It only answers questions; it knows nothing worth knowing.

>>> from autograder.box import Cell, Question, open_box
"""

from .box import Box, Cell, Question, Ran, SandboxUnavailable
from .limits import Limits
from .opening import open_box, why_unavailable

__all__ = ["Box", "Cell", "Limits", "Question", "Ran", "SandboxUnavailable", "open_box", "why_unavailable"]
