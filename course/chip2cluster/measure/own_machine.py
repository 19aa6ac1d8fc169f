"""JSON form of the measurements of one machine, and its validating parser.

Independent of the rest of the package, so that it also runs in reduced environments.
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
TIMES = 1e-8, 1e4  # plausible seconds of one operation
FASTEST = 1e13  # bytes/s, a hundred times the copy rate of a current CPU


@dataclass(frozen=True, eq=False)
class OwnMachine:
    """Measurements of one machine: three operations over the same message sizes.

    Attributes
    ----------
    message_bytes : array
        Message sizes, bytes.
    ping_pong : array
        One-way times between two processes, seconds.
    all_reduce, ring : array
        Times of the all-reduce of the library, and of a ring of point-to-point messages, seconds.
    ranks : int
        Number of processes of the all-reduces.
    system : str
        Short description of the machine.
    """

    message_bytes: Any = field(repr=False)
    ping_pong: Any = field(repr=False)
    all_reduce: Any = field(repr=False)
    ring: Any = field(repr=False)
    ranks: int
    system: str


def machine_text(ping_pong: Any, all_reduce: Any, ring: Any) -> str:
    """Serialize three runs of one machine to a line of JSON.

    Parameters
    ----------
    ping_pong, all_reduce, ring : Recording
        Runs over the same sizes; both all-reduces have the same number of ranks.

    Returns
    -------
    str
        JSON for `read_machine`: sizes, medians, and a short description of the system.

    Notes
    -----
    Ignores everything but the median of each size. Source: the runs.

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
            raise TypeError(f"{name} must be a run from measure.{name}, got {type(run).__name__}")
        if list(run.message_bytes) != list(ping_pong.message_bytes):
            raise ValueError(f"{name} must have the sizes of ping_pong")
    if ring.ranks != all_reduce.ranks:
        raise ValueError(f"ring must have the {all_reduce.ranks} ranks of all_reduce, got {ring.ranks}")
    fields: dict[str, Any] = {"format": FORMAT, "system": ping_pong.system[:80], "ranks": all_reduce.ranks}
    fields["message_bytes"] = [int(size) for size in ping_pong.message_bytes]
    fields |= {name: [float(f"{time:.4g}") for time in run.seconds] for name, run in runs.items()}
    text = json.dumps(fields)
    read_machine(text)
    return text


def read_machine(text: str) -> OwnMachine:
    """Parse and validate the output of `machine_text`.

    Parameters
    ----------
    text : str
        JSON that a notebook of the course printed.

    Returns
    -------
    OwnMachine
        Measurements.

    Raises
    ------
    ValueError
        The text is cut off, too long or from another tool, or its values are implausible: sizes that do not increase,
        lists of different lengths, impossible times, too many ranks.

    Notes
    -----
    Ignores unknown keys. Plausible numbers that were never measured are accepted.

    Examples
    --------
    >>> read_machine('{"format": "chip2cluster machine 1"')
    Traceback (most recent call last):
        ...
    ValueError: text is not JSON (Expecting ',' delimiter at character 35): paste the whole line, from { to }
    """
    fields = _parsed(text)
    ranks, sizes = fields.get("ranks"), _numbers(fields, "message_bytes")
    if type(ranks) is not int or not 2 <= ranks <= MOST_RANKS:
        raise ValueError(f"ranks must be a whole number, 2 to {MOST_RANKS}, got {shortened(ranks)}")
    if not FEWEST <= len(sizes) <= MOST:
        raise ValueError(f"message_bytes must hold {FEWEST} to {MOST} sizes, got {len(sizes)}")
    if any(not (1 <= size <= LARGEST and size == int(size)) for size in sizes) or sizes != sorted(set(sizes)):
        raise ValueError(f"message_bytes must be whole, increasing, and at most {LARGEST}, got {shortened(sizes)}")
    runs = {name: _times(fields, name, sizes) for name in RUNS}
    if runs["ping_pong"][-1] < 2 * runs["ping_pong"][0]:
        raise ValueError("ping_pong must grow with message_bytes, or there is no bandwidth: measure larger sizes")
    system = str(fields.get("system", ""))[:80] or "an unnamed machine"
    return OwnMachine(
        _fixed(sizes), **{name: _fixed(times) for name, times in runs.items()}, ranks=ranks, system=system
    )


def recorded_machine() -> OwnMachine:
    """Return the recorded fallback machine: two ranks on a quiet virtual machine.

    Returns
    -------
    OwnMachine
        Recorded measurements.

    Notes
    -----
    Source: three runs of `recorded` with *quiet* in their names.

    Examples
    --------
    >>> recorded_machine().system
    'virtual machine, 2 cores'
    """
    return read_machine(STORED.read_text(encoding="utf-8"))


def machine_from(text: str) -> tuple[OwnMachine, str]:
    """Parse the text of a machine, or fall back to the recorded one.

    Parameters
    ----------
    text : str
        Output of `machine_text`; empty if nothing was measured.

    Returns
    -------
    machine : OwnMachine
        Parsed or recorded measurements.
    said : str
        Sentence that names the machine, or the reason why the text was rejected.

    Notes
    -----
    Source: `recorded` for the fallback.

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
        return recorded_machine(), f"Recorded, because your text was rejected: {refused}."
    return machine, f"Your own: {machine.ranks} ranks on {machine.system}."


def _parsed(text: str) -> Mapping[str, Any]:
    if not isinstance(text, str):
        raise TypeError(f"text must be the output of machine_text, as a string, got {type(text).__name__}")
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"text must have at most {LONGEST_TEXT} characters, got {len(text)}")
    try:
        fields = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"text is not JSON ({error.msg} at character {error.pos}): paste the whole line, from {{ to }}"
        ) from None
    except (RecursionError, ValueError):
        raise ValueError(
            "text is JSON with too deep nesting or too large numbers: paste the line that the notebook printed"
        ) from None
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise ValueError(f'text must say "format": "{FORMAT}": paste the line that the notebook printed')
    return fields


def _numbers(fields: Mapping[str, Any], name: str) -> list[float]:
    values = fields.get(name)
    if not isinstance(values, list) or any(type(value) not in (int, float) for value in values):
        raise ValueError(f"{name} must be a list of numbers, got {shortened(values)}")
    if len(values) > MOST:
        raise ValueError(f"{name} must hold {FEWEST} to {MOST} numbers, got {len(values)}")
    try:
        return [float(value) for value in values]
    except OverflowError:
        raise ValueError(f"{name} must hold numbers that fit a 64-bit float") from None


def _times(fields: Mapping[str, Any], name: str, sizes: list[float]) -> list[float]:
    times = _numbers(fields, name)
    if len(times) != len(sizes):
        raise ValueError(f"{name} must hold a time for each of {len(sizes)} sizes, got {len(times)}")
    for size, time in zip(sizes, times, strict=True):
        if not isfinite(time) or not TIMES[0] <= time <= TIMES[1]:
            raise ValueError(f"{name} says {time:g} s for {size:,.0f} bytes, which is not plausible")
        if size / time > FASTEST:
            raise ValueError(f"{name} says {size / time:.1e} bytes/s for {size:,.0f} bytes, which no memory reaches")
    return times


def _fixed(values: list[float]) -> Any:
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array
