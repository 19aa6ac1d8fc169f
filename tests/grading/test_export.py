"""Files of marks for Canvas, Moodle and nbgrader."""

import csv
import os
import subprocess
import sys

import pytest
from nbgrader.api import Gradebook

from autograder.__main__ import main
from autograder.grading.reports.export import CanvasExport, CsvExport, export_formats, export_marks
from autograder.grading.result import UNREADABLE
from autograder.grading.result_store import ResultStore
from autograder.grading.spreadsheet import number_cell, text_cell
from tests.grading import samples
from tests.grading.course import LAB
from tests.grading.hand_marks import CONFIGURATION, fill


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return fill(tmp_path_factory.mktemp("course"))


def read_csv(file):
    with open(file, encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))


def test_canvas_export_has_its_import_columns(course, tmp_path):
    header, possible, ann, bob, zoe = read_csv(export_marks(course, LAB, "canvas", tmp_path / "c.csv").file)
    assert header == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", LAB]
    assert possible == ["    Points Possible", "", "", "", "", "9"]
    assert ann == ["O'Neill, Jr, Ann", "4711", "", "ann", "", "5.35"]
    assert bob[3:] == ["bob", "", "2.1"] and zoe == ['van "der" Ü, Zoë', "", "", "zoë", "", ""]


def test_moodle_export_has_its_import_columns(course, tmp_path):
    header, ann, bob, zoe = read_csv(export_marks(course, LAB, "moodle", tmp_path / "m.csv").file)
    assert header == ["Username", "Email address", "First name", "Last name", LAB, f"{LAB} (feedback)"]
    assert ann[4:] == ["5.35", "'=SUM(A1) is no argument, but fine. 1.5 points off for handing in late."]
    assert bob[4:] == ["2.1", ""] and zoe == ["zoë", "", "Zoë", 'van "der" Ü', "", ""]


def test_csv_export_has_nbgraders_columns(course, tmp_path):
    with open(export_marks(course, LAB, "csv", tmp_path / "g.csv").file, encoding="utf-8", newline="") as stream:
        ann, bob, zoe = csv.DictReader(stream)
    assert (ann["raw_score"], ann["late_submission_penalty"], ann["score"], ann["max_score"]) == (
        "6.85",
        "1.5",
        "5.35",
        "9",
    )
    assert (zoe["raw_score"], zoe["score"], zoe["timestamp"]) == ("", "", "")
    assert bob["timestamp"].startswith("2026-01-02")


def test_csv_export_has_parts_and_tasks(course, tmp_path):
    header, *rows = read_csv(export_marks(course, LAB, "csv", tmp_path / "p.csv").file)
    assert header[-4:] == ["machine", "hand", "recommendation", "shortest_time-check"]
    ann, bob, zoe = (row[-4:] for row in rows)
    assert ann == ["2.1", "4.75", "4.75", "2.1"]  # with the extra credit that a person gave
    assert bob == ["2.1", "", "", "2.1"], "nobody has marked the essay"
    assert zoe == [""] * 4
    raw = header.index("raw_score")
    assert float(ann[0]) + float(ann[1]) == float(rows[0][raw])


def test_csv_parts_of_all_labs_share_columns(tmp_path):
    fill(tmp_path)
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}", "chip2cluster") as book:
        book.add_assignment("04_own")
        book.add_notebook("04_own", "04_own")
        book.add_grade_cell("other-check", "04_own", "04_own", max_score=2, cell_type="code")
        book.add_submission("04_own", "ann")
        grade = book.find_grade("other-check", "04_own", "04_own", "ann")
        grade.auto_score, grade.needs_manual_grade = 1, False
        book.db.commit()
        CsvExport(to=str(tmp_path / "all.csv")).export(book)
    with open(tmp_path / "all.csv", encoding="utf-8", newline="") as stream:
        rows = [*csv.DictReader(stream)]
    own = next(row for row in rows if (row["assignment"], row["student_id"]) == ("04_own", "ann"))
    assert (own["machine"], own["hand"], own["other-check"], own["recommendation"]) == ("1", "0", "1", "")
    first = next(row for row in rows if (row["assignment"], row["student_id"]) == (LAB, "ann"))
    assert (first["machine"], first["hand"], first["other-check"]) == ("2.1", "4.75", "")


