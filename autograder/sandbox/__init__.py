"""Sandbox for student code. It holds no expected values and serves only cells and function calls.

>>> from autograder.sandbox import CodeCell, Query, Sandbox
"""

from .backends import SandboxType
from .limits import Limits
from .notebook_steps import CallReply, CellResult, CellStatus, CodeCell, NoReply, Query
from .sandbox import Sandbox, SandboxUnavailable
from .time_budget import TimeBudget

__all__ = [
    "CallReply",
    "CellResult",
    "CellStatus",
    "CodeCell",
    "Limits",
    "NoReply",
    "Query",
    "Sandbox",
    "SandboxType",
    "SandboxUnavailable",
    "TimeBudget",
]
