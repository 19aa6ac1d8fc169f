"""Read journals that students handed in, as untrusted files, without names."""

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

from ..collect.sources import DownloadFile, open_downloads
from ..intake.candidates import UnreadableFile
from ..sanitize.terminal_text import printable

MAX_BYTES = 2_000_000
MAX_ENTRIES = 5000  # of a journal; the course has some hundreds of questions and exercises
_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class Journal:
    """Journal of one learner.

    Attributes
    ----------
    guesses : dict of str to float
        Predictions by question id.
    tried : frozenset of str
        Ids of the exercises that were tried.
    mistakes : dict of tuple to date
        Day on which a named mistake first occurred, by exercise id and mistake.
    """

    guesses: dict[str, float]
    tried: frozenset[str]
    mistakes: dict[tuple[str, str], date]

    @property
    def entries(self) -> int:
        """Number of entries; the longer of two journals of one learner counts."""
        return len(self.guesses) + len(self.tried)


def read_journals(paths: Iterable[Path]) -> tuple[list[Journal], list[str]]:
    """Read the journals of downloads.

    Parameters
    ----------
    paths : iterable of Path
        Zip files and folders, as a learning platform creates them, or single files.

    Returns
    -------
    journals : list of Journal
        One journal of each learner, in an order that does not depend on who they are.
    problems : list of str
        Sentences about files that could not be read or were ignored.

    Raises
    ------
    ValueError
        If a download does not exist or is not a zip file.
    """
    found: dict[str, Journal] = {}
    problems: list[str] = []
    with ExitStack() as stack:
        for path in paths:
            if path.is_file() and path.suffix == ".json":
                files = [DownloadFile((path.name,), path.read_bytes)]
            else:
                contents = open_downloads([path], stack)
                files, problems = contents.files, problems + contents.ignored
            for file in files:
                try:
                    name, journal = _read(file)
                except (ValueError, UnreadableFile, OSError) as problem:
                    problems.append(f"{printable('/'.join(file.parts))}: {printable(str(problem), 200)}")
                    continue
                if name in found:
                    problems.append(
                        f"{printable('/'.join(file.parts))}: another journal of the same learner; the longer one counts"
                    )
                if name not in found or journal.entries > found[name].entries:
                    found[name] = journal
    return [found[name] for name in sorted(found)], problems


def _read(file: DownloadFile) -> tuple[str, Journal]:
    data = file.read()
    if len(data) > MAX_BYTES:
        raise ValueError("it is far too large for a journal")
    try:
        # Very long numbers would take Python very long, and very deep nesting its stack.
        raw = json.loads(data.decode("utf-8-sig"), parse_int=_number, parse_constant=_number)
    except (ValueError, RecursionError):
        raise ValueError("it is not a journal: it cannot be read as JSON") from None
    if not isinstance(raw, dict) or raw.get("kind") != KIND:
        raise ValueError("it is not a journal: a learner creates one with journal.share()")
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
    if (
        not isinstance(found, dict)
        or len(found) > MAX_ENTRIES
        or not all(isinstance(one, kind) for one in found.values())
    ):
        raise ValueError(f"its {name} are damaged")
    return found


def _guess(question: str, one: dict[str, Any]) -> float:
    guess = _number(one.get("guess"))
    if not 0 < guess < math.inf:
        raise ValueError(f"its guess for {question} is not a number above zero")
    return min(max(guess, SMALLEST), LARGEST)


def _number(text: Any) -> float:
    if isinstance(text, str) and len(text) > 40:
        return math.inf
    try:
        return float(text)
    except (TypeError, ValueError, OverflowError):
        raise ValueError("it contains something that is not a number") from None


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError("it contains something that is not a date") from None
