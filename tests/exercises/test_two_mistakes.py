"""Two slips in one answer: a beginner's first try often has both, and each is named."""

from dataclasses import replace
from math import ceil, exp

import pytest

from autograder.doctor.exercise_checks import examine, judge
from autograder.exercises import Mistake, exercise
from chip2cluster.exercise.model import Together


def activations(s, h, layers, t, p, m, stage, sequence_parallel):
    """Written for all layers and for the stage that holds the most."""
    each = 34 / t if sequence_parallel else 10 + 24 / t
    return s * h * each * layers * min(m, p)


def days(work_days, interval_minutes, dump_seconds, restart_minutes, mtbf_hours):
    """Without checkpoints and without restarts."""
    interval = 60 * interval_minutes
    means = (3600 * max(mtbf_hours), 3600 * min(mtbf_hours))
    return [mean * (exp(interval / mean) - 1) / interval * work_days for mean in means]


def zero(parameters, stage, replicas, micro_batches):
    """Optimizer's states without the master copy, and sends all of the bytes."""
    weights, gradients = 2 / (replicas if stage >= 3 else 1), 2 / (replicas if stage >= 2 else 1)
    optimizer = 8 / (replicas if stage >= 1 else 1)
    rounds = (2, 2, micro_batches + 1, 3 * micro_batches)[stage]
    return [(weights + gradients + optimizer) * parameters, rounds * 2 * parameters]


def intensity(m, n, k, bytes_per_element):
    """Counts a multiply-accumulate once, and leaves A out."""
    return m * n * k / (bytes_per_element * (k * n + m * n))


PAIRS = [
    ("parallelism.activations", activations, "all layers", "the same on every stage"),
    ("storage.days", days, "no dumps", "no restarts"),
    ("parallelism.zero", zero, "no master weights", "no (n − 1)/n"),
    ("roofline.gemm_intensity", intensity, "multiply-accumulates counted once", "traffic of A forgotten"),
]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("name", "function", "first", "second"), PAIRS, ids=[pair[0] for pair in PAIRS])
def test_two_slips_are_both_named(name, function, first, second, seed):
    task = exercise(name)
    messages = {mistake.name: mistake.message for mistake in task.mistakes}
    verdict = judge(task, function, seed=seed)
    assert verdict.message.startswith("Two mistakes. ") and verdict.score == 0
    assert messages[first] in verdict.message and messages[second] in verdict.message


def _task(*mistakes, **fields):
    """The task of the ridge point with other mistakes."""
    return replace(exercise("roofline.ridge"), mistakes=mistakes, mutants=(), **fields)


def _right(sparse_tflops, bandwidth_gbytes):
    return sparse_tflops / 2 * 1e12 / (bandwidth_gbytes * 1e9)


def test_a_pair_that_could_be_another_is_not_named():
    factors = {"a": 1.5, "b": 1.4, "c": 1.2, "d": 1.75}  # 1.5 x 1.4 = 1.2 x 1.75
    task = _task(
        *(
            Mistake(
                name, lambda sparse_tflops, bandwidth_gbytes, by=by: by * _right(sparse_tflops, bandwidth_gbytes), name
            )
            for name, by in factors.items()
        )
    )
    assert "Two mistakes" not in judge(task, lambda t, b: 2.1 * _right(t, b), seed=5).message
    assert "First: a Second: c" in judge(task, lambda t, b: 1.8 * _right(t, b), seed=5).message


def test_a_stated_pair_is_named_where_effects_do_not_compose():
    """Rounded answers neither multiply nor add."""

    def less(sparse_tflops, bandwidth_gbytes):
        return _right(sparse_tflops, bandwidth_gbytes) / 3.3

    def rounded(sparse_tflops, bandwidth_gbytes):
        return float(ceil(_right(sparse_tflops, bandwidth_gbytes)))

    def both(sparse_tflops, bandwidth_gbytes):
        return float(ceil(less(sparse_tflops, bandwidth_gbytes)))

    mistakes = Mistake("less", less, "Too little."), Mistake("rounded", rounded, "Rounded up.")
    assert "Two" not in judge(_task(*mistakes), both, seed=5).message
    task = _task(*mistakes, together=(Together("less", "rounded", both),))
    assert judge(task, both, seed=5).message == "Two mistakes. First: Too little. Second: Rounded up."
    with pytest.raises(ValueError, match=r"\['more'\] of a pair is none of the mistakes"):
        _task(*mistakes, together=(Together("less", "more", both),))


def test_doctor_finds_a_stated_pair_that_is_not_named():
    """A pair that gives a single mistake's answer gets that mistake's name alone."""
    ridge = exercise("roofline.ridge")
    first, second = ridge.mistakes[:2]
    task = replace(ridge, together=(Together(first.name, second.name, first.wrong),))
    assert any("the pair" in complaint for complaint in examine(task, seeds=(1, 2)))
    assert examine(ridge, seeds=(1, 2)) == []
