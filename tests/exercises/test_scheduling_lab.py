"""The lab on a thousand jobs: its numbers are the model's, its replays go wrong only where they are told to."""

import json
from pathlib import Path

import numpy as np
import pytest

from chip2cluster import scheduling
from chip2cluster.chapters.scheduling.lab.gain_range import gain_range
from chip2cluster.chapters.scheduling.lab.job_lists import busy, replay, starts
from chip2cluster.chapters.scheduling.lab.personal_log import OWN
from chip2cluster.chapters.scheduling.lab.schedule_metrics import figures
from chip2cluster.chapters.scheduling.lab.swf_parser import read_log

LAB = Path(__file__).resolve().parents[2] / "solutions/13_scheduling/lab_13_scheduling.ipynb"


@pytest.fixture(scope="module")
def thousand():
    return np.array(read_log(scheduling.trace_text()))


@pytest.mark.parametrize("policy, rules", [("easy", {}), ("fcfs", {"passes": False})])
def test_a_replay_by_the_rules_is_the_simulator(policy, rules):
    generator = np.random.default_rng(13)
    for _ in range(60):
        case = busy(generator, 20)
        assert replay(**case, **rules) == starts(**case, policy=policy)


def test_the_log_gives_what_was_published_of_it(thousand):
    """Waits and slowdowns of this piece agree with pyss, an independent simulator: 23,570 and 5,944 s, 147 and 20.6."""
    for policy, wait, slowdown in (("fcfs", 23570, 147), ("easy", 5944, 20.6)):
        found = figures(thousand, np.array(starts(thousand, 128, policy)), 128)
        assert 60 * found[0] == pytest.approx(wait, abs=1) and found[1] == pytest.approx(slowdown, rel=2e-3)
        metrics = scheduling.simulate(scheduling.trace().jobs, 128, policy).metrics()
        assert found == pytest.approx(
            [metrics.mean_wait / 60, metrics.mean_bounded_slowdown, 100 * metrics.utilization]
        )


def test_the_model_answer_says_what_the_table_shows(thousand):
    one, other = (np.array(starts(thousand, 128, policy)) for policy in ("fcfs", "easy"))
    submit, nodes = thousand[:, 0], thousand[:, 1]
    low, high = gain_range((one - submit) / 60, (other - submit) / 60, 10)
    assert (round(low), round(high)) == (158, 430)
    single = 2 * np.std((one - other) / 60, ddof=1) / np.sqrt(1000)
    assert (
        round(single) == 20 and (other > one).sum() == 41 and (other - one).max() / 3600 == pytest.approx(7.6, abs=0.05)
    )
    waits = {}
    for factor in (1, 2):
        known = thousand.copy()
        known[:, 2] = factor * known[:, 3]
        waits[factor] = (np.array(starts(known, 128, "easy")) - submit) / 60
    before = (other - submit) / 60
    assert [round(end) for end in gain_range(before, waits[1], 10)] == [-1, 31]
    assert [round(end) for end in gain_range(before, waits[2], 10)] == [8, 34]
    assert [round(waits_[nodes == 1].mean()) for waits_ in ((one - submit) / 60, before, waits[1])] == [279, 9, 34]
    assert [round(waits_[nodes > 64].mean()) for waits_ in ((one - submit) / 60, before, waits[1])] == [763, 709, 492]
    answer = next("".join(cell["source"]) for cell in cells() if cell["id"] == "recommendation")
    for words in (
        "158 and 430",
        "20 minutes to each side",
        "from 279 to 9",
        "from 763 to 709",
        "41 jobs",
        "7.6 hours",
        "-1 to 31",
        "8 to 34",
    ):
        assert words in answer


def cells():
    return json.loads(LAB.read_text(encoding="utf-8"))["cells"]


def test_no_two_students_have_the_same_forty_jobs():
    pieces = [OWN.given(seed) for seed in range(40)]
    assert len({repr(piece) for piece in pieces}) == 40
    for piece in pieces:
        assert len(piece["jobs"]) == 40 and piece["jobs"][0][0] == 0
        assert all(nodes <= piece["machine"] and runtime <= walltime for _, nodes, walltime, runtime in piece["jobs"])


def test_where_there_is_no_slurm_a_sentence_says_so(monkeypatch, capsys):
    from course import slurm

    monkeypatch.setattr(slurm, "missing", lambda: "slurmd needs root to start jobs")
    names = {}
    exec(next("".join(cell["source"]) for cell in cells() if cell["id"] == "real"), names)
    assert names["beside_slurm"]() is None
    assert "No Slurm can be started here: slurmd needs root" in capsys.readouterr().out
