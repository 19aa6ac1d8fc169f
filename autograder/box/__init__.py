"""A locked room for student code. It only answers questions; it knows nothing worth knowing.

>>> from autograder.box import Box, Cell, Question
"""

from .box import Box, SandboxUnavailable
from .limits import Limits
from .steps import Cell, Question, Ran

__all__ = ["Box", "Cell", "Limits", "Question", "Ran", "SandboxUnavailable"]
