"""`autograder workspace --update`: newer text comes, answers and own cells stay, the old copy is kept."""

import json
import os
import shutil
import sys

import pytest

from autograder.workspace import CopyState, messages, start, update
from autograder.workspace.messages import summary_lines
from tests.copies.conftest import ANSWER, TODAY, edit, everything, read, states


def test_a_start_tells_of_newer_text_and_touches_nothing(course, page):
    edit(course.root / "course/01_tides.ipynb", text="The moon and the sun pull.")
    before = everything(course.to)
    done = start(course)
    assert states(done)["01_tides"] == "older" and everything(course.to) == before
    (messages,) = [line for line in summary_lines(course, done) if "newer text" in line]
    assert "01_tides" in messages and "autograder workspace --update" in messages


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
    assert messages.program_name() == says


def test_update_keeps_answers_and_the_old_copy(course, page):
    edit(page, answer=ANSWER, mine="high(3)", blank=" \n")
    worked = page.read_bytes()
    edit(course.root / "course/01_tides.ipynb", text="The moon and the sun pull.", setup="import math, cmath")
    done = update(course)
    found = read(page)
    assert (found["answer"], found["mine"]) == (ANSWER, "high(3)") and "blank" not in found
    assert found["text"] == "The moon and the sun pull." and found["setup"] == "import math, cmath"
    kept = page.parent / "older" / f"01_tides.{TODAY}.ipynb"
    assert kept.read_bytes() == worked
    (messages,) = [line for line in summary_lines(course, done) if "up to date" in line]
    assert "1 answer and 1 cell of your own" in messages and kept.name in messages
    assert set(states(start(course)).values()) == {"kept"}, "from now on it is as new as the course"
    (again,) = [one for one in update(course) if one.page.copy == page]
    assert again.state is CopyState.KEPT and read(page) == found


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


def test_merge_conflict_keeps_the_readers_answer_only(course, page):
    edit(page, answer=ANSWER, setup="import cmath", text="my own words")
    stub = "def high(day, month):\n    raise NotImplementedError"
    edit(course.root / "course/01_tides.ipynb", answer=stub, setup="import numpy", text="The sun pulls too.")
    (one,) = update(course, course.chosen(["01_tides"]))
    found = read(page)
    assert (found["answer"], found["setup"], found["text"]) == (ANSWER, "import numpy", "The sun pulls too.")
    assert one.merged.left == ("setup", "text") and read(one.earlier)["text"] == "my own words"
    assert "setup, text" in summary_lines(course, [one])[0]


def test_what_only_the_reader_changed_stays(course, page):
    edit(page, setup="import cmath", text="my own words")
    edit(course.root / "course/01_tides.ipynb", finish="Done.")
    update(course)
    assert (read(page)["setup"], read(page)["text"], read(page)["finish"]) == ("import cmath", "my own words", "Done.")


def test_update_leaves_a_removed_exercise_in_the_old_copy(course, page):
    edit(page, answer=ANSWER)
    edit(course.root / "course/01_tides.ipynb", answer=None, check=None)
    (one,) = update(course, course.chosen(["01_tides"]))
    assert "answer" not in read(page) and one.merged.left == ("answer",) and read(one.earlier)["answer"] == ANSWER


def test_update_restores_deleted_cells_and_keeps_own_cells(course, page):
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
    kept = [read(page.parent / "older" / f"01_tides.{TODAY}{more}.ipynb")["answer"] for more in ("", "-1")]
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
    assert (lab.parent / f"older/gauge.{TODAY}.csv").read_text() == "1,2\n"


def test_update_without_a_record_keeps_answers_and_own_cells(course, page):
    """A copy that was made by hand, or by a version without records."""
    shutil.copy(course.root / "course/01_tides.ipynb", page)
    edit(page, answer=ANSWER, text="my words", mine="high(3)")
    assert states(start(course))["01_tides"] == "older"
    (one,) = update(course, course.chosen(["01_tides"]))
    found = read(page)
    assert (found["answer"], found["mine"], found["text"]) == (ANSWER, "high(3)", "The moon pulls.")
    assert found["other"].endswith("raise NotImplementedError") and read(one.earlier)["text"] == "my words"


def test_update_without_cell_ids_keeps_answers_once(course, page):
    edit(page, answer=ANSWER, mine="high(3)")
    notebook = json.loads(page.read_text(encoding="utf-8"))
    notebook["metadata"] = {}
    for cell in notebook["cells"]:
        del cell["id"]
    page.write_text(json.dumps(notebook), encoding="utf-8")
    (one,) = update(course, course.chosen(["01_tides"]))
    assert one.merged.answers == ("answer",) and read(page)["answer"] == ANSWER
    own = [text for name, text in read(page).items() if name not in read(course.root / "course/01_tides.ipynb")]
    assert own.count("high(3)") == 1 and one.merged.added == 1


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
