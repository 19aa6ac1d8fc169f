"""Files submitted with a notebook: read and copied without following any link."""

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from ..nbgrader_compat.tools import parse_utc

MAX_ENTRIES, MAX_DEPTH = 20_000, 16


def read_small_text(path: Path, limit: int = 1000, below: Path | None = None) -> str:
    """Read a small regular file.

    Raises
    ------
    OSError
        For a link, a pipe, a device, a file of more than ``limit`` bytes, and for a path below the folder
        ``below`` that contains a link.
    """
    if below and any(part.is_symlink() for part in path.parents if part != below and part.is_relative_to(below)):
        raise OSError(f"the path of {path} contains a link")
    with _open_regular(path) as file:
        if os.fstat(file.fileno()).st_size > limit:
            raise OSError(f"{path} is larger than {limit} bytes")
        return file.read().decode("utf-8", "replace")


def submission_time(source: Path) -> datetime | None:
    """Read the time of a submission from its ``timestamp.txt``; None if that is not readable."""
    if source.is_symlink():
        return None
    try:
        when: datetime = parse_utc(read_small_text(source / "timestamp.txt").strip())
    except (OSError, ValueError, OverflowError, TypeError):
        return None
    return when


def copy_files(
    source: Path,
    target: Path,
    ignored: Iterable[str],
    max_file_bytes: int,
    max_bytes: int,
    skip: Collection[str] = (),
    accept: Callable[[Path, BinaryIO], bool] = lambda name, file: True,
) -> list[str]:
    """Copy the regular files of a folder.

    Parameters
    ----------
    source, target : Path
        Folder to copy from, and folder to copy into.
    ignored : list of str
        Patterns of names of files and folders that are left out.
    max_file_bytes, max_bytes : int
        Largest size of one file and of all files together; files beyond are left out.
    skip : collection of str
        Paths relative to ``source`` that are left out.
    accept : callable
        Decides whether to copy a file, from its path relative to ``source`` and the open file.

    Returns
    -------
    list of str
        Paths relative to ``source`` that could not or must not be copied.
    """
    left_out = []
    for path in _walk(source, ignored):
        name = path.relative_to(source)
        if str(name) in skip:
            continue
        try:
            with _open_regular(path) as file:
                size = os.fstat(file.fileno()).st_size
                if size > max_file_bytes or size > max_bytes or not accept(name, file):
                    left_out.append(str(name))
                    continue
                max_bytes -= size
                file.seek(0)
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                (target / name).unlink(missing_ok=True)
                with open(target / name, "wb") as copy:
                    shutil.copyfileobj(file, copy)
        except OSError:
            # A pipe, or a file without permission to read; it stays in the submission.
            left_out.append(str(name))
    return left_out


def submission_stamp(digest: str, source: Path) -> str:
    """Checksum of a result and of the readable files of its submission, by size and modification time."""
    checksum = hashlib.sha256(digest.encode())
    for path in _walk(source, ()):
        with suppress(OSError):
            status = os.lstat(path)
            checksum.update(f"{path.relative_to(source).as_posix()!a} {status.st_size} {status.st_mtime_ns}\n".encode())
    return checksum.hexdigest()


def _walk(folder: Path, ignored: Iterable[str]) -> Iterator[Path]:
    """Yield the files below a folder, links not followed, down to a depth and a number that no person submits."""
    folders, left = [(folder, 0)], MAX_ENTRIES
    while folders:
        here, depth = folders.pop()
        try:
            # A folder that is gone or not readable is left out.
            if os.path.islink(here):
                continue
            with os.scandir(here) as entries:
                found = sorted(islice(entries, left), key=lambda entry: entry.name)
        except OSError:
            continue
        left -= len(found)
        for entry in found:
            if any(fnmatch(entry.name, pattern) for pattern in ignored):
                continue
            if not entry.is_dir(follow_symlinks=False):
                yield Path(entry.path)
            elif depth < MAX_DEPTH:
                folders.append((Path(entry.path), depth + 1))


def _open_regular(path: Path) -> BinaryIO:
    # Windows lacks the first two flags, and other systems the third.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    number = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(f"{path} is not a regular file")
    return open(number, "rb")
