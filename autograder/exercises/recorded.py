"""Recorded exercises of the chapters, for a browser without NumPy: the models that compute their answers need it.

The lab in the browser holds a file for each chapter; a checkout holds none. Graded exercises are not recorded.
"""

import json
from pathlib import Path
from typing import Any

from chip2cluster.exercise.critique_draws import DRAWS

from ..checking.exercise_record import RecordedExercise, record, restore
from .model import Exercise

FOLDER = Path(__file__).parent / "records"


def has_numpy() -> bool:
    """Return whether NumPy can be imported."""
    try:
        import numpy  # noqa: F401
    except ModuleNotFoundError:
        return False
    return True


def members(topic: str) -> tuple[RecordedExercise, ...] | None:
    """Return the recorded exercises of a topic; None if this installation holds no records.

    Labs have none.
    """
    if not FOLDER.is_dir():
        return None
    file = FOLDER / f"{topic}.json"
    held = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    return tuple(map(_restored, held))


def file_text(exercises: list[Exercise]) -> str:
    """Return the text of a topic's file."""
    held = [
        {
            "solution": one.solution,
            "records": [record(one.with_draw(number)) for number in range(DRAWS if one.redraw else 1)],
        }
        for one in exercises
    ]
    return json.dumps(held, separators=(",", ":"))


def _restored(held: dict[str, Any]) -> RecordedExercise:
    first, *others = (restore(one) for one in held["records"])
    if first.critique is None:
        return restore(held["records"][0], solution=held["solution"])
    critiques = [one.critique for one in (first, *others)]
    return restore(held["records"][0], solution=held["solution"], redraw=critiques.__getitem__)
