"""`autograder workspace`: new, kept, older, worked, reset, unreadable; no work is overwritten or lost."""

import json
import os
import re
import subprocess
import sys

import pytest

from autograder.__main__ import main
from autograder.workspace import Workspace, reset, start, update
from autograder.workspace.messages import summary_lines
from tests.copies.conftest import ANSWER, TODAY, edit, everything, put, read, states


def test_each_page_and_lab_gets_a_copy_with_what_it_shows(course):
    assert set(states(start(course)).values()) == {"new"}
    assert sorted(everything(course.to)) == [
        "my_course/00_start.ipynb", "my_course/01_tides.ipynb", "my_course/02_moon.ipynb", "my_course/AGENTS.md",
        "my_course/glossary.ipynb", "my_course/images/wave.svg", "my_labs/01_tides/gauge.csv", "my_labs/01_tides/lab_01_tides.ipynb",
        "my_labs/AGENTS.md",
    ]  # fmt: skip


def test_both_folders_tell_assistants_to_ask_and_not_to_write(course):
    start(course)
    for folder in ("my_course", "my_labs"):
        text = (course.to / folder / "AGENTS.md").read_text(encoding="utf-8")
        assert "Don't write, complete or correct a graded function" in text and "`hint()`" in text
    own = course.to / "my_course/AGENTS.md"
    own.write_text("Speak German.")
    for change in (start, update, lambda one: reset(one, one.chosen(["01_tides"]))):
        change(course)
        assert own.read_text() == "Speak German."


def test_a_second_start_touches_nothing(course, page):
    edit(page, answer=ANSWER)
    before = everything(course.to), page.stat().st_mtime_ns
    assert set(states(start(course)).values()) == {"kept"}
    assert (everything(course.to), page.stat().st_mtime_ns) == before


def test_a_page_that_was_deleted_or_is_new_in_the_course_comes(course, page):
    page.unlink()
    put(
        course.root / "course/03_wind.ipynb",
        {"cell_type": "markdown", "id": "t", "metadata": {}, "source": "# 3 · W: ?"},
    )
    found = states(start(Workspace(course.root, course.to)))
    assert found.pop("02_moon") == "older", "its line of links leads on to the new chapter now"
    assert {name for name, state in found.items() if state == "new"} == {"01_tides", "03_wind"}


def test_only_the_named_ones_and_a_chapter_brings_its_lab(course):
    assert states(start(course, course.chosen(["glossary"]))) == {"glossary": "new"}
    done = start(course, course.chosen(["01_tides"], with_labs=True))
    assert states(done) == {"01_tides": "new", "lab_01_tides": "new"}


