"""redraw against the recorded quantiles and mean."""

import numpy as np
import pytest

from chip2cluster.measure import Sample, five_statistics, recorded, recordings, redraw
from tests.tables import every_row

SHARES = {"best": 0.0, "p25": 0.25, "median": 0.5, "p75": 0.75, "p95": 0.95, "worst": 1.0}
LOCAL = [name for name in recordings() if name.startswith("mpi ")]


@pytest.mark.parametrize("name", LOCAL[::4])
def test_redraw_reproduces_recorded_quantiles(name):
    run = recorded(name)
    for size in run.message_bytes[::9]:
        at = run.message_bytes.tolist().index(size)
        times = redraw(run, 20_000, message_bytes=size)[0]
        for statistic, share in SHARES.items():
            below = np.mean(times <= run.statistics[statistic][at] * (1 + 1e-9))
            assert below == pytest.approx(share, abs=0.02) or share == 0


def test_redraw_reproduces_unused_mean():
    off = []
    for name in LOCAL:
        run = recorded(name)
        for at, size in enumerate(run.message_bytes.tolist()):
            off.append(redraw(run, 2000, message_bytes=size).mean() / run.statistics["mean"][at])
    assert 0.95 < np.median(off) < 1.05
    assert np.mean((np.array(off) > 0.8) & (np.array(off) < 1.25)) > 0.7


def test_five_statistics_match_manual_values():
    told = five_statistics([[4.0, 1.0, 2.0, 3.0, 10.0], [1.0, 1.0, 1.0, 1.0, 1.0]])
    assert {name: value.tolist() for name, value in told.items()} == {
        "best": [1, 1], "median": [3, 1], "mean": [4, 1], "95 %": pytest.approx([8.8, 1]), "worst": [10, 1],
    }  # fmt: skip


def test_redraw_is_reproducible_and_keeps_first_call():
    run = recorded("mpi ring, 2 ranks, loaded")
    one, other = (redraw(run, 9, runs=4, warm_up=False, seed=3) for _ in range(2))
    assert (one == other).all() and (one[:, 0] == run.statistics["first"][0]).all()
    assert (one != redraw(run, 9, runs=4, warm_up=False, seed=4)).any()


def test_redraw_of_sample_uses_its_times():
    sample = Sample([1.0, 2.0, 5.0])
    assert set(redraw(sample, 200)[0].tolist()) == {1.0, 2.0, 5.0}
    assert redraw(sample, 2, warm_up=False).shape == (1, 2)  # without warm-up times


@every_row("given, says", [
    ({"measured": [1.0]}, "measured must be a Recording or a Sample, got list"),
    ({"measured": recorded("aws-p5-2n")}, "measured must hold quantiles"),
    ({"message_bytes": 7}, "message_bytes must be one of 8, 16"),
    ({"measured": Sample([1.0]), "message_bytes": 8}, "message_bytes must be left out"),
    ({"repeats": 0}, "repeats must be at least 1"),
    ({"runs": 1.5}, "runs must be"),
    ({"seed": -1}, "seed must be"),
])  # fmt: skip
def test_redraw_errors_name_the_argument(given, says):
    with pytest.raises((ValueError, TypeError), match=says):
        redraw(**{"measured": recorded(LOCAL[0]), "repeats": 5} | given)


@pytest.mark.parametrize(
    "times, says", [([], "times_seconds must hold"), ([0.0], "greater than zero"), (1.0, "must hold the times")]
)
def test_five_statistics_errors_name_the_argument(times, says):
    with pytest.raises(ValueError, match=says):
        five_statistics(times)
