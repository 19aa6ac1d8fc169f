"""Benchmarks of collectives between real processes on this machine."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from .._validate import choice, one_positive, one_whole
from ..provenance import Source
from . import _launch
from ._child import sizes
from .collective_records import Recording
from .sample import Sample

if TYPE_CHECKING:
    from .._typing import ArrayLike, NDArray

SIZES = tuple(8 * 4**power for power in range(11))  # 8 bytes to 8 MiB
ELEMENT = 8  # bytes of a float64
MOST_RANKS = 64
ALGORITHMS = {"library": "all_reduce", "ring": "ring"}
_QUANTILES = {"best": 0.0, "p25": 0.25, "median": 0.5, "p75": 0.75, "p95": 0.95, "worst": 1.0}


@dataclass(frozen=True, eq=False)
class CollectiveRun(Recording):
    """Run measured on this machine: a `Recording` with all its times.

    Attributes
    ----------
    backend : {"mpi", "multiprocessing"}
        Backend that was used.
    library : str
        Name and version of the library.
    samples : tuple of Sample
        Times for each message size; ``condition`` is the worst of their verdicts.
    """

    backend: str
    library: str
    samples: tuple[Sample, ...] = field(repr=False)


def ping_pong(
    message_bytes: ArrayLike = SIZES,
    *,
    backend: str | None = None,
    warm_up: int = 3,
    repeats: int = 100,
    budget_seconds: float = 10.0,
    limit_seconds: float = 60.0,
    progress: Callable[[str], object] | None = None,
) -> CollectiveRun:
    """Measure the one-way time of a message between two processes on this machine: half of the round trip.

    Parameters
    ----------
    message_bytes : array of int, shape (sizes,)
        Message sizes in bytes, multiples of 8.
    backend : {"mpi", "multiprocessing"}, optional
        MPI with mpi4py and its ``mpirun``, or Python processes with shared memory; None uses MPI if installed.
    warm_up : int
        Number of messages of each size before the measurement, at least 1.
    repeats : int
        Largest number of measured messages of each size.
    budget_seconds : float
        Total time of the repeats, split evenly between the sizes, seconds; one repeat always runs.
    limit_seconds : float
        Time after which the processes are terminated, including their start, seconds.
    progress : callable, optional
        Function that is called with a line of text after each size, such as ``print``.

    Returns
    -------
    CollectiveRun
        Times of all sizes.

    Raises
    ------
    TimeoutError
        The processes did not finish in time, or sent nothing for a minute. All of them are stopped.
    RuntimeError
        ``"mpi"`` is not installed, or a process failed; the message has its output.

    Notes
    -----
    MPI sends small messages eagerly and large ones with a rendezvous; `fit_regimes` fits the two separately. Ignores
    that both processes share caches, memory and, on a busy machine, a core: this measures the machine, not a network.
    Source: Hockney, Parallel Computing 20, 1994; OSU Micro-Benchmarks, ``osu_latency``, for the definition of the time.

    Examples
    --------
    >>> run = ping_pong([8, 65536], backend="multiprocessing", repeats=5, budget_seconds=0.5)
    >>> run.backend, run.ranks, bool((run.seconds > 0).all())
    ('multiprocessing', 2, True)
    """
    options = (backend, warm_up, repeats, budget_seconds, limit_seconds, progress)
    return _measure("ping_pong", "ping-pong", 2, message_bytes, *options)


def all_reduce(
    ranks: int = 2,
    message_bytes: ArrayLike = SIZES,
    *,
    algorithm: str = "library",
    backend: str | None = None,
    warm_up: int = 3,
    repeats: int = 100,
    budget_seconds: float = 10.0,
    limit_seconds: float = 60.0,
    progress: Callable[[str], object] | None = None,
) -> CollectiveRun:
    """Measure an all-reduce (sum of float64) between processes on this machine.

    Parameters
    ----------
    ranks : int
        Number of processes, 2 to 64; more than the machine has cores share cores.
    message_bytes : array of int, shape (sizes,)
        Bytes that each process contributes, multiples of 8.
    algorithm : {"library", "ring"}
        ``Allreduce`` of the MPI library, or a ring of ``Sendrecv`` calls in Python. Without MPI, the first is a sum in
        shared memory, of which each process computes a share.
    backend : {"mpi", "multiprocessing"}, optional
        Backend, same as in `ping_pong`.
    warm_up, repeats : int
        Warm-up calls, and largest number of measured calls of each size.
    budget_seconds, limit_seconds : float
        Time of all repeats, and time after which the processes are terminated, seconds.
    progress : callable, optional
        Function that is called with a line of text after each size.

    Returns
    -------
    CollectiveRun
        Times of all sizes; a repeat takes as long as its slowest process (straggler).

    Raises
    ------
    TimeoutError, RuntimeError
        Same cases as `ping_pong`; RuntimeError also if a reduced value is wrong.

    Notes
    -----
    A ring moves the fewest bytes in the most steps, 2 (p - 1). The processes start a repeat after a barrier and
    therefore not exactly at the same time. Involves no network. Source: Patarasuk and Yuan, JPDC 69, 2009, for the ring.

    Examples
    --------
    >>> run = all_reduce(2, [8, 65536], algorithm="ring", backend="multiprocessing", repeats=5, budget_seconds=0.5)
    >>> run.operation, bool((run.statistics["best"] <= run.seconds).all())
    ('ring', True)
    """
    ranks = one_whole("ranks", ranks, 2)
    if ranks > MOST_RANKS:
        raise ValueError(f"ranks must be 2 to {MOST_RANKS} on one machine, got {ranks}")
    operation = ALGORITHMS[choice("algorithm", algorithm, tuple(ALGORITHMS))]
    options = (backend, warm_up, repeats, budget_seconds, limit_seconds, progress)
    return _measure(operation, "all-reduce" if algorithm == "library" else "ring", ranks, message_bytes, *options)


def _measure(
    operation: str,
    word: str,
    ranks: int,
    message_bytes: ArrayLike,
    backend: str | None,
    warm_up: int,
    repeats: int,
    budget_seconds: float,
    limit_seconds: float,
    progress: Callable[[str], object] | None,
) -> CollectiveRun:
    row = sizes("message_bytes", message_bytes, ELEMENT)
    if odd := [size for size in row if size % ELEMENT]:
        raise ValueError(f"message_bytes must be multiples of {ELEMENT}, the bytes of a float64, got {odd[0]}")
    if backend is not None:
        choice("backend", backend, _launch.BACKENDS)
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be callable with a line of text, such as print, got {progress!r}")
    budget, limit = one_positive("budget_seconds", budget_seconds), one_positive("limit_seconds", limit_seconds)
    request = {
        "operation": operation,
        "ranks": ranks,
        "sizes": sorted(set(row)),
        "warm_up": one_whole("warm_up", warm_up),
        "repeats": one_whole("repeats", repeats),
        "budget": min(budget / len(row), _launch.SILENCE / 3),
        "backend": _launch.choose_backend(backend),
    }
    header, *results = _launch.run(request, limit, progress)
    if wrong := [one["size"] for one in results if one["wrong"]]:
        raise RuntimeError(f"{word} of {wrong[0]} bytes gave a wrong result: its times are meaningless")
    samples = tuple(Sample(one["times"], 0.0, one["warm_up"]) for one in results)
    conditions = {sample.verdict for sample in samples}
    source = Source(f"Measured on this machine: {header['library']}", date.today().isoformat(), "low")
    return CollectiveRun(
        name=f"own {word}, {ranks} ranks",
        operation=operation,
        ranks=ranks,
        nodes=1,
        system=f"{platform.system()} {platform.machine()}, {_launch.cores()} cores",
        condition=next(word for word in ("unusable", "noisy", "quiet") if word in conditions),
        licence="the reader's own",
        source=source,
        message_bytes=_fixed([one["size"] for one in results]),
        statistics=_statistics(samples),
        backend=str(request["backend"]),
        library=header["library"],
        samples=samples,
    )


def _statistics(samples: tuple[Sample, ...]) -> Mapping[str, NDArray[np.float64]]:
    columns: dict[str, Any] = {"first": [sample.warm_up_seconds[0] for sample in samples]}
    columns |= {name: [sample.quantiles(share) for sample in samples] for name, share in _QUANTILES.items()}
    columns["mean"] = [sample.mean for sample in samples]
    return MappingProxyType({name: _fixed(values) for name, values in columns.items()})


def _fixed(values: Any) -> NDArray[np.float64]:
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array
