"""Lists of students: exports of platforms, duplicates, unusual files, and the import into the gradebook."""

import re

import pytest

from autograder.__main__ import main
from autograder.grading.collect.roster import import_roster, read_roster
from tests.grading.downloads import CANVAS_GRADEBOOK, MOODLE_PEOPLE


@pytest.fixture
def write_list(tmp_path):
    def write(text, name="list.csv", encoding="utf-8"):
        file = tmp_path / name
        file.write_bytes(text.encode(encoding))
        return file

    return write


def test_roster_reads_canvas_logins_numbers_and_names(write_list):
    found = read_roster(write_list(CANVAS_GRADEBOOK))
    assert found.column == "SIS Login ID"
    assert [(one.student, one.number, one.name) for one in found.people] == [
        ("zoe", "101", "Zoë Müller-O'Neil"),
        ("jane", "102", "Jane Doe"),
        ("jane2", "103", "Jane Doe"),
        ("bo", "104", "Bo van der Berg"),
    ]
    assert any("Student, Test" in note and "was ignored" in note for note in found.notes)
    assert any(note.startswith("jane and jane2 have the same name") for note in found.notes)
    assert not any("Points" in note for note in found.notes)


def test_roster_ignores_canvas_test_student_with_a_login(write_list):
    line = next(one for one in CANVAS_GRADEBOOK.splitlines() if "Student, Test" in one)
    with_login = ",".join(cell or "4f0c" for cell in line.split(","))
    found = read_roster(write_list(CANVAS_GRADEBOOK.replace(line, with_login)))
    assert len(found.people) == 4 and any("test student" in note for note in found.notes)


def test_roster_reads_moodle_addresses(write_list):
    found = read_roster(write_list(MOODLE_PEOPLE))
    assert found.column == "Email address" and found.people[3].student == found.people[3].email == "bo@example.org"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("student;first_name;last_name\nann;Ann;Lee\n", "utf-8"),
        ("student\tfirst_name\tlast_name\nann\tAnn\tLee\n", "utf-16"),
        ("\n\nSTUDENT,First name,Surname\r\nann,Ann,Lee\r\n\r\n", "utf-8-sig"),
    ],
)
def test_roster_reads_separators_and_encodings_of_spreadsheets(write_list, text, encoding):
    (one,) = read_roster(write_list(text, encoding=encoding)).people
    assert (one.student, one.name) == ("ann", "Ann Lee")


def test_roster_takes_the_ids_from_a_chosen_column(write_list):
    assert [one.student for one in read_roster(write_list(CANVAS_GRADEBOOK), "SIS User ID").people] == [
        "U1",
        "U2",
        "U3",
        "U4",
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("student,last_name\nann,Lee\nann,Ray\n", "lines 2 and 3 are both ann; keep one. Nothing was entered"),
        ("student\nann\nAnn\n", "differ only in capital letters"),
        ("student,lms_user_id\nann,1\nbob,1\n", "ann and bob have the same number, 1"),
        ("student\n../ann\n", "can't be the name of a folder"),
        ("student\n.ann\n", "can't be the name of a folder"),
        ("name,mark\nann,1\n", "no column holds the students' ids; name one with --id; the columns are name, mark"),
        ("student\n", "--id"),
        ("", "--id"),
        ("PK\3\4", "not a CSV file"),
    ],
)
def test_roster_refuses_an_unusable_list(write_list, text, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        read_roster(write_list(text))


def test_roster_refuses_text_that_is_not_utf8(write_list):
    with pytest.raises(ValueError, match="not in UTF-8"):
        read_roster(write_list("student,last_name\nann,Müller\n", encoding="latin-1"))


def test_import_adds_students_and_removes_nobody(course, write_list, capsys):
    first = ["roster", str(write_list(CANVAS_GRADEBOOK)), "--root", str(course.root)]
    assert main(first) == 0
    out = capsys.readouterr().out
    assert "4 students from" in out and "New in the gradebook: 4. Changed: nobody." in out
    with course.gradebook() as book:
        assert {one.id: one.lms_user_id for one in book.students} == {
            "zoe": "101",
            "jane": "102",
            "jane2": "103",
            "bo": "104",
        }
    done = import_roster(course.root, write_list("student,last_name\nbo,Berg\nnew,One\n", "other.csv"))
    assert (done.added, done.changed, done.gone) == (["new"], ["bo"], ["jane", "jane2", "zoe"])
    with course.gradebook() as book:
        bo = book.find_student("bo")
        assert (bo.last_name, bo.first_name, bo.lms_user_id) == ("Berg", "Bo", "104"), "what a list leaves out stays"
    assert done.backup and done.backup.is_file()


def test_refused_list_changes_nothing(course, write_list):
    with pytest.raises(ValueError, match="keep one"):
        import_roster(course.root, write_list("student,last_name\nann,Lee\nann,Ray\n"))
    with course.gradebook() as book:
        assert not book.students
