"""The console gets only printable lines, whatever the names of folders, files and errors."""

import re
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from autograder import __main__ as command
from autograder.commands import grade
from autograder.grading.gradebook.course import open_course
from autograder.grading.runs import pipeline
from autograder.grading.runs.grading_run import GradingRun
from autograder.grading.sanitize.terminal_text import printable, printable_lines
from tests.grading import fakes
from tests.grading.course import LAB

NAMES = [
    *("title\x1b]0;owned\x07", "clear\x1b[2J\x1b[H", "c1\x9b2J", "line\nautograder: all is well", "back\r25 of 25"),
    *(
        "turned\u202e52 fo 0",
        "isolated\u2066x\u2069",
        "hidden\u200b\u2060\ufeff",
        "lines\u2028and\u2029more",
        "tab\tbell\x07",
    ),
    *(
        "erase\x08\x08\x08",
        "del\x7f",
        "link\x1b]8;;http://evil.test\x1b\\x\x1b]8;;\x1b\\",
        "=cmd|' /C calc'!A0",
        "Zoë 李小龙",
    ),
]
ALLOWED = re.compile(r"[^\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]*", re.DOTALL)


def decoded(data):
    """Decode the output of a program and assert that it is printable."""
    text = data.decode("utf-8")
    for line in text.split("\n"):
        assert ALLOWED.fullmatch(line), repr(line)
    return text


def test_a_class_with_hostile_names(course, capfdbinary, monkeypatch, tmp_path):
    quick = partial(pipeline.grade_lab, open_sandbox=fakes.open_sandbox, grade_one=fakes.grade_one)
    monkeypatch.setattr(pipeline, "grade_lab", quick)
    for name in NAMES:
        # There is nothing to run; the test is about messages.
        folder = fakes.submitted(course, name)
        folder.mkdir(parents=True)
        (folder / f"{name.replace('/', ':')}.ipynb").write_text("{}", encoding="utf-8")
    said = ""
    for arguments in (
        ("grade", LAB, "--jobs", "1", "--unsandboxed", "--json", str(tmp_path / "report.json")),
        ("report", LAB, "--html", str(tmp_path / "report.html")),
        ("feedback", LAB),
        ("feedback", LAB, "--student", "nobody\x1b[2J"),
        ("grade", LAB, "--student", "nobody\x1b[2J"),
        ("export", LAB, "--to", str(tmp_path / "marks.csv")),
        ("export", LAB, "--to", str(tmp_path / "marks.csv")),
    ):
        assert command.main([*arguments, "--root", str(course.root)]) in (0, 1, 2)
        wrote = capfdbinary.readouterr()
        said += decoded(wrote.out) + decoded(wrote.err)
        assert "Traceback" not in said, said
    assert said.count("owned") >= 3 and "Zoë 李小龙" in said and "nobody?[2J" in said


def test_a_grader_that_fails_says_so_in_plain_lines(course, capfdbinary):
    for name in NAMES[:4]:
        course.submit(name, fakes.answers(course, 1, "# raise"))
    fakes.run(course)
    said = capfdbinary.readouterr()
    text = decoded(said.out) + decoded(said.err)
    assert "the grader failed" in text and "a fault of the grader" in text


def test_what_is_not_in_the_gradebook_is_told_in_plain_lines(capfdbinary):
    row = {"status": "unreadable", "score": 0.0, "max_score": 3.0, "repairs": ["\x1b[2Jwhy\n"], "exercises": {}}
    print(grade.table(GradingRun(LAB, dict.fromkeys(NAMES, row), graded=1)))
    assert len(decoded(capfdbinary.readouterr().out).splitlines()) == len(NAMES) + 1


def test_nbgraders_own_log_is_plain_too(course, capfdbinary):
    app = open_course(course.root).app
    for name in NAMES:
        app.log.error("Converting notebook %s", name)
    try:
        raise ValueError(NAMES[0])
    except ValueError:
        app.log.exception("failed: %s", NAMES[1])
    said = capfdbinary.readouterr()
    text = decoded(said.err)
    assert "Converting notebook title?]0;owned?" in text and "Traceback" in text and "ValueError" in text


@given(st.text())
def test_one_line_that_a_terminal_only_prints(text):
    assert printable(text).isprintable() and len(printable(text)) <= 80
    assert all(line.isprintable() for line in printable_lines(text).split("\n"))
