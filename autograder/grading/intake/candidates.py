"""The files of a submission that may be its notebook: in the folder, in one below it, in a zip."""

import io
import os
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from ... import lab_names
from ..sanitize.terminal_text import printable

MAX_BYTES = 64 * 2**20
# Of a notebook beside the one that has the lab's name.
MAX_OTHER_BYTES, MAX_OTHERS = 8 * 2**20, 8
# Whoever hands in more than this hands in something else.
MAX_DEPTH, MAX_ENTRIES, MAX_ZIPS, MAX_IN_ZIP = 3, 2_000, 2, 2_000
# What systems put there by themselves.
SYSTEM_NAMES = ("__MACOSX", "__pycache__")
_IN_ZIP = b"PK\1\2"


class UnreadableFile(Exception):
    """Says in a sentence why there is no notebook."""


@dataclass(frozen=True)
class Candidate:
    """A notebook by its path in the submitted folder, and in the zip that is there, if that is one."""

    folder: Path
    path: str
    member: str = ""

    @property
    def name(self) -> str:
        """The last part of its path."""
        return PurePosixPath(self.member or self.path).name

    @property
    def display_name(self) -> str:
        """Its name for a sentence."""
        return f"{printable(self.member)} in {printable(self.path)}" if self.member else printable(self.path)

    def read(self, most: int = MAX_BYTES) -> bytes:
        """Return its content.

        Raises
        ------
        Unreadable, OSError
            For anything but a regular file of at most ``most`` bytes, which alone is opened.
        """
        if not self.member:
            return read_file(self.folder / self.path, most)
        try:
            with zipfile.ZipFile(io.BytesIO(read_file(self.folder / self.path))) as archive:
                return read_member(archive, archive.getinfo(self.member), self.shown, most)
        except UnreadableFile:
            raise
        except Exception:
            # The library has a dozen ways to say so, and the bytes are a stranger's.
            raise UnreadableFile(_damaged(self.shown)) from None


def read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, most: int = MAX_BYTES) -> bytes:
    """Return the content of a file in a zip.

    Raises
    ------
    Unreadable
        For one that is locked, damaged or has more than ``most`` bytes; ``name`` is what the sentence calls it.
    """
    if info.flag_bits & 1:
        raise UnreadableFile(f"{name} is locked with a password; hand in the notebook itself.")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnreadableFile(f"{name} is compressed in a rare way; hand in the notebook itself.")
    try:
        with archive.open(info) as file:
            data = file.read(most + 1)
    except Exception:
        raise UnreadableFile(_damaged(name)) from None
    if len(data) > most:
        raise UnreadableFile(_too_big(name, max(info.file_size, len(data)), most))
    return data


def _damaged(name: str) -> str:
    return f"{name} is damaged; hand in the notebook itself."


def find_notebooks(folder: Path, name: str) -> tuple[list[Candidate], str]:
    """Find what may be the notebook ``name``.

    Returns
    -------
    list of Candidate
        ``folder/name`` first if anything is there, then others, of which more than `MAX_OTHERS`
        are cut short; no link is followed and no zip in a zip opened.
    str
        Why a zip could not be looked into, as a sentence, or nothing.
    """
    candidates: list[Candidate] = []
    problem = ""
    for path in candidate_paths(folder, name):
        try:
            members = _members(folder / path) if path != name and _is_zip(path) else [""]
            candidates += [Candidate(folder, path, member) for member in members]
        except UnreadableFile as error:
            problem = str(error)
        except OSError as error:
            problem = f"{printable(path)} could not be opened: {printable(error.strerror or type(error).__name__)}."
    return candidates[: MAX_OTHERS + 2], problem


def candidate_paths(folder: Path, name: str) -> list[str]:
    """Paths in a folder of all that `find_notebooks` looks at: ``name``, its other name, other notebooks, zips."""
    first = [path for path in (name, f"{lab_names.other_name(Path(name).stem)}.ipynb") if os.path.lexists(folder / path)]
    found = [path for path in _files(folder) if path not in first]
    notebooks = [path for path in found if ".ipynb" in PurePosixPath(path).name.lower() and not _is_zip(path)]
    zips = [path for path in found if _is_zip(path)]
    return first + notebooks[: MAX_OTHERS + 1] + zips[:MAX_ZIPS]


def _is_zip(path: str) -> bool:
    return path.lower().endswith(".zip")


def visible_names(folder: Path) -> list[str]:
    """Names of what lies in a folder, sorted; of very many only some."""
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in islice(entries, MAX_ENTRIES) if not entry.name.startswith("."))


def _files(folder: Path) -> Iterator[str]:
    """Paths of regular files below a folder, the nearest first."""
    waiting, left = [""], MAX_ENTRIES
    while waiting:
        here = waiting.pop(0)
        try:
            with os.scandir(folder / here) as entries:
                found = sorted(islice(entries, left), key=lambda entry: entry.name)
        except OSError:
            if not here:
                raise
            continue
        left -= len(found)
        for entry in found:
            if is_system_file(entry.name):
                continue
            path = f"{here}/{entry.name}" if here else entry.name
            if entry.is_file(follow_symlinks=False):
                yield path
            elif entry.is_dir(follow_symlinks=False) and path.count("/") < MAX_DEPTH:
                waiting.append(path)


def _members(path: Path) -> list[str]:
    """Names of the notebooks in a zip."""
    data = read_file(path)
    # Before its list of contents is built, which takes far more memory than the zip.
    if data.count(_IN_ZIP) > MAX_IN_ZIP:
        raise UnreadableFile(f"{printable(path.name)} holds thousands of files; hand in the notebook itself.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except Exception:
        raise UnreadableFile(
            f"{printable(path.name)} is no zip file, or damaged; hand in the notebook itself."
        ) from None
    notebooks = [name for name in names if ".ipynb" in PurePosixPath(name).name.lower() and not name.endswith("/")]
    return [name for name in notebooks if not any(map(is_system_file, name.split("/")))]


def is_system_file(name: str) -> bool:
    """Whether a system put a file or folder of this name there by itself."""
    # macOS leaves "._NAME.ipynb" beside a notebook.
    return name.startswith((".", *SYSTEM_NAMES)) and name not in (".", "..")


def read_file(path: Path, most: int = MAX_BYTES) -> bytes:
    """Return the content of a regular file of bearable size.

    Raises
    ------
    Unreadable, OSError
    """
    name = printable(path.name)
    kind = os.lstat(path).st_mode
    if stat.S_ISLNK(kind):
        raise UnreadableFile(f"{name} is a symbolic link, which is never followed; hand in the file itself.")
    if not stat.S_ISREG(kind):
        raise UnreadableFile(f"{name} is no file; hand in the notebook under that name.")
    # Windows lacks the two; a link put there since lstat is refused where they exist.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableFile(f"{name} is no file; hand in the notebook under that name.")
        if status.st_size <= most:
            data = file.read(status.st_size + 1)
            if len(data) <= most:
                return data
    raise UnreadableFile(_too_big(name, status.st_size, most))


def _too_big(name: str, size: int, most: int) -> str:
    return (
        f"{name} has {size / 1e6:.0f} MB, and {most / 1e6:.0f} MB is the most that is read; "
        "clear its outputs, save it and hand it in again."
    )
