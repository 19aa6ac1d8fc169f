"""A PATH without the system packages that only some tests use.

``python tests/publishing/bare_path.py FOLDER`` fills a new folder with a starter of every other program of this PATH and
prints it: ``PATH=$(python3 tests/publishing/bare_path.py "$(mktemp -d)") make test``.
"""

import os
import shlex
import sys
from pathlib import Path

# Programs of the packages bubblewrap, chromium, slurm, munge, Node.js and npm, and other browsers, by how names begin.
WITHOUT = (
    "bwrap",
    "chrom",
    "google-chrome",
    "firefox",
    "munge",
    "unmunge",
    "remunge",
    "node",
    "npm",
    "npx",
    "corepack",
)
SLURM = ("sacct", "salloc", "sattach", "sbatch", "sbcast", "scancel", "scontrol", "sdiag", "sinfo", "slurm", "sprio")
SLURM += ("squeue", "sreport", "srun", "sshare", "sstat", "strigger", "sview", "smap", "scrontab", "sgather")


def fill(folder, without=(*WITHOUT, *SLURM)):
    """Write a starter for each program of this PATH, except those whose names begin so; return the folder's path.

    A link would not do: Python in a virtual environment looks for its packages beside the name it was started by.
    Shims, such as pyenv's, search the PATH again and would find their own starter, so they get none.
    """
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    places = [place for place in map(Path, os.get_exec_path()) if place.is_dir() and place.name != "shims"]
    programs = {program.name: program for place in reversed(places) for program in place.iterdir()}
    for name, program in ({"python3": Path(sys.executable)} | programs).items():
        if not name.startswith(without) and os.access(program, os.X_OK):
            (folder / name).write_text(f'#!/bin/sh\nexec {shlex.quote(str(program))} "$@"\n', encoding="utf-8")
            (folder / name).chmod(0o755)
    return folder


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(fill(sys.argv[1]))
