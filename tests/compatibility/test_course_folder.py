"""An instructor's course folder of version d7a7ae7a: what is read from it without grading again."""

import shutil

import pytest

from tests.compatibility import places
from tests.compatibility.places import DATA, LAB, NOTEBOOK, autograder, python, read, sources, table
from tests.grading.course import nbgrader_here

EXPECTED = DATA / "class_course/expected"


@pytest.mark.parametrize(("kind", "file"), [("csv", "marks.csv"), ("canvas", "canvas.csv"), ("moodle", "moodle.csv")])
def test_export_writes_the_stored_marks(course, kind, file):
    """The columns of each file are those that a platform imports."""
    expected = table(EXPECTED / file)
    done = autograder("export", LAB, "--format", kind, "--to", course / "new.csv", "--root", course)
    rows = table(course / "new.csv")
    if kind == "moodle":  # its last column holds sentences
        assert rows[1][-1].startswith("Clear.")
        rows, expected = [row[:-1] for row in rows], [row[:-1] for row in expected]
    if kind == "csv":  # columns may be added at the end
        rows = [row[: len(expected[0])] for row in rows]
    assert rows == expected
    assert done.code == 1 and "bob" in done.err and "cid" in done.err


def test_report_reads_the_stored_results(course):
    done = autograder("report", LAB, "--root", course)
    assert done.code == 0
    old = (EXPECTED / "report.txt").read_text(encoding="utf-8")
    for part in ("3 submissions", "median 21 of 25", "2026.11.2", "weights forgotten", "bob, cid"):
        assert part in old and part in done.out


def test_feedback_knows_its_own_pages(course):
    pages = course / "autograder/work/feedback"
    page = pages / "bob" / LAB / f"lab_{LAB}.html"
    page.write_text(page.read_text(encoding="utf-8").replace("</body>", "<p>Well done.</p></body>"), encoding="utf-8")
    before = page.read_bytes()
    done = autograder("feedback", LAB, "--root", course)
    assert done.code == 1 and "3 of 4" in done.out
    assert page.read_bytes() == before
    old = DATA / "class_course/autograder/work/feedback/dan" / LAB / f"lab_{LAB}.html"
    text = (pages / "dan" / LAB / f"lab_{LAB}.html").read_text(encoding="utf-8")
    # The page of a group's work, in today's words.
    assert "tokens_per_second" in text and "tokens_per_second" in old.read_text(encoding="utf-8")
    assert "Clear." in (pages / "ann" / LAB / f"lab_{LAB}.html").read_text(encoding="utf-8")


def test_collect_knows_what_it_collected(course):
    download = course / "download"
    for student in ("ann", "bob", "cid"):
        shutil.copytree(course / "autograder/work/submitted" / student / LAB, download / student)
    done = autograder("collect", LAB, download, "--root", course)
    assert done.code == 0 and "0 new submissions" in done.out and "3 unchanged" in done.out
    assert places.grades(course) and autograder("collect", LAB, "--undo", "--root", course).code == 0
    assert not [*(course / "autograder/work/submitted").glob(f"*/{LAB}/{NOTEBOOK}")]


def test_due_knows_the_dates_of_one_student(course):
    done = autograder("due", LAB, "2026-02-05 23:59 UTC", "--student", "bob", "--root", course)
    assert done.code == 0 and "2026-02-03 22:59 UTC" in done.out  # the date before it
    done = autograder("due", LAB, "--never", "--root", course)
    assert done.code == 2 and "--never --student bob" in done.err  # grading would refuse the date that is left over
    assert autograder("due", LAB, "--never", "--student", "bob", "--root", course).code == 0
    done = autograder("due", LAB, "--never", "--root", course)
    assert done.code == 0 and "2026-01-31 22:59 UTC" in done.out


def test_group_knows_the_groups(course):
    done = autograder("group", LAB, "--none", "--root", course)
    assert done.code == 0
    autograder("export", LAB, "--to", course / "new.csv", "--root", course)
    assert {row[3]: row[9] for row in table(course / "new.csv")[1:]} == {
        "ann": "0",
        "bob": "23",
        "cid": "21",
        "dan": "",
    }


def test_roster_changes_nobody_who_is_in_the_list(course):
    done = autograder("roster", course / "people.csv", "--root", course)
    assert done.code == 0 and "4 students" in done.out and "New in the gradebook: 0" in done.out


def test_hints_reads_the_levels(course):
    done = autograder("hints", "--root", course)
    assert done.code == 0
    assert [line.split(" (")[0] for line in done.out.splitlines()] == ["all labs: 3", "roofline: 2"]


def test_question_is_taken_out_of_the_lab(course):
    solution = course / "solutions" / LAB / NOTEBOOK
    assert {"second-question", "second-answer"} <= {*sources(solution)}
    (course / "autograder/work/gradebook.db").unlink()  # nbgrader removes no cell of graded work
    assert autograder("question", LAB, "--remove", "--root", course).code == 0
    assert not [name for name in sources(solution) if name.startswith("second-")]


def test_labs_releases_into_the_stored_gradebook(course):
    file = course / "labs" / LAB / NOTEBOOK
    before = read(file)
    solution = course / "solutions" / LAB / NOTEBOOK
    notebook = read(solution)
    notebook["cells"][0]["source"] = ["# A title of ours"]
    places.write(solution, notebook)
    done = autograder("labs", LAB, "--root", course)
    assert done.code == 0, done.err
    released = read(file)
    assert "".join(released["cells"][0]["source"]).startswith("# A title of ours")
    assert [_marks(cell) for cell in released["cells"]] == [_marks(cell) for cell in before["cells"]]
    assert len([*(course / "autograder/work/releases" / LAB).glob("*.ipynb")]) == 3


def _marks(cell):
    marks = cell["metadata"].get("nbgrader", {})
    return cell["id"], *(marks.get(key) for key in ("grade_id", "points", "grade", "solution", "schema_version"))


def test_config_is_read_by_stock_nbgrader(course):
    done = python("-m", "nbgrader", "db", "assignment", "list", cwd=course)
    assert done.code == 0, done.err
    assert LAB in done.out + done.err and "exam_quiz" in done.out + done.err


def test_exporter_is_found_under_its_documented_name(course):
    """docs/instructors/mark-and-return.md names it for ``nbgrader export``, and the config sets a trait of it by its class name."""
    name = "autograder.grading.reports.export.CanvasExport"
    nbgrader_here(course, {}, "export", "--exporter", name, "--to", str(course / "new.csv"), f"--assignment={LAB}")
    assert table(course / "new.csv") == table(EXPECTED / "canvas.csv")
