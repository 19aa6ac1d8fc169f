"""Progress record of a learner: predictions, notes and exercise attempts, one JSON file per user.

The file is outside the repository, in the user's data folder (or in ``CHIP2CLUSTER_HOME`` if set; for a kernel in a
browser, with the browser's persistent files). Every write replaces the whole file atomically under a lock, so two
notebooks can be open at once and a crash loses nothing. An unreadable file is renamed, never overwritten. Entries
under a former id are read under the current one (`renamed`). Unknown keys of a newer version are preserved; a record
of a newer format is left alone, and this version keeps its own next to it.
"""

import json
import os
import secrets
import sys
import tempfile
import warnings
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from . import review
from ._journal_merge import FORMAT, merged
from ._shared_journal import Shared, write_shared

BROWSER_DRIVE = Path("/drive")  # persistent files of a kernel in a browser


class JournalWarning(UserWarning):
    """Warning about the record that needs the learner's attention; no data is lost."""


def path() -> Path:
    """Return the path of this user's record."""
    usual = _folder() / "progress.json"
    return usual.with_name(f"progress.format-{FORMAT}.json") if _is_newer(usual) else usual


def _is_newer(file):
    """Return whether a file is a record of a newer version of the course."""
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    stored = record.get("format") if isinstance(record, dict) else None
    newer = isinstance(stored, int) and stored > FORMAT
    if newer:
        warnings.warn(
            f"{file} was written by a newer version of the course and stays as it is; "
            f"until you update, this version keeps its own record beside it.",
            JournalWarning,
            stacklevel=4,
        )
    return newer


def _folder():
    if home := os.environ.get("CHIP2CLUSTER_HOME"):
        return Path(home).expanduser()
    if _in_browser() and BROWSER_DRIVE.is_dir():
        return BROWSER_DRIVE / "progress"
    from platformdirs import user_data_path

    return user_data_path("chip2cluster", appauthor=False)


def _in_browser():
    return sys.platform == "emscripten"


def read() -> dict[str, Any]:
    """Return the record as ``{"format", "predictions", "notes", "exercises"}``."""
    with _lock():
        return _load()


def prediction(question: str) -> dict[str, Any] | None:
    """Return the stored prediction for a question, or None."""
    return read()["predictions"].get(question)


def predict(question: str, guess: float) -> dict[str, Any]:
    """Store the first guess for a question and return what is stored.

    A second guess changes nothing: the first answer stays frozen.
    """
    with _lock():
        record = _load()
        if question not in record["predictions"]:
            record["predictions"][question] = {"guess": float(guess), "when": _now()}
            _store(record)
        return record["predictions"][question]


def notes(place: str) -> list[dict[str, str]]:
    """Return the notes at a place, as ``{"text", "when"}``, oldest first."""
    return read()["notes"].get(place, [])


def note(place: str, text: str) -> list[dict[str, str]]:
    """Add a note at a place, and return all notes there."""
    with _lock():
        record = _load()
        record["notes"].setdefault(place, []).append({"text": text, "when": _now()})
        _store(record)
        return record["notes"][place]


def attempt(exercise: str, verdict: str, solved: bool, mistake: str = "") -> dict[str, Any]:
    """Record an attempt at an exercise; later attempts do not count once it is solved.

    A named ``mistake`` is stored with the time of its first occurrence.
    """
    with _lock():
        record = _load()
        entry = record["exercises"].setdefault(
            exercise, {"attempts": 0, "solved": False, "hints": 0, "revealed": False}
        )
        if entry["solved"]:
            entry.setdefault("review", review.position(entry)._asdict())  # or "when" below would postpone its review
        else:
            entry["attempts"] += 1
            entry["verdict"] = verdict
            entry["solved"] = solved
            if mistake:
                entry.setdefault("mistakes", {}).setdefault(mistake, _now())
            if solved:
                entry["solved_after_reveal"] = entry["revealed"]
        entry["when"] = _now()
        _store(record)
        return entry


def note_help(exercise: str, *, hints: int | None = None, revealed: bool = False) -> dict[str, Any]:
    """Record the number of hints read, and whether the solution was shown."""
    with _lock():
        record = _load()
        entry = record["exercises"].setdefault(
            exercise, {"attempts": 0, "solved": False, "hints": 0, "revealed": False}
        )
        if hints is not None:
            entry["hints"] = max(entry["hints"], hints)
        entry["revealed"] = entry["revealed"] or revealed
        _store(record)
        return entry


def draw_review(day: str, items: list[review.Item]) -> None:
    """Store the items of a day's review; checks of these exercises count as repetitions from now on."""
    with _lock():
        record = _load()
        record["review"] = {"day": day, "items": [[item.kind, item.id] for item in items]}
        _store(record)


