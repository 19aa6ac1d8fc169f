"""An instructor's own labs and changes: the commands of these guides do what the guides say."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from autograder import __main__ as command
from autograder import check, exercises, scaffold
from autograder.commands.common import NEEDS_ATTENTION, UNUSABLE
from autograder.grading.gradebook.groups import Groups, load_groups
from autograder.grading.releases import release_changes
from autograder.parser import build_parser
from tests.grading import fakes
from tests.grading.course import LAB, ROOT

GUIDES = ("own-labs", "own-assignments", "change-and-regrade", "dates-and-groups", "personal-numbers")
GUIDE = "\n".join((ROOT / f"docs/instructors/{name}.md").read_text(encoding="utf-8") for name in GUIDES)
SECTIONS = {
    title: re.findall(r"^```(sh|python)\n(.*?)^```", text, re.M | re.S)
    for title, text in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", GUIDE, re.M | re.S)
}


def commands(title):
    """Return the commands of a section's shell blocks as words, without comments."""
    blocks = [text for kind, text in SECTIONS[title] if kind == "sh"]
    return [words for text in blocks for line in text.splitlines() if (words := shlex.split(line, comments=True))]


def test_every_command_of_the_guide_exists():
    every = [words for title in SECTIONS for words in commands(title)]
    ours = [words[1:] for words in every if words[0] == "autograder"]
    assert len(ours) > 20 and {words[0] for words in every} == {"autograder", "cd", "make", "nbgrader"}
    for words in ours:
        build_parser().parse_args(words)


# -- exercises that lie elsewhere ------------------------------------------------------


@pytest.fixture
def ours(tmp_path, monkeypatch):
    """Create an instructor's folder with the guide's exercise and make it the working folder."""
    monkeypatch.setenv(exercises.FOLDERS_VARIABLE, "")
    scaffold.write_assignment(tmp_path / "ours", "20_power.bill")
    _write_exercise(tmp_path / "ours")
    yield tmp_path / "ours"
    monkeypatch.undo()
    exercises._update_path()


def _write_exercise(root):
    ((_, text), *_) = [block for block in SECTIONS["Write a task"] if block[0] == "python"]
    (root / text.partition("\n")[0].removeprefix("# ")).write_text(text, encoding="utf-8")


def test_own_exercise_is_found_for_course_and_notebook(ours, monkeypatch):
    before = set(exercises.exercises())
    with pytest.raises(exercises.UnknownExercise, match="your instructor's own is found when its folder"):
        check("lab.power.bill", lambda watts, hours: 0.0)
    monkeypatch.chdir(ours)  # folder of a student's notebook, with exercises/ in it
    assert "watt-hour" in check("lab.power.bill", lambda watts, hours: watts * hours * 0.30).message
    assert exercises.own_exercise_ids() == set(exercises.exercises()) - before == {"lab.power.bill"}
    assert os.environ[exercises.FOLDERS_VARIABLE] == str(ours / "exercises"), "processes that are started find it too"
    # Other folders of that name are ignored.
    monkeypatch.setenv(exercises.FOLDERS_VARIABLE, "")
    (ours.parent / "exercises/other").mkdir(parents=True)
    (ours.parent / "exercises/other/__init__.py").write_text("raise RuntimeError")
    exercises.also_in(ours.parent)
    assert set(exercises.exercises()) == before


@pytest.mark.parametrize(
    ("folder", "text", "says"),
    [
        ("power_lab", "def half(", r"exercises in .*power_lab cannot be read: SyntaxError.*half\.py"),
        ("power_lab", "import nothing_of_this_name", "power_lab cannot be read: ModuleNotFoundError"),
        ("roofline_lab", "", "roofline_lab has the name of a folder of the course: rename it, for example our_roofline_lab"),
        ("twin_lab", "from chip2cluster.chapters.roofline.exercises.ridge_point import *\nfrom dataclasses import replace\nA = replace(RIDGE)",
         "two exercises are called 'roofline.ridge'"),
    ],
)  # fmt: skip
def test_an_exercise_that_cannot_be_used_is_one_sentence(ours, capsys, folder, text, says):
    place = ours / "exercises" / folder
    place.mkdir(exist_ok=True)
    (place / "__init__.py").touch()
    (place / "half.py").write_text(text)
    assert command.main(["doctor", "--root", str(ours)]) == UNUSABLE
    said = capsys.readouterr().err
    assert re.search(says, said) and said.startswith("autograder: ") and said.count("\n") == 1


