"""Files beside an autograded notebook: only those that no browser runs.

Formgrader serves that folder from the address at which the instructor is logged in: a page or a drawing there would act
in the instructor's name.
"""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, BinaryIO

from ..nbgrader_compat.tools import rmtree
from ..sanitize.outputs import PNG, pixel_area
from ..sanitize.terminal_text import printable
from .attachments import copy_files

# A browser shows these as text or as the picture that they are, or saves them.
SUFFIXES = {".csv", ".json", ".md", ".npy", ".npz", ".png", ".py", ".tsv", ".txt"}
MAX_NAMES = 10  # that the cell lists


def copy_inert_files(
    directory: Any,
    lab: str,
    source: Path,
    target: Path,
    ignored: Iterable[str] = (),
    not_replaced: Collection[str] = (),
) -> list[str]:
    """Copy the files of a submission that no browser runs, then the course's own files over them.

    Parameters
    ----------
    directory : CourseDirectory
        nbgrader's, with the patterns of ignored names and the largest sizes.
    lab : str
        Name of the lab.
    source, target : Path
        The submission, and the folder of the autograded notebook; everything but notebooks is first removed from it.
    ignored : list of str
        More patterns of names that are left out.
    not_replaced : collection of str
        Files of the course that do not replace the student's.

    Returns
    -------
    list of str
        Submitted files that are not copied; `left_out_cell` lists them.
    """
    bounds = directory.max_file_size * 1000, directory.max_dir_size * 1000
    ignored = [*directory.ignore, "*.ipynb", *ignored]
    target.mkdir(parents=True, exist_ok=True)
    for path in target.iterdir():
        if path.is_dir() and not path.is_symlink():
            rmtree(str(path))
        elif path.suffix != ".ipynb":
            path.unlink()
    left_out = copy_files(source, target, ignored, *bounds, accept=_is_inert)
    course = Path(directory.format_path(directory.source_directory, ".", lab))
    copy_files(course, target, ignored, *bounds, skip=not_replaced)
    return left_out


def left_out_cell(left_out: list[str], source: str | Path) -> dict[str, Any]:
    """Build a cell that tells the person who marks which other files were submitted."""
    names = [f"    {printable(name)}" for name in left_out[:MAX_NAMES]]
    more = [f"    and {len(left_out) - MAX_NAMES} more"] if len(left_out) > MAX_NAMES else []
    text = ["Submitted with this notebook, and not copied here because a browser might run it or it is too large:", ""]
    text += [*names, *more, "", "It is in the submission:", "", f"    {printable(source, 400)}"]
    return {"cell_type": "markdown", "id": "left-beside", "metadata": {}, "source": "\n".join(text)}


def _is_inert(name: Path, file: BinaryIO) -> bool:
    suffix = name.suffix.lower()
    head = file.read(24) if suffix == ".png" else b""
    return suffix in SUFFIXES and (suffix != ".png" or (head.startswith(PNG) and pixel_area(head) is not None))
