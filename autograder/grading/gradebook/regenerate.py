"""Generate ``labs/`` from ``solutions/`` with nbgrader, or check whether it is up to date."""

import filecmp
import shutil
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

from traitlets.config import Config

from ..nbgrader_compat.converters import GenerateAssignment, run_quietly
from ..nbgrader_compat.tools import temporary_traits
from ..releases import store_current_releases
from .course import NbgraderCourse, open_course
from .registration import registration_conflict
from .release import edited_notebooks
from .safe_release import install_files

# As in `nbgrader generate_assignment --no-db`: entering labs in the gradebook takes longer than everything else.
_WITHOUT_GRADEBOOK = Config({"SaveCells": {"enabled": False}})


def regenerate(root: str | Path, labs: Collection[str] = (), *, check: bool = False) -> int:
    """Generate these labs, or all, and return an exit code: 0 written or up to date, 1 outdated or not all possible.

    Raises
    ------
    ValueError
        If there is no such lab, or somebody has worked in one; nothing is written then.
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
        if touched := edited_notebooks(root / "labs"):
            names = ", ".join(str(file.relative_to(root)) for file in touched)
            raise ValueError(
                f"{names} has been worked in since its release, so nothing was written. "
                "Move it to my_labs/ (that is where to work), then run the command again."
            )
        for name in sorted({name.parts[0] for name in changed}):
            store_current_releases(root, root / "labs" / name)
            install_files(fresh / name, root / "labs" / name, complete=True)
            if not (fresh / name).exists():
                shutil.rmtree(root / "labs" / name)
        print("\n".join(f"written: {name}" for name in changed))
        return 1 if failed else 0


def _generate(course: NbgraderCourse, labs: Collection[str], target: Path) -> dict[str, str]:
    """Release these labs without the gradebook; return the reason for each that could not be released."""
    failed = {}
    for source in (course.root / "solutions" / name for name in labs):
        converter = GenerateAssignment(coursedir=course.directory, parent=course.app, force=True, no_database=True)
        converter.update_config(_WITHOUT_GRADEBOOK)
        # The release itself checks this only with a gradebook.
        problem = registration_conflict(converter, source.name, map(str, source.glob("*.ipynb")))
        names = {"assignment_id": source.name, "notebook_id": "*", "student_id": "."}
        if not problem:
            with temporary_traits(course.directory, release_directory=str(target), **names):
                problem = run_quietly(converter)
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
