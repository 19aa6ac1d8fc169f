"""Releases are archived, and a submission is compared with the release that it was made from."""

import copy
import json
import os
import shutil
from pathlib import Path

import pytest

from autograder.grading.gradebook import safe_release
from autograder.grading.gradebook.regenerate import regenerate
from autograder.grading.gradebook.release import fingerprint
from autograder.grading.intake.notebook import RELEASE_STAMP, clean_notebook
from autograder.grading.intake.reconstruction import rebuild
from autograder.grading.lab import load
from autograder.grading.releases import MAX_RELEASES, earlier_releases, matching_release, store_release
from tests.grading import fakes
from tests.grading.assignments import answer, assignment, change, essay, put, release, worth
from tests.grading.assignments import test as check
from tests.grading.course import LAB


def _files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _twice(cell):
    """Give two cells the same name, which nbgrader refuses in the middle of a release."""
    if cell["metadata"].get("nbgrader", {}).get("grade_id") == "task-efficiency":
        cell["metadata"]["nbgrader"]["grade_id"] = "task-own-chip"


def _new_cell(cell):
    if cell["id"] == "ranking":
        cell["metadata"]["nbgrader"] = {"grade": False, "grade_id": "ranking", "locked": True, "schema_version": 3}
        cell["metadata"]["nbgrader"] |= {"solution": False, "task": False}


def _alone(course):
    """Remove all labs but one, because each release takes time."""
    for folder in (*(course.root / "solutions").iterdir(), *(course.root / "labs").iterdir()):
        if folder.name != LAB:
            shutil.rmtree(folder)


def _source(course):
    return course.root / "solutions" / LAB / f"lab_{LAB}.ipynb"


@pytest.mark.parametrize("handed_in", [False, True])
@pytest.mark.parametrize("edit", [_twice, _new_cell])
def test_failed_release_keeps_the_old_one(course, edit, handed_in):
    _alone(course)
    if handed_in:
        course.submit("ann", fakes.answers(course, 1.0))
        fakes.run(course)
    before = _files(course.root / "labs")
    change(_source(course), edit)
    done, log = release(course.root, LAB)
    assert done is (edit is _new_cell and not handed_in)
    if not done:
        assert _files(course.root / "labs") == before and f"{LAB} stays as it was" in log
    if edit is _new_cell and handed_in:
        assert "Traceback" not in log and "`ranking`" in log and "another name" in log
        assert regenerate(course.root) == 1 and _files(course.root / "labs") == before
        assert load(course.root, LAB).max_score == 25


def test_button_keeps_a_lab_that_was_edited(course):
    file = course.root / "labs" / LAB / f"lab_{LAB}.ipynb"

    def work(cell):
        cell["source"] = "an hour of work" if cell["id"] == "efficiency" else cell["source"]

    change(file, work)
    before = file.read_bytes()
    # Formgrader's button forces every release.
    done, log = release(course.root, LAB)
    assert done and "has been worked in" in log and file.read_bytes() == before


@pytest.mark.parametrize("stop", range(4))
def test_install_files_is_atomic_for_each_file(tmp_path, monkeypatch, stop):
    new, old = tmp_path / "new", tmp_path / "old"
    for folder, word in ((new, "new"), (old, "old")):
        (folder / "data").mkdir(parents=True)
        for name in ("lab.ipynb", "data/one.csv"):
            (folder / name).write_text(word)
    (old / "gone.csv").write_text("old")
    done = []

    def cut_off(real):
        def step(*arguments):
            if len(done) == stop:
                raise OSError(28, "No space left on device")
            done.append(arguments)
            return real(*arguments)

        return step

    monkeypatch.setattr(safe_release.shutil, "copy", cut_off(shutil.copy))
    monkeypatch.setattr(safe_release.os, "replace", cut_off(os.replace))
    with pytest.raises(OSError, match="space"):
        safe_release.install_files(new, old, complete=True)
    texts = {str(name): text for name, text in _files(old).items()}
    assert texts.keys() == {"lab.ipynb", "data/one.csv", "gone.csv"} and set(texts.values()) <= {b"old", b"new"}
    assert stop >= 2 or set(texts.values()) == {b"old"}
    monkeypatch.undo()
    safe_release.install_files(new, old, complete=True)
    assert _files(old) == _files(new)


def test_regenerate_goes_on_after_a_lab_that_fails(course, capsys):
    _alone(course)
    again = check("f", "assert f() == 1", 1)
    again["id"] = "g"  # two cells with the grade id f
    put(course.root, "10_mine", assignment(answer("f", "def f():\n    return 1"), again))
    put(course.root, "11_mine", assignment(answer("f", "def f():\n    return 1"), check("c", "assert f() == 1", 1)))
    assert regenerate(course.root) == 1
    said = capsys.readouterr().out
    assert "labs/10_mine stays as it is: " in said and "Traceback" not in said and len(said.splitlines()) == 2
    assert (course.root / "labs/11_mine/11_mine.ipynb").is_file()


