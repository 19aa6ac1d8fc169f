"""Write ``labs/`` from ``solutions/`` with nbgrader, or say that it is out of date."""

import filecmp
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from nbgrader.converters import GenerateAssignment
from nbgrader.utils import capture_log, temp_attrs

from .course import open_course
from .release import edited


def regenerate(root: str | Path, *, check: bool = False) -> int:
    """Make every lab anew and return an exit code: 0 done or equal, 1 different.

    Raises
    ------
    ValueError
        When a lab has been worked in: nothing is written then.
    """
    root = Path(root)
    with tempfile.TemporaryDirectory() as place:
        fresh = Path(place) / "labs"
        _generate(root, fresh)
        changed = sorted(_differences(fresh, root / "labs"))
        if check or not changed:
            print("\n".join(f"differs: {name}" for name in changed) or "labs/ is up to date.")
            return 1 if changed else 0
        if touched := edited(root / "labs"):
            names = ", ".join(str(file.relative_to(root)) for file in touched)
            raise ValueError(
                f"{names} has been worked in since its release, so nothing was written. "
                "Move it to my_labs/ (that is where to work), then run the command again."
            )
        shutil.rmtree(root / "labs", ignore_errors=True)
        shutil.copytree(fresh, root / "labs")
        print("\n".join(f"written: {name}" for name in changed))
        return 0


def _generate(root: Path, target: Path) -> None:
    """Release every lab as an instructor would, with a gradebook that is thrown away."""
    course = open_course(root)
    gradebook = f"sqlite:///{target.parent / 'gradebook.db'}"
    for source in sorted(folder for folder in (root / "solutions").iterdir() if folder.is_dir()):
        names = {"assignment_id": source.name, "notebook_id": "*", "student_id": "."}
        with temp_attrs(course.directory, release_directory=str(target), db_url=gradebook, **names):
            done = capture_log(GenerateAssignment(coursedir=course.directory, parent=course.app, force=True))
        if not done["success"]:
            raise ValueError(f"nbgrader could not release {source.name}:\n{done['log'].strip()}")


def _differences(fresh: Path, old: Path) -> Iterator[Path]:
    names = {
        f.relative_to(top)
        for top in (fresh, old)
        for f in top.rglob("*")
        if f.is_file() and ".ipynb_checkpoints" not in f.parts
    }
    for name in names:
        both = (fresh / name).exists() and (old / name).exists()
        if not both or not filecmp.cmp(fresh / name, old / name, shallow=False):
            yield name
