"""Files of a download, which is a zip or a folder with any content."""

import io
import os
import re
import stat
import unicodedata
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..intake.notebook_candidates import MAX_BYTES, UnreadableFile, is_system_file, read_file, read_member, zip_parts
from ..intake.permissions import LockedFile, denial, is_denied
from ..sanitize.terminal_text import printable

MAX_FILES = 100_000
MAX_INNER_ZIP_BYTES = 1 << 30  # a download that is packed a second time
# Larger than the reader's limit, so that a student is told of the size and not that the notebook is missing.
MAX_FILE_BYTES = 2 * MAX_BYTES
MAX_NAME_LENGTH = 120  # characters of one part of a path
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)", re.IGNORECASE)
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\/]')


@dataclass(frozen=True)
class DownloadFile:
    """File of a download.

    Attributes
    ----------
    parts : tuple of str
        Path in the download; no part has a character that a system refuses, and none leads out of the download.
    read : callable
        Returns the content, or raises `UnreadableFile`.
    serial : int
        Number that the platform gives to each upload, higher than those of all earlier ones; 0 if it gives none.
    """

    parts: tuple[str, ...]
    read: Callable[[], bytes]
    serial: int = 0

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.parts[-1]

    def below(self, depth: int, name: str | None = None) -> "DownloadFile":
        """Return the file without the first ``depth`` parts of its path, or under another name."""
        return replace(self, parts=(*self.parts[depth:-1], self.name if name is None else name))


@dataclass
class DownloadContents:
    """Files of a download, and a sentence about each file that was ignored."""

    files: list[DownloadFile] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)


def open_downloads(
    paths: Iterable[Path], stack: ExitStack, is_submission: Callable[[DownloadFile], bool] = lambda file: False
) -> DownloadContents:
    """List the files of zips and folders.

    Parameters
    ----------
    paths : iterable of Path
        Zips and folders.
    stack : ExitStack
        Closes the zips; files can be read until then.
    is_submission : callable
        Whether the name of a file says who handed it in. The only file of a download is unpacked if it is a zip without
        such a name: what a student packed must never be read as a download, whose names say whose work it is.

    Raises
    ------
    ValueError
        If a path is neither a zip nor a folder.
    """
    contents = DownloadContents()
    for path in paths:
        if path.is_dir():
            contents.files += list_folder(path, contents)
        elif path.is_file():
            contents.files += _list_zip(_open_zip(path, path.name, stack), contents, stack, is_submission)
        else:
            raise ValueError(f"{path} does not exist; name the zip or the folder that the platform gave you")
    return contents


def _open_zip(file: Path | io.BytesIO, name: str, stack: ExitStack) -> zipfile.ZipFile:
    try:
        return stack.enter_context(zipfile.ZipFile(file))
    except Exception:
        raise ValueError(
            f"{printable(name)} is not a zip file, or only a part of one: download it again, or name the folder that you unpacked"
        ) from None


def _list_zip(
    archive: zipfile.ZipFile,
    contents: DownloadContents,
    stack: ExitStack,
    is_submission: Callable[[DownloadFile], bool],
) -> list[DownloadFile]:
    infos = [info for info in archive.infolist() if not info.filename.endswith(("/", "\\"))]
    if len(infos) > MAX_FILES:
        raise ValueError(f"{archive.filename} holds {len(infos)} files, more than a class hands in")
    files, names = [], set()
    for info in infos:
        parts = safe_parts(zip_parts(info.filename))
        if not parts or any(map(is_system_file, parts)):
            continue
        if stat.S_ISLNK(info.external_attr >> 16):
            contents.ignored.append(f"{printable(info.filename)} is a link, which is never followed.")
            continue
        while parts in names:
            # A second file of the same name must not replace the first.
            parts = (*parts[:-1], f"again-{parts[-1]}")
        names.add(parts)
        files.append(DownloadFile(parts, _member_reader(archive, info)))
    if len(files) == 1 and is_zip(files[0].name) and not is_submission(files[0]):
        # The download was packed a second time.
        info = next(info for info in infos if safe_parts(zip_parts(info.filename)) == files[0].parts)
        inner = io.BytesIO(read_member(archive, info, printable(info.filename), MAX_INNER_ZIP_BYTES))
        return _list_zip(_open_zip(inner, files[0].name, stack), contents, stack, is_submission)
    return files