COLUMNS_OF_CANVAS = [
    (["lab 3 (4711)"], "lab 3 (4711)"),
    (["Lab 13: decoding (1)", "Lab 3: decoding (2)"], "Lab 3: decoding (2)"),
    (["Lab 3 Roofline (44102)", "Lab 4 Occupancy (44103)", "Quiz 3 (5)"], "Lab 3 Roofline (44102)"),
    (["03_roofline (7)", "Lab 3 (8)"], "03_roofline (7)"),
    (["The roofline (9)", "Quiz (10)"], "The roofline (9)"),
    (["Roofline, early (1)", "Roofline, late (2)"], LAB),
    (["Lab 3a (1)", "Lab 3b (2)"], LAB),
    (["Quiz 3 (1)", "Lab 4 roofline (2)"], LAB),
    (["=1+1; roofline (3)"], "'=1+1; roofline (3)"),
    ([], LAB),
]


@pytest.mark.parametrize("columns, heading", COLUMNS_OF_CANVAS)
def test_canvas_export_uses_the_gradebooks_column(marked_course, tmp_path, columns, heading, capsys):
    file = tmp_path / "gradebook.csv"
    with open(file, "w", encoding="utf-8", newline="") as stream:
        final = ["Current Score", "Final Score"]
        writer = csv.writer(stream)
        writer.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *columns, *final])
        writer.writerow(["    Points Possible", "", "", "", "", *("31" for _ in columns), "", ""])
        writer.writerow(["O'Neill, Ann", "4711", "", "ann", "1", *("" for _ in columns), "", ""])
    assert main(["roster", str(file), "--root", str(marked_course)]) == 0
    assert (f"exports for Canvas use: {len(columns)}." in capsys.readouterr().out) == bool(columns)
    target = tmp_path / "canvas.csv"
    main(["export", LAB, "--format", "canvas", "--to", str(target), "--root", str(marked_course)])
    header, _, ann, *_ = read_csv(target)
    assert header[5:] == [heading] and ann[5] == "5.35"
    # The students of another list do not change the names of the assignments.
    (tmp_path / "plain.csv").write_text("id,email\nann,ann@example.org\n", encoding="utf-8")
    assert main(["roster", str(tmp_path / "plain.csv"), "--root", str(marked_course)]) == 0
    main(["export", LAB, "--format", "canvas", "--to", str(target), "--force", "--root", str(marked_course)])
    assert read_csv(target)[0][5:] == [heading]


@pytest.mark.parametrize("file_format", export_formats())
def test_export_writes_no_formula(course, tmp_path, file_format):
    for row in read_csv(export_marks(course, LAB, file_format, tmp_path / "f.csv").file):
        for cell in row:
            assert not cell.startswith(("=", "+", "@", "\t")) and (not cell.startswith("-") or float(cell) <= 0), cell


@pytest.mark.parametrize("value", ["=1+1", "+x", "-x", "@a", "\t=1", " =1", "＝1", "-inf", "-1;x", "\r=1", "+1e"])
def test_text_cell_puts_an_apostrophe_before_a_formula(value):
    assert text_cell(value).startswith("'")


@pytest.mark.parametrize("value", ["-5", "+3.5", "Ann", "a=b", "", "x@y.org", "-1e-3"])
def test_text_cell_keeps_other_text_and_negative_numbers(value):
    assert text_cell(value) == value


def test_number_cell_is_short_and_exact():
    assert [number_cell(x) for x in (28, 2.1 + 0.7 * 3, 0, 1 / 3, -2.0)] == ["28", "4.2", "0", "0.3333", "-2"]


