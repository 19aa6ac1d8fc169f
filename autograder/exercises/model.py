"""The names under which labs of an instructor's own import what an exercise is."""

from chip2cluster.exercise.model import Case, Exercise, Group, Mistake, Mutant, Unfair

__all__ = ["Case", "Exercise", "Group", "Mistake", "Mutant", "Unfair"]
