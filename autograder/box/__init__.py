"""A locked room for student code. It only answers questions; it knows nothing worth knowing.

>>> from autograder.box import Box, Cell, Question
"""

from .allowance import Budget
from .box import Box, SandboxUnavailable
from .kinds import Sandbox
from .limits import Limits
from .steps import Answered, Cell, Ending, Question, Ran, Silence

__all__ = [
    "Answered",
    "Box",
    "Budget",
    "Cell",
    "Ending",
    "Limits",
    "Question",
    "Ran",
    "Sandbox",
    "SandboxUnavailable",
    "Silence",
]
