"""A submission as it lies on disk, to be fingerprinted or sent to another machine.

What is no plain file is carried as what it is, so that it is graded elsewhere as it
would be here.
"""

import os
import stat
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from .candidates import MOST_BYTES, MOST_OTHERS, files, listed
from .extras import MOST_BYTES as MOST_EXTRA
from .extras import extras


class Kind(StrEnum):
    """What lies under a name."""

    FILE = "file"
    LARGE = "large"
    LINK = "link"
    OTHER = "other"
    ABSENT = "absent"


# A name; what lies there; the bytes of a file, the size of a large one, the target of a link.
Entry: TypeAlias = tuple[str, Kind, bytes | int | str | None]


def pack(folder: str | Path, notebook: str) -> list[Entry]:
    """Describe what stands where a submission belongs.

    Parameters
    ----------
    folder : path
        The submitted folder; anything may be there.
    notebook : str

    Returns
    -------
    list of Entry
        The folder itself first, under the name ``""``; then all that `submitted.read`
        looks at, or where that is nothing, the names of some of what is there; then what
        `extras` finds, that for which there is no room as large.
    """
    folder = Path(folder)
    try:
        if folder.is_symlink() or not folder.is_dir():
            return [("", *_content(folder))]
        entries: list[Entry] = []
        left = 2 * MOST_BYTES
        for name in files(folder, f"{notebook}.ipynb"):
            entries.append((name, *_content(folder / name, left)))
            left -= len(entries[-1][2]) if isinstance(entries[-1][2], bytes) else 0
        if not entries:
            entries = [(name, Kind.FILE, b"") for name in listed(folder)[:MOST_OTHERS]]
        beside = extras(folder)
        packed = {name for name, *_ in entries}
        entries += [(name, Kind.FILE, content) for name, content in beside.files.items() if name not in packed]
        entries += [(name, Kind.LARGE, MOST_EXTRA + 1) for name in beside.left_out if name not in packed]
    except OSError:
        # Nothing there may be looked at.
        return [("", Kind.ABSENT, None)]
    return [("", Kind.OTHER, None), *entries]


def unpack(entries: Iterable[Entry], place: str | Path) -> Path:
    """Lay a submission out again in ``place``, an empty folder, and return its folder."""
    folder = Path(place) / "submitted"
    for name, kind, content in entries:
        path = folder / name if name else folder
        path.parent.mkdir(parents=True, exist_ok=True)
        match kind, content:
            case Kind.FILE, bytes(data):
                path.write_bytes(data)
            case Kind.LARGE, int(size):
                # Only its size is looked at.
                with open(path, "wb") as file:
                    file.truncate(size)
            case Kind.LINK, str(target):
                path.symlink_to(target)
            case Kind.OTHER, _:
                path.mkdir()
    return folder


def _kind(path: Path, most: int) -> Kind:
    try:
        status = os.lstat(path)
    except OSError:
        return Kind.ABSENT
    if stat.S_ISLNK(status.st_mode):
        return Kind.LINK
    if not stat.S_ISREG(status.st_mode):
        return Kind.OTHER
    return Kind.FILE if status.st_size <= min(MOST_BYTES, most) else Kind.LARGE


def _content(path: Path, most: int = MOST_BYTES) -> tuple[Kind, bytes | int | str | None]:
    kind = _kind(path, most)
    if kind is Kind.LINK:
        return kind, os.readlink(path)
    if kind is Kind.LARGE:
        return kind, os.lstat(path).st_size
    if kind is Kind.FILE:
        try:
            return kind, path.read_bytes()
        except OSError:
            return Kind.ABSENT, None
    return kind, None
