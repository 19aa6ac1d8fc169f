"""Files that lie beside a submitted notebook: copied without following any link."""

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import BinaryIO


def small_text(path: Path, limit: int = 1000) -> str:
    """Read a small regular file.

    Raises
    ------
    OSError
        For a link, a pipe, a device, or a file of more than ``limit`` bytes.
    """
    with _opened(path) as file:
        if os.fstat(file.fileno()).st_size > limit:
            raise OSError(f"{path} is larger than {limit} bytes")
        return file.read().decode("utf-8", "replace")


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
    """Checksum of a result and of what lies beside it, by size and time of change."""
    checksum = hashlib.sha256(digest.encode())
    for path in _walk(source, ()):
        status = os.lstat(path)
        checksum.update(f"{path.relative_to(source).as_posix()!a} {status.st_size} {status.st_mtime_ns}\n".encode())
    return checksum.hexdigest()


def _walk(folder: Path, ignored: Iterable[str]) -> Iterator[Path]:
    if os.path.islink(folder):
        return
    for above, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _matches(name, ignored))
        for name in sorted(files):
            if not _matches(name, ignored):
                yield Path(above, name)


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
