"""Copy pages, bring a copy up to date, begin one anew: no work is overwritten and none is dropped."""

import json
import os
import shutil
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path

from . import origin
from .folders import Course, Page
from .merge import Carried, carry


class State(StrEnum):
    """What became of a copy."""

    NEW = "new"
    KEPT = "kept"
    OLDER = "older"
    UNREADABLE = "unreadable"
    RENEWED = "renewed"
    UPDATED = "updated"
    RESET = "reset"


@dataclass(frozen=True)
class Done:
    """A page, what became of its copy, where the one before it is kept, and what was carried over."""

    page: Page
    state: State
    kept: Path | None = None
    carried: Carried | None = None


def start(course: Course, chosen: list[Page] | None = None) -> list[Done]:
    """Copy what has no copy yet; a file that exists is never touched.

    Parameters
    ----------
    course : Course
    chosen : list of Page, optional
        All pages when left out.

    Returns
    -------
    list of Done

    Raises
    ------
    ValueError
        Where a folder cannot be made or written.
    """
    done = []
    for page in course.pages if chosen is None else chosen:
        for source, target in course.beside(page):
            _written(source.read_bytes(), target)
        made = course.rendered(page)
        done.append(Done(page, State.NEW if _written(_bytes(made), page.copy) else _state(page, made)))
    return done


def update(course: Course, chosen: list[Page] | None = None) -> list[Done]:
    """Bring copies up to date that are older than the course, with all that the reader wrote; see `start`.

    A copy with work in it is kept beside under the date of today.
    """
    done = []
    for one in start(course, chosen):
        if one.state is State.OLDER:
            one = _renewed(course, one.page)
        done.append(one)
    return done


def reset(course: Course, chosen: list[Page]) -> list[Done]:
    """Begin copies anew; the one before is kept beside under the date of today. See `start`."""
    done = []
    for one in start(course, chosen):
        if one.state is not State.NEW:
            kept = _exchanged(one.page.copy, lambda _, page=one.page: course.rendered(page))
            _renew_beside(course, one.page)
            one = Done(one.page, State.RESET, kept)
        done.append(one)
    return done


def _state(page, made):
    try:
        held = origin.kept_in(_read(page.copy))
    except (OSError, ValueError):
        return State.UNREADABLE
    return State.KEPT if held and held["page"] == origin.of(made)["page"] else State.OLDER


def _renewed(course, page):
    found = []

    def filled(old):
        found.append((origin.is_worked_in(old), carry(old, course.rendered(page))))
        return found[-1][1].notebook

    kept = _exchanged(page.copy, filled, of=course.rendered(page))
    _renew_beside(course, page)
    worked, carried = found[-1]
    if worked:
        return Done(page, State.UPDATED, kept, carried)
    kept.unlink()  # but for what it printed it was the course's own text
    return Done(page, State.RENEWED)


def _exchanged(copy, make, of=None):
    """Lay a copy aside and put into its place what ``make`` gives for it; return where it is now."""
    aside = _aside(copy)
    try:
        os.rename(copy, aside)  # with all that was saved until now
    except PermissionError:
        raise ValueError(f"{copy.parent} cannot be written in, so {copy.name} stays as it is") from None
    try:
        made = make(_read(aside) if of else None)
        if not _written(_bytes(made, of), copy):
            raise ValueError(
                f"{copy} was saved while it was being renewed: both it and {aside} are kept, nothing is lost"
            )
    except BaseException:
        if not copy.exists():
            os.rename(aside, copy)
        raise
    return aside


def _renew_beside(course, page):
    for source, target in course.beside(page):
        if target.read_bytes() != source.read_bytes():
            os.rename(target, _aside(target))
            _written(source.read_bytes(), target)


def _aside(file):
    """A free name beside a file, with the date of today."""
    today = date.today().isoformat()
    names = (f"{file.stem}.{today}{f'-{number}' if number else ''}{file.suffix}" for number in range(10_000))
    return next(file.with_name(name) for name in names if not os.path.lexists(file.with_name(name)))


def _read(file):
    """A copy as a notebook.

    Raises
    ------
    OSError, ValueError
        For what is none.
    """
    notebook = json.loads(file.read_text(encoding="utf-8"))
    try:
        for cell in notebook["cells"]:
            origin.digest(cell)
        return notebook if isinstance(notebook["metadata"], dict) else {**notebook, "metadata": {}}
    except (KeyError, TypeError):
        raise ValueError(f"{file} is no notebook") from None


def _bytes(notebook, of=None):
    """A copy with the record of the page that it was made from."""
    metadata = notebook["metadata"] | {origin.KEY: origin.of(of or notebook)}
    return (json.dumps(notebook | {"metadata": metadata}, indent=1, ensure_ascii=False) + "\n").encode()


def _written(data, file):
    """Write a new file whole, and say whether that was done: one that exists stays as it is."""
    if os.path.lexists(file):
        return False
    draft = file.with_name(f".{file.name}.{os.getpid()}.new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(data)
        try:
            os.link(draft, file)  # refuses where somebody has made it in the meantime
        except FileExistsError:
            return False
        except OSError:  # a file system without links
            with open(file, "xb") as stream, open(draft, "rb") as whole:
                shutil.copyfileobj(whole, stream)
    except (FileExistsError, NotADirectoryError):
        raise ValueError(
            f"{file.parent} is to be a folder, and a file of that name is in the way; move it, or say --to with another place"
        ) from None
    except PermissionError:
        raise ValueError(f"{file.parent} cannot be written in; say --to with a folder of your own") from None
    finally:
        if draft.parent.is_dir():
            draft.unlink(missing_ok=True)
    return True
