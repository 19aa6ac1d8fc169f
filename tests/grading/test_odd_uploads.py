"""Honest work in unusual uploads and tables is never lost silently: documents, fuller copies, spreadsheets' ids and dates."""

import json

import pytest

from autograder.__main__ import main
from autograder.grading.collect.collect import collect
from autograder.grading.collect.roster import read_roster
from autograder.grading.gradebook.dates import Dates, date_table_file
from autograder.grading.gradebook.timestamps import parse_time
from autograder.grading.intake.documents import document_names
from autograder.grading.intake.notebook_candidates import MAX_BYTES
from autograder.grading.intake.prose import MIN_WORDS, KnownText, code_prose
from autograder.grading.intake.submission_reader import read_submission
from autograder.grading.result import SubmissionStatus
from tests.grading.attacks.model import SOLVED, notebook
from tests.grading.course import LAB
from tests.grading.downloads import canvas_name, submitted_file, zip_bytes
from tests.grading.fakes import submitted
from tests.grading.notebooks import RELEASED
from tests.grading.test_odd_folders import FILE, put


def as_json(made):
    return json.dumps(made).encode()


def test_document_in_a_zip_is_listed(tmp_path):
    folder = put(
        tmp_path,
        zip_bytes({f"my lab/{FILE}": b"{}", "my lab/essay.docx": b"x", "__MACOSX/._essay.docx": b"x"}),
        "lab.zip",
    )
    assert document_names(folder, f"lab_{LAB}") == ["lab.zip/my lab/essay.docx"]


def test_zip_around_a_zip_keeps_its_document(course, tmp_path):
    """The inner zip has the notebook, the outer one the written answer."""
    work = {
        "ann.zip": {"lab.zip": {FILE: as_json(notebook(base=SOLVED))}, "essay.txt": b"I would buy it."},
        "bob.txt": b"x",
    }
    (tmp_path / "download.zip").write_bytes(zip_bytes(work))
    collect(course.root, LAB, [tmp_path / "download.zip"])
    names = document_names(submitted(course, "ann"), f"lab_{LAB}")
    assert [name.rpartition("/")[2] for name in names] == ["essay.txt"]


@pytest.mark.parametrize("name", [f"lab_{LAB}-Copy1.ipynb", f"lab_{LAB}_FINAL.ipynb"])
@pytest.mark.parametrize("packed", [False, True])
def test_fuller_copy_needs_a_person(name, packed, tmp_path):
    draft = as_json(notebook(edits={"shortest_time": SOLVED["shortest_time"]}))
    files = {FILE: draft, name: as_json(notebook(base=SOLVED))}
    for file, data in {"lab.zip": zip_bytes(files)}.items() if packed else files.items():
        put(tmp_path, data, file)
    found = read_submission(tmp_path, f"lab_{LAB}", RELEASED)
    assert found.status is SubmissionStatus.WITH_ERRORS and "a person must decide" in found.notes[-1]
    # An older copy with fewer answers costs nobody's time.
    found = read_submission(put(put(tmp_path / "old", files[name]), draft, name), f"lab_{LAB}", RELEASED)
    assert found.status is SubmissionStatus.GRADED


@pytest.mark.parametrize(
    "outer", [f"doejane_102_901_{LAB}.zip", "Jane Doe_5_assignsubmission_file/lab.zip", "jane.zip"]
)
def test_only_zip_of_a_download_is_never_another_ones_work(outer, on_canvas, download):
    """A student packs a file under a classmate's name; on the day nobody else has handed in."""
    inner = {canvas_name("Müller-O'Neil", "Zoë", 101, 9): as_json(notebook(base=SOLVED)), f"zoe/{FILE}": b"{}"}
    result = collect(on_canvas.root, LAB, [download({outer: inner})])
    assert submitted_file(on_canvas, "zoe") is None
    assert "zoe" not in {row.student for row in result.rows if row.handed_in_as}


