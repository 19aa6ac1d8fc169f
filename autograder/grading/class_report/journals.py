"""Read journals that students handed in, as untrusted files, without names."""

import json
import math
import re
from collections.abc import Hashable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, TypeAlias

from chip2cluster._shared_journal import FORMAT, KIND
from chip2cluster.predict.feedback import LARGEST, SMALLEST
from chip2cluster.renamed import EXERCISES, PREDICTIONS, current

from ..collect.download_files import DownloadFile, open_downloads
from ..intake.notebook_candidates import UnreadableFile
from ..platforms import has_platform_name
from ..sanitize.terminal_text import printable
from .uploaders import group_by_uploader, upload_order

MAX_BYTES = 2_000_000
MAX_ENTRIES = 5000  # of a journal; the course has some hundreds of questions and exercises
_ID = re.compile(r"[0-9a-f]{16}")
_Upload: TypeAlias = "tuple[DownloadFile, str, Journal]"  # with the number that the journal drew by lot


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
    last_day : date
        Last day that it names.
    """

    guesses: dict[str, float]
    tried: frozenset[str]
    mistakes: dict[tuple[str, str], date]
    last_day: date = date.min

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
    uploads: dict[Hashable, list[_Upload]] = {}
    problems: list[str] = []
    singles: list[Path] = []
    others: list[Path] = []
    for path in paths:
        (singles if path.is_file() and path.suffix.lower() == ".json" else others).append(path)
    with ExitStack() as stack:
        downloads = [[DownloadFile(path.absolute().parts[-2:], path.read_bytes) for path in singles]]
        for path in others:
            contents = open_downloads([path], stack, has_platform_name)
            downloads.append(contents.files)
            problems += contents.ignored
        for files in downloads:
            for person, upload in _read_download(files, problems):
                uploads.setdefault(person, []).append(upload)
    if more := sum(map(len, uploads.values())) - len(uploads):
        problems.append(f"{more} further journals of people who handed in several: the newest of each counts.")
    found: dict[str, Journal] = {}
    for file, name, journal in (max(one, key=_age) for one in uploads.values()):
        if name in found:
            problems.append(
                f"{printable('/'.join(file.parts))}: another journal of the same learner; the longer one counts"
            )
        if name not in found or journal.entries > found[name].entries:
            found[name] = journal
    return [found[name] for name in sorted(found)], problems


def _read_download(files: list[DownloadFile], problems: list[str]) -> Iterator[tuple[Hashable, _Upload]]:
    """Yield each journal of a download after the key of the person who handed it in."""
    read: dict[int, _Upload] = {}
    for file in files:
        try:
            read[id(file)] = (file, *_read(file))
        except (ValueError, UnreadableFile, OSError) as problem:
            problems.append(f"{printable('/'.join(file.parts))}: {printable(str(problem), 200)}")
    for person, theirs in group_by_uploader([file for file in files if id(file) in read]).items():
        yield from ((person, read[id(file)]) for file in theirs)


def _age(upload: _Upload) -> Any:
    file, _, journal = upload
    number, path = upload_order(file)
    return number, journal.last_day, path


def _read(file: DownloadFile) -> tuple[str, Journal]:
    data = file.read()
    if len(data) > MAX_BYTES:
        raise ValueError("it is far too large for a journal")
    try:
        # Very long numbers would take Python very long, and very deep nesting its stack.
        raw = json.loads(
            data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"),
            parse_int=_number,
            parse_constant=_number,
        )
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
    days = [_day(str(one["day"])) for one in predictions.values() if "day" in one]
    for exercise, one in exercises.items():
        now = current(exercise, EXERCISES)
        if _number(one.get("attempts", 0)) > 0:
            tried.add(now)
        for mistake, day in _entries({"mistakes": one.get("mistakes", {})}, "mistakes", str).items():
            met[now, mistake] = _day(day)
    return name, Journal(guesses, frozenset(tried), met, max([*days, *met.values()], default=date.min))


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
