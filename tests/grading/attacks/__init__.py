"""Hostile and broken submissions, each with what it tries and what must come of it."""

from . import cheats, damage, failures, files, habits, leaks
from .model import Attack

ATTACKS = (*cheats.ATTACKS, *leaks.ATTACKS, *damage.ATTACKS, *files.ATTACKS, *failures.ATTACKS, *habits.ATTACKS)

__all__ = ["ATTACKS", "Attack"]
