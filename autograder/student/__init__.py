"""The learner's four names: check, hint, reveal, progress."""

from .check import check
from .help import hint, reveal
from .progress import progress

__all__ = ["check", "hint", "progress", "reveal"]
