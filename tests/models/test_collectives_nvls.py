"""Switches that add: the law against three measured machines, and its identities."""

from math import inf, nan

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chip2cluster import collectives

MACHINES = collectives.switch_sweeps()
GPUS, RATES = st.integers(2, 72), st.floats(1e9, 1e13)


def counted(machine, taken):
    """Numbers of GPUs at which a method was chosen, with their bus bandwidths."""
    at = np.array([method == taken for method in machine.taken])
    return machine.gpus[at], machine.bus_bandwidth[at]


def rates(machine):
    """R and W of a machine, each from the measurement with eight GPUs."""
    assert machine.gpus[-1] == 8
    switch = collectives.switch_wire_rate(machine.bus_bandwidth[-1], 8, gpus_on_switch=8)
    return machine.ring_bus_bandwidth[-1], switch


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.gpu)
def test_nvls_rate_at_8_gpus_predicts_5_to_7(machine):
    """One number fitted at eight GPUs; the other counts within 3 %."""
    gpus, measured = counted(machine, "nvls")
    assert collectives.switch_bus_bandwidth(gpus, rates(machine)[1]) == pytest.approx(measured, rel=0.03)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.gpu)
def test_ring_rate_is_constant_on_the_same_machines(machine):
    assert machine.ring_bus_bandwidth == pytest.approx(np.full(len(machine.gpus), rates(machine)[0]), rel=0.015)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.gpu)
def test_crossover_matches_where_nvls_was_chosen(machine):
    """Never below the crossover; on B200 one GPU above it, where the ring costs 6 %."""
    crossing = collectives.switch_crossover_ranks(*rates(machine))
    assert (counted(machine, "nvls")[0] > crossing).all()
    assert (counted(machine, "ring")[0] < crossing + 0.6).all()
    assert 3.9 < crossing < 4.5


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.gpu)
def test_bus_bandwidth_of_480_on_links_of_450(machine):
    gpus, measured = counted(machine, "nvls")
    share = collectives.switch_wire_rate(measured, gpus) / machine.sheet_one_way
    assert (share > 0.58).all() and (share < 0.71).all()
    if machine.gpu != "B200":
        assert measured[-1] > machine.sheet_one_way


@pytest.mark.parametrize("run", ["h200-8-allreduce", "azure-h100-8-allreduce", "azure-h200-8-allreduce"])
def test_switch_time_matches_three_runs_from_64_mib(run):
    """One latency for all three, and a link rate from the largest message: every row within 5 %."""
    run = collectives.nccl_run(run)
    long = run.message_bytes >= 2**26
    wire = collectives.switch_wire_rate(run.bus_bandwidth[-1], 8)
    assert wire == pytest.approx(309e9, rel=0.005)
    seconds = collectives.switch_all_reduce_time(run.message_bytes[long], 8, wire, 85e-6)
    assert seconds == pytest.approx(run.seconds[long], rel=0.05)


def test_switch_gain_over_a_ring_at_equal_rates():
    """1.75 n against 1.125 n at eight GPUs: 1.56, and never 2."""
    gain = collectives.ring_all_reduce_traffic(1.0, 8) / collectives.switch_all_reduce_traffic(1.0, 8)
    assert gain == pytest.approx(1.75 / 1.125)
    every = np.arange(2, 73)
    gains = collectives.ring_all_reduce_traffic(1.0, every) / collectives.switch_all_reduce_traffic(1.0, every)
    assert (np.diff(gains) > 0).all() and gains.max() < 2
    assert gains[0] < 1 and gains[1] == pytest.approx(1)  # two GPUs lose, three break even


def test_in_network_sends_every_byte_once():
    """InfiniBand SHARP: n each way at any size, so a little faster than NVLS."""
    assert collectives.traffic("all_reduce", "in_network", 1.0, 8).sent == 1.0
    assert collectives.time("all_reduce", "in_network", 1e9, 8, 50e9) == 1e9 / 50e9


@given(st.integers(2, 24), st.integers(1, 5))
def test_switch_traffic_conserves_bytes(gpus, elements):
    """Counted message by message: bytes that GPUs send and that the switch returns."""
    sent, received = np.zeros(gpus), np.zeros(gpus)
    part = float(elements)  # message of gpus * part bytes
    for owner in range(gpus):
        sent += part  # every GPU supplies the owner's part to be added
        received[owner] += part  # one sum
        sent[owner] += part  # written once
        received += part  # copied to all
    law = collectives.switch_all_reduce_traffic(gpus * part, gpus)
    assert sent == pytest.approx(np.full(gpus, law)) and received == pytest.approx(np.full(gpus, law))


