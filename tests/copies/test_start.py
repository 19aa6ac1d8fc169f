"""`autograder start`: new, kept, older, worked, reset, unreadable; no work is overwritten and none is dropped."""

import json
import os
import re
import shutil
import subprocess
import sys
from datetime import date

import pytest

from autograder.__main__ import main
from autograder.copies import Course, State, reset, said, start, update
from autograder.copies.said import lines
from tests.copies.conftest import edit, put, read

TODAY = date.today().isoformat()
ANSWER = "def high(day):\n    return 0.5"


@pytest.fixture
def page(course):
    start(course)
    return course.to / "my_course/01_tides.ipynb"


@pytest.fixture
def lab(course):
    start(course)
    return course.to / "my_labs/01_tides/lab_01_tides.ipynb"


def states(done):
    return {one.page.copy.stem: str(one.state) for one in done}


def everything(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_each_page_and_lab_gets_a_copy_with_what_it_shows(course):
    assert set(states(start(course)).values()) == {"new"}
    assert sorted(everything(course.to)) == [
        "my_course/00_start.ipynb", "my_course/01_tides.ipynb", "my_course/02_moon.ipynb", "my_course/glossary.ipynb",
        "my_course/images/wave.svg", "my_labs/01_tides/gauge.csv", "my_labs/01_tides/lab_01_tides.ipynb",
    ]  # fmt: skip


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
    found = states(start(Course(course.root, course.to)))
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
        ("my_course/01_tides.ipynb", "01_tides"),
        ("lab_01_tides", "lab_01_tides"),
        ("my_labs/01_tides/lab_01_tides.ipynb", "lab_01_tides"),
        ("my_labs\\01_tides\\lab_01_tides.ipynb", "lab_01_tides"),
    ],
)
def test_a_page_is_known_by_its_name_and_by_its_file(course, name, page):
    assert [one.name for one in course.chosen([name])] == [page]


def test_an_unknown_name_is_answered_with_those_there_are(course):
    with pytest.raises(ValueError, match=r"no page is called 'tides'; there are 00_start, 01_tides, .*lab_01_tides"):
        course.chosen(["tides"])


# --- newer text ------------------------------------------------------------------------


def test_a_start_tells_of_newer_text_and_touches_nothing(course, page):
    edit(course.root / "course/01_tides.ipynb", text="The moon and the sun pull.")
    before = everything(course.to)
    done = start(course)
    assert states(done)["01_tides"] == "older" and everything(course.to) == before
    (said,) = [line for line in lines(course, done) if "newer text" in line]
    assert "01_tides" in said and "autograder start --update" in said


@pytest.mark.parametrize(
    "called, on_path, kernel, says",
    [
        ("bin/autograder", True, False, "autograder"),
        ("bin/autograder", False, False, os.path.join("bin", "autograder")),
        ("autograder/__main__.py", True, False, "python -m autograder"),
        ("autograder/__main__.py", True, True, "%run -m autograder"),
    ],
)
def test_a_command_is_told_as_it_can_be_typed_here(called, on_path, kernel, says, tmp_path, monkeypatch):
    program = tmp_path / "bin/autograder"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(program.parent) if on_path else str(tmp_path))
    monkeypatch.setattr(sys, "argv", [str(tmp_path / called), "start"])
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    if kernel:
        monkeypatch.setitem(sys.modules, "ipykernel", sys)
    assert said.command() == says


def test_an_update_keeps_answers_and_the_old_copy_and_says_so_in_a_sentence(course, page):
    edit(page, answer=ANSWER, mine="high(3)", blank=" \n")
    worked = page.read_bytes()
    edit(course.root / "course/01_tides.ipynb", text="The moon and the sun pull.", setup="import math, cmath")
    done = update(course)
    found = read(page)
    assert (found["answer"], found["mine"]) == (ANSWER, "high(3)") and "blank" not in found
    assert found["text"] == "The moon and the sun pull." and found["setup"] == "import math, cmath"
    kept = page.with_name(f"01_tides.{TODAY}.ipynb")
    assert kept.read_bytes() == worked
    (said,) = [line for line in lines(course, done) if "up to date" in line]
    assert "1 answer and 1 cell of your own" in said and kept.name in said
    assert set(states(start(course)).values()) == {"kept"}, "from now on it is as new as the course"
    (again,) = [one for one in update(course) if one.page.copy == page]
    assert again.state is State.KEPT and read(page) == found


