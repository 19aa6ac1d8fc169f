"""Parser of Slurm's ``scontrol show``."""

from __future__ import annotations

import re
from math import inf
from typing import Any

from ._lines import line_error, normalized_lines, whole_line

_FIRST = ("JobId", "NodeName", "PartitionName", "ReservationName")
_STARTS = tuple(f"{name}=" for name in _FIRST)
_LAST = {"JobId": "WorkDir", "NodeName": "AllocTRES"}  # what every version prints below the fields that matter
_KEY = re.compile(r"(?:^|(?<=\s))([A-Z][\w/:]*)=")
# Values with blanks or with words like LR=3 reach to the end of their line.
_REST = ("JobName", "Command", "WorkDir", "StdErr", "StdIn", "StdOut", "Comment", "AdminComment", "SystemComment", "OS", "Extra")  # fmt: skip
_TIMES = ("RunTime", "TimeLimit", "MaxTime", "DefaultTime", "SuspendTime")
_MEGABYTES = ("RealMemory", "AllocMem", "FreeMem")
_NOTHING = ("(null)", "N/A", "n/a", "n/s", "None", "Unknown", "")
_DURATION = re.compile(r"(?:(\d+)-)?(\d+):(\d+):(\d+)")


def read_scontrol(text: str) -> tuple[dict[str, Any], ...]:
    r"""Parse the output of ``scontrol show job`` or ``node``, also of ``partition`` and ``reservation``, and with ``-o``.

    Parameters
    ----------
    text : str
        Output of one call, with its last line end.

    Returns
    -------
    tuple of dict
        One dict per job or node, by the printed names: times in seconds, memory of a node in bytes, whole numbers as
        int, TRES as a dict with memory in bytes, else text; None for nothing.

    Raises
    ------
    ValueError
        The text is from another tool, holds several kinds, or is cut; the message has the line number.

    Notes
    -----
    With ``-o`` a word such as ``LR=3`` in a command looks like a field, so a name that comes twice is refused.
    Source: `man scontrol`, and Slurm 22.05.

    Examples
    --------
    >>> node, = read_scontrol("NodeName=gpu1 CPUTot=8\n   RealMemory=64000 State=MIXED\n   AllocTRES=cpu=4,gres/gpu=2\n")
    >>> node["CPUTot"], node["RealMemory"] / 2**20, node["AllocTRES"]
    (8, 64000.0, {'cpu': 4, 'gres/gpu': 2})
    """
    lines = normalized_lines(text, "scontrol")
    records: list[tuple[int, str, dict[str, Any]]] = []
    for place, line in lines[_start(lines) :]:
        words = line.strip()
        rest = (*_REST, "Reason") if records and "NodeName" in records[-1][2] else _REST
        fields = _fields(words, rest)
        if fields and fields[0][0] in _FIRST and words.startswith(fields[0][0]):
            records.append((place, line, {}))
        if not records or not fields:
            if records and re.fullmatch(r"\S+:\d+", words):
                continue  # Slurm prints NtasksPerTRES:0 without an equals sign
            raise line_error(
                place, line, "the output of scontrol show job or show node, such as 'JobId=2 JobName=train'"
            )
        for name, value in fields:
            if name in records[-1][2]:
                raise line_error(place, line, f"one value of {name} for each job or node")
            records[-1][2][name] = _value(name, value)
    kinds = {next(iter(record)) for _, _, record in records}
    if len(kinds) > 1:
        raise ValueError(f"text mixes {' and '.join(sorted(kinds))}: pass the output of one scontrol show")
    last = _LAST.get(kinds.pop())
    for place, line, record in records:
        if last is not None and last not in record:
            raise line_error(place, line, f"{last} in the lines below; was the text cut off?")
    whole_line(text)
    return tuple(record for _, _, record in records)


def _start(lines: list[tuple[int, str]]) -> int:
    """Return the index of the first job or node if no field stands above it, else 0; a command without its prompt may."""
    start = next((index for index, (_, line) in enumerate(lines) if line.startswith(_STARTS)), 0)
    return 0 if any(_KEY.search(line) for _, line in lines[:start]) else start


def _fields(line: str, rest: tuple[str, ...]) -> list[tuple[str, str]]:
    found = list(_KEY.finditer(line))
    if not found or found[0].start():
        return []
    one_line = line.startswith(_FIRST) and len(found) > 8  # -o
    fields = []
    for place, match in enumerate(found):
        to_the_end = match[1] in rest and not one_line
        end = len(line) if to_the_end or place + 1 == len(found) else found[place + 1].start()
        fields.append((match[1], line[match.end() : end].strip()))
        if to_the_end:
            break
    return fields


def _value(name: str, text: str) -> Any:
    if text in _NOTHING:
        return None
    if name.endswith("TRES"):
        pairs = [pair.partition("=") for pair in text.split(",")]
        return {key: _amount(amount) for key, _, amount in pairs}
    if name in _TIMES and text in ("UNLIMITED", "INFINITE"):
        return inf
    if name in _TIMES and (found := _DURATION.fullmatch(text)):
        days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
        return float(86400 * days + 3600 * hours + 60 * minutes + seconds)
    if name in _MEGABYTES and text.isdigit():
        return float(text) * 2**20
    return int(text) if text.isdigit() and name not in ("JobId", "JobName") else text


def _amount(text: str) -> float | int | str:
    if text.isdigit():
        return int(text)
    found = re.fullmatch(r"([\d.]+)([KMGTPE])", text)
    return float(found[1]) * 1024.0 ** (1 + "KMGTPE".index(found[2])) if found else text
