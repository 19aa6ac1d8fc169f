"""Measurements of this machine, or recorded ones if nothing can be measured, with a sentence that says which."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

from .._validate import choice
from .collective_benchmarks import SIZES, CollectiveRun, all_reduce, ping_pong
from .collective_records import Recording, recorded
from .cpu_benchmarks import CpuRoofline, cpu_roofline, recorded_roofline
from .gpu_query import GpuState, read_gpu_query

if TYPE_CHECKING:
    from .._typing import ArrayLike

OPERATIONS = {
    "ping_pong": "mpi ping-pong, 2 ranks, quiet",
    "all_reduce": "mpi all-reduce, 2 ranks, quiet",
    "ring": "mpi ring, 2 ranks, quiet",
}
CONDITION_TEXTS = {
    "quiet": "undisturbed",
    "noisy": "disturbed by other load",
    "unusable": "so busy that only the best times are meaningful",
}
GPU_FIELDS = (
    "name",
    "utilization.gpu",
    "clocks.sm",
    "clocks.max.sm",
    "power.draw",
    "power.limit",
    "pcie.link.gen.current",
    "pcie.link.width.current",
    "pcie.link.width.max",
)
# Errors of a machine without processes (a page in the browser), without MPI, or with too much load.
FAILURES = (OSError, RuntimeError, TimeoutError, ImportError, NotImplementedError)


def own_run(
    operation: str,
    message_bytes: ArrayLike = SIZES,
    *,
    budget_seconds: float = 2.0,
    limit_seconds: float = 20.0,
    progress: Callable[[str], object] | None = None,
) -> tuple[Recording, str]:
    """Measure an operation of two processes on this machine; fall back to a recorded run.

    Parameters
    ----------
    operation : {"ping_pong", "all_reduce", "ring"}
        Operation of `ping_pong` and `all_reduce`.
    message_bytes : array of int, shape (sizes,)
        Message sizes in bytes, multiples of 8.
    budget_seconds, limit_seconds : float
        Time of all repeats, and time after which the processes are terminated, seconds.
    progress : callable, optional
        Function that is called with a line of text after each size.

    Returns
    -------
    run : CollectiveRun or Recording
        Measured or recorded run.
    said : str
        Sentence that names library and machine of a measurement, or the reason for a recorded run.

    Notes
    -----
    KeyboardInterrupt terminates the processes and is re-raised. Ignores the same effects as `ping_pong`; same sources.

    Examples
    --------
    >>> run, said = own_run("ping_pong", [8, 64, 4096], budget_seconds=0.3)
    >>> run.operation, said.startswith(("Measured here", "Recorded"))
    ('ping_pong', True)
    """
    choice("operation", operation, tuple(OPERATIONS))
    try:
        run: CollectiveRun = (
            ping_pong(message_bytes, budget_seconds=budget_seconds, limit_seconds=limit_seconds, progress=progress)
            if operation == "ping_pong"
            else all_reduce(
                2, message_bytes, algorithm="ring" if operation == "ring" else "library",
                budget_seconds=budget_seconds, limit_seconds=limit_seconds, progress=progress,
            )
        )  # fmt: skip
    except FAILURES as reason:
        return _recorded_instead(OPERATIONS[operation], reason)
    missing = "" if run.backend == "mpi" else " No MPI is installed here, so the processes use shared memory directly."
    return (
        run,
        f"Measured here by {run.library}, 2 processes on {run.system}, {CONDITION_TEXTS[run.condition]}.{missing}",
    )


def own_roofline(*, budget_seconds: float = 3.0) -> tuple[CpuRoofline, str]:
    """Measure the roofline of this CPU; fall back to a recorded run.

    Parameters
    ----------
    budget_seconds : float
        Total time, seconds, same as in `cpu_roofline`.

    Returns
    -------
    run : CpuRoofline
        Measured or recorded rates.
    said : str
        Sentence that says whether the run was measured here, or why it is a recorded one.

    Notes
    -----
    Ignores the same effects as `cpu_roofline`; same sources.

    Examples
    --------
    >>> run, said = own_roofline(budget_seconds=0.2)
    >>> run.peak_flops > 0, said.startswith(("Measured here", "Recorded"))
    (True, True)
    """
    try:
        run = cpu_roofline(budget_seconds=budget_seconds)
    except FAILURES as reason:
        said = (
            f"Recorded on a virtual machine with 2 cores, because nothing could be measured here: {_shortened(reason)}."
        )
        return recorded_roofline("cpu roofline, quiet"), said
    return run, "Measured here, one thread, in a child process."


def own_gpus() -> tuple[tuple[GpuState, ...], str]:
    """Query the current state of the NVIDIA GPUs of this machine.

    Returns
    -------
    gpus : tuple of dict
        Result of `read_gpu_query` with the fields of `GPU_FIELDS`; empty if there are none.
    said : str
        Sentence with the number of GPUs, or with the reason why there are none.

    Notes
    -----
    Raises no error if the query fails. Ignores GPUs of other vendors. Source: ``nvidia-smi --help-query-gpu``.

    Examples
    --------
    >>> gpus, said = own_gpus()
    >>> bool(gpus) == said.startswith("Queried here")
    True
    """
    program = shutil.which("nvidia-smi")
    if program is None:
        return (), "This machine has no NVIDIA GPU, or no nvidia-smi: the output below is an example."
    command = [program, f"--query-gpu={','.join(GPU_FIELDS)}", "--format=csv"]
    try:
        text = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout
        gpus = read_gpu_query(text, fields=GPU_FIELDS)
    except (OSError, subprocess.SubprocessError, ValueError) as reason:
        return (
            (),
            f"The GPUs of this machine could not be queried: {_shortened(reason)}. The output below is an example.",
        )
    return gpus, f"Queried here: {len(gpus)} GPU{'s' * (len(gpus) != 1)}."


def _recorded_instead(name: str, reason: BaseException) -> tuple[Recording, str]:
    run = recorded(name)
    return (
        run,
        f"Recorded on a {run.system}, {run.condition}, because nothing could be measured here: {_shortened(reason)}.",
    )


def _shortened(reason: BaseException) -> str:
    words = " ".join(str(reason).split()) or type(reason).__name__
    return words[:157].rstrip() + "…" if len(words) > 160 else words.rstrip(".")
