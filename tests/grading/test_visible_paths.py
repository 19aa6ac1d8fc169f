"""Paths that a sandbox shows, wherever course, submissions, gradebook and secret are: searched from inside."""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.checking import judge
from autograder.exercises import exercise
from autograder.grading.gradebook.course import open_course
from autograder.grading.lab import load, source_notebook
from autograder.sandbox import (
    CellStatus,
    CodeCell,
    Sandbox,
    SandboxUnavailable,
    bubblewrap,
    bwrap_binary,
    visible_paths,
)
from autograder.secret import seed_for
from tests.grading.course import LAB, ROOT, Course
from tests.private_text import exercise_file, tail

MARK = "marker-4711"
TASK = exercise("lab.roofline.shortest_time")
# Ends of private paths, as patterns.
PRIVATE = tuple(map(tail, (source_notebook(ROOT, LAB), judge.__file__, exercise_file(TASK))))
SECRET = "course-secret"
NAMES = (f"*{MARK}*", *(f"*/{end}" for end in ("solutions", SECRET, *PRIVATE)))
# Every visible file: every name that contains the marker, and every course package.
LOOK = f"""
import importlib.util, os, subprocess, sys
names = [word for name in {NAMES!r} for word in ("-o", "-path", name)][1:]
look = ["find", TOP, "-mindepth", "1", "-printf", "x", "(", *names, ")", "-fprint0", "found"]
seen = len(subprocess.run(look, stdout=-1, stderr=-3).stdout)
print(*open("found").read().split("\\0")[:-1], sep="\\n")
sys.path += {[str(ROOT), str(ROOT / "course")]!r}
for name in {[exercise.__module__, judge.__name__, Course.__module__]!r}:
    try: print(getattr(importlib.util.find_spec(name), "origin", None) or "")
    except ImportError: pass
print("seen:", seen)
"""


@pytest.fixture
def hall(monkeypatch):
    """Folder that a sandbox shows like /usr/lib; outside of /tmp, which is empty for each submission."""
    above = "/tmp" if bubblewrap.scratch_folder() == "/var/tmp" else "/var/tmp"
    with tempfile.TemporaryDirectory(dir=above) as place:
        os.chmod(place, 0o755)
        monkeypatch.setattr(visible_paths, "SYSTEM", (*visible_paths.SYSTEM, place))
        monkeypatch.setenv("CHIP2CLUSTER_HOME", str(Path(place, "record")))
        monkeypatch.setenv("HOME", str(Path(place, "home")))
        yield Path(place)


def plant(*folders):
    for number, folder in enumerate(folders):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{MARK}-{number}").write_text("private")


def show_everything(monkeypatch):
    """Hide nothing from now on, to prove that the search finds what is not hidden."""
    monkeypatch.setattr(visible_paths, "_covers", lambda *_: set())


def found(lab, top="/"):
    # No cell of the page, so that the sandbox has nothing to import for it.
    with Sandbox(replace(lab, released={"cells": []})) as sandbox:
        assert sandbox.name == "bubblewrap"
        (ran,) = sandbox.run([CodeCell(LOOK.replace("TOP", repr(str(top))))])
    assert ran.status is CellStatus.OK, ran.outputs
    *lines, last = filter(None, "".join(output["text"] for output in ran.outputs).splitlines())
    assert int(last.removeprefix("seen: ")) > (1000 if top == "/" else 3)
    return lines


@pytest.mark.sandbox
def test_private_files_in_system_folders_stay_hidden(hall, monkeypatch):
    monkeypatch.delenv("CHIP2CLUSTER_SECRET", raising=False)
    root = hall / "src" / "app"
    root.mkdir(parents=True)
    Course(root)
    config = root / "nbgrader_config.py"
    book = hall / "books" / "deep"
    book.mkdir(parents=True)
    config.write_text(
        config.read_text()
        + f"\nc.CourseDirectory.db_url = 'sqlite:///{book}/{MARK}.db'\n"
        + f"c.CourseDirectory.feedback_directory = '{hall}/pages'\nc.Exchange.root = '{hall}/exchange'\n"
    )
    (book / f"{MARK}.db").touch()
    submitted = hall / "handed in"
    plant(root, root / "autograder/work", submitted / "ann" / LAB, book, hall / "pages" / "ann", hall / "exchange")
    plant(hall / "record", hall / "home" / ".ssh")
    seed_for("any")  # makes the course secret
    (hall / "way").symlink_to(root)
    (hall / "control").mkdir()
    (hall / "control" / f"{MARK}-control").touch()
    control = str(hall / "control" / f"{MARK}-control")
    # The instructor's path to the course contains a link.
    course = open_course(hall / "way", submitted)
    lab = load(hall / "way", LAB)
    assert found(replace(lab, private=course.private)) == [control]
    # Only the lab knows where its course is.
    also = found(lab, hall)
    assert control in also and not any(line.startswith(str(root)) for line in also)
    show_everything(monkeypatch)
    everything = {str(place) for name in (f"*{MARK}*", SECRET, "solutions") for place in hall.rglob(name)}
    assert len(everything) > 10 and everything <= set(found(lab, hall))