def test_regenerate_writes_only_the_named_labs(course, capsys):
    _alone(course)
    for name in ("10_mine", "11_mine"):
        put(course.root, name, assignment(answer("f", "def f():\n    return 1"), check("c", "assert f() == 1", 1)))
    with pytest.raises(ValueError, match="no lab '12_mine'; there are 03_roofline, 10_mine, 11_mine"):
        regenerate(course.root, ["10_mine", "12_mine"])
    before = _files(course.root / "labs")
    assert regenerate(course.root, ["11_mine"]) == 0
    assert _files(course.root / "labs").keys() - before.keys() == {Path("11_mine/11_mine.ipynb")}
    assert regenerate(course.root, ["11_mine"], check=True) == 0
    assert capsys.readouterr().out == "written: 11_mine/11_mine.ipynb\nlabs/11_mine is up to date.\n"


# -- the release that a submission was made from ----------------------------------------


def _made(cells, points=3.0):
    """Return a released notebook; its stamp does not depend on points."""
    notebook = json.loads(json.dumps(assignment(*cells)))
    change_all(notebook, worth("c", points))
    notebook["metadata"][RELEASE_STAMP] = fingerprint(notebook)
    return notebook


def change_all(notebook, edit):
    for cell in notebook["cells"]:
        edit(cell)


CELLS = [answer("f", "def f(x):\n    raise NotImplementedError"), check("c", "assert f(1) == 1", 3), essay("e", 2)]


def test_releases_are_stored_once_and_matched(tmp_path):
    first, second = _made(CELLS), _made(CELLS, points=5.0)
    other = _made([*CELLS, check("d", "assert f(2)", 1)])
    assert first["metadata"][RELEASE_STAMP] == second["metadata"][RELEASE_STAMP] != other["metadata"][RELEASE_STAMP]
    for one in (first, second, other, first):
        store_release(tmp_path, "10_mine", one)
    kept = earlier_releases(tmp_path, "10_mine", other)
    assert len(kept) == 2 and other not in kept

    class Lab:
        released, earlier = other, kept

    for one in (first, second, other):
        assert matching_release(Lab, clean_notebook(one)) == one
    assert matching_release(Lab, clean_notebook(one | {"metadata": {}})) is None
    assert matching_release(Lab, clean_notebook(one | {"metadata": {RELEASE_STAMP: "../../x"}})) is None
    (tmp_path / "autograder/work/releases/10_mine" / ("f" * 64 + "-1.ipynb")).write_text("{half")
    assert len(earlier_releases(tmp_path, "10_mine", other)) == 2 < MAX_RELEASES


NEW = {
    "points": lambda nb: change_all(nb, worth("c", 9)),
    "a test": lambda nb: nb["cells"][3].update(source="assert f(1) == 1 and f(2) == 2"),
    "a setup": lambda nb: nb["cells"][1].update(source="import math, random"),
    "a cell more": lambda nb: nb["cells"].append(json.loads(json.dumps(check("d", "assert f(2)", 1)))),
    "a cell less": lambda nb: nb["cells"].pop(0),
    "a stub": lambda nb: nb["cells"][2].update(source="def f(x):\n    # think\n    raise NotImplementedError"),
}


@pytest.mark.parametrize("kind", NEW)
@pytest.mark.parametrize("written", ["def f(x):\n    return x", None])
def test_rebuild_reports_no_change_of_the_instructor(kind, written):
    made_from, released = _made(CELLS), _made(CELLS)
    NEW[kind](released)
    submitted = copy.deepcopy(made_from)
    submitted["cells"][2]["source"] = written or submitted["cells"][2]["source"]
    submitted["cells"][4]["source"] = "Because."
    rebuilt = rebuild(submitted, released, made_from)
    assert rebuilt.repairs == ()
    sources = {cell["id"]: cell["source"] for cell in rebuilt.notebook["cells"]}
    wanted = {cell["id"]: "".join(cell["source"]) for cell in released["cells"]}
    assert sources == wanted | {"e": "Because."} | ({"f": written} if written else {})


def test_rebuild_reports_a_change_of_the_student():
    made_from, released = _made(CELLS), _made(CELLS, points=9.0)
    submitted = copy.deepcopy(made_from)
    change_all(submitted, worth("c", 100))
    (repair,) = rebuild(submitted, released, made_from).repairs
    assert "`c`" in repair and "points" in repair