def test_a_copy_without_work_is_simply_renewed(course, page):
    notebook = json.loads(page.read_text(encoding="utf-8"))
    notebook["cells"][2] |= {
        "outputs": [{"output_type": "stream", "name": "stdout", "text": "ran"}],
        "execution_count": 3,
    }
    page.write_text(json.dumps(notebook), encoding="utf-8")
    edit(course.root / "course/01_tides.ipynb", text="New.")
    assert states(update(course))["01_tides"] == "renewed" and read(page)["text"] == "New."
    assert sorted(file.name for file in page.parent.glob("01*")) == ["01_tides.ipynb"]


def test_only_the_named_copy_is_brought_up_to_date(course, page):
    for name in ("01_tides", "glossary"):
        edit(course.root / f"course/{name}.ipynb", title=f"# {name} again")
    assert states(update(course, course.chosen(["glossary"]))) == {"glossary": "renewed"}
    assert states(start(course))["01_tides"] == "older"


def test_where_both_changed_a_cell_an_answer_is_the_readers_and_the_rest_the_courses(course, page):
    edit(page, answer=ANSWER, setup="import cmath", text="my own words")
    stub = "def high(day, month):\n    raise NotImplementedError"
    edit(course.root / "course/01_tides.ipynb", answer=stub, setup="import numpy", text="The sun pulls too.")
    (one,) = update(course, course.chosen(["01_tides"]))
    found = read(page)
    assert (found["answer"], found["setup"], found["text"]) == (ANSWER, "import numpy", "The sun pulls too.")
    assert one.carried.left == ("setup", "text") and read(one.kept)["text"] == "my own words"
    assert "setup, text" in lines(course, [one])[0]


def test_what_only_the_reader_changed_stays(course, page):
    edit(page, setup="import cmath", text="my own words")
    edit(course.root / "course/01_tides.ipynb", finish="Done.")
    update(course)
    assert (read(page)["setup"], read(page)["text"], read(page)["finish"]) == ("import cmath", "my own words", "Done.")


def test_an_exercise_that_is_gone_leaves_its_answer_in_the_old_copy(course, page):
    edit(page, answer=ANSWER)
    edit(course.root / "course/01_tides.ipynb", answer=None, check=None)
    (one,) = update(course, course.chosen(["01_tides"]))
    assert "answer" not in read(page) and one.carried.left == ("answer",) and read(one.kept)["answer"] == ANSWER


def test_cells_that_the_reader_deleted_come_back_and_own_cells_keep_their_place(course, page):
    notebook = json.loads(page.read_text(encoding="utf-8"))
    cells = {cell["id"]: cell for cell in notebook["cells"]}
    own = [dict(cells["setup"], id=name, source=[f"print({name!r})"]) for name in ("first", "between")]
    notebook["cells"] = [own[0], *notebook["cells"]]
    notebook["cells"].remove(cells["text"])
    notebook["cells"].insert(notebook["cells"].index(cells["check"]), own[1])
    page.write_text(json.dumps(notebook), encoding="utf-8")
    edit(course.root / "course/01_tides.ipynb", finish="Done.")
    update(course)
    names = list(read(page))
    assert names[:2] == ["title", "first"], "a page begins with its title"
    assert names[names.index("answer") + 1] == "between" and "text" in names


def test_a_second_update_on_one_day_keeps_both_old_copies(course, page):
    for number in range(2):
        edit(page, answer=f"{ANSWER} + {number}")
        edit(course.root / "course/01_tides.ipynb", text=f"Version {number}.")
        update(course)
    kept = [read(page.with_name(f"01_tides.{TODAY}{more}.ipynb"))["answer"] for more in ("", "-1")]
    assert kept == [f"{ANSWER} + 0", f"{ANSWER} + 1"] and read(page)["answer"] == f"{ANSWER} + 1"


