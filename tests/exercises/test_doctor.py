"""The doctor proves that exercises grade as they say, and names what is wrong with one that does not."""

import os
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from autograder import __main__ as command
from autograder import doctor
from autograder.checking.judge import grade_outcomes
from autograder.checking.local_runner import call_on_cases
from autograder.doctor import memorization
from autograder.doctor.exercise_checks import SEEDS, judge
from autograder.exercises import Group, Mistake, Unfair, UnknownExercise, exercise, exercises, topics
from chip2cluster import chapters
from chip2cluster.exercise.verdict_codes import CORRECT
from tests.sampling import sampled

RIDGE = exercise("roofline.ridge")
CHAPTERS = Path(chapters.__file__).parent


@pytest.mark.parametrize("task", exercises().values(), ids=exercises())
def test_exercise_grades_as_it_says(task):
    """Two draws are enough, unless mistakes coincide on some draws."""
    coincide = any(mistake.coincides for mistake in task.mistakes)
    assert doctor.examine(task, SEEDS if coincide else sampled(SEEDS, 2)) == []


@pytest.mark.prove
@pytest.mark.parametrize("topic", topics())
def test_resubmission_cannot_draw_a_better_mark(topic):
    """Marks and reasons are the same on each of a thousand draws of hidden inputs."""
    for task in topics()[topic]:
        assert doctor.examine(task, range(1, 1001)) == []


@pytest.mark.parametrize("task", [task for task in exercises().values() if task.solution], ids=lambda task: task.id)
def test_revealed_solution_is_correct_on_other_inputs(task):
    namespace = {}
    exec(task.solution, namespace)
    judged = judge(task, namespace[task.function_name], seed=99)
    assert judged.verdict == CORRECT, judged


@pytest.mark.parametrize(
    "task", [task for task in exercises().values() if task.graded and not task.constants], ids=lambda task: task.id
)
def test_mutant_gets_its_message_on_hidden_cases(task):
    """Verdicts on hidden cases name no shapes. The doctor proves the same of labs, which takes minutes."""
    for mutant in task.mutants:
        namespace = {}
        exec(mutant.source, namespace)
        cases = task.cases(7)
        judged = grade_outcomes(
            task, cases, call_on_cases(namespace[task.function_name], cases, task.allowed), hidden=True
        )
        assert mutant.says in judged.message


def test_exercises_are_complete():
    for task in exercises().values():
        assert task.explanation and all(task.hints)
        assert task.points > 0
        assert task.rate or len(task.messages) >= 2
        assert all(mutant.says or mutant.verdict == CORRECT for mutant in task.mutants)


@pytest.mark.parametrize("chapter", sorted(file.parent.name for file in CHAPTERS.glob("*/mutants.py")))
def test_mutants_of_a_chapter_belong_to_its_exercises(chapter):
    mutants = import_module(f"chip2cluster.chapters.{chapter}.mutants").MUTANTS
    assert mutants and all(exercise(name).mutants is answers for name, answers in mutants.items())