@given(st.floats(0, 1e12), GPUS, RATES, st.floats(0, 1e-3))
def test_switch_time_is_latency_plus_traffic_over_rate(size, gpus, rate, latency):
    seconds = collectives.switch_all_reduce_time(size, gpus, rate, latency)
    assert seconds == pytest.approx(latency + collectives.switch_all_reduce_traffic(size, gpus) / rate)
    assert type(seconds) is float
    assert collectives.switch_all_reduce_time(size * 1.5 + 1, gpus, rate, latency) >= seconds


@given(GPUS, RATES)
def test_switch_bus_bandwidth_equals_that_of_nccl_tests(gpus, rate):
    seconds = collectives.switch_all_reduce_time(1e9, gpus, rate)
    printed = collectives.bus_bandwidth("all_reduce", 1e9, seconds, gpus)
    assert collectives.switch_bus_bandwidth(gpus, rate) == pytest.approx(printed)
    assert collectives.switch_wire_rate(printed, gpus) == pytest.approx(rate)


@given(RATES, RATES, GPUS)
def test_switch_crossover_is_where_the_times_meet(ring, switch, gpus):
    crossing = collectives.switch_crossover_ranks(ring, switch)
    assume(abs(gpus - crossing) > 1e-6 * gpus)
    faster = collectives.switch_all_reduce_time(1e9, gpus, switch) < collectives.ring_all_reduce_time(1e9, gpus, ring)
    assert faster == (gpus > crossing)


def test_switch_functions_broadcast():
    seconds = collectives.switch_all_reduce_time([[1e9], [2e9]], [2, 4, 8], 300e9, gpus_on_switch=[8, 8, 72])
    assert seconds.shape == (2, 3)
    assert seconds[1, 2] == collectives.switch_all_reduce_time(2e9, 8, 300e9)
    assert collectives.switch_crossover_ranks([365.0, 50.0], [307.0, 25.0]).tolist() == [
        collectives.switch_crossover_ranks(365.0, 307.0),
        inf,
    ]


@pytest.mark.parametrize(
    "call",
    [
        lambda p, **k: collectives.switch_all_reduce_time(1e9, p, 300e9, **k),
        lambda p, **k: collectives.switch_all_reduce_traffic(1e9, p, **k),
        lambda p, **k: collectives.switch_bus_bandwidth(p, 300e9, **k),
        lambda p, **k: collectives.switch_wire_rate(480e9, p, **k),
    ],
)
def test_counts_beyond_the_nvlink_domain_are_refused(call):
    with pytest.raises(ValueError, match="^ranks must be at least 2, got 1"):
        call(1)
    with pytest.raises(ValueError, match="^ranks must be at most the 8 GPUs .* got 16"):
        call(16, gpus_on_switch=8)
    with pytest.raises(ValueError, match="^ranks must be at most the 72 GPUs"):
        call([8, 73])
    with pytest.raises(ValueError, match="^ranks must be a whole number"):
        call(2.5)
    for bad in (True, None, "8"):
        with pytest.raises(TypeError, match="^ranks must"):
            call(bad)
        with pytest.raises(TypeError, match="^gpus_on_switch must"):
            call(8, gpus_on_switch=bad)


@pytest.mark.parametrize("bad", [nan, inf, -1.0, 0])
def test_invalid_rates_are_refused(bad):
    for call, name in (
        (lambda: collectives.switch_all_reduce_time(1e9, 8, bad), "bandwidth_one_way"),
        (lambda: collectives.switch_bus_bandwidth(8, bad), "bandwidth_one_way"),
        (lambda: collectives.switch_wire_rate(bad, 8), "bus_bandwidth"),
        (lambda: collectives.switch_crossover_ranks(bad, 1e9), "ring_bandwidth_one_way"),
        (lambda: collectives.switch_crossover_ranks(1e9, bad), "switch_bandwidth_one_way"),
    ):
        with pytest.raises(ValueError, match=f"^{name} must"):
            call()
