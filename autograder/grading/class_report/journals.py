"""Journals that students handed in: read as what a stranger wrote, without names."""

import json
import math
import re
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from chip2cluster._shared_journal import FORMAT, KIND
from chip2cluster.predict.words import LARGEST, SMALLEST
from chip2cluster.renamed import EXERCISES, PREDICTIONS, current

from ..collect.sources import File, opened
from ..intake.candidates import UnreadableFile
from ..sanitize.terminal_text import printable

MOST_BYTES = 2_000_000
MOST = 5000  # entries of a journal; the course has some hundreds of questions and exercises
_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class Journal:
    """One learner's: guesses by question, and of each exercise the named mistakes with the day on which they were met.

    ``tried`` holds the exercises that were tried at all, and ``entries`` counts what there is: of two files of
    one learner the longer counts.
    """

    guesses: dict[str, float]
    tried: frozenset[str]
    mistakes: dict[tuple[str, str], date]

    @property
    def entries(self) -> int:
        return len(self.guesses) + len(self.tried)


def read_journals(paths: Iterable[Path]) -> tuple[list[Journal], list[str]]:
    """Read the journals in downloads.

    Parameters
    ----------
    paths : iterable of Path
        Zips and folders, as a platform gives them, or single files.

    Returns
    -------
    journals : list of Journal
        One a learner, in an order that says nothing of who they are.
    said : list of str
        What could not be read or was passed over, a sentence each, by the name of its file.

    Raises
    ------
    ValueError
        For a download that is not there, or no zip.
    """
    found: dict[str, Journal] = {}
    said: list[str] = []
    with ExitStack() as stack:
        for path in paths:
            if path.is_file() and path.suffix == ".json":
                files = [File((path.name,), path.read_bytes)]
            else:
                source = opened([path], stack)
                files, said = source.files, said + source.passed_over
            for file in files:
                try:
                    name, journal = _one(file)
                except (ValueError, UnreadableFile, OSError) as problem:
                    said.append(f"{printable('/'.join(file.parts))}: {printable(str(problem), 200)}")
                    continue
                if name in found:
                    said.append(
                        f"{printable('/'.join(file.parts))}: another one of the same learner; the longer counts"
                    )
                if name not in found or journal.entries > found[name].entries:
                    found[name] = journal
    return [found[name] for name in sorted(found)], said


def _one(file: File) -> tuple[str, Journal]:
    data = file.read()
    if len(data) > MOST_BYTES:
        raise ValueError("it is far too large for a journal")
    try:
        # Digits without end would take Python for ever, and brackets without end its stack.
        raw = json.loads(data.decode("utf-8-sig"), parse_int=_number, parse_constant=_number)
    except (ValueError, RecursionError):
        raise ValueError("it is no journal: it cannot be read as JSON") from None
    if not isinstance(raw, dict) or raw.get("kind") != KIND:
        raise ValueError("it is no journal: a learner makes one with journal.share()")
    if raw.get("format") != FORMAT:
        raise ValueError("it was written by another version of the course")
    name = raw.get("id")
    if not isinstance(name, str) or not _ID.fullmatch(name):
        raise ValueError("its number is damaged")
    predictions, exercises = _entries(raw, "predictions"), _entries(raw, "exercises")
    guesses = {current(question, PREDICTIONS): _guess(question, one) for question, one in predictions.items()}
    met, tried = {}, set()
    for exercise, one in exercises.items():
        now = current(exercise, EXERCISES)
        if _number(one.get("attempts", 0)) > 0:
            tried.add(now)
        for mistake, day in _entries({"mistakes": one.get("mistakes", {})}, "mistakes", str).items():
            met[now, mistake] = _day(day)
    return name, Journal(guesses, frozenset(tried), met)


def _entries(raw: dict[str, Any], name: str, kind: type = dict) -> dict[str, Any]:
    found = raw.get(name)
    if not isinstance(found, dict) or len(found) > MOST or not all(isinstance(one, kind) for one in found.values()):
        raise ValueError(f"its {name} are damaged")
    return found


def _guess(question: str, one: dict[str, Any]) -> float:
    guess = _number(one.get("guess"))
    if not 0 < guess < math.inf:
        raise ValueError(f"its guess for {question} is no number above zero")
    return min(max(guess, SMALLEST), LARGEST)


def _number(text: Any) -> float:
    if isinstance(text, str) and len(text) > 40:
        return math.inf
    try:
        return float(text)
    except (TypeError, ValueError, OverflowError):
        raise ValueError("it holds something that is no number") from None


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError("it holds something that is no day") from None
