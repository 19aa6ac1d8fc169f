"""A locked room for student code. It only answers questions; it knows nothing worth knowing.

>>> from autograder.sandbox import Box, Cell, Question
"""

from .backends import Sandbox
from .limits import Limits
from .sandbox import Box, SandboxUnavailable
from .steps import Answered, Cell, Ending, Question, Ran, Silence
from .time_budget import Budget

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
