"""The package as a wheel: what the student bundle and the lab in the browser install.

``python -m course.publish.wheel`` writes it into ``build/dist``.
"""

import subprocess
import sys
from pathlib import Path

import chip2cluster

ROOT = Path(__file__).resolve().parents[2]
NAME = f"chip2cluster-{chip2cluster.__version__}-py3-none-any.whl"


def build(folder):
    """Build the wheel in ``folder``, in place of any older one, and return its path.

    The build needs no network and gives the same bytes for the same files.
    """
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("chip2cluster-*.whl"):
        old.unlink()
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the wheel could not be built:\n{done.stderr.strip()}")
    return folder / NAME


if __name__ == "__main__":
    print(build(ROOT / "build" / "dist"))
