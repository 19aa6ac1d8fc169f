"""Pack a submitted folder as plain data, for a checksum or for transfer to another machine.

Links, folders and files that are too large are packed as what they are, so that the submission
is graded elsewhere as it would be here.
"""

import os
import stat
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from .documents import document_files
from .extra_files import MAX_FILE_BYTES, read_extra_files
from .notebook_candidates import MAX_BYTES, MAX_OTHERS, candidate_paths, find_json, visible_names


class EntryKind(StrEnum):
    """Kind of a directory entry."""

    FILE = "file"
    LARGE = "large"
    LINK = "link"
    OTHER = "other"
    ABSENT = "absent"


# Name, kind, and content: the bytes of a file, the size of a large file, or the target of a link.
Entry: TypeAlias = tuple[str, EntryKind, bytes | int | str | None]


def pack_submission(folder: str | Path, notebook: str) -> list[Entry]:
    """Pack everything in a submitted folder that grading may read.

    Parameters
    ----------
    folder : path
        The submitted folder; it may contain anything.
    notebook : str
        Name of the lab's notebook without its suffix.

    Returns
    -------
    list of Entry
        The folder itself first, under the name ``""``; then all files that
        `submission_reader.read_submission` looks at, or if there are none, the names of some
        directory entries; then the files of `extra_files.read_extra_files`, with those above its limits as large;
        then the names of documents.
    """
    folder = Path(folder)
    try:
        if folder.is_symlink() or not folder.is_dir():
            return [("", *_content(folder))]
        entries: list[Entry] = []
        left = 2 * MAX_BYTES
        paths = candidate_paths(folder, f"{notebook}.ipynb")
        for name in paths or [one.path for one in find_json(folder)]:
            entries.append((name, *_content(folder / name, left)))
            left -= len(entries[-1][2]) if isinstance(entries[-1][2], bytes) else 0
        if not entries:
            entries = [(name, EntryKind.FILE, b"") for name in visible_names(folder)[:MAX_OTHERS]]
        extra = read_extra_files(folder)
        packed = {name for name, *_ in entries}
        entries += [(name, EntryKind.FILE, content) for name, content in extra.files.items() if name not in packed]
        entries += [(name, EntryKind.LARGE, MAX_FILE_BYTES + 1) for name in extra.left_out if name not in packed]
        packed = {name for name, *_ in entries}
        entries += [(name, EntryKind.FILE, b"") for name in document_files(folder, notebook) if name not in packed]
    except OSError:
        # The folder is not readable.
        return [("", EntryKind.ABSENT, None)]
    return [("", EntryKind.OTHER, None), *entries]


def unpack_submission(entries: Iterable[Entry], target: str | Path) -> Path:
    """Write a packed submission into ``target``, an empty folder, and return the submitted folder in it."""
    folder = Path(target) / "submitted"
    for name, kind, content in entries:
        path = folder / name if name else folder
        path.parent.mkdir(parents=True, exist_ok=True)
        match kind, content:
            case EntryKind.FILE, bytes(data):
                path.write_bytes(data)
            case EntryKind.LARGE, int(size):
                # Only the size of a large file is read.
                with open(path, "wb") as file:
                    file.truncate(size)
            case EntryKind.LINK, str(link_target):
                path.symlink_to(link_target)
            case EntryKind.OTHER, _:
                path.mkdir()
    return folder


def _kind(path: Path, limit: int) -> EntryKind:
    try:
        status = os.lstat(path)
    except OSError:
        return EntryKind.ABSENT
    if stat.S_ISLNK(status.st_mode):
        return EntryKind.LINK
    if not stat.S_ISREG(status.st_mode):
        return EntryKind.OTHER
    return EntryKind.FILE if status.st_size <= min(MAX_BYTES, limit) else EntryKind.LARGE


def _content(path: Path, limit: int = MAX_BYTES) -> tuple[EntryKind, bytes | int | str | None]:
    kind = _kind(path, limit)
    if kind is EntryKind.LINK:
        return kind, os.readlink(path)
    if kind is EntryKind.LARGE:
        return kind, os.lstat(path).st_size
    if kind is EntryKind.FILE:
        try:
            return kind, path.read_bytes()
        except OSError:
            return EntryKind.ABSENT, None
    return kind, None
