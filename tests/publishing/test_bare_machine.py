"""Machines that lack what ours has: system packages, fonts, make, a home, or a path of plain letters."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.publishing.bare_path import fill
from tests.publishing.conftest import make_environment

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs/students.md").read_text(encoding="utf-8")
# Parts of the suite: the sandbox, checks and pages; checks and pictures.
SANDBOXED = ("tests/grading/test_bwrap_binary.py", "tests/exercises/test_student.py", "tests/notebooks/test_forms.py")
DRAWN = ("tests/exercises/test_student.py", "tests/models/test_draw_ring.py")


def run_suite(files, folder, **variables):
    """Run a part of the suite with these variables; return what it printed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "XDG_"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *files],
        cwd=ROOT,
        env=kept | {"TMPDIR": str(folder), "MPLCONFIGDIR": str(folder / "matplotlib")} | variables,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr
    return done.stdout


def test_bare_path_holds_python_and_git_alone(tmp_path):
    bare = str(fill(tmp_path / "bin"))
    for name in ("bwrap", "chromium", "chromium-headless-shell", "slurmctld", "srun", "munged", "npm", "node"):
        assert shutil.which(name, path=bare) is None, name
    for name in ("python3", "git"):
        subprocess.run([shutil.which(name, path=bare), "--version"], check=True, capture_output=True)


@pytest.mark.sandbox
@pytest.mark.skipif(sys.platform != "linux", reason="the wheel of bubblewrap is for Linux")
def test_suite_passes_without_system_packages(tmp_path):
    said = run_suite(SANDBOXED, tmp_path, PATH=str(fill(tmp_path / "bin")))
    assert "NO SANDBOX TESTED" not in said and int(re.search(r"(\d+) passed", said)[1]) > 150


@pytest.mark.parametrize("fonts", ["none", "DejaVu"])
def test_suite_passes_without_fonts_or_home(tmp_path, fonts):
    """Fontconfig finds nothing or only what matplotlib brings, and the home is a file."""
    from tests.pictures.fonts import BUNDLED, configuration

    (tmp_path / "empty").mkdir()
    (tmp_path / "home").touch()
    variables = configuration(tmp_path, tmp_path / "empty" if fonts == "none" else BUNDLED)
    run_suite(DRAWN, tmp_path, **variables, HOME=str(tmp_path / "home"))


def readme_lines_for_windows():
    """Return the commands for Windows in the students' guide, as a POSIX shell takes them."""
    (block,) = re.findall(r"^\*\*On Windows without make\*\*\n```bat\n(.*?)^```", GUIDE, re.M | re.S)
    lines = block.strip().replace("py -3 ", "python3 ").replace(".venv\\Scripts\\", ".venv/bin/").replace("\\", "/")
    return [shlex.split(line) for line in lines.splitlines()]


@pytest.mark.parametrize("folder", ["plain", "mit Leerzeichen und Ümläut"])
def test_lines_for_windows_start_the_course(checkout, tmp_path, folder):
    """Played on Linux, without make on the path."""
    place = shutil.copytree(checkout, tmp_path / folder / "chip-to-cluster")
    make, install, start, lab = readme_lines_for_windows()
    assert make == ["python3", "-m", "venv", ".venv"] and lab[:2] == [".venv/bin/jupyter", "lab"]
    variables = make_environment(place / ".venv") | {
        "HOME": str(tmp_path),
        "PATH": str(fill(tmp_path / "bin", ("make",))),
    }
    for line in (install, start):
        done = subprocess.run(line, cwd=place, env=variables, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert (place / lab[-1]).is_file()
    code = "import chip2cluster, autograder; print(chip2cluster.roofline.ridge_point(989.4e12, 3.35e12))"
    done = subprocess.run(
        [place / ".venv/bin/python", "-c", code], cwd=tmp_path, env=variables, capture_output=True, text=True
    )
    assert done.stdout.startswith("295."), done.stderr
