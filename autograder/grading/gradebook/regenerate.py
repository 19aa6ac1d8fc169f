"""Write ``labs/`` from ``solutions/`` with nbgrader, or say that it is out of date."""

import filecmp
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .release import edited


def regenerate(root, *, check=False):
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


def _generate(root, target):
    """Run nbgrader as an instructor would, with a gradebook that is thrown away."""
    gradebook = target.parent / "gradebook.db"
    # nbgrader makes its database with the program alembic, which is beside this Python.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    for source in sorted(folder for folder in (root / "solutions").iterdir() if folder.is_dir()):
        command = [
            *(sys.executable, "-m", "nbgrader", "generate_assignment", source.name),
            f"--CourseDirectory.release_directory={target}",
            f"--CourseDirectory.db_url=sqlite:///{gradebook}",
        ]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, env=os.environ | {"PATH": path})
        if done.returncode:
            raise ValueError(f"nbgrader could not release {source.name}:\n{done.stderr.strip()}")


def _differences(fresh, old):
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
