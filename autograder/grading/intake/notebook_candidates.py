"""Find the files of a submission that may be its notebook: in the folder, in a subfolder, in a zip file."""

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
from .disk_errors import raise_disk_error

MAX_BYTES = 64 * 2**20
# Limits of notebooks other than the one with the lab's name.
MAX_OTHER_BYTES, MAX_OTHERS = 8 * 2**20, 8
# A submission above these limits is not a notebook with some files.
MAX_DEPTH, MAX_ENTRIES, MAX_ZIPS, MAX_IN_ZIP = 3, 2_000, 2, 2_000
# Files and folders that operating systems and Python create.
SYSTEM_NAMES = ("__MACOSX", "__pycache__")
_IN_ZIP = b"PK\1\2"


class UnreadableFile(Exception):
    """No notebook can be read; the message says why in a sentence."""


@dataclass(frozen=True)
class Candidate:
    """Notebook by its path in the submitted folder; if the path is a zip file, ``member`` is the path in it."""

    folder: Path
    path: str
    member: str = ""

    @property
    def name(self) -> str:
        """Last part of the path."""
        return zip_parts(self.member)[-1] if self.member else PurePosixPath(self.path).name

    @property
    def display_name(self) -> str:
        """Name for a sentence."""
        return f"{printable(self.member)} in {printable(self.path)}" if self.member else printable(self.path)

    def read(self, limit: int = MAX_BYTES) -> bytes:
        """Return the content.

        Raises
        ------
        UnreadableFile, OSError
            If it is not a regular file of at most ``limit`` bytes; nothing else is opened.
        """
        if not self.member:
            return read_file(self.folder / self.path, limit)
        try:
            with zipfile.ZipFile(io.BytesIO(read_file(self.folder / self.path))) as archive:
                return read_member(archive, archive.getinfo(self.member), self.display_name, limit)
        except UnreadableFile:
            raise
        except Exception as problem:
            if isinstance(problem, OSError):
                raise_disk_error(problem)
            # zipfile raises many types of exceptions for untrusted bytes.
            raise UnreadableFile(_damaged(self.display_name)) from None


def read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, limit: int = MAX_BYTES) -> bytes:
    """Return the content of a file in a zip archive; ``name`` is its name in messages.

    Raises
    ------
    UnreadableFile
        If it is encrypted, damaged or larger than ``limit`` bytes.
    """
    if info.flag_bits & 1:
        raise UnreadableFile(f"{name} is encrypted with a password; hand in the notebook itself.")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnreadableFile(f"{name} uses a rare compression method; hand in the notebook itself.")
    try:
        with archive.open(info) as file:
            data = file.read(limit + 1)
    except Exception:
        raise UnreadableFile(_damaged(name)) from None
    if len(data) > limit:
        raise UnreadableFile(_too_big(name, max(info.file_size, len(data)), limit))
    return data


def _damaged(name: str) -> str:
    return f"{name} is damaged; hand in the notebook itself."


def find_notebooks(folder: Path, name: str) -> tuple[list[Candidate], str]:
    """Find the files that may be the notebook ``name``.

    Returns
    -------
    list of Candidate
        ``folder/name`` first if it exists, then others, a few more than `MAX_OTHERS` at most; no link is
        followed, and no zip file in a zip file is opened.
    str
        Sentence that says why a zip file could not be read, or "".
    """
    candidates: list[Candidate] = []
    problem = ""
    for path in candidate_paths(folder, name):
        try:
            members = _members(folder / path) if path != name and is_zip(path) else [""]
            candidates += [Candidate(folder, path, member) for member in members]
        except UnreadableFile as error:
            problem = str(error)
        except OSError as error:
            raise_disk_error(error)
            problem = f"{printable(path)} could not be opened: {printable(error.strerror or type(error).__name__)}."
    return candidates[: MAX_OTHERS + 2], problem


def candidate_paths(folder: Path, name: str) -> list[str]:
    """Return the paths that `find_notebooks` looks at: ``name``, its other name, other notebooks, zip files."""
    first = [
        path for path in (name, f"{lab_names.other_name(Path(name).stem)}.ipynb") if os.path.lexists(folder / path)
    ]
    found = [path for path in regular_files(folder) if path not in first]
    notebooks = [path for path in found if ".ipynb" in PurePosixPath(path).name.lower() and not is_zip(path)]
    zips = [path for path in found if is_zip(path)]
    return first + notebooks[: MAX_OTHERS + 1] + zips[:MAX_ZIPS]


