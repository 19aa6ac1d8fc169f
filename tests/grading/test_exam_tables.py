"""Tables of typed exam answers as people type them: no row is marked as another's, and no slip of typing is a silent 0."""

import csv

import pytest

from autograder.__main__ import main
from autograder.exam.exam_file import FILE, exam_folder, load_exam
from tests.grading.course import STRONG_SECRET
from tests.grading.test_exam import typed

CLASS = ("ann", "bob", "0012", "Ünal Öz")


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run ``autograder exam`` in an empty course; returns the exit code and what it says."""
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", STRONG_SECRET)
    monkeypatch.delenv("CHIP2CLUSTER_VALUES_KEY", raising=False)

    def run(*words):
        code = main(["exam", *map(str, words), "--root", str(tmp_path)])
        said = capsys.readouterr()
        return code, said.out + said.err

    return run


@pytest.fixture
def roster(tmp_path):
    """Write a list of students; returns its file."""

    def write(*ids):
        file = tmp_path / "class.csv"
        file.write_text("\n".join(["id", *ids, ""]), encoding="utf-8")
        return file

    return write


@pytest.fixture
def sheet(command, roster, tmp_path):
    """An exam of three tasks and a class of four; the rows of all right answers, and the command that marks a table."""
    draw = ("mid", "--students", roster(*CLASS), "--topics", "economics", "--minutes", "18")
    assert command(*draw)[0] == 0
    exam = load_exam(exam_folder(tmp_path, "mid") / FILE)
    assert len(exam.tasks) == 3

    def mark(rows, header=("student", "1", "2", "3"), *options):
        with open(tmp_path / "answers.csv", "w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows([header, *rows])
        (exam_folder(tmp_path, "mid") / "marks.csv").unlink(missing_ok=True)
        return command("mid", "--marks", tmp_path / "answers.csv", *options)

    def totals():
        text = (exam_folder(tmp_path, "mid") / "marks.csv").read_text(encoding="utf-8")
        return {row["student"]: row["total"] for row in csv.DictReader(text.splitlines())}

    mark.rows = [[who, *(typed(one.answer) for one in questions)] for who, questions in exam.papers.items()]
    mark.totals, mark.full = totals, f"{exam.points:g}"
    return mark


@pytest.mark.parametrize(
    ("paper", "as_typed"),
    [
        ("ann", "ANN"),
        ("ann", " ann "),
        ("0012", "12"),
        ("0012", "12.0"),
        ("0012", "'0012"),
        ("0012", '="0012"'),
        ("Ünal Öz", "ünal  öz"),
        ("Ünal Öz", "U\u0308nal O\u0308z"),
    ],
)
def test_typed_id_finds_its_paper(sheet, paper, as_typed):
    rows = [[as_typed if who == paper else who, *answers] for who, *answers in sheet.rows]
    code, said = sheet(rows)
    assert code == 0, said
    assert sheet.totals() == dict.fromkeys(CLASS, sheet.full)


def test_id_in_two_spellings_is_a_repeated_sheet(sheet):
    code, said = sheet([*sheet.rows, ["Ann", "1", "1", "1"]])
    assert code == 2 and "'ann' is there a second time, after line 2" in said


@pytest.mark.parametrize("answers", [["", "", ""], []])
def test_row_without_answers_is_left_to_a_person(sheet, answers):
    """An absent student and a paper that was left blank look alike in a table."""
    code, said = sheet([["ann", *answers], *sheet.rows[1:]])
    assert code == 1 and "no answers of ann" in said and "type - for each task" in said
    assert sheet.totals()["ann"] == "" and sheet.totals()["bob"] == sheet.full
    assert sheet([["ann", "-", "–", "-"], *sheet.rows[1:]])[0] == 0
    assert sheet.totals()["ann"] == "0"


def test_exchanged_rows_and_columns_are_named(sheet):
    first, second, *others = sheet.rows
    code, said = sheet([[first[0], *second[1:]], [second[0], *first[1:]], *others])
    assert code == 1 and "ann: 3 answers that are wrong on this paper are right on the paper of bob" in said
    assert "0012" not in said
    code, said = sheet([[who, three, two, one] for who, one, two, three in sheet.rows])
    assert code == 1 and "bob: answers are right for other tasks (1 is right for 3, 3 is right for 1)" in said


def test_table_of_another_exam_is_noticed(sheet):
    code, said = sheet([[who, "7", "7", "7"] for who in CLASS])
    assert code == 1 and "none of the 12 answers earns a point: is this table of another exam than mid?" in said
    code, said = sheet([[*row, "3"] for row in sheet.rows], ["student", "1", "2", "3", "4"])
    assert code == 2 and "a column 4, and the exam mid has 3 tasks" in said


def test_column_that_is_there_twice_is_refused(sheet):
    code, said = sheet([[*row, "9"] for row in sheet.rows], ["student", "1", "2", "3", "1"])
    assert code == 2 and "has the column 1 twice" in said
    assert sheet([[*row, "on time"] for row in sheet.rows], ["Student", "1", "2", "3", "note"])[0] == 0


def test_new_marks_keep_a_copy_of_the_old_ones(sheet, command, tmp_path):
    sheet(sheet.rows)
    file = exam_folder(tmp_path, "mid") / "marks.csv"
    decided = file.read_text(encoding="utf-8") + "decided by hand\n"
    for number in (1, 2):
        file.write_text(decided, encoding="utf-8")
        code, said = command("mid", "--marks", tmp_path / "answers.csv", "--force")
        assert code == 0 and f"marks-before-{number}.csv" in said
        assert file.with_name(f"marks-before-{number}.csv").read_text(encoding="utf-8") == decided
    assert "before" not in command("mid", "--marks", tmp_path / "answers.csv", "--force")[1]


@pytest.mark.parametrize("twin", ["ANN", "12", "00012", "U\u0308nal O\u0308z"])
def test_second_paper_for_one_person_is_refused(sheet, command, roster, twin):
    code, said = command("mid", "--students", roster(twin))
    assert code == 2 and "write the id as on the paper" in said
    assert "1 papers are new" in command("mid", "--students", roster(*CLASS, "late"))[1]


def test_numbered_papers_keep_their_names(command, tmp_path):
    """``paper-1`` and ``paper-01`` would have different numbers."""
    options = ("--topics", "roofline", "--minutes", "10")
    command("mid", "--copies", 3, *options)
    assert "9 papers are new" in command("mid", "--copies", 12)[1]
    papers = load_exam(exam_folder(tmp_path, "mid") / FILE).papers
    assert [*papers] == [f"paper-{number}" for number in range(1, 13)]


def test_exam_command_refuses_options_that_it_would_ignore(sheet, command, roster, tmp_path):
    table = tmp_path / "answers.csv"
    assert "leave them out with --marks" in command("mid", "--marks", table, "--students", roster("ann"))[1]
    assert "leave them out with --notebook" in command("mid", "--notebook", "--copies", 3)[1]
    assert "answers on paper" in command("mid", "--notebook", "--marks", table)[1]
    file = exam_folder(tmp_path, "mid") / FILE
    text = file.read_text(encoding="utf-8")
    file.write_text("\ufeff" + text, encoding="utf-8")  # an editor saved it
    assert sheet(sheet.rows)[0] == 0
    file.write_text(text.replace('"tasks": [', '"tasks": [null, ', 1), encoding="utf-8")
    assert "is damaged" in sheet(sheet.rows)[1]


def test_words_on_paper_may_have_capitals_and_typos_wait(command, roster, tmp_path):
    """The words of an audit and of a certain bound; each paper has others."""
    place = exam_folder(tmp_path, "words")
    code, said = command("words", "--students", roster(*CLASS), "--topics", "roofline,mfu", "--minutes", "120")
    assert code == 0, said
    exam = load_exam(place / FILE)
    worded = [at for at, one in enumerate(exam.papers["ann"]) if isinstance(one.answer, (str, list))]
    assert worded

    def total(change):
        rows = [
            [
                who,
                *(change(typed(one.answer)) if at in worded else typed(one.answer) for at, one in enumerate(questions)),
            ]
            for who, questions in exam.papers.items()
        ]
        with open(tmp_path / "answers.csv", "w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows([["student", *range(1, len(exam.tasks) + 1)], *rows])
        code, said = command("words", "--marks", tmp_path / "answers.csv", "--force")
        text = (place / "marks.csv").read_text(encoding="utf-8")
        return code, said, {row["total"] for row in csv.DictReader(text.splitlines())}

    for change in (str.upper, str.capitalize):
        assert total(change)[::2] == (0, {f"{exam.points:g}"})
    code, said, points = total(lambda text: text + "x")
    assert code == 1 and "correct how it was typed, or decide" in said and points == {""}
