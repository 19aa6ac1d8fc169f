"""Parsers of the output of Slurm's ``squeue``, ``sinfo`` and ``sacct``."""

from __future__ import annotations

import re
from math import inf
from typing import Any

from ._lines import aligned_cells, bar_cells, from_header, line_error, normalized_lines

_TIMES = ("time", "time_limi", "time_limit", "timelimit", "elapsed", "time_left", "cputime", "totalcpu", "avecpu")
_COUNTS = ("nodes", "nnodes", "alloccpus", "allocnodes", "ncpus", "cpus", "reqcpus", "ntasks", "elapsedraw")
_SIZES = ("maxrss", "averss", "maxvmsize", "reqmem", "avevmsize")
_STATES = (
    "BF", "CA", "CD", "CF", "CG", "DL", "F", "NF", "OOM", "PD", "PR", "R", "RD", "RF", "RH", "RQ", "RS", "RV", "S",
    "SE", "SI", "SO", "ST", "TO",
)  # fmt: skip
# Columns of a sacct format without JobID.
_WITHOUT_JOB = "State", "MaxRSS", "Elapsed", "ReqMem", "NNodes", "AllocCPUS"
_DURATION = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)")


def read_squeue(text: str) -> tuple[dict[str, Any], ...]:
    """Parse the output of ``squeue``, also with ``-l``, ``--start`` or a format (``-o``, ``-O``) that has the state.

    Parameters
    ----------
    text : str
        Output with its header.

    Returns
    -------
    tuple of dict
        One dict per job, by column name in lower case: times in seconds, node counts as int,
        text for the rest. ``nodelist(reason)`` has the nodes or, in brackets, the pending reason.

    Raises
    ------
    ValueError
        The text is from another tool, or a line is too short or has an unknown job state; the message has the
        line number.

    Notes
    -----
    ``UNLIMITED`` is infinite, ``N/A`` and ``INVALID`` are None. A job name with a space shifts the columns, so
    its line is rejected; bars between the columns (``-o "%i|%j|%T"``) avoid that. Source: `man squeue`, and Slurm 22.05.

    Examples
    --------
    >>> job, = read_squeue('''
    ... JOBID PARTITION  NAME  USER ST  TIME  NODES NODELIST(REASON)
    ...     2       all train  root PD  0:00      4 (Resources)''')
    >>> job["jobid"], job["time"], job["nodes"], job["nodelist(reason)"]
    ('2', 0.0, 4, '(Resources)')
    """
    return _by_words(text, "squeue", {"JOBID", "ST"}, {"JOBID", "STATE"})


def read_sinfo(text: str) -> tuple[dict[str, Any], ...]:
    """Parse the output of ``sinfo``, also with ``-N -l``, ``-s``, ``-R`` or a format (``-o``) that has nodes.

    Parameters
    ----------
    text : str
        Output with its header.

    Returns
    -------
    tuple of dict
        One dict per line, same form as in `read_squeue`; the default partition keeps its asterisk.

    Raises
    ------
    ValueError
        The text is from another tool, or a line is too short; the message has the line number.

    Notes
    -----
    A partition has one line for each state of its nodes. Source: `man sinfo`, and Slurm 22.05.

    Examples
    --------
    >>> read_sinfo('''
    ... PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST
    ... all*         up   infinite      4  alloc n[1-4]''')[0]["timelimit"]
    inf
    """
    return _by_words(text, "sinfo", {"PARTITION", "STATE"}, {"PARTITION", "NODES(A/I/O/T)"}, {"NODELIST"})


