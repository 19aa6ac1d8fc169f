"""What a learner may hand in of the own record: guesses and exercises with their days; no name, no notes, no code."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KIND = "chip2cluster journal, without notes"
FORMAT = 1
DAY = 10  # characters of a time


@dataclass(frozen=True)
class Shared:
    """What was written for others to read: the file, and how much is in it."""

    file: Path
    predictions: int
    exercises: int

    def __str__(self) -> str:
        return (
            f"{self.file} holds {self.predictions} guesses, and of {self.exercises} exercises attempts, hints and named "
            "mistakes, with the days. No name, no notes, no code. Read it; then hand it in where your course collects it, "
            "or delete it."
        )


def written(record: dict[str, Any], target: Path) -> Shared:
    """Write of a record what `journal.share` says."""
    predictions = {
        name: {"guess": one["guess"], "day": one["when"][:DAY]} for name, one in record["predictions"].items()
    }
    exercises = {
        name: {key: one[key] for key in ("attempts", "solved", "hints", "revealed")}
        | {"mistakes": {mistake: when[:DAY] for mistake, when in one.get("mistakes", {}).items()}}
        for name, one in record["exercises"].items()
    }
    shared = {
        "kind": KIND,
        "format": FORMAT,
        "id": record["shared_as"],
        "predictions": predictions,
        "exercises": exercises,
    }
    if target.exists() and not _is_shared(target):
        raise FileExistsError(
            f"{target} exists already and is something else; choose another name, nothing was written"
        )
    target.write_text(json.dumps(shared, indent=1, ensure_ascii=False), encoding="utf-8")
    return Shared(target.resolve(), len(predictions), len(exercises))


def _is_shared(file: Path) -> bool:
    try:
        return bool(json.loads(file.read_text(encoding="utf-8"))["kind"] == KIND)
    except (OSError, ValueError, TypeError, KeyError):
        return False
