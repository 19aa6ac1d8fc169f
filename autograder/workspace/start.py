"""Create, update and reset copies of notebooks; no work is overwritten or lost."""

import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path

from . import assistant_guide, origin
from .folders import PageCopy, Workspace
from .merge import MergedPage, merge

OLDER = "older"  # folder of earlier copies, so that the file list shows each page once


class CopyState(StrEnum):
    """What was done with a copy."""

    NEW = "new"
    KEPT = "kept"
    OLDER = "older"
    UNREADABLE = "unreadable"
    RENEWED = "renewed"
    UPDATED = "updated"
    RESET = "reset"


@dataclass(frozen=True)
class CopyResult:
    """A notebook, what was done with its copy, the path of the earlier copy, and the merged work."""

    page: PageCopy
    state: CopyState
    earlier: Path | None = None
    merged: MergedPage | None = None


def start(course: Workspace, chosen: list[PageCopy] | None = None) -> list[CopyResult]:
    """Copy every notebook that has no copy yet, with instructions for assistants; an existing file is never changed.

    Parameters
    ----------
    course : Workspace
    chosen : list of PageCopy, optional
        Notebooks to copy; all by default.

    Returns
    -------
    list of CopyResult

    Raises
    ------
    ValueError
        If a folder cannot be created or written.
    """
    done = []
    pages = course.pages if chosen is None else chosen
    for page in pages:
        for source, target in course.extra_files(page):
            _write_new(source.read_bytes(), target)
        made = course.rendered(page)
        done.append(CopyResult(page, CopyState.NEW if _write_new(_bytes(made), page.copy) else _state(page, made)))
    for folder in sorted({page.copy.relative_to(course.to).parts[0] for page in pages}):
        _write_new(assistant_guide.TEXT.encode(), course.to / folder / assistant_guide.NAME)
    return done


def update(course: Workspace, chosen: list[PageCopy] | None = None) -> list[CopyResult]:
    """Update copies that are older than the course, with all of the reader's work; see `start`.

    The earlier copy is kept in ``older/``, with today's date in its name, if it has work in it.
    """
    done = []
    for one in start(course, chosen):
        if one.state is CopyState.OLDER:
            one = _updated(course, one.page)
        done.append(one)
    return done


def reset(course: Workspace, chosen: list[PageCopy]) -> list[CopyResult]:
    """Replace copies by new ones; the earlier ones are kept in ``older/``, with today's date. See `start`."""
    done = []
    for one in start(course, chosen):
        if one.state is not CopyState.NEW:
            earlier = _replace_copy(one.page.copy, lambda _, page=one.page: course.rendered(page))
            _update_extra_files(course, one.page)
            one = CopyResult(one.page, CopyState.RESET, earlier)
        done.append(one)
    return done


def _state(page, made):
    try:
        held = origin.read_record(_read(page.copy))
    except (OSError, ValueError):
        return CopyState.UNREADABLE
    return CopyState.KEPT if held and held["page"] == origin.make_record(made)["page"] else CopyState.OLDER


def _updated(course, page):
    found = []

    def filled(old):
        found.append((origin.has_work(old), merge(old, course.rendered(page))))
        return found[-1][1].notebook

    earlier = _replace_copy(page.copy, filled, of=course.rendered(page))
    _update_extra_files(course, page)
    worked, merged = found[-1]
    if worked:
        return CopyResult(page, CopyState.UPDATED, earlier, merged)
    earlier.unlink()  # except for outputs it was the course's own text
    with suppress(OSError):  # it holds other copies
        earlier.parent.rmdir()
    return CopyResult(page, CopyState.RENEWED)


def _replace_copy(copy, make, of=None):
    """Move a copy to ``older/``, write the result of ``make`` in its place, and return the path of the earlier copy."""
    try:
        aside = _dated_name(copy)
        os.rename(copy, aside)  # with everything that was saved until now
    except PermissionError:
        raise ValueError(f"{copy.parent} cannot be written in, so {copy.name} stays as it is") from None
    try:
        made = make(_read(aside) if of else None)
        if not _write_new(_bytes(made, of), copy):
            raise ValueError(
                f"{copy} was saved while it was being renewed: both it and {aside} are kept, nothing is lost"
            )
    except BaseException:
        if not copy.exists():
            os.rename(aside, copy)
        raise
    return aside


def _update_extra_files(course, page):
    for source, target in course.extra_files(page):
        if target.read_bytes() != source.read_bytes():
            os.rename(target, _dated_name(target))
            _write_new(source.read_bytes(), target)


def _dated_name(file):
    """Return a free path in the folder of earlier copies, with today's date; the folder is made."""
    folder, today = file.parent / OLDER, date.today().isoformat()
    try:
        folder.mkdir(exist_ok=True)
    except FileExistsError:
        raise ValueError(
            f"{folder} is to hold your earlier copy, and a file of that name is in the way; move it"
        ) from None
    names = (f"{file.stem}.{today}{f'-{number}' if number else ''}{file.suffix}" for number in range(10_000))
    return next(folder / name for name in names if not os.path.lexists(folder / name))


def _read(file):
    """Read a copy.

    Raises
    ------
    OSError, ValueError
        If the file is not a notebook.
    """
    notebook = json.loads(file.read_text(encoding="utf-8"))
    try:
        for cell in notebook["cells"]:
            origin.digest(cell)
        return notebook if isinstance(notebook["metadata"], dict) else {**notebook, "metadata": {}}
    except (KeyError, TypeError):
        raise ValueError(f"{file} is not a notebook") from None


def _bytes(notebook, of=None):
    """Return a copy as bytes, with the record of the notebook that it was made from."""
    metadata = notebook["metadata"] | {origin.KEY: origin.make_record(of or notebook)}
    return (json.dumps(notebook | {"metadata": metadata}, indent=1, ensure_ascii=False) + "\n").encode()


def _write_new(data, file):
    """Write a new file atomically; return False if the file exists, which is not changed then."""
    if os.path.lexists(file):
        return False
    draft = file.with_name(f".{file.name}.{os.getpid()}.new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(data)
        try:
            os.link(draft, file)  # fails if the file was created in the meantime
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
