"""A clean checkout: what somebody gets who clones this tree, with the changes that are not committed yet."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def checkout(tmp_path_factory):
    top = tmp_path_factory.mktemp("clone") / "chip-to-cluster"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, top / name)
    return top


def make_environment(prefix):
    """Make a virtual environment at ``prefix``; return the variables with which pip installs there without a network."""
    venv.create(prefix, with_pip=False)
    (site,) = prefix.glob("lib/python*/site-packages")
    (site / "these.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PIP_CONSTRAINT")}
    # The build backend is installed here, so nothing has to be fetched; pip reads "no: 0" as "don't isolate".
    offline = {"PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_INDEX": "1", "PIP_ROOT_USER_ACTION": "ignore"}
    return kept | offline | {"PATH": f"{prefix / 'bin'}{os.pathsep}{os.environ['PATH']}"}
