"""The names under which an instructor's own labs import the parts of an exercise."""

from chip2cluster.exercise.model import Case, Exercise, Group, Mistake, Mutant, Unfair

__all__ = ["Case", "Exercise", "Group", "Mistake", "Mutant", "Unfair"]
