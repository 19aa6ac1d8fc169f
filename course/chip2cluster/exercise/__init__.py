"""What an exercise is: data that checks, graders and pages read. Nothing here judges an answer."""

from .model import Case, Exercise, Group, Mistake, Mutant, Unfair, solved_by

__all__ = ["Case", "Exercise", "Group", "Mistake", "Mutant", "Unfair", "solved_by"]
