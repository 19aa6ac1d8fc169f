"""The learner's functions: check, hint, reveal, progress, and given for personal constants."""

from .check import check
from .given import given
from .help import hint, reveal
from .progress import progress

__all__ = ["check", "given", "hint", "progress", "reveal"]