def test_export_replaces_a_file_only_if_forced(course, tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("an hour of work")
    with pytest.raises(FileExistsError, match="--force"):
        export_marks(course, LAB, "canvas", file)
    assert file.read_text() == "an hour of work" and os.listdir(tmp_path) == ["mine.csv"]
    export_marks(course, LAB, "canvas", file, force=True)
    assert read_csv(file)[0][0] == "Student" and os.listdir(tmp_path) == ["mine.csv"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("99_x", "csv", "x.csv"), "no lab '99_x'"),
        ((LAB, "excel", "x.csv"), "csv, canvas, moodle"),
        ((LAB, "csv", "."), "name a file"),
    ],
)
def test_export_refuses_an_unknown_lab_or_format(course, tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=says):
        export_marks(course, *arguments)
    assert os.listdir(tmp_path) == []


def test_export_without_a_gradebook_creates_none(tmp_path):
    (tmp_path / "nbgrader_config.py").write_text(CONFIGURATION)
    with pytest.raises(ValueError, match="autograder grade"):
        export_marks(tmp_path, LAB, "csv", tmp_path / "x.csv")
    assert os.listdir(tmp_path) == ["nbgrader_config.py"]


def test_export_names_students_whose_mark_is_not_final(tmp_path, capsys):
    course = fill(tmp_path)
    changed = {"manual_score": 4, "needs_manual_grade": True}
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}", "chip2cluster") as book:
        for student, fields in (("dan", changed), ("eve", {})):
            book.add_student(student)
            book.add_submission(LAB, student)
            book.find_grade("shortest_time-check", LAB, LAB, student).needs_manual_grade = False
            for name, value in fields.items():
                setattr(book.find_grade("recommendation", LAB, LAB, student), name, value)
        book.find_comment("recommendation", LAB, LAB, "dan").manual_comment = "Too short."
        book.db.commit()
    for student in ("ann", "eve"):  # ann's was read by a person
        ResultStore.of(course, LAB).put(samples.graded(student, status=UNREADABLE))
    code = main(["export", LAB, "--root", str(course), "--format", "moodle", "--to", str(tmp_path / "m.csv")])
    said = capsys.readouterr().err.splitlines()
    assert code == 1 and [(line.partition(" (")[0], line.rpartition(": ")[2]) for line in said] == [
        (f"{LAB}: not yet marked by hand, so the total lacks those points", "bob"),
        (f"{LAB}: changed since a person marked it; the old mark counts until it is marked again", "dan"),
        (f"{LAB}: could not be read, so the mark is empty", "eve"),
    ]
    marks = {row[0]: row[4:] for row in read_csv(tmp_path / "m.csv")[1:]}
    assert marks["eve"] == marks["zoë"] == ["", ""] and marks["ann"][0] == "5.35"
    assert marks["dan"] == ["4", "On an earlier version of your work: Too short."]


def test_plug_in_warns_of_students_who_wait_for_a_mark(course, tmp_path, monkeypatch):
    plugin = CanvasExport(to=str(tmp_path / "c.csv"), assignment=[LAB])
    said = []
    # All of nbgrader's objects share one logger.
    monkeypatch.setattr(plugin.log, "warning", lambda form, *values: said.append(form % values))
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}", "chip2cluster") as book:
        plugin.export(book)
    assert said and "not yet marked by hand" in said[0] and said[0].endswith("bob")


def test_nbgrader_export_runs_the_plug_in(course, tmp_path):
    command = [
        *(sys.executable, "-m", "nbgrader", "export", "--exporter=autograder.grading.reports.export.CanvasExport"),
        *("--to", str(tmp_path / "c.csv"), f"--assignment=['{LAB}']", "--CanvasExport.identifier=SIS User ID"),
    ]
    done = subprocess.run(command, cwd=course, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert read_csv(tmp_path / "c.csv")[2][2:4] == ["ann", ""]