def test_a_lab_takes_answers_and_the_essay_along(course, lab):
    edit(lab, answer=ANSWER, essay="Because.")
    edit(course.root / "labs/01_tides/lab_01_tides.ipynb", title="# Lab 1: two harbours")
    (course.root / "labs/01_tides/gauge.csv").write_text("1,3\n")
    assert states(update(course))["lab_01_tides"] == "updated"
    assert (read(lab)["answer"], read(lab)["essay"], read(lab)["title"]) == (
        ANSWER,
        "Because.",
        "# Lab 1: two harbours",
    )
    assert (lab.parent / "gauge.csv").read_text() == "1,3\n"
    assert (lab.parent / f"gauge.{TODAY}.csv").read_text() == "1,2\n"


def test_a_copy_that_nothing_is_known_of_keeps_answers_and_own_cells(course, page):
    """As one that somebody copied by hand, or that a version made which kept no record."""
    shutil.copy(course.root / "course/01_tides.ipynb", page)
    edit(page, answer=ANSWER, text="my words", mine="high(3)")
    assert states(start(course))["01_tides"] == "older"
    (one,) = update(course, course.chosen(["01_tides"]))
    found = read(page)
    assert (found["answer"], found["mine"], found["text"]) == (ANSWER, "high(3)", "The moon pulls.")
    assert found["other"].endswith("raise NotImplementedError") and read(one.kept)["text"] == "my words"


def test_a_copy_whose_cells_lost_their_ids_keeps_its_answers_and_is_not_doubled(course, page):
    edit(page, answer=ANSWER, mine="high(3)")
    notebook = json.loads(page.read_text(encoding="utf-8"))
    notebook["metadata"] = {}
    for cell in notebook["cells"]:
        del cell["id"]
    page.write_text(json.dumps(notebook), encoding="utf-8")
    (one,) = update(course, course.chosen(["01_tides"]))
    assert one.carried.answers == ("answer",) and read(page)["answer"] == ANSWER
    own = [text for name, text in read(page).items() if name not in read(course.root / "course/01_tides.ipynb")]
    assert own.count("high(3)") == 1 and one.carried.added == 1


def test_a_lab_that_was_begun_under_its_old_name_goes_on_there(course):
    older = course.to / "my_labs/01_tides/01_tides.ipynb"
    older.parent.mkdir(parents=True)
    shutil.copy(course.root / "labs/01_tides/lab_01_tides.ipynb", older)
    edit(older, answer=ANSWER)
    worked = older.read_bytes()
    start(course)
    assert older.read_bytes() == worked and sorted(file.name for file in older.parent.glob("*.ipynb")) == [older.name]
    assert "../my_labs/01_tides/01_tides.ipynb" in read(course.to / "my_course/01_tides.ipynb")["finish"]
    update(course)
    assert read(older)["answer"] == ANSWER and "nav-top" in read(older)


# --- reset ------------------------------------------------------------------------------


def test_one_page_begins_anew_and_the_old_one_is_kept(course, page, lab):
    for file in (page, lab):
        edit(file, answer=ANSWER)
    others = {name: data for name, data in everything(course.to).items() if "tides.ipynb" not in name}
    done = reset(course, course.chosen(["01_tides", "lab_01_tides"]))
    for file in (page, lab):
        assert read(file)["answer"].endswith("raise NotImplementedError")
        assert read(file.with_name(f"{file.stem}.{TODAY}.ipynb"))["answer"] == ANSWER
    assert others.items() <= everything(course.to).items()
    assert "begins anew" in lines(course, done)[0] and f"01_tides.{TODAY}.ipynb" in lines(course, done)[0]
    assert set(states(start(course)).values()) == {"kept"}


def test_a_reset_of_what_is_not_there_is_a_start(course):
    assert states(reset(course, course.chosen(["glossary"]))) == {"glossary": "new"}


# --- what cannot be read or written -----------------------------------------------------


