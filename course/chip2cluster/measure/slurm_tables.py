"""What ``squeue``, ``sinfo`` and ``sacct`` print, read."""

from __future__ import annotations

import re
from math import inf
from typing import Any

from ._lines import find, numbered, wrong

_TIMES = ("time", "time_limi", "time_limit", "timelimit", "elapsed", "time_left", "cputime", "totalcpu", "avecpu")
_COUNTS = ("nodes", "nnodes", "alloccpus", "allocnodes", "ncpus", "cpus", "reqcpus", "ntasks", "elapsedraw")
_SIZES = ("maxrss", "averss", "maxvmsize", "reqmem", "avevmsize")
_STATES = (
    "BF", "CA", "CD", "CF", "CG", "DL", "F", "NF", "OOM", "PD", "PR", "R", "RD", "RF", "RH", "RQ", "RS", "RV", "S",
    "SE", "SI", "SO", "ST", "TO",
)  # fmt: skip
_DURATION = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)")


def read_squeue(text: str) -> tuple[dict[str, Any], ...]:
    """Read ``squeue``, also with ``-l`` or ``--start``.

    Parameters
    ----------
    text : str
        The output with its header.

    Returns
    -------
    tuple of dict
        One for each job, by the columns' names in small letters: seconds for times, whole numbers of nodes,
        words for the rest. ``nodelist(reason)`` is the nodes or, in brackets, why it waits.

    Raises
    ------
    ValueError
        The text is from another tool, or a line is too short or has an unknown job state; the message has the
        line number.

    Notes
    -----
    ``UNLIMITED`` is infinite, ``N/A`` and ``INVALID`` are None. A name with a blank in it shifts the columns:
    its line is refused. Source: `man squeue`, and Slurm 22.05.

    Examples
    --------
    >>> job, = read_squeue('''
    ... JOBID PARTITION  NAME  USER ST  TIME  NODES NODELIST(REASON)
    ...     2       all train  root PD  0:00      4 (Resources)''')
    >>> job["jobid"], job["time"], job["nodes"], job["nodelist(reason)"]
    ('2', 0.0, 4, '(Resources)')
    """
    return _by_words(text, "squeue", {"JOBID", "PARTITION", "NODES", "NODELIST(REASON)"})


def read_sinfo(text: str) -> tuple[dict[str, Any], ...]:
    """Read ``sinfo``, also with ``-N -l``.

    Parameters
    ----------
    text : str
        The output with its header.

    Returns
    -------
    tuple of dict
        One for each line, as `read_squeue`; the default partition keeps its star.

    Raises
    ------
    ValueError
        The text is from another tool, or a line is too short; the message has the line number.

    Notes
    -----
    A partition stands in as many lines as its nodes have states. Source: `man sinfo`, and Slurm 22.05.

    Examples
    --------
    >>> read_sinfo('''
    ... PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST
    ... all*         up   infinite      4  alloc n[1-4]''')[0]["timelimit"]
    inf
    """
    return _by_words(text, "sinfo", {"PARTITION", "NODES", "STATE", "NODELIST"})


def read_sacct(text: str) -> tuple[dict[str, Any], ...]:
    """Read ``sacct``, in columns under dashes or, with ``-P``, between bars.

    Parameters
    ----------
    text : str
        The output with its header.

    Returns
    -------
    tuple of dict
        One for each job and step, by the columns' names in small letters: seconds, bytes, whole numbers
        and words; None for an empty cell.

    Raises
    ------
    ValueError
        The text is from another tool, lacks the line of dashes, or has a truncated cell; the message has the
        line number.

    Notes
    -----
    A ``+`` at the end of a word is sacct's own mark that the word is longer. A ``K`` is 1,024 bytes.
    Source: `man sacct`.

    Examples
    --------
    >>> [row["elapsed"] for row in read_sacct("JobID|State|Elapsed\\n7|COMPLETED|1-00:00:10\\n7.batch|COMPLETED|00:09")]
    [86410.0, 9.0]
    """
    lines = find(numbered(text, "sacct"), {"JobID"}, "sacct")
    place, header = next(lines)
    if "|" in header:
        names = [name.lower() for name in header.rstrip("|").split("|")]
        return tuple(_row(names, _bars(line, len(names), at), at, line) for at, line in lines)
    names = header.lower().split()
    place, dashes = next(lines, (place, header))
    spans = [found.span() for found in re.finditer("-+", dashes)]
    if set(dashes.replace(" ", "")) != {"-"} or len(spans) != len(names):
        raise wrong(place, dashes, f"the line of dashes below the header, {len(names)} groups; or use sacct -P")
    return tuple(_row(names, _slices(line, spans, at), at, line) for at, line in lines)


def _by_words(text: str, tool: str, required: set[str]) -> tuple[dict[str, Any], ...]:
    lines = find(numbered(text, tool), required, tool)
    names = next(lines)[1].lower().split()
    rows = []
    for place, line in lines:
        words = line.split(None, len(names) - 1)
        if len(words) != len(names):
            raise wrong(place, line, f"{len(names)} columns: {' '.join(names)}")
        rows.append(_row(names, words, place, line))
    return tuple(rows)


def _bars(line: str, count: int, place: int) -> list[str]:
    cells = line.split("|")
    cells = cells[:-1] if len(cells) == count + 1 and not cells[-1] else cells  # -p ends a line with a bar
    if len(cells) != count:
        raise wrong(place, line, f"{count} cells between bars")
    return cells


def _slices(line: str, spans: list[tuple[int, int]], place: int) -> list[str]:
    if len(line) <= spans[-1][0] or any(line[end : end + 1].strip() for _, end in spans):
        raise wrong(
            place, line, f"cells below the {len(spans)} groups of dashes, as sacct aligns them; or use sacct -P"
        )
    return [line[start:end].strip() for start, end in spans]


def _row(names: list[str], cells: list[str], place: int, line: str) -> dict[str, Any]:
    row = {name: _cell(name, cell, place, line) for name, cell in zip(names, cells, strict=True)}
    if row.get("st", "R") not in _STATES:
        raise wrong(place, line, f"a state of {', '.join(_STATES)} in the column ST, not {row['st']!r}")
    return row


def _cell(name: str, cell: str, place: int, line: str) -> Any:
    if not cell or cell in ("N/A", "INVALID", "NOT_SET", "Partition_Limit"):
        return None
    if name in _TIMES:
        if cell.lower() in ("infinite", "unlimited"):
            return inf
        if not (found := _DURATION.fullmatch(cell)):
            raise wrong(place, line, f"a time such as 1-02:03:04 or 2:03 in the column {name}, not {cell!r}")
        days, hours, minutes, seconds = (float(part or 0) for part in found.groups())
        return 86400 * days + 3600 * hours + 60 * minutes + seconds
    if name in _COUNTS:
        if not cell.isdigit():
            raise wrong(place, line, f"a whole number in the column {name}, not {cell!r}")
        return int(cell)
    if name in _SIZES:
        if not (found := re.fullmatch(r"([\d.]+)([KMGT]?)[nc]?", cell)):
            raise wrong(place, line, f"a size such as 1180K in the column {name}, not {cell!r}")
        return float(found[1]) * 1024 ** " KMGT".index(found[2] or " ")
    return cell
