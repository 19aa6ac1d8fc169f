"""Answers as the sandbox imports them: inside, this file is a copy of `chip2cluster.exercise.answers`."""

from chip2cluster.exercise.answers import MOST_AXES, MOST_ITEMS, Answer, UnusableAnswer, UnusableReason, normalize

__all__ = ["MOST_AXES", "MOST_ITEMS", "Answer", "UnusableAnswer", "UnusableReason", "normalize"]
