"""The files of a download: a zip or a folder, whatever is in it."""

import io
import os
import re
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from ..intake.candidates import Unreadable, content, is_nobodys, member
from ..sanitize.terminal_text import shown

MOST_FILES = 100_000
# Of a zip that a download is in again.
MOST_ZIP = 1 << 30
LONGEST = 120  # characters of one part of a path
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\/]')
_IS_DIRECTORY = "/"


@dataclass(frozen=True)
class File:
    """A file of a download.

    Attributes
    ----------
    parts : tuple of str
        Its path; every part is a name that any system takes and that leads nowhere else.
    read : callable
        Returns its content, or raises `Unreadable`.
    """

    parts: tuple[str, ...]
    read: Callable[[], bytes]

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.parts[-1]

    def below(self, depth: int, name: str | None = None) -> "File":
        """The same file without the first ``depth`` parts of its path, or under another name."""
        return File((*self.parts[depth:-1], self.name if name is None else name), self.read)


@dataclass
class Source:
    """What a download holds, and what of it was passed over, a sentence each."""

    files: list[File] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)


def opened(paths: Iterable[Path], stack: ExitStack) -> Source:
    """List the files of zips and folders.

    Parameters
    ----------
    paths : iterable of Path
    stack : ExitStack
        Closes the zips; files can be read until then.

    Raises
    ------
    ValueError
        For what is no zip and no folder.
    """
    source = Source()
    for path in paths:
        if path.is_dir():
            source.files += in_folder(path, source)
        elif path.is_file():
            source.files += _in_zip(_zip(path, path.name, stack), source, stack)
        else:
            raise ValueError(f"{path} is not there; name the zip or the folder that the platform gave you")
    return source


def _zip(file: Path | io.BytesIO, name: str, stack: ExitStack) -> zipfile.ZipFile:
    try:
        return stack.enter_context(zipfile.ZipFile(file))
    except Exception:
        raise ValueError(
            f"{shown(name)} is no zip file, or only a part of one: download it again, or name the folder that you unpacked"
        ) from None


def _in_zip(archive: zipfile.ZipFile, source: Source, stack: ExitStack) -> list[File]:
    infos = [info for info in archive.infolist() if not info.filename.endswith(_IS_DIRECTORY)]
    if len(infos) > MOST_FILES:
        raise ValueError(f"{archive.filename} holds {len(infos)} files; that is no class's download")
    files, taken = [], set()
    for info in infos:
        parts = cleaned(info.filename.replace("\\", "/").split("/"))
        if not parts or any(map(is_nobodys, parts)):
            continue
        if stat.S_ISLNK(info.external_attr >> 16):
            source.passed_over.append(f"{shown(info.filename)} is a link, which is never followed.")
            continue
        while parts in taken:
            # Two of a name: none takes the other's place.
            parts = (*parts[:-1], f"again-{parts[-1]}")
        taken.add(parts)
        files.append(File(parts, _member(archive, info)))
    if len(files) == 1 and is_zip(files[0].name):
        # The download in a zip once more.
        info = next(info for info in infos if cleaned(info.filename.replace("\\", "/").split("/")) == files[0].parts)
        inner = io.BytesIO(member(archive, info, shown(info.filename), MOST_ZIP))
        return _in_zip(_zip(inner, files[0].name, stack), source, stack)
    return files


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], bytes]:
    return lambda: member(archive, info, shown(info.filename))


def in_folder(folder: Path, source: Source) -> Iterator[File]:
    """The files of a folder; what is a link is noted in ``source``."""
    seen = 0
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_nobodys(name))
        for name in sorted([*names, *(one for one in folders if os.path.islink(Path(here, one)))]):
            path = Path(here, name)
            if is_nobodys(name):
                continue
            if path.is_symlink():
                source.passed_over.append(f"{shown(path.relative_to(folder))} is a link, which is never followed.")
                continue
            if (seen := seen + 1) > MOST_FILES:
                raise ValueError(f"{folder} holds more than {MOST_FILES} files; name the folder of the download alone")
            if parts := cleaned(path.relative_to(folder).parts):
                yield File(parts, _on_disk(path))


def _on_disk(path: Path) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            return content(path)
        except OSError as error:
            raise Unreadable(f"{shown(path.name)} could not be opened: {error.strerror}.") from None

    return read


def is_zip(name: str) -> bool:
    """Whether a file of this name says that it is a zip."""
    return name.lower().endswith(".zip")


def is_notebook(name: str) -> bool:
    """Whether a file of this name may be a notebook, however a browser renamed it."""
    return ".ipynb" in name.lower() and not is_zip(name)


def cleaned(parts: Iterable[str]) -> tuple[str, ...]:
    """Make a path of which no part leads up, is hidden from a system, or can't be written."""
    kept = []
    for part in parts:
        name = _UNSAFE.sub("_", "".join(mark if mark.isprintable() else "_" for mark in part)).strip(" ")
        if len(name) > LONGEST:
            stem, dot, suffix = name.rpartition(".")
            name = f"{(stem or suffix)[: LONGEST - 20]}~{dot}{suffix[:10]}" if stem else name[:LONGEST]
        if name.strip("."):
            kept.append(name)
    return tuple(kept)
