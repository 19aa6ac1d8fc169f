"""Every exercise marks as it says, and the doctor can find a sick one."""

from dataclasses import replace

import pytest

from autograder import doctor
from autograder.exercises import UnknownExercise, exercise, exercises
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