@pytest.mark.parametrize("text", ["", "{half", "[]", '{"cells": 3}', '{"cells": [{}], "metadata": {}}', b"\xff\xfe"])
def test_what_is_no_notebook_stays_and_can_be_reset(course, page, text):
    page.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = everything(course.to)
    for done in (start(course), update(course)):
        assert states(done)["01_tides"] == "unreadable" and everything(course.to) == before
        assert "01_tides.ipynb cannot be read as a notebook" in " ".join(lines(course, done))
    (one,) = reset(course, course.chosen(["01_tides"]))
    assert one.kept.read_bytes() == before["my_course/01_tides.ipynb"] and "answer" in read(page)


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
    assert main(["start", "--from", str(course.root), "--to", str(course.to)]) == 2
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
    assert read(page.with_name(f"01_tides.{TODAY}.ipynb"))["answer"] == ANSWER


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
    assert main(["start", "--from", "."]) == 0
    assert capsys.readouterr().out.splitlines() == ["my_course: 4 pages new.", "my_labs: 1 lab new."]
    assert main(["start", "--from", "."]) == 0
    said = "my_course: 4 pages kept as they are.\nmy_labs: 1 lab kept as it is.\n"
    assert capsys.readouterr().out == said
    edit(course.root / "course/01_tides.ipynb", text="New.")
    edit(course.root / "my_course/01_tides.ipynb", answer=ANSWER)
    assert main(["start", "--from", ".", "--update"]) == 0
    *_, changed, advice = capsys.readouterr().out.splitlines()
    assert changed == (
        "my_course/01_tides.ipynb is up to date. Carried over: 1 answer. "
        f"What you had is my_course/01_tides.{TODAY}.ipynb."
    )
    assert advice == "A page that is open in JupyterLab: File > Reload Notebook from Disk."
    assert main(["start", "--from", ".", "--reset", "01_tides"]) == 0
    assert "my_course/01_tides.ipynb begins anew." in capsys.readouterr().out
    (course.root / "my_course/01_tides.ipynb").write_text("half")
    assert main(["start", "--from", "."]) == 1 and "--reset 01_tides" in capsys.readouterr().out


def test_a_course_is_found_from_below_and_its_lack_is_said(course, monkeypatch, capsys):
    from autograder.copies import folders

    # As where the package came from a wheel, which brings no pages.
    monkeypatch.setattr(folders, "__file__", str(course.root / "nowhere/site/autograder/copies/folders.py"))
    monkeypatch.chdir(course.root / "labs/01_tides")
    assert folders.course_folder() == course.root
    monkeypatch.chdir(course.root.parent)
    assert main(["start"]) == 2
    assert "holds course/ and labs/" in capsys.readouterr().err
    assert main(["start", "--from", str(course.root / "labs")]) == 2
    assert "holds no course/" in capsys.readouterr().err


def test_git_sees_nothing_of_an_evenings_work(tmp_path):
    """What is ignored is what the command writes."""
    from tests.copies.test_links import ROOT

    for name in ("my_course/03_roofline.ipynb", f"my_course/03_roofline.{TODAY}.ipynb", "my_labs/a/lab_a.ipynb"):
        done = subprocess.run(["git", "check-ignore", "--quiet", name], cwd=ROOT)
        assert done.returncode == 0, name


def test_the_command_line_explains_itself():
    done = subprocess.run([sys.executable, "-m", "autograder", "start", "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert all(re.search(word, done.stdout) for word in ("--update", "--reset", "my_course"))


def test_a_page_can_be_reset_from_a_cell_of_it(course, page):
    """No terminal is needed, and none has the environment of the kernel."""
    from nbclient import NotebookClient
    from nbformat.v4 import new_code_cell, new_notebook

    cell = new_code_cell(f"%run -m autograder start --from {course.root} --to {course.to} --reset 01_tides")
    NotebookClient(new_notebook(cells=[cell]), timeout=60, resources={"metadata": {"path": str(page.parent)}}).execute()
    (printed,) = cell.outputs
    assert "01_tides.ipynb begins anew." in printed["text"] and printed["name"] == "stdout"