def find_json(folder: Path) -> list[Candidate]:
    """Find the JSON files of a submission without notebooks; Safari saves a notebook under that suffix."""
    paths = (path for path in regular_files(folder) if path.lower().endswith(".json"))
    return [Candidate(folder, path) for path in islice(paths, MAX_OTHERS)]


def is_zip(path: str) -> bool:
    """Return whether a path has the suffix of a zip file."""
    return path.lower().endswith(".zip")


def visible_names(folder: Path) -> list[str]:
    """Return the sorted names of the entries of a folder, at most `MAX_ENTRIES`."""
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in islice(entries, MAX_ENTRIES) if not entry.name.startswith("."))


def regular_files(folder: Path) -> Iterator[str]:
    """Yield the paths of regular files below a folder, breadth first."""
    waiting, left = [""], MAX_ENTRIES
    while waiting:
        current = waiting.pop(0)
        try:
            with os.scandir(folder / current) as entries:
                found = sorted(islice(entries, left), key=lambda entry: entry.name)
        except OSError as error:
            if not current:
                raise
            raise_disk_error(error)
            continue
        left -= len(found)
        for entry in found:
            if is_system_file(entry.name):
                continue
            path = f"{current}/{entry.name}" if current else entry.name
            if entry.is_file(follow_symlinks=False):
                yield path
            elif entry.is_dir(follow_symlinks=False) and path.count("/") < MAX_DEPTH:
                waiting.append(path)


def _members(path: Path) -> list[str]:
    """Return the names of the notebooks in a zip file."""
    return [name for name in zip_names(path) if ".ipynb" in zip_parts(name)[-1].lower()]


def zip_names(path: Path) -> list[str]:
    """Return the names of the files in a zip file; those of operating systems are left out.

    Raises
    ------
    UnreadableFile, OSError
        If it is not a zip file that a person made.
    """
    data = read_file(path)
    # Count entries before zipfile lists them, because the list takes far more memory than the file.
    if data.count(_IN_ZIP) > MAX_IN_ZIP:
        raise UnreadableFile(f"{printable(path.name)} holds thousands of files; hand in the notebook itself.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except Exception:
        raise UnreadableFile(
            f"{printable(path.name)} is not a zip file, or is damaged; hand in the notebook itself."
        ) from None
    return [name for name in names if not name.endswith(("/", "\\")) and not any(map(is_system_file, zip_parts(name)))]


def zip_parts(name: str) -> list[str]:
    """Return folders and name of a file in a zip; old tools of Windows separate them by backslashes."""
    return name.replace("\\", "/").split("/")


def is_system_file(name: str) -> bool:
    """Return whether an operating system, an office program or Python created the file or folder of this name."""
    # macOS adds "._NAME.ipynb" to a notebook, Windows "NAME.ipynb:Zone.Identifier" to a download.
    if name.lower().endswith("zone.identifier") or name.lower() in ("thumbs.db", "desktop.ini"):
        return True
    return name.startswith((".", "~$", *SYSTEM_NAMES)) and name not in (".", "..")


def read_file(path: Path, limit: int = MAX_BYTES, *, uid: int | None = None) -> bytes:
    """Return the content of a regular file of at most ``limit`` bytes, which account ``uid`` owns if it is given.

    Raises
    ------
    UnreadableFile, OSError
        If the path is anything else.
    """
    name = printable(path.name)
    kind = os.lstat(path).st_mode
    if stat.S_ISLNK(kind):
        raise UnreadableFile(f"{name} is a symbolic link, which is never followed; hand in the file itself.")
    if not stat.S_ISREG(kind):
        raise UnreadableFile(f"{name} is not a regular file; hand in the notebook under that name.")
    # These flags refuse a link that was created after lstat; Windows lacks them.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableFile(f"{name} is not a regular file; hand in the notebook under that name.")
        if uid is not None and status.st_uid != uid:
            raise UnreadableFile(f"{name} was replaced by another account and was left out; collect again.")
        if status.st_size <= limit:
            data = file.read(status.st_size + 1)
            if len(data) <= limit:
                return data
    raise UnreadableFile(_too_big(name, status.st_size, limit))


def _too_big(name: str, size: int, limit: int) -> str:
    return (
        f"{name} has {size / 1e6:.0f} MB, and the limit is {limit / 1e6:.0f} MB; "
        "clear its outputs, save it and hand it in again."
    )
