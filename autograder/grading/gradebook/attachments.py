"""Files that lie beside a submitted notebook: copied without following any link."""

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

from nbgrader.utils import parse_utc

MOST_ENTRIES, MOST_DEPTH = 20_000, 16


def small_text(path: Path, limit: int = 1000, below: Path | None = None) -> str:
    """Read a small regular file.

    Raises
    ------
    OSError
        For a link, a pipe, a device, a file of more than ``limit`` bytes, and where a
        link on the way leads out of the folder ``below``.
    """
    if below and any(part.is_symlink() for part in path.parents if part != below and part.is_relative_to(below)):
        raise OSError(f"a link leads to {path}")
    with _opened(path) as file:
        if os.fstat(file.fileno()).st_size > limit:
            raise OSError(f"{path} is larger than {limit} bytes")
        return file.read().decode("utf-8", "replace")


def submitted_at(source: Path) -> datetime | None:
    """When a submission was handed in; None where no readable ``timestamp.txt`` says so."""
    if source.is_symlink():
        return None
    try:
        when: datetime = parse_utc(small_text(source / "timestamp.txt").strip())
    except (OSError, ValueError, OverflowError, TypeError):
        return None
    return when


def copy_files(
    source: Path,
    target: Path,
    ignored: Iterable[str],
    most_each: int,
    most: int,
    skip: Collection[str] = (),
    wanted: Callable[[Path, BinaryIO], bool] = lambda name, file: True,
) -> list[str]:
    """Copy the regular files of a folder, whatever else is in it.

    Parameters
    ----------
    source, target : Path
    ignored : list of str
        Patterns for names of files and folders that are left out.
    most_each, most : int
        Bytes of one file and of all together; what goes beyond is left out.
    skip : collection of str
        Paths relative to ``source`` that are left out.
    wanted : callable
        Whether to copy a file, by its path relative to ``source`` and its content.

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
            with _opened(path) as file:
                size = os.fstat(file.fileno()).st_size
                if size > most_each or size > most or not wanted(name, file):
                    left_out.append(str(name))
                    continue
                most -= size
                file.seek(0)
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                (target / name).unlink(missing_ok=True)
                with open(target / name, "wb") as copy:
                    shutil.copyfileobj(file, copy)
        except OSError:
            # A pipe, or nothing that we may read: it is still where it was handed in.
            left_out.append(str(name))
    return left_out


def stamp_of(digest: str, source: Path) -> str:
    """Checksum of a result and of what lies beside it and can be looked at, by size and time of change."""
    checksum = hashlib.sha256(digest.encode())
    for path in _walk(source, ()):
        with suppress(OSError):
            status = os.lstat(path)
            checksum.update(f"{path.relative_to(source).as_posix()!a} {status.st_size} {status.st_mtime_ns}\n".encode())
    return checksum.hexdigest()


def _walk(folder: Path, ignored: Iterable[str]) -> Iterator[Path]:
    """What is no folder, in a folder and below: nothing behind a link, and no deeper and no more than a person hands in."""
    waiting, left = [(folder, 0)], MOST_ENTRIES
    while waiting:
        here, depth = waiting.pop()
        try:
            # Whatever has gone or may not be looked into is left out.
            if os.path.islink(here):
                continue
            with os.scandir(here) as entries:
                found = sorted(islice(entries, left), key=lambda entry: entry.name)
        except OSError:
            continue
        left -= len(found)
        for entry in found:
            if _matches(entry.name, ignored):
                continue
            if not entry.is_dir(follow_symlinks=False):
                yield Path(entry.path)
            elif depth < MOST_DEPTH:
                waiting.append((Path(entry.path), depth + 1))


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def _opened(path: Path) -> BinaryIO:
    # Windows lacks the two.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    number = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(f"{path} is no regular file")
    return open(number, "rb")