@pytest.mark.sampled(40)
@pytest.mark.parametrize("task", exercises().values(), ids=exercises())
def test_seed_determines_the_cases(task):
    if task.redraw:  # its numbers are drawn with the answers
        pytest.skip("no inputs are drawn")
    drawn = [str([(case.inputs, case.seed) for case in task.cases(seed)]) for seed in (7, 7, 8)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_doctor_finds_wrong_reference_and_too_few_mutants():
    alone = replace(RIDGE, mistakes=RIDGE.mistakes[:1], mutants=RIDGE.mutants[:1])
    assert any("fewer than three wrong solutions" in complaint for complaint in doctor.examine(alone))
    faulty = replace(RIDGE, reference=lambda sparse_tflops, bandwidth_gbytes: sparse_tflops)
    assert any("echo of sparse_tflops earns" in complaint for complaint in doctor.examine(faulty))


def _with(*mistakes):
    """Return the complaints about the exercise with more mistakes at the front."""
    return doctor.examine(replace(RIDGE, mistakes=(*mistakes, *RIDGE.mistakes)), seeds=(1, 2))


def test_doctor_finds_a_mistake_that_earns_all_points():
    (complaint,) = _with(Mistake("none", RIDGE.reference, "You made no mistake."))
    assert complaint.startswith("roofline.ridge: the mistake 'none' earns 1 of the points, not 0")
    (complaint,) = _with(Mistake("none", RIDGE.reference, "You made no mistake.", share=1.0))
    assert complaint.startswith("roofline.ridge: the mistake 'none' earns all points")


def _only_seen_when_large(sparse_tflops, bandwidth_gbytes):
    """Right for slow memories, so its mark depends on the draw."""
    return sparse_tflops / 2 * 1e12 / (bandwidth_gbytes * 1e9) * (1 if bandwidth_gbytes < 3000 else 2)


def _ridge_with(bandwidths):
    """Return the exercise with one mistake and other draws in its one group."""

    def draw(generator):
        return [{"sparse_tflops": 100.0, "bandwidth_gbytes": value} for value in bandwidths(generator)]

    seen_at_times = Mistake("large ones", _only_seen_when_large, "Something is twice too large.")
    return replace(RIDGE, mistakes=(seen_at_times,), groups=(Group("all", 1.0, draw),))


def test_known_mistake_earns_nothing_with_any_seed():
    task = _ridge_with(lambda generator: generator.uniform(100, 4000, 2))
    (mistake,) = task.mistakes
    raw = [task.groups[0].draw(np.random.default_rng(seed)) for seed in range(60)]
    assert any(max(inputs["bandwidth_gbytes"] for inputs in drawn) < 3000 for drawn in raw)
    for seed in range(60):
        judged = judge(task, mistake.wrong, seed)
        assert judged.score == 0 and judged.mistake == "large ones"
        again = [case.inputs for case in task.cases(seed)]
        assert str(again) == str([case.inputs for case in task.cases(seed)])
        # A valid draw is not changed.
        assert str(again) == str(raw[seed]) or max(i["bandwidth_gbytes"] for i in raw[seed]) < 3000


def test_exercise_whose_draws_never_reveal_a_mistake_is_refused():
    task = _ridge_with(lambda generator: generator.uniform(100, 2000, 2))
    with pytest.raises(
        Unfair, match=r"the mistake 'large ones' earns 1 of the points, not 0: write that as its `share`"
    ):
        task.cases(3)
    (complaint,) = doctor.examine(task, seeds=(1, 2))
    assert "'large ones' earns 1 of the points" in complaint


def test_doctor_finds_a_share_that_the_judge_does_not_give(monkeypatch):
    late = next(task for task in exercises().values() if any(mistake.share for mistake in task.mistakes))
    mistake = next(mistake for mistake in late.mistakes if mistake.share)
    mild = replace(late, mistakes=tuple(replace(one, share=0.0) if one is mistake else one for one in late.mistakes))
    with pytest.raises(Unfair, match=f"earns {mistake.share:g} of the points, not 0"):
        mild.cases(1)
    # The doctor asks the judge, not the rule by which cases are drawn.
    monkeypatch.setattr("chip2cluster.exercise.validity.case_problem", lambda *_: "")
    complaints = doctor.examine(mild, seeds=(1, 2))
    points = mistake.share * late.points
    assert any(f"{mistake.name!r} earns {points:g} points" in complaint for complaint in complaints), complaints


def test_doctor_finds_a_mistake_hidden_by_another():
    first = RIDGE.mistakes[0]
    twin = replace(first, name="twin", message="Something else.")
    (complaint,) = _with(twin)
    assert f"the mistake {first.name!r} passes for 'twin'" in complaint
    # Even if declared, it must get its own name on some draws, and the other name on others.
    (complaint,) = doctor.examine(
        replace(RIDGE, mistakes=(*RIDGE.mistakes, replace(twin, coincides=first.name))), seeds=(1, 2)
    )
    assert f"the mistake 'twin' is always named {first.name!r}" in complaint
    (complaint,) = doctor.examine(
        replace(RIDGE, mistakes=(replace(first, coincides=RIDGE.mistakes[1].name), *RIDGE.mistakes[1:])), seeds=(1, 2)
    )
    assert f"{first.name!r} always gets its own name" in complaint


def test_doctor_finds_a_mistake_without_an_answer():
    late = Mistake("lists", lambda sparse_tflops, bandwidth_gbytes: [None], "You returned a list.")
    (complaint,) = doctor.examine(replace(RIDGE, mistakes=(*RIDGE.mistakes, late)), seeds=(1, 2))
    assert "the mistake 'lists' gives no plain answer" in complaint


def test_mistake_coincides_only_within_its_exercise():
    stray = replace(RIDGE.mistakes[0], coincides="sparcity forgotten")
    with pytest.raises(ValueError, match=r"roofline\.ridge: .* coincides with 'sparcity forgotten', which is none of"):
        replace(RIDGE, mistakes=(stray, *RIDGE.mistakes[1:]))
    with pytest.raises(ValueError, match=r"roofline\.ridge: two mistakes are called"):
        replace(RIDGE, mistakes=RIDGE.mistakes * 2)


def test_unknown_exercise_names_near_ones():
    with pytest.raises(UnknownExercise, match="'roofline.ridge'"):
        exercise("roofline.rigde")
    with pytest.raises(TypeError, match="as text"):
        exercise(3)


def test_doctor_finds_graded_work_that_can_be_memorized():
    """A rule with a threshold, on inputs that a table, a count of calls or the nearest case answers."""

    def bound_by(intensity, peak_flops, memory_bandwidth):
        return "compute" if intensity >= peak_flops / memory_bandwidth else "memory"

    signature = "bound_by(intensity, peak_flops, memory_bandwidth)"
    ridge = exercise("roofline.ridge")
    bound = replace(ridge, id="roofline.bound_by", signature=signature, points=2, reference=bound_by)

    def complaints(draw):
        leaky = replace(bound, graded=True, mistakes=(), groups=(Group("operations", 1.0, draw),))
        return "\n".join(memorization.lookup_complaints(leaky))

    def case(intensity, ridge=250.0):
        return {"intensity": intensity, "peak_flops": ridge * 4e12, "memory_bandwidth": 4e12}

    few = [case(float(intensity)) for intensity in (3, 30, 120, 500, 700, 9000)]
    shuffled = complaints(lambda generator: [few[place] for place in generator.permutation(6)])
    assert "an exact table earns 2 points" in shuffled and "order of the calls" not in shuffled
    alternating = complaints(
        lambda generator: [case(250 * 2 ** (generator.uniform(0, 9) * (-1) ** n)) for n in range(16)]
    )
    assert "the order of the calls earns 2 points" in alternating and "exact table" not in alternating
    apart = complaints(
        lambda generator: [case(250 * factor * generator.uniform(0.5, 2)) for factor in (0.01, 100, 0.01)]
    )
    assert "the nearest case earns 2 points" in apart

    def near_the_ridge(generator):
        ridges = 2 ** generator.uniform(0, 10, 24)
        return [case(ridge * 2 ** generator.uniform(-1, 1), ridge) for ridge in ridges]

    assert complaints(near_the_ridge) == ""


def test_doctor_finds_memorized_names_and_their_order():
    rank = exercise("lab.roofline.rank_chips")
    names = ["A100 SXM 80GB", "H100 SXM", "H200 SXM", "L40S", "TPU v5e", "V100 SXM2", "B200"]

    def shops(generator):
        models = [{"parameters": size, "cache_bytes": 0.5e9, "batch": 8} for size in (3e9, 13e9, 30e9)]
        return [{"names": [names[place] for place in generator.permutation(7)], **model} for model in models]

    found = memorization.lookup_complaints(replace(rank, mistakes=(), groups=(Group("shops", 1.0, shops),)))
    assert any("a table that ignores order earns 5 points" in complaint for complaint in found)
    assert not any("an exact table" in complaint for complaint in found)


def test_personal_values_without_effect_can_be_memorized():
    room = exercise("lab.accelerators.own_room")
    careless = replace(room, reference=lambda chips_per_node, **_: float(chips_per_node))
    found = memorization.lookup_complaints(careless)
    assert any("the case with the nearest chips_per_node earns" in complaint for complaint in found)
    assert not any("an exact table" in complaint for complaint in found)


def test_doctor_says_that_labs_were_not_examined_without_fork(monkeypatch, capsys):
    monkeypatch.delattr(os, "fork")  # as on Windows
    monkeypatch.setattr(doctor, "examine", lambda exercise: [])  # exercises are not examined either
    assert command.main(["doctor", "links"]) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert "here they were not" in first and "0 labs" in last
