"""A lab's notebook gets another name in the middle of a term: marks, comments, pages of feedback and exports stay."""

import json
import shutil

import pytest

from autograder.grading.lab import load
from autograder.grading.reports.export import export_marks
from autograder.grading.reports.feedback import write_feedback
from tests.grading import fakes
from tests.grading.assignments import release
from tests.grading.course import LAB, ROOT
from tests.grading.fakes import answers, run

MOST = load(ROOT, LAB).max_score
OLD, NEW = LAB, f"lab_{LAB}"


def place(course, step, student, name):
    return course.root / "autograder/work" / step / student / LAB / name


@pytest.fixture
def term(course):
    """Two students handed in and were graded under the old name, marked by hand, and one page was written on."""
    for step in ("solutions", "labs"):
        folder = course.root / step / LAB
        (folder / f"{NEW}.ipynb").rename(folder / f"{OLD}.ipynb")
    for student, share in (("ann", 1), ("bob", 0.5)):
        course.submit(student, answers(course, share, "# an essay"))
    with course.gradebook() as book:
        book.find_notebook(NEW, LAB).name = OLD
        book.db.commit()
    assert run(course).clean
    with course.gradebook() as book:
        for student in ("ann", "bob"):
            grade = book.find_grade("recommendation", OLD, LAB, student)
            grade.manual_score, grade.needs_manual_grade = 4.5, False
            book.find_comment("recommendation", OLD, LAB, student).manual_comment = "well argued"
        book.db.commit()
    write_feedback(course.root, LAB)
    written_on = place(course, "feedback", "bob", f"{OLD}.html")
    written_on.write_text(written_on.read_text(encoding="utf-8") + "<p>Come and see me.</p>", encoding="utf-8")
    for step in ("solutions", "labs"):
        folder = course.root / step / LAB
        (folder / f"{OLD}.ipynb").rename(folder / f"{NEW}.ipynb")
    return course


@pytest.fixture(autouse=True)
def old_names_in_submissions(monkeypatch):
    """`Course` reads and writes whichever name is there."""
    from tests.grading.course import Course

    def notebook(self, folder):
        (file,) = (self.root / folder / LAB).glob("*.ipynb")
        return json.loads(file.read_text(encoding="utf-8"))

    def submit(self, student, edits, name=OLD):
        made = notebook(self, "labs")
        for cell in made["cells"]:
            cell["source"] = edits.get(cell["id"], cell["source"])
        file = place(self, "submitted", student, f"{name}.ipynb")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(made), encoding="utf-8")

    monkeypatch.setattr(Course, "notebook", notebook)
    monkeypatch.setattr(Course, "submit", submit)


def nothing_is_lost(course):
    with course.gradebook() as book:
        assert [one.name for one in book.find_assignment(LAB).notebooks] == [NEW]
        for student, share in (("ann", 1), ("bob", 0.5)):
            grade = book.find_grade("recommendation", NEW, LAB, student)
            assert (grade.manual_score, grade.needs_manual_grade) == (4.5, False)
            assert book.find_comment("recommendation", NEW, LAB, student).comment == "well argued"
            assert book.find_submission(LAB, student).score == MOST * share + 4.5
            (file,) = place(course, "autograded", student, "").glob("*.ipynb")
            assert file.name == f"{NEW}.ipynb", "formgrader looks for it under the name that the gradebook has"


def test_rename_keeps_hand_marks_and_their_review_state(term):
    assert run(term).clean
    nothing_is_lost(term)
    assert run(term, regrade=True).clean
    nothing_is_lost(term)


def test_rename_accepts_submissions_under_both_names(term):
    term.submit("cem", answers(term, 1), NEW)
    term.submit("dan", answers(term, 1), OLD)
    assert run(term).clean
    assert fakes.scores(term) == {"ann": MOST, "bob": MOST / 2, "cem": MOST, "dan": MOST}


def test_release_renames_entries_and_keeps_marks(term):
    done, said = release(term.root, LAB)
    assert done, said
    nothing_is_lost(term)
    assert run(term).clean


def test_feedback_has_the_name_of_the_submission(term):
    run(term)
    shutil.rmtree(place(term, "submitted", "ann", ""))
    term.submit("ann", answers(term, 1, "# an essay"), NEW)
    term.submit("dan", answers(term, 1), OLD)
    run(term)
    done = {one.student: (one.file.name, str(one.status)) for one in write_feedback(term.root, LAB)}
    assert done == {
        "ann": (f"{NEW}.html", "written"),
        "bob": (f"{NEW}.html", "kept"),
        "dan": (f"{NEW}.html", "written"),
    }
    for name in (OLD, NEW):
        assert "Come and see me." in place(term, "feedback", "bob", f"{name}.html").read_text(encoding="utf-8")
    pages = [place(term, "feedback", "dan", f"{name}.html").read_text(encoding="utf-8") for name in (OLD, NEW)]
    assert pages[0] == pages[1]


def test_rename_is_done_by_feedback_and_export(term, tmp_path):
    write_feedback(term.root, LAB)
    nothing_is_lost(term)
    exported = export_marks(term.root, LAB, "csv", tmp_path / "marks.csv").file.read_text(encoding="utf-8")
    assert f"{MOST + 4.5:g}" in exported and f"{MOST / 2 + 4.5:g}" in exported


def test_interrupted_rename_is_completed(term, monkeypatch):
    from autograder.grading.gradebook import notebook_renames

    rename = notebook_renames._rename_files

    def stop(directory, lab, student, *names):
        rename(directory, lab, student, *names)
        raise KeyboardInterrupt

    monkeypatch.setattr(notebook_renames, "_rename_files", stop)
    with pytest.raises(KeyboardInterrupt):
        run(term)
    monkeypatch.setattr(notebook_renames, "_rename_files", rename)
    assert run(term).clean
    nothing_is_lost(term)


def test_rename_back_to_the_old_name(term):
    run(term)
    for step in ("solutions", "labs"):
        (term.root / step / LAB / f"{NEW}.ipynb").rename(term.root / step / LAB / f"{OLD}.ipynb")
    assert run(term).clean
    with term.gradebook() as book:
        assert book.find_grade("recommendation", OLD, LAB, "ann").manual_score == 4.5


def test_rename_backs_up_the_gradebook_first(term):
    copies = set((term.root / "autograder/work/backup").glob("*.db"))
    write_feedback(term.root, LAB)
    assert set((term.root / "autograder/work/backup").glob("*.db")) > copies


@pytest.mark.prove
def test_nbgrader_commands_accept_both_names(term):
    """Command line of nbgrader: what formgrader's buttons do."""
    term.nbgrader_here("generate_feedback", LAB, "--force")  # before anything is graded under the new name
    assert place(term, "feedback", "ann", f"{OLD}.html").is_file()
    term.nbgrader_here("autograde", LAB, "--force")
    with term.gradebook() as book:
        for student in ("ann", "bob"):
            assert book.find_grade("recommendation", NEW, LAB, student).manual_score == 4.5
    term.nbgrader_here("generate_feedback", LAB, "--force")
    for name in (OLD, NEW):
        text = place(term, "feedback", "ann", f"{name}.html").read_text(encoding="utf-8")
        assert "well argued" in text
