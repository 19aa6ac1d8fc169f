"""Partial credit that an instructor gives for a known mistake."""

import json
from dataclasses import replace

import pytest

from autograder import __main__ as command
from autograder.checking.judge import grade_outcomes
from autograder.checking.outcome import value_outcome
from autograder.exercises import exercise
from autograder.grading.lab import load
from autograder.grading.partial_credit import FILE, apply_credit
from tests.grading.course import LAB, ROOT
from tests.grading.fakes import answers, graded


def test_mistake_keeps_a_share_by_decision_of_the_instructor(course, edited_exercise):
    """The end of an appeal: the doctor accepts it, students get it, and everything else stays."""
    wrong = "def efficiency(measured_flops, intensity, peak_flops, memory_bandwidth):\n    return measured_flops / peak_flops"
    cells = {cell for cell, source in course.answers().items() if "def efficiency" in "".join(source)}
    course.submit("ann", {**course.answers(), **dict.fromkeys(cells, wrong)})
    same = ("points=3,", "points=3,")
    run_it = ("grade", LAB, "--jobs", "1", "--unsandboxed", "--json", str(course.root / "run.json"))

    def efficiency():
        assert edited_exercise(*same, *run_it)[0] in (0, 1)
        return json.loads((course.root / "run.json").read_text())["students"]["ann"]["exercises"][
            "lab.roofline.efficiency"
        ]

    before = efficiency()
    assert before["score"] == 0 and before["max_score"] == 3
    (course.root / FILE).write_text('["lab.roofline.efficiency"]\n"share of the peak" = 0.5\n')
    code, out, said = edited_exercise(*same, "doctor", "roofline")
    assert code == 0 and "grade as they say" in out, (out, said)
    after = efficiency()
    assert after["score"] == 1.5 and after["verdict"] == before["verdict"]
    assert after["message"].endswith("Your instructor gives 1.5 of 3 points for this mistake.")
    (course.root / FILE).unlink()
    assert efficiency() == before


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('["lab.roofline.efficency"]\n"share of the peak" = 0.5', "did you mean 'lab.roofline.efficiency'"),
        ('["lab.roofline.efficiency"]\n"share of peak" = 0.5', "did you mean 'share of the peak'?"),
        ('["lab.roofline.efficiency"]\n"share of the peak" = 50', "from 0, which it earns already, to 1, not 50"),
        ('["lab.roofline.efficiency"]\nclipped = 0.5', "from 0.8, which it earns already, to 1, not 0.5"),
        ("[lab.roofline.efficiency]\n", 'write ["ID OF THE EXERCISE"]'),
        ("efficiency = ", "cannot be read"),
    ],
)
def test_partial_credit_refuses_what_it_cannot_mean(course, capsys, text, says):
    (course.root / FILE).write_text(text)
    course.submit("ann", answers(course, 1))
    for words in (["grade", LAB], ["doctor", "roofline"]):
        assert command.main([*words, "--root", str(course.root)]) == 2
        assert says in capsys.readouterr().err
    assert graded(course) == []


def test_partial_credit_never_lowers_points():
    known = exercise("lab.roofline.efficiency")
    lab = load(ROOT, LAB)
    task = next(one for one in lab.tasks if one.exercise == known.id)

    for mistake in known.mistakes:
        cases = known.cases(3)
        verdict = grade_outcomes(known, cases, [value_outcome(known.mistaken(mistake, case)) for case in cases])
        for share in (0.0, 0.25, 1.0):
            decided = apply_credit(replace(task, credit=((mistake.name, share),)), verdict)
            assert decided.score == pytest.approx(max(verdict.score, share * verdict.max_score))
            assert apply_credit(replace(task, credit=(("another", 1.0),)), verdict) == verdict
