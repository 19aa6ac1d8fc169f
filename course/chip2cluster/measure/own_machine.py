"""What one machine did, as a text that can be handed on: written by whoever measured, read with suspicion.

It needs nothing else of this package, so that it can stand where little of the package does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from .._validate import shortened

FORMAT = "chip2cluster machine 1"
RUNS = ("ping_pong", "all_reduce", "ring")
STORED = Path(__file__).resolve().parent.parent / "data" / "recorded_machine.json"
LONGEST_TEXT = 65536  # characters
FEWEST, MOST = 6, 64  # sizes
MOST_RANKS = 64
LARGEST = 2**40  # bytes
TIMES = 1e-8, 1e4  # seconds: no message between two processes is faster, nobody waits longer
FASTEST = 1e13  # bytes/s: a hundred times what a processor of today copies


@dataclass(frozen=True, eq=False)
class OwnMachine:
    """Three runs over the same sizes: ``message_bytes``, and for each the seconds of a message there and back halved
    (``ping_pong``), of the library's ``all_reduce`` and of a ``ring`` of one's own, both among ``ranks`` processes."""

    message_bytes: Any = field(repr=False)
    ping_pong: Any = field(repr=False)
    all_reduce: Any = field(repr=False)
    ring: Any = field(repr=False)
    ranks: int
    system: str


def machine_text(ping_pong: Any, all_reduce: Any, ring: Any) -> str:
    """Write three runs of one machine as a line of JSON.

    Parameters
    ----------
    ping_pong, all_reduce, ring : Recording
        Over the same sizes, both all-reduces of the same ranks.

    Returns
    -------
    str
        What `read_machine` reads: sizes, medians, and the system in a few words.

    Notes
    -----
    Source: the runs' own. Ignores everything but the median of each size.

    Examples
    --------
    >>> from chip2cluster.measure import recorded
    >>> runs = [recorded(f"mpi {name}, 2 ranks, quiet") for name in ("ping-pong", "all-reduce", "ring")]
    >>> read_machine(machine_text(*runs)).ranks
    2
    """
    runs = dict(zip(RUNS, (ping_pong, all_reduce, ring), strict=True))
    for name, run in runs.items():
        if not all(hasattr(run, part) for part in ("message_bytes", "seconds", "ranks", "system")):
            raise TypeError(f"{name} must be a run, as measure.{name} gives it, got {type(run).__name__}")
        if list(run.message_bytes) != list(ping_pong.message_bytes):
            raise ValueError(f"{name} must have the sizes of ping_pong")
    if ring.ranks != all_reduce.ranks:
        raise ValueError(f"ring must have the {all_reduce.ranks} ranks of all_reduce, got {ring.ranks}")
    told: dict[str, Any] = {"format": FORMAT, "system": ping_pong.system[:80], "ranks": all_reduce.ranks}
    told["message_bytes"] = [int(size) for size in ping_pong.message_bytes]
    told |= {name: [float(f"{time:.4g}") for time in run.seconds] for name, run in runs.items()}
    text = json.dumps(told)
    read_machine(text)
    return text


def read_machine(text: str) -> OwnMachine:
    """Read what `machine_text` wrote, on whichever machine that was.

    Parameters
    ----------
    text : str
        JSON, as a page of the course printed it.

    Returns
    -------
    OwnMachine

    Raises
    ------
    ValueError
        The text is cut off, too long or from another tool, or its values are implausible: sizes that do not increase,
        lists of different lengths, impossible times, too many ranks.

    Notes
    -----
    Ignores keys that it does not know. Whether the numbers were measured nobody can tell from them.

    Examples
    --------
    >>> read_machine('{"format": "chip2cluster machine 1"')
    Traceback (most recent call last):
        ...
    ValueError: text is not JSON (Expecting ',' delimiter at character 35): paste the whole line, from { to }
    """
    told = _parsed(text)
    ranks, sizes = told.get("ranks"), _numbers(told, "message_bytes")
    if type(ranks) is not int or not 2 <= ranks <= MOST_RANKS:
        raise ValueError(f"ranks must be a whole number, 2 to {MOST_RANKS}, got {shortened(ranks)}")
    if not FEWEST <= len(sizes) <= MOST:
        raise ValueError(f"message_bytes must hold {FEWEST} to {MOST} sizes, got {len(sizes)}")
    if any(not (1 <= size <= LARGEST and size == int(size)) for size in sizes) or sizes != sorted(set(sizes)):
        raise ValueError(f"message_bytes must be whole, rising, and at most {LARGEST}, got {shortened(sizes)}")
    runs = {name: _times(told, name, sizes) for name in RUNS}
    if runs["ping_pong"][-1] < 2 * runs["ping_pong"][0]:
        raise ValueError("ping_pong must grow with message_bytes, or there is no bandwidth: measure larger sizes")
    system = str(told.get("system", ""))[:80] or "a machine without a name"
    return OwnMachine(
        _fixed(sizes), **{name: _fixed(times) for name, times in runs.items()}, ranks=ranks, system=system
    )


def recorded_machine() -> OwnMachine:
    """The machine that stands in where nothing was measured: two ranks of a quiet virtual machine.

    Returns
    -------
    OwnMachine

    Notes
    -----
    Source: three runs of `recorded`, named *quiet*.

    Examples
    --------
    >>> recorded_machine().system
    'virtual machine, 2 cores'
    """
    return read_machine(STORED.read_text(encoding="utf-8"))


def machine_from(text: str) -> tuple[OwnMachine, str]:
    """Read the text of a machine, or take the recorded one, and say which.

    Parameters
    ----------
    text : str
        What `machine_text` wrote; empty where nothing was measured.

    Returns
    -------
    machine : OwnMachine
    said : str
        One sentence: whose numbers these are, and where a text was refused, why.

    Notes
    -----
    Source: `recorded` for the machine that stands in.

    Examples
    --------
    >>> machine_from("")[1]
    'Recorded: two ranks on virtual machine, 2 cores.'
    """
    if isinstance(text, str) and not text.strip():
        return recorded_machine(), "Recorded: two ranks on virtual machine, 2 cores."
    try:
        machine = read_machine(text)
    except ValueError as refused:
        return recorded_machine(), f"Recorded, for your text was refused: {refused}."
    return machine, f"Your own: {machine.ranks} ranks on {machine.system}."


def _parsed(text: str) -> Mapping[str, Any]:
    if not isinstance(text, str):
        raise TypeError(f"text must be what machine_text wrote, as a string, got {type(text).__name__}")
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"text must have at most {LONGEST_TEXT} characters, got {len(text)}")
    try:
        told = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"text is not JSON ({error.msg} at character {error.pos}): paste the whole line, from {{ to }}"
        ) from None
    except (RecursionError, ValueError):
        raise ValueError("text is JSON that no measurement needs: paste what the page printed") from None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise ValueError(f'text must say "format": "{FORMAT}": paste what the page printed')
    return told


def _numbers(told: Mapping[str, Any], name: str) -> list[float]:
    values = told.get(name)
    if not isinstance(values, list) or any(type(value) not in (int, float) for value in values):
        raise ValueError(f"{name} must be a list of numbers, got {shortened(values)}")
    if len(values) > MOST:
        raise ValueError(f"{name} must hold {FEWEST} to {MOST} numbers, got {len(values)}")
    try:
        return [float(value) for value in values]
    except OverflowError:
        raise ValueError(f"{name} must hold numbers that a machine can have") from None


def _times(told: Mapping[str, Any], name: str, sizes: list[float]) -> list[float]:
    times = _numbers(told, name)
    if len(times) != len(sizes):
        raise ValueError(f"{name} must hold a time for each of {len(sizes)} sizes, got {len(times)}")
    for size, time in zip(sizes, times, strict=True):
        if not isfinite(time) or not TIMES[0] <= time <= TIMES[1]:
            raise ValueError(f"{name} says {time:g} s for {size:,.0f} bytes: no machine measures that")
        if size / time > FASTEST:
            raise ValueError(f"{name} says {size / time:.1e} bytes/s for {size:,.0f} bytes: no memory is so fast")
    return times


def _fixed(values: list[float]) -> Any:
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array
