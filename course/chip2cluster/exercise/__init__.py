"""Definition of an exercise: data that checks, graders and pages read. Nothing here judges an answer."""

from .components import Case, Group, Mistake, Mutant, Unfair
from .model import Exercise, solved_by

__all__ = ["Case", "Exercise", "Group", "Mistake", "Mutant", "Unfair", "solved_by"]
