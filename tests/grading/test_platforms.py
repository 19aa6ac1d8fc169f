"""Learning platforms: each is described by one module, from which choices, messages and documents derive."""

import csv
import re
import sys
import zipfile

import pytest

from autograder.__main__ import main
from autograder.grading import platforms as package
from autograder.grading.collect.collect import collect
from autograder.grading.collect.download_files import DownloadFile
from autograder.grading.platforms import detect_platform, find_platform, names_with, platforms
from autograder.parser import build_parser
from tests.grading.course import LAB, ROOT
from tests.grading.downloads import NOTEBOOK, canvas_name, lab_bytes, moodle_path, submitted_file, zip_bytes
from tests.grading.fakes import run

PLANTED = '''
"""Sakai, for a test."""

import re

from autograder.grading.collect.downloaded_submission import DownloadedSubmission, group_files
from autograder.grading.collect.match_students import MatchMethod, match_only
from autograder.grading.platforms.interface import (
    FeedbackZipLayout, GradeExport, Platform, RosterColumns, SubmissionLayout
)

NAME = re.compile(r"sakai-(?P<student>[a-z]+)")


def add_file(file, submissions):
    if not (named := NAME.fullmatch(file.parts[0])):
        return False
    submission = submissions.setdefault(named["student"], DownloadedSubmission(named["student"]))
    submission.answer_to = f"sakai-{named['student']}/"
    submission.files.append(file.below(1))
    return True


def match(matcher, submission, lab):
    return match_only(matcher.students_with("id", submission.key), MatchMethod.ID, submission.key)


def rows(labs, students, marks):
    yield ["Eid", *(lab.name for lab in labs)]
    for student in students:
        yield [student.id, *(marks[lab.name][student.id].score if student.id in marks[lab.name] else "" for lab in labs)]


PLATFORM = Platform(
    name="sakai",
    label="Sakai",
    is_learning_platform=True,
    roster=RosterColumns("Sakai's roster", signature=frozenset({"eid", "site"}), ids=("Eid",), full_name="Name"),
    submissions=SubmissionLayout(
        lambda file: NAME.fullmatch(file.parts[0]) is not None,
        lambda files, lab: group_files(files, lab, add_file),
        match,
        fixed_text="sakai-",
        needs_roster=True,
    ),
    worksheet=None,
    export=GradeExport(rows),
    feedback_zip=FeedbackZipLayout(lambda answer_to: answer_to.startswith("sakai-"), lambda answer_to, page: answer_to + page),
)
'''


@pytest.fixture
def sakai(tmp_path, monkeypatch):
    """Another module in the package of platforms."""
    folder = tmp_path / "planted"
    folder.mkdir()
    (folder / "sakai.py").write_text(PLANTED, encoding="utf-8")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    yield find_platform("sakai")
    sys.modules.pop(f"{package.__name__}.sakai")
    delattr(package, "sakai")


def choices(command, option):
    """Return the choices of an option of a command."""
    parser = next(action for action in build_parser()._actions if action.dest == "command").choices[command]
    return [*next(action for action in parser._actions if option in action.option_strings).choices]


def test_every_platform_has_a_module_of_its_name():
    assert [one.name for one in platforms()] == ["blackboard", "brightspace", "canvas", "moodle", "exchange", "folder"]
    for one in platforms():
        assert sys.modules[f"{package.__name__}.{one.name}"].PLATFORM is one


def test_choices_are_the_platforms_that_support_the_command():
    assert choices("collect", "--from") == ["canvas", "moodle", "exchange", "folder"]
    assert choices("export", "--format") == ["csv", "canvas", "moodle"]
    assert choices("feedback", "--zip") == ["canvas", "moodle"]
    for name in ("blackboard", "brightspace"):
        platform = find_platform(name)
        assert not (platform.roster or platform.submissions or platform.export or platform.feedback_zip)


def test_find_platform_lists_the_platforms():
    with pytest.raises(ValueError, match="there are blackboard, brightspace, canvas, moodle, exchange, folder"):
        find_platform("webct")


