"""Write ``labs/`` from ``solutions/`` with nbgrader, or say that it is out of date."""

import filecmp
import shutil
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

from nbgrader.converters import GenerateAssignment
from nbgrader.utils import temp_attrs
from traitlets.config import Config

from ..releases import keep_released
from .course import Course, open_course
from .guarded import install
from .registration import cells_changed, quietly
from .release import edited

# As `nbgrader generate_assignment --no-db` has it; to enter the labs of a course takes longer than all the rest.
_NOT_ENTERED = Config({"SaveCells": {"enabled": False}})


def regenerate(root: str | Path, labs: Collection[str] = (), *, check: bool = False) -> int:
    """Make these labs anew, or every one, and return an exit code: 0 done or equal, 1 different or not all could be made.

    Raises
    ------
    ValueError
        When there is no such lab, or one has been worked in: nothing is written then.
    """
    root = Path(root)
    known = sorted({notebook.parent.name for notebook in (root / "solutions").glob("[!.]*/*.ipynb")})
    if unknown := [name for name in labs if name not in known]:
        raise ValueError(f"solutions/ has no lab {unknown[0]!r}; there are {', '.join(known) or 'none'}")
    with tempfile.TemporaryDirectory() as place:
        fresh = Path(place) / "labs"
        failed = _generate(open_course(root), labs or known, fresh)
        for name, problem in failed.items():
            print(f"labs/{name} stays as it is: {problem}")
        changed = [
            name
            for name in sorted(_differences(fresh, root / "labs"))
            if name.parts[0] not in failed and (not labs or name.parts[0] in labs)
        ]
        if check or not changed:
            others = "Everything else in labs/" if failed else " and ".join(f"labs/{name}" for name in labs) or "labs/"
            verb = "are" if len(labs) > 1 and not failed else "is"
            print("\n".join(f"differs: {name}" for name in changed) or f"{others} {verb} up to date.")
            return 1 if changed or failed else 0
        if touched := edited(root / "labs"):
            names = ", ".join(str(file.relative_to(root)) for file in touched)
            raise ValueError(
                f"{names} has been worked in since its release, so nothing was written. "
                "Move it to my_labs/ (that is where to work), then run the command again."
            )
        for name in sorted({name.parts[0] for name in changed}):
            keep_released(root, root / "labs" / name)
            install(fresh / name, root / "labs" / name, whole=True)
            if not (fresh / name).exists():
                shutil.rmtree(root / "labs" / name)
        print("\n".join(f"written: {name}" for name in changed))
        return 1 if failed else 0


def _generate(course: Course, labs: Collection[str], target: Path) -> dict[str, str]:
    """Release these labs as an instructor would, but enter none in the gradebook; return why some could not be."""
    failed = {}
    for source in (course.root / "solutions" / name for name in labs):
        converter = GenerateAssignment(coursedir=course.directory, parent=course.app, force=True, no_database=True)
        converter.update_config(_NOT_ENTERED)
        # Without a gradebook the release does not look.
        problem = cells_changed(converter, source.name, map(str, source.glob("*.ipynb")))
        names = {"assignment_id": source.name, "notebook_id": "*", "student_id": "."}
        if not problem:
            with temp_attrs(course.directory, release_directory=str(target), **names):
                problem = quietly(converter)
        if problem:
            failed[source.name] = problem
    return failed


def _differences(fresh: Path, old: Path) -> Iterator[Path]:
    names = {
        f.relative_to(top)
        for top in (fresh, old)
        for f in top.glob("*/**/*")
        if f.is_file() and ".ipynb_checkpoints" not in f.parts
    }
    for name in names:
        both = (fresh / name).exists() and (old / name).exists()
        if not both or not filecmp.cmp(fresh / name, old / name, shallow=False):
            yield name
