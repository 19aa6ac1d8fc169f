"""Parser of the table that nccl-tests prints."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .._validate import flag
from ._lines import from_header, line_error, numbered_lines

if TYPE_CHECKING:
    from .._typing import NDArray

_END = re.compile(r"# Avg bus bandwidth\s*:\s*([\d.]+)")
_RANK = re.compile(r"#\s+Rank\s+(\d+)\s")
_PREFIX = re.compile(r"^\s*\[\d+,\d+\]\s*<std(?:out|err)>:\s?")  # prefix of mpirun --tag-output
_SIDE = ("time", "algbw", "busbw")


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
        Same numbers, in place.
    wrong : array
        Number of wrong values out of place; nan if unchecked.
    ranks : int or None
        Number of ranks; None if not in the text.
    average_bus_bandwidth : float or None
        Average busbw, bytes/s; None in a partial table.
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


def read_nccl_tests(text: str, *, partial: bool = False) -> NcclLog:
    """Parse the output of ``all_reduce_perf`` and the other nccl-tests.

    Parameters
    ----------
    text : str
        Output of the tool; other lines, such as NCCL debug output, are skipped.
    partial : bool
        Whether to accept a table without its end; an incomplete last line is skipped.

    Returns
    -------
    NcclLog
        Columns of the table.

    Raises
    ------
    ValueError
        The text is not the output of nccl-tests, or is cut off; the message has the line number.

    Notes
    -----
    Columns are found by name, so tables with and without ``root`` or ``redop`` are accepted.
    Ignores the collective, which old versions do not print. Source: the header of the tool.

    Examples
    --------
    >>> log = read_nccl_tests('''
    ... #  size  count   type  redop  root   time  algbw  busbw #wrong   time  algbw  busbw #wrong
    ... 1048576 262144  float    sum    -1  101.9  10.29  18.00      0  101.0  10.38  18.17      0
    ... # Avg bus bandwidth    : 18.085
    ... ''')
    >>> float(log.seconds[0]), log.average_bus_bandwidth
    (0.0001019, 18085000000.0)
    """
    partial = flag("partial", partial)
    lines = [(place, _PREFIX.sub("", line)) for place, line in numbered_lines(text, "nccl-tests")]
    table = from_header(lines, {"size", "count", "type", *_SIDE}, "nccl-tests")
    first, header = next(table)
    names = header.replace("#", " ").split()
    places = [index for index, name in enumerate(names) if name == "time"]
    if len(places) != 2:
        raise line_error(first, header, "a header with two time columns, out of place and in place")
    ranks = {int(found[1]) for _, line in lines if (found := _RANK.match(line))}
    rows, average, last = [], None, (first, header)
    for place, line in table:
        words = line.split()
        if end := _END.search(line):
            average = 1e9 * float(end[1])
        elif words[0].isdigit():
            last = (place, line)
            if len(words) != len(names):
                if partial:
                    break
                raise line_error(place, line, f"a line with {len(names)} columns ({' '.join(names)}), or partial=True")
            rows.append([_number(words[0], place, line), *_sides(words, places, place, line)])
    if not rows:
        raise line_error(*last, "a header with at least one line of numbers after it")
    if average is None and not partial:
        raise line_error(*last, "more lines, up to '# Avg bus bandwidth', or partial=True for a table that was cut off")
    columns = np.array(rows).T
    columns.setflags(write=False)
    size, time, algorithm, bus, again, again_algorithm, again_bus, bad = columns
    return NcclLog(size, time, algorithm, bus, again, again_algorithm, again_bus, bad, len(ranks) or None, average)


def _sides(words: list[str], places: list[int], place: int, line: str) -> list[float]:
    values = []
    for start in places:
        time, algorithm, bus = (_number(word, place, line) for word in words[start : start + 3])
        values += [1e-6 * time, 1e9 * algorithm, 1e9 * bus]
    bad = words[places[0] + 3] if places[0] + 3 < places[1] else "N/A"
    return [*values, float("nan") if bad == "N/A" else _number(bad, place, line)]


def _number(word: str, place: int, line: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise line_error(place, line, f"numbers in its columns, not {word!r}") from None
