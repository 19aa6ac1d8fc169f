"""Every picture is laid out once for all tests, whichever worker asks first, and some once more on another system."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from tests.pictures import fonts

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def hidden(tmp_path_factory):
    """What `layout` reports with the system's fonts hidden."""
    return _laid_out(tmp_path_factory, "hidden", "every")


@pytest.fixture(scope="session")
def wide(tmp_path_factory):
    """A sample of the same, with wide fonts in place of the usual ones."""
    return _laid_out(tmp_path_factory, "wide", "some")


@pytest.fixture(scope="session")
def all_wide(tmp_path_factory):
    """All of it with wide fonts."""
    return _laid_out(tmp_path_factory, "wide", "every")


def _laid_out(factory, system, which):
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"layouts-{system}-{which}"
    report = folder / "report.json"
    with FileLock(f"{folder}.lock"):
        if not report.exists():
            (folder / "fonts").mkdir(parents=True)
            given = fonts.wide(folder / "fonts") if system == "wide" else []
            done = subprocess.run(
                [sys.executable, "-m", "tests.pictures.layout", which, *given],
                cwd=ROOT, stdout=subprocess.PIPE, text=True,
                env={**os.environ, **fonts.configuration(folder, folder / "fonts"), "PYTHONPATH": str(ROOT)},
            )  # fmt: skip
            assert not done.returncode, "laying out failed; see above"
            report.write_text(done.stdout, encoding="utf-8")
    return json.loads(report.read_text(encoding="utf-8"))
