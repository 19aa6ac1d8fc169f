"""A run of this machine where one can be had, else the recorded one, and a sentence that says which."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._validate import choice
from .collective import SIZES, CollectiveRun, all_reduce, ping_pong
from .cpu import CpuRoofline, cpu_roofline, recorded_roofline
from .gpu_query import read_gpu_query
from .recorded import Recording, recorded

if TYPE_CHECKING:
    from .._typing import ArrayLike

OPERATIONS = {
    "ping_pong": "mpi ping-pong, 2 ranks, quiet",
    "all_reduce": "mpi all-reduce, 2 ranks, quiet",
    "ring": "mpi ring, 2 ranks, quiet",
}
WORDS = {
    "quiet": "and nobody disturbed",
    "noisy": "and others disturbed",
    "unusable": "so busy that only the best times mean something",
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
# What a machine without processes says, as a page in the browser is, one without MPI, and one that is too busy.
FAILURES = (OSError, RuntimeError, TimeoutError, ImportError, NotImplementedError)


def own_run(
    operation: str,
    message_bytes: ArrayLike = SIZES,
    *,
    budget_seconds: float = 2.0,
    limit_seconds: float = 20.0,
    progress: Callable[[str], object] | None = None,
) -> tuple[Recording, str]:
    """Measure an operation of two processes here; where that cannot be, take the recorded run.

    Parameters
    ----------
    operation : {"ping_pong", "all_reduce", "ring"}
        As in `ping_pong` and `all_reduce`.
    message_bytes, budget_seconds, limit_seconds, progress
        As in `ping_pong`.

    Returns
    -------
    run : CollectiveRun or Recording
    said : str
        One sentence: measured here, by which library, on what; or recorded, and why.

    Notes
    -----
    An interrupt ends the processes and is passed on. Ignores nothing that `ping_pong` does not. Source: as there.

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
        return _instead(OPERATIONS[operation], reason)
    missing = "" if run.backend == "mpi" else " No MPI is installed here, so the processes share memory by themselves."
    return run, f"Measured here by {run.library}, 2 processes on {run.system}, {WORDS[run.condition]}.{missing}"


def own_roofline(*, budget_seconds: float = 3.0) -> tuple[CpuRoofline, str]:
    """Measure this processor's adds and products; where that cannot be, take the recorded run.

    Parameters
    ----------
    budget_seconds : float
        As in `cpu_roofline`.

    Returns
    -------
    run : CpuRoofline
    said : str
        One sentence: measured here, or recorded, and why.

    Notes
    -----
    As `cpu_roofline`. Source: as there.

    Examples
    --------
    >>> run, said = own_roofline(budget_seconds=0.2)
    >>> run.peak_flops > 0, said.startswith(("Measured here", "Recorded"))
    (True, True)
    """
    try:
        run = cpu_roofline(budget_seconds=budget_seconds)
    except FAILURES as reason:
        why = _short(reason)
        return recorded_roofline(
            "cpu roofline, quiet"
        ), f"Recorded on a virtual machine of 2 cores, for nothing could be measured here: {why}."
    return run, "Measured here, one thread, in a process of its own."


def own_gpus() -> tuple[tuple[dict[str, Any], ...], str]:
    """Ask this machine's NVIDIA GPUs what they do at this moment.

    Returns
    -------
    gpus : tuple of dict
        As `read_gpu_query` gives them, with the fields of `GPU_FIELDS`; empty where there are none.
    said : str
        One sentence: how many there are, or what is missing.

    Raises
    ------
    Nothing: what cannot be asked or read is said.

    Notes
    -----
    Ignores GPUs of other makers. Source: ``nvidia-smi --help-query-gpu``.

    Examples
    --------
    >>> gpus, said = own_gpus()
    >>> bool(gpus) == said.startswith("Asked here")
    True
    """
    program = shutil.which("nvidia-smi")
    if program is None:
        return (), "No NVIDIA GPU is here, or its tool nvidia-smi is not: the print below is an example."
    asked = [program, f"--query-gpu={','.join(GPU_FIELDS)}", "--format=csv"]
    try:
        text = subprocess.run(asked, capture_output=True, text=True, timeout=20, check=True).stdout
        gpus = read_gpu_query(text)
    except (OSError, subprocess.SubprocessError, ValueError) as reason:
        return (), f"The GPUs of this machine could not be asked: {_short(reason)}. The print below is an example."
    return gpus, f"Asked here: {len(gpus)} GPU{'s' * (len(gpus) != 1)}."


def _instead(name: str, reason: BaseException) -> tuple[Recording, str]:
    run = recorded(name)
    return run, f"Recorded on a {run.system}, {run.condition}, for nothing could be measured here: {_short(reason)}."


def _short(reason: BaseException) -> str:
    words = " ".join(str(reason).split()) or type(reason).__name__
    return words[:157].rstrip() + "…" if len(words) > 160 else words.rstrip(".")
