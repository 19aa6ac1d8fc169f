"""Extra files of a submission: modules, small tables, pickles and notebooks that the notebook may import, read or run.

They are only opened in the sandbox.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from .disk_errors import raise_disk_error

SUFFIXES = (".py", ".csv", ".tsv", ".json", ".txt", ".md", ".npy", ".npz", ".pkl", ".pickle", ".ipynb")
NOTEBOOK = ".ipynb"
MAX_FILES = 32
MAX_FILE_BYTES = 256 << 10
MAX_TOTAL_BYTES = 1 << 20
MAX_SCANNED = 10_000  # entries of one folder
MAX_FOLDERS, MAX_NAMES = 32, 200
_MAX_NAMED = 5  # in a sentence
_WRITTEN_BY_NBGRADER = ("timestamp.txt",)


@dataclass(frozen=True)
class ExtraFiles:
    """Extra files of a submission.

    Attributes
    ----------
    files : dict of str to bytes
        Contents by path relative to the submitted folder, with ``/``; subfolders of one level only.
    left_out : tuple of str
        Paths of files above the limits.
    """

    files: dict[str, bytes]
    left_out: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for the student if files were left out."""
        if not self.left_out:
            return ()
        names = ", ".join(f"`{name}`" for name in self.left_out[:_MAX_NAMED])
        more = len(self.left_out) - _MAX_NAMED
        return (
            f"Files left out of grading: {names}{f' and {more} more' if more > 0 else ''}. "
            f"The limit is {MAX_FILES} files of at most {MAX_FILE_BYTES >> 10} KiB, "
            f"{MAX_TOTAL_BYTES >> 20} MiB together.",
        )


def read_extra_files(folder: str | Path) -> ExtraFiles:
    """Read the extra files of a submission.

    Parameters
    ----------
    folder : path
        The submitted folder; it may contain anything.

    Returns
    -------
    ExtraFiles
        Readable regular files with one of the `SUFFIXES`; no link is followed, and no content of a
        submission raises an exception, only a fault of the disk does (`disk_errors`).
    """
    files: dict[str, bytes] = {}
    left_out: list[str] = []
    if os.path.islink(folder):
        return ExtraFiles(files)
    # Notebooks last: most are copies of the graded one, so none of them takes the place of another file or is named.
    for name in sorted(islice(_names(Path(folder)), MAX_NAMES), key=_is_notebook):
        if len(files) == MAX_FILES:
            left_out += [] if _is_notebook(name) else [name]
            continue
        content = _content(Path(folder, name))
        if content is None:
            continue
        together = sum(map(len, files.values())) + len(content)
        if len(content) > MAX_FILE_BYTES or together > MAX_TOTAL_BYTES:
            left_out += [] if _is_notebook(name) else [name]
        else:
            files[name] = content
    return ExtraFiles(files, tuple(left_out))


def without_unused_notebooks(files: Mapping[str, bytes], sources: Iterable[str]) -> dict[str, bytes]:
    """Return the files without the notebooks of which no source names the file.

    Parameters
    ----------
    files : mapping of str to bytes
    sources : iterable of str
        Code of the graded notebook.
    """
    code = "\n".join(sources)
    return {
        name: content for name, content in files.items() if not _is_notebook(name) or PurePosixPath(name).name in code
    }


def _is_notebook(name: str) -> bool:
    return name.lower().endswith(NOTEBOOK)


def _names(folder: Path, above: str = "") -> Iterator[str]:
    """Yield the paths of possible extra files: first in the folder itself, then in its subfolders."""
    folders: list[str] = []
    try:
        with os.scandir(folder) as entries:
            found = sorted(islice(entries, MAX_SCANNED), key=lambda entry: entry.name)
    except OSError as problem:
        raise_disk_error(problem)
        return
    for entry in found:
        # Messages quote these names.
        if entry.name.startswith((".", "__pycache__")) or not entry.name.isprintable() or "`" in entry.name:
            continue
        try:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            elif entry.name.lower().endswith(SUFFIXES) and entry.name not in _WRITTEN_BY_NBGRADER:
                yield above + entry.name
        except OSError:
            continue
    for name in folders[:MAX_FOLDERS] if not above else ():
        yield from _names(folder / name, f"{name}/")


def _content(path: Path) -> bytes | None:
    """Return the content of a regular file, cut one byte above the limit; None for anything else."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        with open(os.open(path, flags), "rb") as file:
            return file.read(MAX_FILE_BYTES + 1) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError as problem:
        raise_disk_error(problem)
        return None
