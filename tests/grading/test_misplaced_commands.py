"""The commands list the students whose written answer waits, with its place, and those who left it untouched."""

import json
import shutil
import subprocess
import sys
from functools import partial

import pytest

from autograder.grading.intake.misplaced_answers import IN_FILE
from tests.grading.course import LAB
from tests.grading.misplaced_answers import BELOW, COMMENTED, COMMENTS, IN_PDF, KINDS, NOT_ANSWERS, submission
from tests.grading.notebooks import find, text

STUDENTS = {
    "amy-below": ("cell below", 5, True),
    "bea-pasted": ("cell at the end", 4, False),
    "cid-question": ("below the question", 4, True),
    "dan-comments": ("comments", 2, True),
    "dee-document": ("untouched", 5, True),
    "dot-output": ("output", 5, True),
    "dov-script": ("untouched", 5, True),
    "eve-untouched": ("untouched", 5, True),
    "fay-blanks": ("answer of blanks", 0, True),
}
IN_SCRIPT = "the file `essay.py` beside the notebook"
PLACES = (
    BELOW,
    BELOW,
    "the question's own cell",
    COMMENTED,
    IN_PDF,
    f"the output of {BELOW.replace('new', 'new code')}",
    IN_SCRIPT,
)


def command(root, environment, *arguments, code=(0,)):
    done = subprocess.run(
        [sys.executable, "-m", "autograder", *map(str, arguments), "--root", root],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode in code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.sandbox
def test_commands_name_who_waits_and_who_left_it_untouched(course, download):
    files = {}
    for student, (kind, minor, metadata) in STUDENTS.items():
        edit = KINDS[kind][0] if kind in KINDS else NOT_ANSWERS[kind]
        made = submission(edit, minor, metadata)
        files[f"{student}/lab_{LAB}.ipynb"] = json.dumps(made).encode()
    files["dov-script/essay.py"] = COMMENTS.encode()
    files["dee-document/my answer.pdf"] = files["eve-untouched/readme.txt"] = b"%PDF-1.4"
    run = partial(command, course.root, course.environment)
    run("collect", LAB, download(files))
    run("grade", LAB, code=(0, 1))
    waiting, untouched = [*STUDENTS][:7], [*STUDENTS][7:]
    report = run("report", LAB)
    assert f"Not yet marked by hand (7): {', '.join(waiting)}" in report
    assert f"left the written question untouched (2): {', '.join(untouched)}" in report
    for student, place in zip(waiting, PLACES, strict=True):
        assert f"{student} ({place})" in report
    exported = run("export", LAB, "--to", course.root / "marks.csv", code=(1,))
    assert f"{LAB}: left the written question untouched (2): {', '.join(untouched)}" in exported
    assert f"not yet marked by hand, so the total lacks those points (7): {', '.join(waiting)}" in exported
    with course.gradebook() as book:
        for student in STUDENTS:
            grade = book.find_grade("recommendation", f"lab_{LAB}", LAB, student)
            assert (grade.needs_manual_grade, grade.auto_score) == ((True, None) if student in waiting else (False, 0))
    for student in waiting:
        page = json.loads(
            (course.root / f"autograder/work/autograded/{student}/{LAB}/lab_{LAB}.ipynb").read_text("utf-8")
        )
        assert (IN_FILE if student == "dee-document" else "I would buy the H200") in text(find(page, "recommendation"))
    # A person marks the seven: nobody is listed as waiting, and an unchanged answer stays marked after a new run.
    with course.gradebook() as book:
        for student in waiting:
            grade = book.find_grade("recommendation", f"lab_{LAB}", LAB, student)
            grade.manual_score, grade.needs_manual_grade = 4, False
        book.db.commit()
    run("grade", LAB, "--regrade", code=(0, 1))
    assert "Not yet marked" not in run("report", LAB)
    done = run("export", LAB, "--to", course.root / "final.csv")
    assert "left the written question untouched (2)" in done and "not yet marked" not in done
    shutil.rmtree(course.root / "autograder/work/feedback", ignore_errors=True)
    run("feedback", LAB)
    assert "I would buy the H200" in course.feedback("amy-below")
