"""Every exercise marks as it says, and the doctor can find a sick one."""

from dataclasses import replace

import pytest

from autograder import doctor, lookups
from autograder.exercises import Group, UnknownExercise, exercise, exercises
from autograder.verdict import CORRECT, VERDICTS


@pytest.mark.parametrize("one", exercises().values(), ids=exercises())
def test_exercise_marks_as_it_says(one):
    assert doctor.examine(one) == []


@pytest.mark.parametrize("id", [one.id for one in exercises().values() if one.solution])
def test_the_solution_that_is_revealed_is_correct_on_other_inputs(id):
    namespace = {}
    exec(exercise(id).solution, namespace)
    found = doctor.judge(exercise(id), namespace[exercise(id).function_name], seed=99)
    assert found.verdict == CORRECT, found


def test_exercises_are_complete():
    for one in exercises().values():
        assert one.prompt and one.explanation and all(one.hints)
        assert one.points > 0 and 1 <= one.minutes <= 30
        assert len({mistake.name for mistake in one.mistakes}) == len(one.mistakes) >= 2
        assert all(mutant.verdict in VERDICTS and mutant.says for mutant in one.mutants)
        drawn = [case.inputs for case in one.cases(7)]
        assert str(drawn) == str([case.inputs for case in one.cases(7)])
        assert str(drawn) != str([case.inputs for case in one.cases(8)])


def test_doctor_finds_a_wrong_reference_a_lenient_group_and_a_wrong_mutant():
    ridge = exercise("roofline.ridge")
    assert doctor.examine(replace(ridge, mutants=ridge.mutants[:2])) == ["roofline.ridge: has fewer than three mutants"]
    sick = replace(ridge, reference=lambda sparse_tflops, bandwidth_gbytes: sparse_tflops)
    assert any("echo of sparse_tflops earns" in complaint for complaint in doctor.examine(sick))
    mute = replace(ridge, mistakes=())
    assert any("sparsity" in complaint for complaint in doctor.examine(mute))


def test_unknown_exercise_names_near_ones():
    with pytest.raises(UnknownExercise, match="'roofline.ridge'"):
        exercise("roofline.rigde")
    with pytest.raises(TypeError, match="as text"):
        exercise(3)


def test_doctor_finds_graded_work_that_can_be_looked_up():
    """A rule with a threshold, asked in ways that a table, a count of calls or a neighbour answers."""
    bound = exercise("roofline.bound_by")

    def complaints(draw):
        leaky = replace(bound, graded=True, groups=(Group("operations", 1.0, draw),))
        return "\n".join(lookups.leaks(leaky))

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


def test_doctor_finds_names_that_are_kept_and_ordered_as_before():
    rank = exercise("lab.roofline.rank_chips")
    names = ["A100 SXM 80GB", "H100 SXM", "H200 SXM", "L40S", "TPU v5e", "V100 SXM2", "B200"]

    def shops(generator):
        models = [{"parameters": size, "cache_bytes": 0.5e9, "batch": 8} for size in (3e9, 13e9, 30e9)]
        return [{"names": [names[place] for place in generator.permutation(7)], **model} for model in models]

    found = lookups.leaks(replace(rank, groups=(Group("shops", 1.0, shops),)))
    assert any("a table that ignores order earns 5 points" in complaint for complaint in found)
    assert not any("an exact table" in complaint for complaint in found)


def test_a_personal_exercise_leaks_where_the_constants_do_not_matter():
    room = exercise("lab.accelerators.own_room")
    careless = replace(room, reference=lambda chips_per_node, **_: float(chips_per_node))
    found = lookups.leaks(careless)
    assert any("the case with the nearest chips_per_node earns" in complaint for complaint in found)
    assert not any("an exact table" in complaint for complaint in found)
