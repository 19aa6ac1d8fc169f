"""Parser of the OSU micro-benchmarks of MPI."""

from __future__ import annotations

import re
from typing import NamedTuple

from ._lines import line_error, normalized_lines, whole_line

_OSU = re.compile(r"#\s*OSU (.*?) Test(?: v([\d.]+))?")


class OsuTable(NamedTuple):
    """Table of an OSU micro-benchmark.

    Attributes
    ----------
    benchmark : str
        Name such as ``"MPI Allreduce Latency"``.
    version : str or None
        Version of the benchmarks.
    message_bytes : tuple of int
        Message sizes, bytes.
    seconds, bytes_per_second : tuple of float or None
        Times (average), or bandwidths; the other is None.
    """

    benchmark: str
    version: str | None
    message_bytes: tuple[int, ...]
    seconds: tuple[float, ...] | None
    bytes_per_second: tuple[float, ...] | None


def read_osu(text: str) -> OsuTable:
    """Parse the output of an OSU micro-benchmark, such as ``osu_allreduce`` or ``osu_bw``.

    Parameters
    ----------
    text : str
        Output of one benchmark, with its last line end.

    Returns
    -------
    OsuTable
        Sizes with times or bandwidths.

    Raises
    ------
    ValueError
        There is no header, or no line of numbers after it.

    Notes
    -----
    MB/s of this tool is 10**6 bytes/s. Of several columns the first, the average, is read. Source: OSU micro-benchmarks.

    Examples
    --------
    >>> table = read_osu('''# OSU MPI Allreduce Latency Test v5.9
    ... # Size       Avg Latency(us)
    ... 4                       1.62
    ... ''')
    >>> table.benchmark, table.message_bytes, table.seconds
    ('MPI Allreduce Latency', (4,), (1.62e-06,))
    """
    lines = normalized_lines(text, "an OSU micro-benchmark")
    starts = [index for index, (_, line) in enumerate(lines) if _OSU.search(line)]
    if not starts:
        raise line_error(
            *lines[0], "the output of an OSU micro-benchmark, such as '# OSU MPI Allreduce Latency Test v5.9'"
        )
    if len(starts) > 1:
        raise ValueError(f"text holds {len(starts)} OSU benchmarks: pass the output of one")
    found = _OSU.search(lines[starts[0]][1])
    assert found is not None
    columns = next((line for _, line in lines[starts[0] + 1 :] if line.lstrip().startswith("#") and "Size" in line), "")
    scale = (
        1e-6
        if "(us)" in columns
        else 1e6
        if "(MB/s)" in columns or columns.split()[-2:] == ["MB/s", "Messages/s"]
        else None
    )
    if scale is None:
        raise line_error(*lines[starts[0]], "a header with Latency (us) or Bandwidth (MB/s) below it")
    rows = [line.split() for _, line in lines[starts[0] + 1 :] if re.match(r"\s*\d+\s+[\d.]+", line)]
    if not rows:
        raise line_error(*lines[-1], "at least one line of numbers after the header; was the text cut off?")
    whole_line(text)
    sizes = tuple(int(row[0]) for row in rows)
    values = tuple(scale * float(row[1]) for row in rows)
    return OsuTable(found[1], found[2], sizes, values if scale < 1 else None, None if scale < 1 else values)
