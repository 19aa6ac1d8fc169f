"""Hostile and broken submissions, each with what it tries and what must come of it."""

from . import chains, cheats, damage, failures, files, habits, hooks, kernel, leaks, pages, places, replies, time
from .model import Attack

CLASSES = (cheats, chains, leaks, damage, files, failures, replies, kernel, places, time, pages, habits, hooks)
ATTACKS = tuple(attack for kind in CLASSES for attack in kind.ATTACKS)

__all__ = ["ATTACKS", "Attack"]
