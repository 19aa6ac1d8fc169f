"""Zips of feedback for Canvas and Moodle; the tests read the names as the platforms' importers do."""

import re
import zipfile

import pytest

from autograder.__main__ import main
from autograder.grading.collect.collect import collect
from autograder.grading.collect.roster import import_roster
from tests.grading import fakes
from tests.grading.course import LAB
from tests.grading.downloads import (
    CANVAS_GRADEBOOK,
    MOODLE_PEOPLE,
    NOTEBOOK,
    canvas_name,
    lab_bytes,
    moodle_path,
    zip_bytes,
)

PAGE = f"lab_{LAB}.html"


def parse_as_canvas(name):
    """Return user and attachment as Canvas's ``infer_comment_context_from_filename`` finds them."""
    return tuple(part for part in name.split("_") if re.fullmatch(r"\d+", part))[:2]


def parse_as_moodle(path):
    """Return participant, plugin and file as Moodle's ``is_valid_filename_for_import`` finds them."""
    parts = path.split("/")
    while parts:
        info = parts.pop(0).split("_", 4)
        if len(info) >= 4 and info[1].isdigit():
            return info[1], f"{info[2]}_{info[3]}", "/".join([info[4] if len(info) > 4 else "", *parts]).strip("/")
    return None


def collect_and_grade(course, people, files):
    for name, data in (("list.csv", people.encode()), ("all.zip", zip_bytes(files))):
        (course.root / name).write_bytes(data)
    import_roster(course.root, course.root / "list.csv")
    collect(course.root, LAB, [course.root / "all.zip"])
    fakes.run(course)


def feedback(course, *arguments):
    return main(["feedback", LAB, "--root", str(course.root), *arguments])


def test_canvas_zip_names_each_submission(course, capsys, tmp_path):
    files = {
        canvas_name("Müller-O'Neil", "Zoë", 101, 9001, late=True): lab_bytes("1"),
        canvas_name("Doe", "Jane", 102, 9001 + 1, "data.csv"): b"1",
        canvas_name("Doe", "Jane", 102, 9003, f"lab_{LAB}-1.ipynb"): lab_bytes("2"),
    }
    collect_and_grade(course, CANVAS_GRADEBOOK, files)
    course.submit("bo", {})
    fakes.run(course)
    zipped = tmp_path / "back.zip"
    assert feedback(course, "--zip", "canvas", "--to", str(zipped)) == 1, "bo's came another way"
    assert "1 students are not in the zip, because none of their files came from Canvas: bo" in capsys.readouterr().err
    with zipfile.ZipFile(zipped) as archive:
        names = archive.namelist()
        assert [parse_as_canvas(name) for name in names] == [("102", "9003"), ("101", "9001")]
        assert all(name.endswith(PAGE) for name in names) and names[1].startswith("mülleroneilzoë_LATE_101_")
        page = course.root / "autograder/work/feedback/zoe" / LAB / PAGE
        assert archive.read(names[1]) == page.read_bytes()
        assert {info.external_attr >> 16 for info in archive.infolist()} == {0o600}


def test_moodle_zip_names_each_participant(course, tmp_path):
    files = {
        moodle_path("Zoë Müller-O'Neil", 71): lab_bytes("1"),
        moodle_path("Bo van der Berg", 74, trailing="_"): lab_bytes("2"),
        f"Nobody_75_assignsubmission_file_{NOTEBOOK}": lab_bytes("3"),
    }
    collect_and_grade(course, MOODLE_PEOPLE, files)
    zipped = tmp_path / "back.zip"
    assert feedback(course, "--zip", "moodle", "--to", str(zipped)) == 0
    with zipfile.ZipFile(zipped) as archive:
        assert [parse_as_moodle(name) for name in archive.namelist()] == [
            ("74", "assignsubmission_file", PAGE),
            ("71", "assignsubmission_file", PAGE),
        ]


def test_feedback_zip_is_replaced_only_if_forced(course, tmp_path, capsys):
    collect_and_grade(course, CANVAS_GRADEBOOK, {canvas_name("Doe", "Jane", 102, 9002): lab_bytes()})
    zipped = tmp_path / "mine.zip"
    zipped.write_bytes(b"an hour of work")
    assert feedback(course, "--zip", "canvas", "--to", str(zipped)) == 2
    assert "--force" in capsys.readouterr().err and zipped.read_bytes() == b"an hour of work"
    assert feedback(course, "--zip", "canvas", "--to", str(zipped), "--force") == 0
    first = zipped.read_bytes()
    assert feedback(course, "--zip", "canvas", "--to", str(zipped), "--force") == 0
    assert zipped.read_bytes() == first, "the same pages are the same zip"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--zip", "moodle"], "nothing of 03_roofline was collected from Moodle"),
        (["--force"], "add --zip"),
    ],
)
def test_feedback_zip_needs_a_collection_of_its_platform(course, tmp_path, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(tmp_path)
    collect_and_grade(course, CANVAS_GRADEBOOK, {canvas_name("Doe", "Jane", 102, 9002): lab_bytes()})
    assert feedback(course, *arguments) == 2
    assert says in capsys.readouterr().err and not list(tmp_path.glob("*feedback*.zip"))


def test_canvas_export_uses_the_numbers_of_the_download(course, tmp_path):
    """The file that Canvas imports has a row for a student who handed in nothing, too."""
    collect_and_grade(course, CANVAS_GRADEBOOK, {canvas_name("Doe", "Jane", 103, 9003): lab_bytes()})
    assert main(["export", LAB, "--root", str(course.root), "--format", "canvas", "--to", str(tmp_path / "c.csv")]) in (
        0,
        1,
    )
    lines = (tmp_path / "c.csv").read_text(encoding="utf-8").splitlines()
    assert '"Doe, Jane",103,,jane2,,0' in lines and '"Doe, Jane",102,,jane,,' in lines and len(lines) == 6