def repeat(kind: str, name: str, right: bool, day: str, mistake: str = "") -> dict[str, Any] | None:
    """Record a repetition of an item of the last review, and return its entry; None if it isn't one or was repeated.

    A named ``mistake`` is stored as by `attempt`. The first guess of a prediction stays.
    """
    with _lock():
        record = _load()
        if not review.is_open(record, kind, name):
            return None
        entry: dict[str, Any] = record[review.PARTS[kind]][name]
        # The day of the draw at the earliest, also after a clock was set back.
        entry["review"] = review.move(review.position(entry), right, max(day, review.drawn(record)[0]))._asdict()
        if mistake:
            entry.setdefault("mistakes", {}).setdefault(mistake, _now())
        _store(record)
        return entry


def export_to(target: str | Path) -> Path:
    """Write the record to a file and return its path.

    An existing file is never overwritten.
    """
    target = Path(target).expanduser()
    text = json.dumps(read(), indent=1, ensure_ascii=False)
    try:
        with open(target, "x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise FileExistsError(f"{target} exists already; choose another name, nothing was written") from None
    return target.resolve()


def share(target: str | Path = "journal.json") -> Shared:
    """Write an anonymous excerpt of the record for a class, without name, notes and times of day.

    Handing it in is up to the learner. The file has a random number, the same each time, so a later excerpt
    replaces an earlier one. An existing file is replaced only if it is such an excerpt.

    Raises
    ------
    FileExistsError
        ``target`` is another kind of file; nothing is written.
    """
    with _lock():
        record = _load()
        if "shared_as" not in record:
            record["shared_as"] = secrets.token_hex(8)
            _store(record)
    return write_shared(record, Path(target).expanduser())


def import_from(source: str | Path) -> dict[str, Any]:
    """Merge an exported record into this user's and return the merged record.

    Of two predictions for a question the earlier one is kept, of two entries for an exercise the solved one or the
    one with more attempts, of two repetitions the later one, and all notes are kept.
    """
    source = Path(source).expanduser()
    try:
        other = _checked(json.loads(source.read_text(encoding="utf-8")))
    except (ValueError, LookupError, TypeError, UnicodeDecodeError) as error:
        raise ValueError(f"{source} is not an exported record: {error}; nothing was changed") from None
    with _lock():
        record = merged(_load(), other)
        _store(record)
        return record


def _lock():
    folder = path().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(
            f"your progress cannot be stored in {folder} ({error.strerror}); "
            "set CHIP2CLUSTER_HOME to a folder you can write to"
        ) from None
    # A kernel in a browser has a single user. A lock file there would remain forever if the page
    # were closed at the wrong moment.
    if _in_browser():
        return nullcontext()
    from filelock import FileLock

    return FileLock(folder / "progress.lock", timeout=10)


def _load():
    file = path()
    try:
        return merged(_checked(json.loads(file.read_text(encoding="utf-8"))))
    except FileNotFoundError:
        return merged()
    except (ValueError, LookupError, TypeError, UnicodeDecodeError) as error:
        aside = _unused(file)
        os.replace(file, aside)
        warnings.warn(
            f"Your progress file could not be read ({error}). It was renamed to {aside}, and a new one was started.",
            JournalWarning,
            stacklevel=4,
        )
        return merged()


def _checked(record):
    """Validate a record; raise an error for anything unusable."""
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ValueError(f'it lacks "format": {FORMAT}')
    for prediction_ in record["predictions"].values():
        if not float(prediction_["guess"]) > 0 or not isinstance(prediction_["when"], str):
            raise ValueError("it holds a prediction that is not a positive number")
    for place, entries in record.get("notes", {}).items():
        if not all(isinstance(one["text"], str) and isinstance(one["when"], str) for one in entries):
            raise ValueError(f"its notes on {place} are not text")
    for entry in record["exercises"].values():
        if not all(isinstance(text, str) for pair in entry.get("mistakes", {}).items() for text in pair):
            raise ValueError("its mistakes are not text")
        int(entry["attempts"]), int(entry["hints"]), bool(entry["solved"]), bool(entry["revealed"])
    review.checked(record)
    return record


def _store(record):
    file = path()
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix="progress-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(record, stream, indent=1, ensure_ascii=False)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _unused(file):
    for number in range(1, 10_000):
        candidate = file.with_name(f"{file.stem}.damaged-{number}{file.suffix}")
        if not candidate.exists():
            return candidate
    raise OSError(f"too many damaged records next to {file}")


def _now():
    return datetime.now(UTC).isoformat(timespec="seconds")
