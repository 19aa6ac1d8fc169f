"""Nothing is graded by an exercise that cannot be used."""

import pytest

from autograder.grading.runs import fingerprint
from tests.grading import fakes
from tests.grading.course import LAB
from tests.grading.fakes import answers, run


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("measured_flops / peak_flops,\n            \"You", "measured_flops / peak_flops,\n            share=0.5,\n            message=\"You", "earns 0 of the points, not 0.5"),
        ("return roofline.efficiency(", "return roofline.efficency(", "AttributeError: module 'chip2cluster.roofline' has no attribute 'efficency'"),
        ("shows=(roofline.efficiency,)", "shows=(roofline.efficency,)", "AttributeError"),
        ("return [{\"measured_flops\": m", "return [{\"measured_flop\": m", "TypeError"),
        ("points=3,", "points=3", "SyntaxError"),
    ],
)  # fmt: skip
def test_unusable_exercise_stops_grading_before_anything_changes(course, edited_exercise, old, new, says):
    for student in ("ann", "bob"):
        course.submit(student, answers(course, 1))
    run(course)
    work = course.root / "autograder/work"
    before = fakes.contents(course), fakes.snapshot(work / "autograded"), fakes.snapshot(work / "results")
    code, out, said = edited_exercise(old, new, "grade", LAB, "--jobs", "2", "--unsandboxed")
    assert code == 2 and out == "", said
    assert said.startswith("autograder: ") and said.count("\n") == 1 and "Traceback" not in said
    assert says in said and str(edited_exercise.file) in said
    assert (fakes.contents(course), fakes.snapshot(work / "autograded"), fakes.snapshot(work / "results")) == before


def test_fingerprint_ignores_the_check_before_grading():
    names = {file.relative_to(fingerprint.PACKAGE).as_posix() for file in fingerprint._grader_files()}
    assert "grading/partial_credit.py" in names and "grading/usable_exercises.py" not in names
