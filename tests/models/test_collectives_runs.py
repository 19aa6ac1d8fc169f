"""The published runs: printed rows, and rows that nobody vouches for."""

import pytest

from chip2cluster import collectives
from chip2cluster.collectives import published_runs

A100 = collectives.nccl_run("a100-8-allreduce")


def test_run_seconds_match_the_printed_times():
    """nccl-tests printed the times of this run too: 43.83 us at 32 KiB, 133.5 at 8 MiB, 127,997 at 16 GiB."""
    printed = {2**15: 43.83, 2**23: 133.5, 2**34: 127997.0}
    found = dict(zip(A100.message_bytes, A100.seconds * 1e6, strict=True))
    assert {size: found[size] for size in printed} == pytest.approx(printed, rel=0.004)


def test_every_run_has_source_date_and_system():
    everything = (*collectives.nccl_runs(), *collectives.switch_sweeps())
    assert len(everything) == 11
    for one in everything:
        assert "http" in one.source and one.as_of[:2] == "20" and one.licence
        assert one.confidence in ("A", "B")
        assert not one.bus_bandwidth.flags.writeable
    for run in collectives.nccl_runs():
        assert run.ranks >= run.nodes and (run.message_bytes[1:] == 2 * run.message_bytes[:-1]).all()


def test_unknown_run_error_lists_the_runs():
    with pytest.raises(ValueError, match="^name must be one of 'a100-8-allreduce', 'h200-8-allreduce', .* got 'h200'"):
        collectives.nccl_run("h200")


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"source": ""}, "'mine' lack their source$"),
        ({"licence": None, "as_of": ""}, "'mine' lack their as_of, licence$"),
        ({"confidence": "C"}, "^confidence of 'mine' must be one of 'A', 'B', got 'C'"),
    ],
)
def test_rows_without_a_source_are_refused(row, says):
    whole = {"id": "mine", "source": "x", "as_of": "2026", "licence": "x", "confidence": "A", "rows": [[8, 1.0]]}
    assert "rows" not in published_runs._description(whole, "id")
    with pytest.raises(ValueError, match=says):
        published_runs._description({**whole, **row}, "id")