@pytest.mark.parametrize(
    "name, page",
    [
        ("01_tides", "01_tides"),
        ("1", "01_tides"),
        ("01", "01_tides"),
        ("tides", "01_tides"),
        ("my_course/01_tides.ipynb", "01_tides"),
        ("lab_01_tides", "lab_01_tides"),
        ("my_labs/01_tides/lab_01_tides.ipynb", "lab_01_tides"),
        ("my_labs\\01_tides\\lab_01_tides.ipynb", "lab_01_tides"),
    ],
)
def test_a_page_is_known_by_its_name_and_by_its_file(course, name, page):
    assert [one.name for one in course.chosen([name])] == [page]


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("01_tidse", "did you mean 01_tides or lab_01_tides?"),
        ("Tides", "did you mean 01_tides"),
        ("comet", "say a number (13), a topic (scheduling) or a name (13_scheduling, lab_13_scheduling)"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(course, name, suggestion):
    with pytest.raises(ValueError, match=f"no page is called '{name}'; {re.escape(suggestion)}"):
        course.chosen([name])


# --- reset ------------------------------------------------------------------------------


def test_one_page_begins_anew_and_the_old_one_is_kept(course, page, lab):
    for file in (page, lab):
        edit(file, answer=ANSWER)
    others = {name: data for name, data in everything(course.to).items() if "tides.ipynb" not in name}
    done = reset(course, course.chosen(["01_tides", "lab_01_tides"]))
    for file in (page, lab):
        assert read(file)["answer"].endswith("raise NotImplementedError")
        assert read(file.parent / "older" / f"{file.stem}.{TODAY}.ipynb")["answer"] == ANSWER
    assert others.items() <= everything(course.to).items()
    assert (
        "is a new copy" in summary_lines(course, done)[0]
        and f"01_tides.{TODAY}.ipynb" in summary_lines(course, done)[0]
    )
    assert set(states(start(course)).values()) == {"kept"}


def test_a_reset_of_what_is_not_there_is_a_start(course):
    assert states(reset(course, course.chosen(["glossary"]))) == {"glossary": "new"}


# --- unreadable and unwritable files -----------------------------------------------------


@pytest.mark.parametrize("text", ["", "{half", "[]", '{"cells": 3}', '{"cells": [{}], "metadata": {}}', b"\xff\xfe"])
def test_what_is_no_notebook_stays_and_can_be_reset(course, page, text):
    page.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = everything(course.to)
    for done in (start(course), update(course)):
        assert states(done)["01_tides"] == "unreadable" and everything(course.to) == before
        assert "01_tides.ipynb cannot be read as a notebook" in " ".join(summary_lines(course, done))
    (one,) = reset(course, course.chosen(["01_tides"]))
    assert one.earlier.read_bytes() == before["my_course/01_tides.ipynb"] and "answer" in read(page)


def test_a_folder_in_the_place_of_a_page_is_no_page(course, page):
    page.unlink()
    page.mkdir()
    assert states(start(course))["01_tides"] == "unreadable"
    reset(course, course.chosen(["01_tides"]))
    assert page.is_file()


def test_a_record_that_somebody_broke_is_none(course, page):
    notebook = json.loads(page.read_text(encoding="utf-8"))
    notebook["metadata"]["chip2cluster_copy"] = {"page": 3, "cells": []}
    page.write_text(json.dumps(notebook), encoding="utf-8")
    assert states(start(course))["01_tides"] == "older"


@pytest.mark.parametrize("name", ["my_course", "my_labs", "my_labs/01_tides"])
def test_a_file_where_a_folder_should_be_is_said(course, name, capsys):
    (course.to / name).parent.mkdir(parents=True, exist_ok=True)
    (course.to / name).write_text("mine")
    assert main(["workspace", "--from", str(course.root), "--to", str(course.to)]) == 2
    said = capsys.readouterr().err
    assert "a file of that name is in the way" in said and "Traceback" not in said
    assert (course.to / name).read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is closed to root")
def test_a_folder_that_cannot_be_written_in(course, page):
    edit(page, answer=ANSWER)
    edit(course.root / "course/01_tides.ipynb", text="New.")
    page.parent.chmod(0o555)
    try:
        with pytest.raises(ValueError, match="cannot be written in, so 01_tides.ipynb stays as it is"):
            update(course)
    finally:
        page.parent.chmod(0o755)
    assert read(page)["answer"] == ANSWER


def test_a_folder_that_refuses_is_said_and_nothing_moves(course, page, monkeypatch):
    edit(page, answer=ANSWER)
    edit(course.root / "course/01_tides.ipynb", text="New.")
    before = everything(course.to)

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(os, "rename", refuse)
        with pytest.raises(ValueError, match="cannot be written in"):
            update(course)
    with monkeypatch.context() as patched:
        patched.setattr(os, "link", refuse)
        patched.setattr("builtins.open", refuse)
        with pytest.raises(ValueError, match="cannot be written in"):
            update(course)
    assert everything(course.to) == before


def test_a_page_that_is_saved_in_the_same_moment_is_kept_twice(course, page, monkeypatch):
    edit(page, answer=ANSWER)
    edit(course.root / "course/01_tides.ipynb", text="New.")
    rename = os.rename

    def save_behind(source, target):
        rename(source, target)
        page.write_text("saved by JupyterLab", encoding="utf-8")

    monkeypatch.setattr(os, "rename", save_behind)
    with pytest.raises(ValueError, match="nothing is lost"):
        update(course)
    assert page.read_text() == "saved by JupyterLab"
    assert read(page.parent / "older" / f"01_tides.{TODAY}.ipynb")["answer"] == ANSWER


def test_a_disk_that_is_full_leaves_the_copy_where_it_was(course, page, monkeypatch):
    edit(page, answer=ANSWER)
    edit(course.root / "course/01_tides.ipynb", text="New.")
    before = everything(course.to)

    def full(self, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(OSError, match="No space"):
        update(course)
    monkeypatch.undo()
    assert everything(course.to) == before


# --- the command ------------------------------------------------------------------------


def test_the_command_says_a_line_for_each_folder(course, capsys, monkeypatch):
    monkeypatch.chdir(course.root)
    assert main(["workspace", "--from", "."]) == 0
    assert capsys.readouterr().out.splitlines() == ["my_course: 4 pages new.", "my_labs: 1 lab new."]
    assert main(["workspace", "--from", "."]) == 0
    said = "my_course: 4 pages kept as they are.\nmy_labs: 1 lab kept as it is.\n"
    assert capsys.readouterr().out == said
    edit(course.root / "course/01_tides.ipynb", text="New.")
    edit(course.root / "my_course/01_tides.ipynb", answer=ANSWER)
    assert main(["workspace", "--from", ".", "--update"]) == 0
    *_, changed, advice = capsys.readouterr().out.splitlines()
    assert changed == (
        "my_course/01_tides.ipynb is up to date. Carried over: 1 answer. "
        f"Your earlier copy is my_course/older/01_tides.{TODAY}.ipynb."
    )
    assert advice == "A page that is open in JupyterLab: File > Reload Notebook from Disk."
    assert main(["workspace", "--from", ".", "--reset", "01_tides"]) == 0
    assert "my_course/01_tides.ipynb is a new copy." in capsys.readouterr().out
    (course.root / "my_course/01_tides.ipynb").write_text("half")
    assert main(["workspace", "--from", "."]) == 1 and "--reset 01_tides" in capsys.readouterr().out


def test_a_course_is_found_from_below_and_its_lack_is_said(course, monkeypatch, capsys):
    from autograder.workspace import folders

    # As if the package came from a wheel, which has no notebooks.
    monkeypatch.setattr(folders, "__file__", str(course.root / "nowhere/site/autograder/workspace/folders.py"))
    monkeypatch.chdir(course.root / "labs/01_tides")
    assert folders.course_folder() == course.root
    monkeypatch.chdir(course.root.parent)
    assert main(["workspace"]) == 2
    assert "holds course/ and labs/" in capsys.readouterr().err
    assert main(["workspace", "--from", str(course.root / "labs")]) == 2
    assert "holds no course/" in capsys.readouterr().err


def test_git_sees_nothing_of_an_evenings_work(tmp_path):
    """Git ignores exactly what the command writes."""
    from tests.copies.test_links import ROOT

    for name in ("my_course/03_roofline.ipynb", f"my_course/03_roofline.{TODAY}.ipynb", "my_labs/a/lab_a.ipynb"):
        done = subprocess.run(["git", "check-ignore", "--quiet", name], cwd=ROOT)
        assert done.returncode == 0, name


def test_the_command_line_explains_itself():
    done = subprocess.run([sys.executable, "-m", "autograder", "workspace", "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert all(re.search(word, done.stdout) for word in ("--update", "--reset", "my_course"))


def test_a_page_can_be_reset_from_a_cell_of_it(course, page):
    """The command runs in a notebook, with the environment of the kernel."""
    from nbclient import NotebookClient
    from nbformat.v4 import new_code_cell, new_notebook

    cell = new_code_cell(f"%run -m autograder workspace --from {course.root} --to {course.to} --reset 01_tides")
    NotebookClient(new_notebook(cells=[cell]), timeout=60, resources={"metadata": {"path": str(page.parent)}}).execute()
    (printed,) = cell.outputs
    assert "01_tides.ipynb is a new copy." in printed["text"] and printed["name"] == "stdout"
