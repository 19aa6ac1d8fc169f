"""What may lie beside an autograded notebook: only what runs nowhere.

Formgrader serves that folder from the address at which the instructor is logged in: a page or
a drawing there would act in the instructor's name.
"""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, BinaryIO

from nbgrader.utils import rmtree

from ..sanitize.outputs import PNG, area
from ..sanitize.terminal_text import shown
from .attachments import copy_files

# What a browser shows as text, saves, or shows as the picture that it is.
SUFFIXES = {".csv", ".json", ".md", ".npy", ".npz", ".png", ".py", ".tsv", ".txt"}
NAMED = 10  # files that a note names


def lay_beside(
    directory: Any, lab: str, source: Path, target: Path, ignored: Iterable[str] = (), own: Collection[str] = ()
) -> list[str]:
    """Put into the folder of an autograded notebook what may lie there; the course's own files win.

    Parameters
    ----------
    directory : CourseDirectory
        nbgrader's, for what is ignored and how large files may be.
    lab : str
    source, target : Path
        The submission, and the folder; notebooks in it stay, all other things in it go.
    ignored : list of str
        More patterns for names that are left out.
    own : collection of str
        Files of the course that do not win.

    Returns
    -------
    list of str
        What was handed in and is not laid there: `note` tells of it.
    """
    bounds = directory.max_file_size * 1000, directory.max_dir_size * 1000
    ignored = [*directory.ignore, "*.ipynb", *ignored]
    target.mkdir(parents=True, exist_ok=True)
    for path in target.iterdir():
        if path.is_dir() and not path.is_symlink():
            rmtree(str(path))
        elif path.suffix != ".ipynb":
            path.unlink()
    left_out = copy_files(source, target, ignored, *bounds, wanted=_runs_nowhere)
    course = Path(directory.format_path(directory.source_directory, ".", lab))
    copy_files(course, target, ignored, *bounds, skip=own)
    return left_out


def note(left_out: list[str], source: str | Path) -> dict[str, Any]:
    """A cell that tells whoever marks what else was handed in."""
    names = [f"    {shown(name)}" for name in left_out[:NAMED]]
    more = [f"    and {len(left_out) - NAMED} more"] if len(left_out) > NAMED else []
    text = ["Handed in beside this notebook, and not copied here since a browser might run it or it is too large:", ""]
    text += [*names, *more, "", "It is where it was handed in:", "", f"    {shown(source, 400)}"]
    return {"cell_type": "markdown", "id": "left-beside", "metadata": {}, "source": "\n".join(text)}


def _runs_nowhere(name: Path, file: BinaryIO) -> bool:
    kind = name.suffix.lower()
    head = file.read(24) if kind == ".png" else b""
    return kind in SUFFIXES and (kind != ".png" or (head.startswith(PNG) and area(head) is not None))