def test_skeleton_lists_gaps_and_refuses_a_taken_name(ours, capsys):
    assert command.main(["doctor", "--root", str(ours)]) == NEEDS_ATTENTION
    said = capsys.readouterr().out
    assert "solutions/20_power/lab_20_power.ipynb says FILL IN" in said and "INSTRUCTOR.md says FILL IN" in said
    scaffold.write_exercise(ours, "lab.power.second")
    assert (ours / "exercises/power_lab/second.py").is_file()
    for name, why in (
        ("20_power", "exists already, so nothing was written"),
        ("20_roofline", "the course has"),
        ("power", "is called NUMBER_TOPIC"),
        ("20_power.lambda", "not a Python keyword"),
    ):
        with pytest.raises(ValueError, match=why):
            scaffold.write_assignment(ours, name)


# -- more time, groups, changes ---------------------------------------------------------


def test_more_time_for_one_student_is_said_entered_and_undone(course, capsys):
    root = ["--root", str(course.root)]

    def say(*words, code=0):
        assert command.main(["due", LAB, *words, *root]) == code
        return capsys.readouterr()

    with course.gradebook() as book:
        book.update_or_create_student("ann")
        book.update_or_create_student("bob")
    table = course.root / f"autograder/work/dates/{LAB}.csv"
    assert "never due: set the date for all first" in say("2027-02-01 12:00", "--student", "ann", code=2).err
    say("2027-01-31 23:59 Europe/Berlin")
    assert "nobody in the gradebook is called 'eve'" in say("2027-02-03 12:00", "--student", "eve", code=2).err
    assert "not a due date" in say("02/03/2027", "--student", "ann", code=2).err and not table.exists()
    said = say("2027-02-03 23:59 Europe/Berlin", "--student", "ann").out
    assert f"due 2027-02-03 22:59 UTC for ann; `autograder due {LAB} --never --student ann` undoes this" in said
    table.write_text("student,received,due,late\nann,,2027-02-03 22:59 UTC,\nbob,2027-02-02 01:00,,\n")
    assert "`autograder due 03_roofline '2027-02-03 22:59 UTC'" in say("--never", "--student", "ann").out
    assert table.read_text().splitlines() == ["student,received,due,late", "ann,,,", "bob,2027-02-02 01:00,,"]


def test_gradebook_extension_survives_the_first_table_row(course):
    course.submit("ann", fakes.answers(course, 1))
    fakes.run(course)
    with course.gradebook() as book:
        book.update_or_create_student("bob")
        book.update_or_create_assignment(LAB, duedate="2027-01-31")
        book.grant_extension(LAB, "ann", days=2)
    assert command.main(["due", LAB, "2027-02-09 00:00", "--student", "bob", "--root", str(course.root)]) == 0
    table = (course.root / f"autograder/work/dates/{LAB}.csv").read_text()
    assert "ann,,2027-02-02 00:00 UTC," in table and "bob,,2027-02-09 00:00 UTC," in table


def test_one_of_a_group_hands_in_and_all_get_mark_and_page(course, capsys, tmp_path):
    root = ["--root", str(course.root)]
    for student, share in (("ann", 1.0), ("dan", 0.5), ("eve", 0.0)):
        course.submit(student, fakes.answers(course, share))
    with course.gradebook() as book:
        for student in ("ann", "bob", "cid", "dan", "eve", "fay"):
            book.update_or_create_student(student)
    fakes.run(course)
    listed = tmp_path / "groups.csv"

    def group(text):
        listed.write_text(text)
        code = command.main(["group", LAB, str(listed), *root])
        return code, capsys.readouterr()

    for text, says in (
        ("group,student\n1,ann\n2,ann\n", "line 3: ann is in group 1 and in group 2; keep one"),
        ("team,student\n1,ann\n", "the first line must be group,student"),
        ("group,student\n1,\n", "line 2: a group and a student are needed"),
        ("group,student\n1,ann\n1,gus\n", "names unknown students: gus"),
    ):
        code, said = group(text)
        assert code == 2 and says in said.err and load_groups(course.root, LAB) == Groups()
    code, said = group("group,student\n1,ann\n1,bob\n2,dan\n2,eve\n2,fay\n")
    assert code == 1 and "Group 2: dan, eve each submitted" in said.out and "--none` undoes this" in said.out

    def exported():
        code = command.main(["export", LAB, "--to", str(tmp_path / "marks.csv"), "--force", *root])
        rows = [line.split(",") for line in (tmp_path / "marks.csv").read_text().splitlines()[1:]]
        return code, {row[3]: row[9] for row in rows}, capsys.readouterr().err

    code, marks, said = exported()
    assert code == 1 and "fay submitted nothing and gets no marks" in said
    assert marks == {"ann": "25", "bob": "25", "cid": "", "dan": "12.5", "eve": "0", "fay": ""}
    assert command.main(["feedback", LAB, *root]) == 0 and "4 of 4 pages" in capsys.readouterr().out
    assert course.feedback("bob") == course.feedback("ann")
    assert command.main(["feedback", LAB, "--student", "bob", *root]) == 0
    assert "2 of 2 pages" in capsys.readouterr().out
    assert command.main(["group", LAB, "--none", *root]) == 0
    before = course.root / f"autograder/work/groups/{LAB}-before.csv"
    assert f"`autograder group {LAB} {before}` undoes this" in capsys.readouterr().out
    assert exported()[1]["bob"] == ""
    assert command.main(["group", LAB, str(before), *root]) == 1 and exported()[1]["bob"] == "25"


