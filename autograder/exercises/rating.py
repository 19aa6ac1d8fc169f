"""The names under which an instructor's own labs import scored answers."""

from chip2cluster.exercise.scored_answers import Board, Rating, rated

__all__ = ["Board", "Rating", "rated"]
