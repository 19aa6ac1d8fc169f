"""An exam that version d7a7ae7a drew: it is marked, and who comes later gets a paper of the same exam."""

from tests.compatibility.places import DATA, autograder, read, table, write

EXAM = "autograder/work/exams/final"


def _points(file):
    """The columns of a table of marks that hold no words."""
    return [[*row[:3], *row[3::2]] for row in table(file)]


def test_exam_marks_the_same_answers_the_same(course):
    (course / EXAM / "marks.csv").unlink()
    done = autograder("exam", "final", "--marks", course / "answers.csv", "--root", course)
    assert done.code == 1 and "dan" in done.err  # who has no answers is named
    assert _points(course / EXAM / "marks.csv") == _points(DATA / "class_course" / EXAM / "marks.csv")


def test_exam_draws_a_missing_paper_again(course):
    """With one secret the numbers of a student stay the same."""
    exam = read(course / EXAM / "exam.json")
    paper = exam["papers"].pop("bob")
    write(course / EXAM / "exam.json", exam)
    done = autograder("exam", "final", "--students", course / "people.csv", "--root", course)
    assert done.code == 0, done.err
    drawn = read(course / EXAM / "exam.json")["papers"]
    assert list(drawn) == ["ann", "cid", "dan", "bob"]
    assert [one["inputs"] for one in drawn["bob"]] == [one["inputs"] for one in paper]
    assert [one["answer"] for one in drawn["bob"]] == [one["answer"] for one in paper]