def _member_reader(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], bytes]:
    return lambda: read_member(archive, info, printable(info.filename), MAX_FILE_BYTES)


def list_folder(
    folder: Path, contents: DownloadContents, left_out: frozenset[str] = frozenset(), uid: int | None = None
) -> Iterator[DownloadFile]:
    """List the files of a folder; links are noted in ``contents.ignored``.

    Parameters
    ----------
    folder : Path
    contents : DownloadContents
        Gets a sentence about each link. A folder that this account may not list is listed as a file that it may not read.
    left_out : frozenset of str
        Relative paths that are not listed.
    uid : int, optional
        Number of the only account whose files may be read, also if others replace them later.
    """
    count = 0
    locked: list[Path] = []

    def note(error: OSError) -> None:
        if is_denied(error):
            locked.append(Path(error.filename))

    for parent, folders, names in os.walk(folder, onerror=note):
        folders[:] = sorted(name for name in folders if not is_system_file(name))
        for name in sorted([*names, *(one for one in folders if os.path.islink(Path(parent, one)))]):
            path = Path(parent, name)
            if is_system_file(name) or (left_out and str(path.relative_to(folder)) in left_out):
                continue
            if path.is_symlink():
                contents.ignored.append(f"{printable(path.relative_to(folder))} is a link, which is never followed.")
                continue
            if (count := count + 1) > MAX_FILES:
                raise ValueError(f"{folder} holds more than {MAX_FILES} files; name only the folder of the download")
            if parts := safe_parts(path.relative_to(folder).parts):
                yield DownloadFile(parts, _disk_reader(path, uid))
    for path in locked:
        yield DownloadFile(safe_parts((*path.relative_to(folder).parts, path.name)), _locked_reader(path))


def _locked_reader(path: Path) -> Callable[[], bytes]:
    def read() -> bytes:
        raise LockedFile(denial(path))

    return read


def _disk_reader(path: Path, uid: int | None = None) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            return read_file(path, MAX_FILE_BYTES, uid=uid)
        except OSError as error:
            if is_denied(error):
                raise LockedFile(denial(path)) from None
            raise UnreadableFile(f"{printable(path.name)} could not be opened: {error.strerror}.") from None

    return read


def is_zip(name: str) -> bool:
    """Whether a file has the name of a zip."""
    return name.lower().endswith(".zip")


def is_notebook(name: str) -> bool:
    """Whether a file has the name of a notebook, even if a browser changed its suffix."""
    return ".ipynb" in name.lower() and not is_zip(name)


def portable_parts(parts: Iterable[str]) -> tuple[str, ...]:
    """Return a path that Windows can store under the same name: no device's name, and no full stop or blank at an end."""
    names = (part.rstrip(". ") or "_" for part in parts)
    return tuple(f"_{name}" if _DEVICE.match(name) else name for name in names)


def same_place(parts: Iterable[str]) -> tuple[str, ...]:
    """Return a key that is equal for paths that some disk does not distinguish, such as capital and small letters."""
    return tuple(unicodedata.normalize("NFC", part).casefold() for part in parts)


def safe_parts(parts: Iterable[str]) -> tuple[str, ...]:
    """Replace characters that a system refuses, shorten long names, and leave out parts that lead up."""
    safe = []
    for part in parts:
        name = _UNSAFE.sub("_", "".join(mark if mark.isprintable() else "_" for mark in part)).strip(" ")
        if len(name) > MAX_NAME_LENGTH:
            stem, dot, suffix = name.rpartition(".")
            name = f"{(stem or suffix)[: MAX_NAME_LENGTH - 20]}~{dot}{suffix[:10]}" if stem else name[:MAX_NAME_LENGTH]
        if name.strip("."):
            safe.append(name)
    return tuple(safe)
