"""Evidence of the diagnoses in chapters 7 to 9: what is printed keeps the laws of what it pretends to be."""

import re

import numpy as np
import pytest

from chip2cluster.chapters.bisection.exercises import port_counters
from chip2cluster.chapters.bisection.exercises.diagnosis import MISLEADING
from chip2cluster.chapters.collectives.exercises import nccl_evidence
from chip2cluster.chapters.mfu.exercises import step_log
from tests.tables import every_row

SEEDS = range(12)


@pytest.mark.parametrize("cause", nccl_evidence.CAUSES)
def test_a_table_of_nccl_tests_agrees_with_itself(cause):
    for seed in SEEDS:
        table = nccl_evidence.run(cause, np.random.default_rng(seed))["table"]
        for line in table.splitlines():
            if not line.startswith("#"):
                size, count, _, _, _, time, algorithm, bus, wrong = line.split()
                assert int(size) == 4 * int(count) and wrong == "0"
                assert float(algorithm) == pytest.approx(float(size) / float(time) / 1e3, abs=0.006)
                assert float(bus) == pytest.approx(float(algorithm) * 30 / 16, abs=0.02)


@every_row("cause", nccl_evidence.CAUSES)
def test_a_log_of_nccl_uses_only_what_it_found(cause):
    log = nccl_evidence.run(cause, np.random.default_rng(1))["log"]
    found = set(re.findall(r"\[(\d)\]mlx5_\1", log)) or {"0"}
    assert set(re.findall(r"via NET/\w+/(\d)", log)) <= found
    assert set(re.findall(r"via NET/(\w+)/", log)) == set(re.findall(r"Using network (\w+)", log))


LEAVES = [(cause, {"at": at}) for cause in port_counters.CAUSES for at in ("lower", "down")]
LEAVES += [(cause, {"besides": besides}) for cause, besides in MISLEADING]


@pytest.mark.parametrize(("cause", "more"), LEAVES)
def test_what_comes_into_a_switch_goes_out_of_it(cause, more):
    for seed in SEEDS:
        rows = port_counters.ports(port_counters.leaf(cause, np.random.default_rng(seed), **more)["counters"])
        came, left = (sum(row[place] for row in rows) for place in (2, 3))
        assert came == pytest.approx(left, abs=2)
        assert all(min(row[2:4]) >= 0 and max(row[2:4]) <= row[1] for row in rows)
        # Hosts alone send to other racks: what came down does not go up again.
        up = sum(row[3] for row in rows if row[0].startswith("spine"))
        assert up <= sum(row[2] for row in rows if row[0].startswith("host"))


@pytest.mark.parametrize("cause", step_log.CAUSES)
def test_all_ranks_leave_the_exchange_together(cause):
    for seed in SEEDS:
        log = step_log.steps(cause, np.random.default_rng(seed))["log"]
        data, compute, exchange, _ = step_log.columns(log)
        ends = data + compute + exchange
        assert np.ptp(ends, axis=1).max() < 0.003  # rounded to ms