@pytest.mark.sandbox
@pytest.mark.skipif(len(ROOT.parts) < 3, reason="nothing but the whole system is around this checkout")
def test_course_around_python_stays_hidden(monkeypatch):
    # The folder around this checkout is shown like a system folder; this Python's packages may be in it.
    monkeypatch.setattr(visible_paths, "SYSTEM", (*visible_paths.SYSTEM, str(ROOT.parent)))
    lab = load(ROOT, LAB)
    assert found(lab, ROOT) == []
    show_everything(monkeypatch)
    shown = found(lab, ROOT)
    for end in (*PRIVATE, tail(__file__.replace("test_visible_paths", "course"))):
        assert any(line.endswith(f"/{end}") for line in shown), end


@pytest.mark.sandbox
def test_course_in_the_prefix_of_python_stays_hidden(hall, monkeypatch):
    # The result of `python -m venv .` in the course folder.
    prefix = hall / "course"
    for part in ("solutions", "labs", "lib/python3.99/site-packages/chip2cluster", "bin", "share/x"):
        plant(prefix / part)
    (prefix / "pyvenv.cfg").touch()
    monkeypatch.setattr(visible_paths, "SYSTEM", visible_paths.SYSTEM[:-1])
    monkeypatch.setattr(visible_paths.sys, "base_exec_prefix", str(prefix))
    steps = visible_paths.plan([prefix])
    shown = {Path(place).relative_to(prefix) for do, place in steps if place.startswith(str(prefix)) and do is do.SHOW}
    assert {str(place) for place in shown} == {"bin", "lib", "share", "pyvenv.cfg"}
    (binary, *_), _ = bwrap_binary.find()
    line = bubblewrap.command(binary.path, hall, ["/usr/bin/find", str(hall)], tmp_bytes=1 << 20, hidden=[prefix])
    listed = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    assert "pyvenv.cfg" in listed and "share/x" in listed
    assert not any(name in listed for name in ("solutions", "labs", f"chip2cluster/{MARK}"))


@pytest.mark.sandbox
def test_other_pythons_show_no_answers(hall, monkeypatch):
    packages = hall / "lib" / "python3.99" / "site-packages"
    own = [packages / name for name in ("autograder", "chip2cluster", "chip2cluster-9.egg", "chip2cluster-9.dist-info")]
    plant(packages / "numpy", *own)
    monkeypatch.setattr(visible_paths, "_prefixes", lambda: {sys.prefix, sys.base_prefix, str(hall)})
    assert found(load(ROOT, LAB), hall) == [f"{packages}/numpy/{MARK}-0"]


@pytest.mark.sandbox
def test_submission_leaves_nothing_in_hidden_folders(hall, monkeypatch):
    # As for an unprivileged user, who owns what bubblewrap created in the sandbox.
    monkeypatch.setattr(bubblewrap.os, "getuid", lambda: 12345)
    plant(hall / "record")
    code = f"import os\nprint(os.listdir({str(hall / 'record')!r}))\nopen({str(hall / 'record' / 'left')!r}, 'w')"
    with Sandbox(replace(load(ROOT, LAB), released={"cells": []})) as sandbox:
        (ran,) = sandbox.run([CodeCell(code)])
    assert ran.outputs[0]["text"] == "[]\n" and ran.outputs[1]["ename"] == "OSError"


@pytest.mark.sandbox
def test_hidden_path_conflict_names_the_remedy(monkeypatch):
    place = next(place for place in visible_paths.interpreter() if os.path.isdir(place))
    monkeypatch.setenv("CHIP2CLUSTER_HOME", place)
    for sandbox in ("auto", "unsandboxed"):
        with (
            pytest.raises(SandboxUnavailable, match="must stay hidden.*move"),
            Sandbox(load(ROOT, LAB), sandbox=sandbox),
        ):
            pass


def test_system_folder_as_home_is_not_hidden(monkeypatch):
    home = os.path.realpath(shutil.which("env") or "/usr/bin/env")
    monkeypatch.setenv("HOME", os.path.dirname(home))
    assert (visible_paths.PathAction.HIDE, os.path.dirname(home)) not in visible_paths.plan()