def test_detect_platform_prefers_a_fixed_text_and_the_majority():
    def detected(*paths):
        return detect_platform([DownloadFile(tuple(path.split("/")), bytes) for path in paths]).name

    in_canvas = canvas_name("Doe", "Jane", 102, 9002)
    assert detected(moodle_path("Jane Doe", 7, in_canvas), moodle_path("Bo Berg", 8)) == "moodle"
    assert detected("Jane Doe_7_assignsubmission_file_x_12_34_lab.ipynb") == "moodle"
    assert detected(in_canvas, "ann/lab.ipynb", canvas_name("Berg", "Bo", 104, 9004)) == "canvas"
    assert detected(in_canvas, "ann.ipynb", "bob.ipynb") == detected() == "folder"


def test_a_new_module_adds_choices_and_help(sakai, capsys):
    assert choices("collect", "--from") == ["canvas", "moodle", "sakai", "exchange", "folder"]
    assert choices("export", "--format") == ["csv", "canvas", "moodle", "sakai"]
    assert choices("feedback", "--zip") == names_with("feedback_zip") == ["canvas", "moodle", "sakai"]
    with pytest.raises(SystemExit):
        main(["roster", "--help"])
    listed = " ".join(capsys.readouterr().out.split())
    assert "Canvas's gradebook, Moodle's participants, Sakai's roster, or your own" in listed


def test_new_platform_module_suffices_for_all_its_parts(sakai, course, tmp_path, capsys):
    (tmp_path / "list.csv").write_text('Eid,Name,Site\nann,"Lee, Ann",1\nbob,"Ray, Bob",1\n', encoding="utf-8")
    root = ["--root", str(course.root)]
    assert main(["roster", str(tmp_path / "list.csv"), *root]) == 0
    with course.gradebook() as book:
        assert [(one.id, one.first_name, one.last_name) for one in book.students] == [
            ("ann", "Ann", "Lee"),
            ("bob", "Bob", "Ray"),
        ]
    download = tmp_path / "all.zip"
    download.write_bytes(zip_bytes({f"sakai-ann/{NOTEBOOK}": lab_bytes("1"), "sakai-bob/x.txt": b"1"}))
    done = collect(course.root, LAB, [download])
    assert done.platform is sakai and submitted_file(course, "ann") == lab_bytes("1")
    run(course)
    exported = tmp_path / "marks.csv"
    main(["export", LAB, *root, "--format", "sakai", "--to", str(exported)])
    with open(exported, encoding="utf-8", newline="") as stream:
        header, ann, bob = csv.reader(stream)
    assert header == ["Eid", LAB] and ann[0] == "ann" and float(ann[1]) >= 0 and bob == ["bob", ""]
    zipped = tmp_path / "back.zip"
    main(["feedback", LAB, *root, "--zip", "sakai", "--to", str(zipped)])
    with zipfile.ZipFile(zipped) as archive:
        assert f"sakai-ann/lab_{LAB}.html" in archive.namelist()
    assert main(["feedback", LAB, *root, "--force"]) == 2
    assert "--zip canvas or --zip moodle or --zip sakai" in capsys.readouterr().err


def test_guide_describes_each_learning_platform():
    guide = (ROOT / "docs/instructors/learning-platforms.md").read_text(encoding="utf-8")
    (header,) = re.findall(r"^\| \| (.*) \|$", guide, re.MULTILINE)[:1]
    supported = [one for one in platforms() if one.is_learning_platform and one.submissions]
    assert header.split(" | ") == [one.label for one in supported]
    unsupported = [one.label for one in platforms() if one.is_learning_platform and not one.submissions]
    assert f"{' and '.join(unsupported)} have no reader of their own" in guide
    export_line = next(line for line in guide.splitlines() if line.startswith("autograder export") and "# or" in line)
    named = re.findall(r"--format (\w+)|, or (\w+)|# or (\w+)", export_line)
    assert sorted("".join(one) for one in named) == sorted(["csv", *names_with("export")])
