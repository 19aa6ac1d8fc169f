"""Parser of what nccl-tests and rccl-tests print, as a table, JSON or CSV."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .._validate import flag
from ._lines import line_error, normalized_lines
from .nccl_json import json_tables
from .nccl_rows import RANK, communicator_ranks, joined_rows, number_in, row_sides

if TYPE_CHECKING:
    from .._typing import NDArray

_AVERAGE = re.compile(r"\s*#?\s*Avg bus bandwidth\s*:\s*(\S+)")
_NAME = re.compile(r"\s*#?\s*Collective test starting:\s*(\S+?)(?:_perf)?\s*$")
_PROGRAM = re.compile(
    r"\b(all_reduce|all_gather|alltoallv?|broadcast|gather|hypercube|reduce|reduce_scatter|scatter|sendrecv)_perf\b"
)
_VERSION = re.compile(r"\s*#?\s*nccl-tests version (\S+)")
# A line of NCCL's own log, which may begin in the middle of a row.
_DEBUG = re.compile(r"(?:\[[\d: ./-]+\] ?)?[\w.-]+:\d+:\d+ \[-?\d+\] .*|NCCL version \d.*")
_SIDE = ("algbw", "busbw")
_ALONE = (
    "each process ran alone, because rank 0 is in the text {0} times without a rank 1: this nccl-tests was built without MPI. "
    "Build it with `make MPI=1 MPI_HOME=...` and run it again; the bus bandwidth of one rank means nothing"
)


@dataclass(frozen=True, eq=False)
class NcclLog:
    """Parsed run of nccl-tests or rccl-tests: arrays with one entry per line.

    Attributes
    ----------
    message_bytes : array
        Message sizes, bytes.
    seconds, algorithm_bandwidth, bus_bandwidth : array
        Time, algbw and busbw, out of place, seconds and bytes/s.
    in_place_seconds, in_place_algorithm_bandwidth, in_place_bus_bandwidth : array
        Same numbers, in place; nan where the tool printed none.
    wrong : array
        Number of wrong values out of place; nan if unchecked.
    ranks : int or None
        Number of ranks of a communicator; None if they are not all in the text.
    average_bus_bandwidth : float or None
        Average busbw, bytes/s; None in a partial table and in a form without it.
    collective : str or None
        Name such as ``"all_reduce"``; None if not in the text.
    version : str or None
        Version of nccl-tests; None if not in the text.
    """

    message_bytes: NDArray[np.float64] = field(repr=False)
    seconds: NDArray[np.float64] = field(repr=False)
    algorithm_bandwidth: NDArray[np.float64] = field(repr=False)
    bus_bandwidth: NDArray[np.float64] = field(repr=False)
    in_place_seconds: NDArray[np.float64] = field(repr=False)
    in_place_algorithm_bandwidth: NDArray[np.float64] = field(repr=False)
    in_place_bus_bandwidth: NDArray[np.float64] = field(repr=False)
    wrong: NDArray[np.float64] = field(repr=False)
    ranks: int | None
    average_bus_bandwidth: float | None
    collective: str | None = None
    version: str | None = None


def read_nccl_tests(text: str, *, partial: bool = False) -> NcclLog:
    """Parse the output of ``all_reduce_perf`` and the other nccl-tests.

    Parameters
    ----------
    text : str
        Output of one run. Other lines, such as NCCL debug output, are skipped; escape codes, quotes and the prefixes of
        launchers are removed.
    partial : bool
        Whether to accept a table without its end; an incomplete last line is skipped.

    Returns
    -------
    NcclLog
        Columns of the table.

    Raises
    ------
    ValueError
        The text is not the output of nccl-tests, is cut off, holds several tables (`read_nccl_tables`), or comes from
        processes that ran alone; the message has the line number.

    Notes
    -----
    Columns are found by name, so tables with and without ``root``, ``redop``, ``timestamp``, CPU times and times per
    iteration are accepted, and the JSON and CSV forms too. Source: the tool's own output functions.

    Examples
    --------
    >>> log = read_nccl_tests('''
    ... # Collective test starting: all_reduce_perf
    ... #  size  count   type  redop  root   time  algbw  busbw #wrong   time  algbw  busbw #wrong
    ... 1048576 262144  float    sum    -1  101.9  10.29  18.00      0  101.0  10.38  18.17      0
    ... # Avg bus bandwidth    : 18.085
    ... ''')
    >>> float(log.seconds[0]), log.average_bus_bandwidth, log.collective
    (0.0001019, 18085000000.0, 'all_reduce')
    """
    tables = read_nccl_tables(text, partial=partial)
    if len(tables) > 1:
        names = ", ".join(f"{len(table.seconds)} lines of {table.collective or 'a collective'}" for table in tables)
        raise ValueError(
            f"text holds {len(tables)} tables ({names}): read them with read_nccl_tables, or pass one of them"
        )
    return tables[0]


def read_nccl_tables(text: str, *, partial: bool = False) -> tuple[NcclLog, ...]:
    """Parse every table of a text with one run of nccl-tests or several, such as the output of a batch job.

    Parameters
    ----------
    text : str
        Output of the runs, same as in `read_nccl_tests`.
    partial : bool
        Whether to accept a last table without its end.

    Returns
    -------
    tuple of NcclLog
        Tables in the order of the text.

    Raises
    ------
    ValueError
        Same cases as `read_nccl_tests`, without that of several tables.

    Examples
    --------
    >>> run = '''#  size  count   type  redop  root   time  algbw  busbw #wrong   time  algbw  busbw #wrong
    ... 1048576 262144  float    sum    -1  101.9  10.29  18.00      0  101.0  10.38  18.17      0
    ... # Avg bus bandwidth    : 18.085
    ... '''
    >>> len(read_nccl_tables(run + run))
    2
    """
    partial = flag("partial", partial)
    if machine := json_tables(text):
        return tuple(
            _log(np.array(table.rows), table.ranks, table.average_bus_bandwidth, table.collective, table.version)
            for table in machine
        )
    lines = [(place, _DEBUG.sub("", line)) for place, line in normalized_lines(text, "nccl-tests")]
    lines = [(place, line) for place, line in lines if line.strip()]
    if not lines:
        raise ValueError("text must be the output of nccl-tests, got only NCCL's own log: read_nccl_info reads that")
    starts = [index for index, (_, line) in enumerate(lines) if _is_header(line)]
    if not starts:
        raise line_error(
            *lines[0], "the output of nccl-tests, with the columns size, count, type, time, algbw, busbw in the header"
        )
    firsts = sum(1 for _, line in lines if (found := RANK.match(line)) and found[1] == "0")
    if firsts > 1 and not any((found := RANK.match(line)) and found[1] != "0" for _, line in lines):
        raise ValueError(f"text is of several programs: {_ALONE.format(firsts)}")
    preamble, tables = 0, []
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(lines)
        last = number + 1 == len(starts)
        body = lines[start + 1 : end]
        # What stands before the next header belongs to the next run, from the line after the average on.
        closing = next((index for index, (_, line) in enumerate(body) if _AVERAGE.match(line)), None)
        until = end if closing is None else start + 2 + closing
        tables.append(_table(lines[start], lines[start + 1 : until], lines[preamble:start], partial and last))
        preamble = until
    place, line = lines[-1]
    if _AVERAGE.match(line) and not text.endswith(("\n", " ")) and not _plausible_average(tables[-1]):
        raise line_error(place, line, "an average of the busbw of the lines above it; was the text cut off?")
    return tuple(tables)


def _plausible_average(log: NcclLog) -> bool:
    """Return whether the printed average is that of the lines, within their rounding to hundredths."""
    if log.average_bus_bandwidth is None:
        return True
    mean = float(np.nanmean([*log.bus_bandwidth, *log.in_place_bus_bandwidth]))
    return bool(np.isnan(mean)) or abs(log.average_bus_bandwidth - mean) <= max(0.01 * mean, 5e6)


def _is_header(line: str) -> bool:
    words = set(line.replace("#", " ").replace("|", " ").split())
    return {"size", "count", "type", *_SIDE} <= words and bool(words & {"time", "cputime"})


def _table(
    header: tuple[int, str], body: Sequence[tuple[int, str]], before: Sequence[tuple[int, str]], partial: bool
) -> NcclLog:
    names = header[1].replace("#", " ").replace("|", " ").split()
    names = names[: names.index("timestamp")] if "timestamp" in names else names
    places = [index for index, name in enumerate(names) if name in ("time", "cputime")]
    if len(places) != 2:
        raise line_error(*header, "a header with two time columns, out of place and in place")
    rows, average, last = [], None, header
    for place, words in joined_rows(body, len(names), places):
        line = " ".join(words)
        if end := _AVERAGE.match(line):
            average = 1e9 * number_in(end[1], place, line)
        elif words[0].isdigit():
            last = (place, line)
            if len(words) < len(names):
                if partial:
                    break
                raise line_error(place, line, f"a line with {len(names)} columns ({' '.join(names)}), or partial=True")
            rows.append([number_in(words[0], place, line), *row_sides(words, places, place, line)])
    if not rows:
        raise line_error(*last, "a header with at least one line of numbers after it")
    if average is None and not partial:
        raise line_error(*last, "more lines, up to '# Avg bus bandwidth', or partial=True for a table that was cut off")
    texts = [line for _, line in before]
    return _log(
        np.array(rows),
        communicator_ranks(texts),
        average,
        _first(_NAME, texts) or _first(_PROGRAM, texts),
        _first(_VERSION, texts),
    )


def _first(pattern: re.Pattern[str], lines: Sequence[str]) -> str | None:
    return next((found[1] for line in reversed(lines) if (found := pattern.search(line))), None)


def _log(
    rows: NDArray[np.float64], ranks: int | None, average: float | None, collective: str | None, version: str | None
) -> NcclLog:
    columns = rows.T
    columns.setflags(write=False)
    size, time, algorithm, bus, again, again_algorithm, again_bus, bad = columns
    return NcclLog(
        size, time, algorithm, bus, again, again_algorithm, again_bus, bad, ranks, average, collective, version
    )
