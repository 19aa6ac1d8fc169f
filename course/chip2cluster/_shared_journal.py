"""Anonymous excerpt of a learner's record for a class: guesses and exercises with dates; no name, notes or code."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KIND = "chip2cluster journal, without notes"
FORMAT = 1
DAY = 10  # characters of the date in a timestamp


@dataclass(frozen=True)
class Shared:
    """Written excerpt: its file, and the number of its entries."""

    file: Path
    predictions: int
    exercises: int

    def __str__(self) -> str:
        """Return a description for the learner."""
        return (
            f"{self.file} holds {self.predictions} guesses, and the attempts, hints and named mistakes of {self.exercises} "
            "exercises, with dates. No name, no notes, no code. Read it; then hand it in where your course collects it, "
            "or delete it."
        )


def write_shared(record: dict[str, Any], target: Path) -> Shared:
    """Write the excerpt of a record that `journal.share` describes."""
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