def test_download_that_was_packed_twice_is_opened(on_canvas, download):
    inner = {canvas_name("Müller-O'Neil", "Zoë", 101, 9): as_json(notebook(base=SOLVED))}
    collect(on_canvas.root, LAB, [download({"submissions.zip": inner})])
    assert submitted_file(on_canvas, "zoe")


def test_oversized_notebook_is_told_its_size(on_canvas, download):
    name = canvas_name("Müller-O'Neil", "Zoë", 101, 9)
    result = collect(on_canvas.root, LAB, [download({name: b" " * (MAX_BYTES + 1)})])
    (row,) = [row for row in result.rows if row.student == "zoe"]
    assert "clear its outputs" in row.what and "There is no" not in row.what


THAI = "ฉันจะซื้อเอชสองร้อยแทนเอหนึ่งร้อยเพราะการถอดรหัสถูกจำกัดด้วยแบนด์วิดท์ของหน่วยความจำและเร็วกว่าสองเท่า"


def test_text_without_blanks_counts_as_words():
    known = KnownText([])
    assert known.own_words(THAI) >= MIN_WORDS
    assert known.own_words("one&nbsp;two&nbsp;three") == 3


def test_printed_sentences_are_one_text():
    lines = [
        "I would buy the newer chip for this work",
        "because its memory is faster than the old one",
        "and it costs less for each token produced",
    ]
    source = "bw = 4.8\n" + "\n".join(f'print(f"{line}")' for line in lines)
    assert [text.split("\n") for text in code_prose(source)] == [lines]


@pytest.mark.parametrize(
    "text",
    [
        'id,first_name,last_name\n="0012345",Ann,A\n',
        "id,first_name,last_name\n'0012345,Ann,A\n",
        "sep = ;\nid;first_name;last_name\n0012345;Ann;A\n",
        "\ufeff\ufeffid,first_name,last_name\n0012345,Ann,A\n",
    ],
)
def test_roster_reads_ids_that_a_spreadsheet_protects(text, tmp_path):
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    assert [(one.student, one.name) for one in read_roster(tmp_path / "list.csv").people] == [("0012345", "Ann A")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('id,first_name\nann,"Ann\nbob,Bob\n', "never closed"),
        ("id,first_name\n12345.0,Ann\n", "so the id is lost"),
        ('id,first_name\n"12,345",Ann\n', "so the id is lost"),
        ("id,first_name\n-,Ann\n", "can't be the name of a folder"),
    ],
)
def test_roster_refuses_what_would_lose_a_student(text, says, course, capsys):
    (course.root / "list.csv").write_text(text, encoding="utf-8")
    assert main(["roster", str(course.root / "list.csv"), "--root", str(course.root)]) == 2
    assert says in capsys.readouterr().err


def test_roster_without_names_is_reported(course, capsys):
    (course.root / "list.csv").write_text("id,vorname\nann,Ann\n", encoding="utf-8")
    assert main(["roster", str(course.root / "list.csv"), "--root", str(course.root)]) == 0
    assert "No column with the students' names" in "".join(capsys.readouterr())


TABLE = "student,received,due\nann,2027-01-31 22:59 UTC,\n"


@pytest.mark.parametrize(
    "data",
    [
        TABLE.replace(",", ";").encode(),
        b"sep=,\n" + TABLE.encode(),
        TABLE.encode("utf-16"),
        TABLE.replace("ann", " ann ").encode("utf-8-sig"),
        TABLE.replace("due", "due,,").encode(),
    ],
)
def test_table_of_dates_is_read_as_spreadsheets_save_it(data, tmp_path):
    file = date_table_file(tmp_path, LAB)
    file.parent.mkdir(parents=True)
    file.write_bytes(data)
    assert Dates(tmp_path, LAB).entries["ann"].received == parse_time("2027-01-31 22:59 UTC")


def test_due_refuses_a_day_without_a_time(course, capsys):
    """Its first minute would make everybody late who hands in on that day."""
    assert main(["due", LAB, "2027-01-31", "--root", str(course.root)]) == 2
    assert "has no time of day" in capsys.readouterr().err
