"""The names under which labs of an instructor's own import scored answers."""

from chip2cluster.exercise.scored_answers import Board, Rating, rated

__all__ = ["Board", "Rating", "rated"]
