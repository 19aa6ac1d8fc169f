"""run_ranks: correct sums, and the deadlocks that MPI semantics require."""

import numpy as np
import pytest

from chip2cluster.collectives import ring_all_reduce_traffic
from chip2cluster.measure import Communicator, Deadlock, recorded, run_ranks


def ring(comm, data):
    size, rank = comm.size, comm.rank
    parts = np.array_split(data, size)
    after, before = (rank + 1) % size, (rank - 1) % size
    for step in range(2 * (size - 1)):
        mine, theirs = (rank - step) % size, (rank - step - 1) % size
        got = yield comm.send_receive(parts[mine], after, before)
        parts[theirs] = parts[theirs] + got if step < size - 1 else got
    return np.concatenate(parts)


@pytest.mark.parametrize("ranks, numbers", [(2, 4), (3, 7), (5, 3), (4, 16), (1, 3)])
def test_ring_sums_any_data(ranks, numbers):
    buffers = np.random.default_rng(ranks).integers(0, 99, (ranks, numbers)).astype(float)
    played = run_ranks(ring, buffers)
    assert (played.buffers == buffers.sum(0)).all() and played.rows.shape == (ranks, numbers + 1)
    assert played.sent.sum() == 2 * (ranks - 1) * numbers
    if numbers % ranks == 0 and ranks > 1:
        assert played.sent == pytest.approx(ring_all_reduce_traffic(numbers, ranks))


def round_send_first(comm, data):
    yield comm.send(data, (comm.rank + 1) % comm.size)
    got = yield comm.receive((comm.rank - 1) % comm.size)
    return got


def test_circular_sends_pass_only_if_buffered():
    """MPI standard: a program that relies on buffering in MPI_Send is unsafe, and works up to some length."""
    buffers = np.arange(12.0).reshape(3, 4)
    assert (run_ranks(round_send_first, buffers, eager_bytes=32).buffers == np.roll(buffers, 1, axis=0)).all()
    with pytest.raises(Deadlock, match="rank 0 waits to send 4 numbers to rank 1.*All send, and nobody receives"):
        run_ranks(round_send_first, buffers, eager_bytes=31)


def test_receive_first_breaks_the_cycle():
    def alternate(comm, data):
        after, before = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
        if comm.rank:
            got = yield comm.receive(before)
            yield comm.send(data, after)
        else:
            yield comm.send(data, after)
            got = yield comm.receive(before)
        return got

    buffers = np.arange(10.0).reshape(5, 2)
    assert (run_ranks(alternate, buffers).buffers == np.roll(buffers, 1, axis=0)).all()


def waits_for_one_who_is_gone(comm, data):
    if comm.rank:
        yield comm.receive(0)


def forgets_yield(comm, data):
    comm.send(data, 1 - comm.rank)
    yield comm.receive(1 - comm.rank)


def computes_with_the_call(comm, data):
    got = comm.send_receive(data, 1 - comm.rank, 1 - comm.rank)
    yield comm.send(data + got, 1 - comm.rank)


def joins_the_call(comm, data):
    got = comm.receive(1 - comm.rank)
    yield comm.send(np.concatenate([data, got]), 1 - comm.rank)


def forgets_the_last_yield(comm, data):
    yield comm.send_receive(data, 1 - comm.rank, 1 - comm.rank)
    comm.send(data, 1 - comm.rank)


def leaves_mail(comm, data):
    if not comm.rank:
        yield comm.send(data, 1)


def never_ends(comm, data):
    while True:
        yield comm.send_receive(data, 1 - comm.rank, 1 - comm.rank)


def next_door(comm, data):
    yield comm.send(data, comm.rank + 1)


def to_itself(comm, data):
    yield comm.send(data, comm.rank)


@pytest.mark.parametrize(
    "program, error, words",
    [
        (waits_for_one_who_is_gone, Deadlock, "rank 1 waits to receive from rank 0. Rank 0 has ended already"),
        (forgets_yield, RuntimeError, "second call before its send was yielded"),
        (computes_with_the_call, TypeError, r"not its result: write got = yield comm.send_receive\("),
        (joins_the_call, TypeError, r"not its result: write got = yield comm.receive\("),
        (forgets_the_last_yield, RuntimeError, "ended with a send that was not yielded"),
        (leaves_mail, RuntimeError, "rank 1 ended without receiving a message from rank 0"),
        (never_ends, RuntimeError, "does the program end"),
        (next_door, ValueError, "a rank from 0 to 1, got 2: wrap around"),
        (to_itself, ValueError, "calls send with itself"),
        (lambda comm, data: data, TypeError, "must yield its calls"),
        (3, TypeError, "program must be a function"),
    ],
)
def test_program_errors_are_explained(program, error, words):
    with pytest.raises(error, match=words):
        run_ranks(program, np.ones((2, 3)), eager_bytes=24 if program is leaves_mail else 0)


def test_ranks_share_no_memory():
    buffers, size = np.arange(6.0).reshape(2, 3), 2

    def reads_all(comm, data):
        yield comm.send_receive(data, (comm.rank + 1) % size, (comm.rank + 1) % size)
        return buffers.sum(0)

    with pytest.raises(ValueError, match="uses the outer array buffers"):
        run_ranks(reads_all, buffers)


def test_program_knows_rank_and_size():
    def who(comm, data):
        assert isinstance(comm, Communicator)
        yield from ()
        return np.array([comm.rank, comm.size])

    assert run_ranks(who, np.ones((3, 1))).buffers.tolist() == [[0, 3], [1, 3], [2, 3]]


def test_rank_cannot_change_other_data():
    buffers = np.ones((2, 3))

    def spoil(comm, data):
        got = yield comm.send_receive(data, 1 - comm.rank, 1 - comm.rank)
        got += 5
        data *= 2

    assert (run_ranks(spoil, buffers).buffers == 2).all() and (buffers == 1).all()


def test_own_run_is_measured_or_recorded(monkeypatch):
    from chip2cluster.measure import host_measurements

    def busy(*args, **options):
        raise TimeoutError("the ranks were terminated after 30 s")

    monkeypatch.setattr(host_measurements, "ping_pong", busy)
    run, said = host_measurements.own_run("ping_pong")
    assert run is recorded("mpi ping-pong, 2 ranks, quiet") and said.startswith("Recorded") and "after 30 s." in said
    monkeypatch.setattr(host_measurements, "cpu_roofline", busy)
    run, said = host_measurements.own_roofline()
    assert run.memory_bandwidth > 0 and said.startswith("Recorded")
    with pytest.raises(ValueError, match="operation"):
        host_measurements.own_run("gather")


def test_launched_time_matches_event_simulation():
    """Simulate kernel by kernel with two clocks: end of the launch, and end of the previous kernel."""
    from chip2cluster.measure import graph_time, launched_time

    for kernel, launch in ((3.0, 5.0), (5.0, 3.0), (4.0, 4.0)):
        host = chip = 0.0
        for _ in range(7):
            host += launch
            chip = max(chip, host) + kernel
        assert launched_time(kernel, launch, 7) == pytest.approx(chip)
        assert launched_time(kernel, launch, 7, waits=True) == pytest.approx(7 * (kernel + launch))
        assert graph_time(kernel, launch, 7) <= launched_time(kernel, launch, 7)