def test_what_has_changed_between_two_releases_is_named():
    old = json.loads((ROOT / "labs" / LAB / f"lab_{LAB}.ipynb").read_text(encoding="utf-8"))
    now = json.loads(json.dumps(old))
    cells = {cell["id"]: cell for cell in now["cells"]}
    cells["largest_batch-check"]["metadata"]["nbgrader"]["points"] = 5
    cells["task-efficiency"]["source"] = "Other words."
    now["cells"].remove(cells["ranking"])
    assert release_changes(old, old) == []
    assert release_changes(old, now) == [
        "`largest_batch-check` 3 -> 5 points", "removed: `ranking`", "edited: `task-efficiency`"
    ]  # fmt: skip
    assert release_changes(now, old)[1] == "new: `ranking`"


# -- the guide from its first line to its last --------------------------------------------

SOLUTION = "def bill(watts, hours):\n    ### BEGIN SOLUTION\n    return watts * hours / 1000 * {}\n    ### END SOLUTION"
PERSONAL = 'given("lab.power.bill")["price"]'
STUDENTS = {"ann": "watts * hours / 1000 * 0.30", "bob": "watts * hours * 0.30"}


class Walk:
    """Runs the guide's commands in a temporary folder, and the steps that it leaves to JupyterLab."""

    def __init__(self, home):
        self.here = home
        self.environment = os.environ | {
            "HOME": str(home),
            "CHIP2CLUSTER_HOME": str(home / "record"),
            "CHIP2CLUSTER_SECRET": "for the tests",
            "JUPYTER_CONFIG_DIR": str(home / "jupyter"),
            "IPYTHONDIR": str(home / "ipython"),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        }

    def do(self, *words, code=0):
        if words[0] == "cd":
            self.here = Path(words[1].replace("~", self.environment["HOME"]))
            return ""
        words = [word.replace("~", self.environment["HOME"]) for word in words]
        done = subprocess.run(words, cwd=self.here, env=self.environment, capture_output=True, text=True)
        assert done.returncode == code, (words, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr

    def edit(self, **sources):
        """Replace sources of the instructor's cells."""
        file = self.here / "solutions/20_power/lab_20_power.ipynb"
        notebook = json.loads(file.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            cell["source"] = sources.get(cell["id"], "".join(cell["source"]).replace("FILL IN", "some words"))
        file.write_text(json.dumps(notebook), encoding="utf-8")

    def worth(self, cell, points):
        file = self.here / "solutions/20_power/lab_20_power.ipynb"
        notebook = json.loads(file.read_text(encoding="utf-8"))
        for one in notebook["cells"]:
            if one["id"] == cell:
                one["metadata"]["nbgrader"]["points"] = points
        file.write_text(json.dumps(notebook), encoding="utf-8")

    def submitted(self, student):
        return self.here / "autograder/work/submitted" / student / "20_power/lab_20_power.ipynb"

    def rewrite(self, student, old, new):
        """Change a student's answer."""
        text = self.submitted(student).read_text(encoding="utf-8")
        assert text.count(old) == 1
        self.submitted(student).write_text(text.replace(old, json.dumps(new)[1:-1]), encoding="utf-8")

    def hand_in(self):
        notebook = json.loads((self.here / "labs/20_power/lab_20_power.ipynb").read_text(encoding="utf-8"))
        for student, answer in STUDENTS.items():
            for cell in notebook["cells"]:
                if cell["id"] == "bill":
                    cell["source"] = f"def bill(watts, hours):\n    return {answer}"
                if cell["id"] == "answer":
                    cell["source"] = "Because a kilowatt-hour has a price."
            self.submitted(student).parent.mkdir(parents=True)
            self.submitted(student).write_text(json.dumps(notebook), encoding="utf-8")


@pytest.mark.prove
@pytest.mark.sandbox
def test_the_guide_does_what_it_says(tmp_path):
    walk = Walk(tmp_path)

    begin, enter, look, release, check_it, grade = commands("Write a task")
    assert "solutions/20_power/lab_20_power.ipynb" in walk.do(*begin)
    walk.do(*enter)
    assert "FILL IN" in walk.do(*look, code=1)
    walk.edit(bill=SOLUTION.format("0.30"))
    notes = walk.here / "solutions/20_power/INSTRUCTOR.md"
    rubric = notes.with_name("answer.rubric.toml")
    for file in (notes, rubric):
        file.write_text(file.read_text().replace("FILL IN", "an answer"))
    _write_exercise(walk.here)
    walk.do(*release)
    assert "All 1 exercise and 1 lab grade as they say; 3 named mistakes" in walk.do(*check_it)
    walk.hand_in()
    said = walk.do(*grade)
    assert re.search(r"ann +2 of 2", said) and re.search(r"bob +0 of 2", said)

    # A rubric with a wrong sum is reported.
    (doctor,) = commands("Add a written question with a rubric")
    rubric.write_text(rubric.read_text().replace("points = 6", "points = 5"))
    assert "sum to 5 points, but 'answer' gives 6" in walk.do(*doctor, code=1)
    rubric.write_text(rubric.read_text().replace("points = 5", "points = 6"))
    walk.do(*doctor)

    # The released table counts, not an old copy in the submission.
    (walk.submitted("ann").parent / "prices.csv").write_text("place,price\nhere,0.60\n")
    walk.rewrite("ann", "0.30", "float(open('prices.csv').read().split(',')[-1])")

    release, grade, feedback = commands("Change a released lab: points, words, data")
    walk.worth("bill-check", 4)
    (walk.here / "solutions/20_power/prices.csv").write_text("place,price\nhere,0.30\n")
    walk.do(*release)
    said = walk.do(*grade)
    assert re.search(r"ann +4 of 4", said) and "Made from an earlier release of 20_power (2): ann, bob." in said
    assert "`bill-check` 2 -> 4 points" in said and "To undo the change" in said and "had been" not in said
    assert "2 of 2 pages" in walk.do(*feedback)
    source = walk.here / "solutions/20_power/lab_20_power.ipynb"
    whole = source.read_text()
    source.write_text(json.dumps({**json.loads(whole), "cells": json.loads(whole)["cells"][:-4]}))
    assert "gets 0 points" in walk.do(*release, code=1)
    source.write_text(whole)

    regrade, feedback = commands("Regrade one student")
    assert "1 graded now, 0 unchanged" in walk.do(*regrade) and "1 of 1 pages" in walk.do(*feedback)

    for_all, for_one, grade, undo = commands("Give some students more time")
    assert "2027-01-31 22:59 UTC" in walk.do(*for_all) and "2027-02-03 22:59 UTC for ann" in walk.do(*for_one)
    assert walk.do(*grade) and "is due for ann when it is for all" in walk.do(*undo)

    (walk.here / "people.csv").write_text("student,first_name,last_name\nann,Ann,A\nbob,Bob,B\ncid,Cid,C\n")
    walk.do("autograder", "roster", "people.csv")
    (walk.here / "groups.csv").write_text("group,student\n1,bob\n2,ann\n2,cid\n")
    group, grade, feedback, export, undo = commands("Let groups submit together")
    assert "3 students in 2 groups" in walk.do(*group)
    walk.do(*grade)
    assert "3 of 3 pages" in walk.do(*feedback)
    assert "not yet marked by hand" in walk.do(*export, code=1)
    rows = [line.split(",") for line in (walk.here / "marks.csv").read_text().splitlines()]
    assert {row[3]: row[-2] for row in rows[1:]} == {"ann": "4", "bob": "0", "cid": "4"}
    assert "undoes this" in walk.do(*undo)

    # Last, because correct numbers change.
    release, doctor, grade = commands("Make a value personal")
    ((_, line), *_) = [block for block in SECTIONS["Make a value personal"] if block[0] == "python"]
    exercise = walk.here / "exercises/power_lab/bill.py"
    exercise.write_text(exercise.read_text().replace("    points=2,\n", line.partition("\n")[2] + "    points=2,\n"))
    walk.edit(bill=SOLUTION.format(PERSONAL))
    walk.do(*release)
    assert "3 named mistakes" in walk.do(*doctor)
    walk.rewrite("bob", STUDENTS["bob"], f"watts * hours / 1000 * {PERSONAL}")
    said = walk.do(*grade)
    assert re.search(r"ann +0 of 4", said) and re.search(r"bob +4 of 4", said)
