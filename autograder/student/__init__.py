"""The learner's names: check, hint, reveal, progress, and given for numbers of one's own."""

from .check import check
from .given import given
from .help import hint, reveal
from .progress import progress

__all__ = ["check", "given", "hint", "progress", "reveal"]
