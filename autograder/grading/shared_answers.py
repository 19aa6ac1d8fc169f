"""One plan, judged by several tasks: what a function without inputs gave once is what all of them are told.

Each task asks in its own call. A function that returns another plan at each call would have the best of all of them
put together: a machine that nobody has designed.
"""

from collections.abc import Mapping

from ..checking.verdict import Verdict
from .task_questions import Asked


def families(asked: Mapping[int, Asked]) -> list[list[int]]:
    """Places of the checks that judge one and the same answer, in order; most stand alone.

    Parameters
    ----------
    asked : dict
        By the place of each graded cell.
    """
    found: dict[object, list[int]] = {}
    for place, one in asked.items():
        rated = one.exercise is not None and one.exercise.rate is not None
        alone = not rated or len(one.cases) != 1 or bool(one.cases[0].inputs)
        found.setdefault(place if alone else one.task.function, []).append(place)
    return list(found.values())


def more(these: Mapping[int, Verdict], than: Mapping[int, Verdict], family: list[int]) -> bool:
    """Whether a family of checks gets more points by some verdicts than by others, all together."""
    return sum(these[place].score for place in family) > sum(than[place].score for place in family)