def read_sacct(text: str) -> tuple[dict[str, Any], ...]:
    r"""Parse the output of ``sacct``, in aligned columns or, with ``-P``, separated by bars.

    Parameters
    ----------
    text : str
        Output with its header.

    Returns
    -------
    tuple of dict
        One dict per job and step, by column name in lower case: seconds, bytes, int or text;
        None for an empty cell.

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
    >>> [row["elapsed"] for row in read_sacct("JobID|State|Elapsed\n7|COMPLETED|1-00:00:10\n7.batch|COMPLETED|00:09")]
    [86410.0, 9.0]
    """
    lines = from_header(
        normalized_lines(text, "sacct", keep_blanks=True), {"JobID"}, "sacct", *({name} for name in _WITHOUT_JOB)
    )
    place, header = next(lines)
    header = header.rstrip()
    if "|" in header:
        names = [name.lower() for name in header.rstrip("|").split("|")]
        return tuple(_row(names, bar_cells(line.rstrip(), len(names), at), at, line) for at, line in lines)
    names = header.lower().split()
    place, dashes = next(lines, (place, header))
    dashes = dashes.rstrip()
    spans = [found.span() for found in re.finditer("-+", dashes)]
    if set(dashes.replace(" ", "")) != {"-"} or len(spans) != len(names):
        raise line_error(
            place, dashes, f"the line with {len(names)} groups of dashes below the header; or use sacct -P"
        )
    return tuple(_row(names, aligned_cells(line, spans, at), at, line) for at, line in lines)


def _by_words(text: str, tool: str, required: set[str], *others: set[str]) -> tuple[dict[str, Any], ...]:
    lines = from_header(normalized_lines(text, tool), required, tool, *others)
    place, header = next(lines)
    names = header.lower().replace("|", " ").split()
    if tool == "sinfo" and "jobid" in names:
        raise line_error(place, header, "the output of sinfo, not of squeue")
    rows = []
    for place, line in lines:
        if "|" in header:
            words = [cell.strip() for cell in bar_cells(line, len(names), place)]
        elif names[0] == "reason":  # sinfo -R; a reason has blanks
            words = [cell.strip() for cell in line.rsplit(None, len(names) - 1)]
        else:
            words = line.split(None, len(names) - 1)
            # Else a column has a blank, such as the reason "ReqNodeNotAvail, May be reserved for other job".
            if any(word.endswith(",") for word in words[:-1]):
                raise line_error(
                    place, line, f"cells without blanks below {' '.join(names)}; put bars between them (-o)"
                )
        if len(words) != len(names):
            raise line_error(place, line, f"{len(names)} columns: {' '.join(names)}")
        rows.append(_row(names, words, place, line))
    return tuple(rows)


def _row(names: list[str], cells: list[str], place: int, line: str) -> dict[str, Any]:
    row = {name: _cell(name, cell, place, line) for name, cell in zip(names, cells, strict=True)}
    if row.get("st", "R") not in _STATES:
        raise line_error(place, line, f"a state of {', '.join(_STATES)} in the column ST, not {row['st']!r}")
    return row


def _cell(name: str, cell: str, place: int, line: str) -> Any:
    if not cell or cell in ("N/A", "INVALID", "NOT_SET", "Partition_Limit"):
        return None
    if name in _TIMES:
        if cell.lower() in ("infinite", "unlimited"):
            return inf
        if not (found := _DURATION.fullmatch(cell)):
            raise line_error(place, line, f"a time such as 1-02:03:04 or 2:03 in the column {name}, not {cell!r}")
        days, hours, minutes, seconds = (float(part or 0) for part in found.groups())
        return 86400 * days + 3600 * hours + 60 * minutes + seconds
    if name in _COUNTS:
        if not cell.isdigit():
            raise line_error(place, line, f"a whole number in the column {name}, not {cell!r}")
        return int(cell)
    if name == "nodes(a/i/o/t)":
        counts = [int(count) for count in cell.split("/") if count.isdigit()]
        if len(counts) == 4 and sum(counts[:3]) != counts[3]:
            raise line_error(place, line, "allocated, idle and other nodes that sum to all; was the text cut off?")
    if name in _SIZES:
        if not (found := re.fullmatch(r"([\d.]+)([KMGTPE]?)[nc]?", cell)):
            raise line_error(place, line, f"a size such as 1180K in the column {name}, not {cell!r}")
        return float(found[1]) * 1024 ** " KMGTPE".index(found[2] or " ")
    return cell
