"""Every picture is laid out once on each of two systems, whichever worker asks first."""

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
def layouts(tmp_path_factory):
    """What `layout` reports with the system's fonts hidden, and with wide ones in place of the usual ones."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "layouts"
    with FileLock(f"{shared}.lock"):
        if not shared.exists():
            _lay_out(shared)
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in shared.glob("*.json")}


def _lay_out(shared):
    folders = {name: shared.with_name(f"layouts-{name}") for name in ("hidden", "wide")}
    for folder in folders.values():
        (folder / "fonts").mkdir(parents=True)
    given = {"hidden": [], "wide": fonts.wide(folders["wide"] / "fonts")}
    running = {
        name: subprocess.Popen(
            [sys.executable, "-m", "tests.pictures.layout", *given[name]],
            cwd=ROOT, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **fonts.configuration(folder, folder / "fonts"), "PYTHONPATH": str(ROOT)},
        )
        for name, folder in folders.items()
    }  # fmt: skip
    reports = {name: process.communicate()[0] for name, process in running.items()}
    assert not any(process.returncode for process in running.values()), "laying out failed; see above"
    shared.mkdir()
    for name, report in reports.items():
        (shared / f"{name}.json").write_text(report, encoding="utf-8")
