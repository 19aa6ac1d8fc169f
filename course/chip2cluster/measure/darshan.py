"""What ``darshan-parser --total --perf --file`` prints, read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ._lines import numbered, wrong

_COUNTER = re.compile(r"total_([A-Z0-9]+_\w+):\s+(-?[\d.]+)")
_FILES = re.compile(r"#\s+(total|read_only|write_only|read_write|unique|shared):\s+(\d+)\s+(\d+)\s+(-?\d+)")
_RATE = re.compile(r"#\s+(agg_perf_by_\w+):\s+(\d+\.\d+)(?: # MiB/s)?")
_BYTES = re.compile(r"#\s+total_bytes:\s+(\d+)")
_HEAD = {"log version": "version", "nprocs": "processes", "run time": "run_time_seconds"}


@dataclass(frozen=True)
class DarshanModule:
    """What one layer saw: ``total_bytes``, ``files`` and ``rates`` as in `DarshanSummary`."""

    total_bytes: int | None = None
    files: Mapping[str, tuple[int, int, int]] = field(default_factory=dict, repr=False)
    rates: Mapping[str, float] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class DarshanSummary:
    """A job's input and output, in sum.

    ``counters`` by name without ``total_``, such as ``"POSIX_BYTES_READ"``; ``files`` by kind: how many, bytes moved,
    highest offset (-1 where a layer does not know it); ``rates`` by name, bytes/s; None or empty where it was not
    printed. ``modules`` by name, such as ``"MPI-IO"``: the same bytes pass through several layers. ``total_bytes``,
    ``files`` and ``rates`` are those of ``"POSIX"``, which is below the others; without it, of the first that printed
    any.
    """

    version: str | None
    processes: int | None
    run_time_seconds: float | None
    total_bytes: int | None
    counters: Mapping[str, float] = field(repr=False)
    files: Mapping[str, tuple[int, int, int]] = field(repr=False)
    rates: Mapping[str, float] = field(repr=False)
    modules: Mapping[str, DarshanModule] = field(default_factory=dict, repr=False)


def read_darshan(text: str) -> DarshanSummary:
    """Read ``darshan-parser`` with any of ``--total``, ``--perf`` and ``--file``.

    Parameters
    ----------
    text : str
        The output.

    Returns
    -------
    DarshanSummary

    Raises
    ------
    ValueError
        The text is not the output of ``darshan-parser``, or a line is cut off; the message has the line number.

    Notes
    -----
    A rate is printed in MiB/s and is the bytes of all processes over the time of the slowest one
    (``agg_perf_by_slowest``): not what the file system could do. Ignores the lines for single files. Source: the
    documentation of darshan-util.

    Examples
    --------
    >>> summary = read_darshan("# nprocs: 4\\ntotal_POSIX_BYTES_READ: 8192\\n# agg_perf_by_slowest: 2.0")
    >>> summary.processes, summary.counters["POSIX_BYTES_READ"], summary.rates["agg_perf_by_slowest"]
    (4, 8192.0, 2097152.0)
    """
    lines = numbered(text, "darshan-parser")
    head: dict[str, str] = {}
    counters: dict[str, float] = {}
    modules = {"": _Seen()}  # by name, in order; lines before the first name are of none
    seen = modules[""]
    for place, line in lines:
        line = line.strip()
        if found := _COUNTER.fullmatch(line):
            counters[found[1]] = float(found[2])
        elif found := re.fullmatch(r"#\s+(\S+) module data", line):
            seen = modules.setdefault(found[1], _Seen())
        elif not seen.take(line):
            if line.startswith(("total_", "# total", "# agg_perf")) or not (line[0] == "#" or len(line.split()) >= 7):
                raise wrong(
                    place, line, "lines of darshan-parser, such as 'total_POSIX_READS: 12'; was the text cut off?"
                )
            if found := re.match(r"#\s+(?:darshan )?(log version|nprocs|run time):\s+(\S+)", line):
                head[_HEAD[found[1]]] = found[2]
    told = {name: one.module() for name, one in modules.items() if one.files or one.rates or one.total is not None}
    if not (counters or any(one.files or one.rates for one in told.values())):
        raise wrong(*lines[0], "what darshan-parser --total, --perf or --file printed")
    shown = told.get("POSIX") or next(iter(told.values()), DarshanModule())
    processes, seconds = head.get("processes"), head.get("run_time_seconds")
    return DarshanSummary(
        head.get("version"),
        int(processes) if processes else None,
        float(seconds) if seconds else None,
        shown.total_bytes,
        counters,
        shown.files,
        shown.rates,
        {name: one for name, one in told.items() if name},
    )


class _Seen:
    """Lines of one module, as far as they were read."""

    def __init__(self) -> None:
        self.total: int | None = None
        self.files: dict[str, tuple[int, int, int]] = {}
        self.rates: dict[str, float] = {}

    def take(self, line: str) -> bool:
        """Keep what the line says of files, rates or bytes; False if it is another line."""
        if found := _FILES.fullmatch(line):
            self.files[found[1]] = (int(found[2]), int(found[3]), int(found[4]))
        elif found := _RATE.fullmatch(line):
            self.rates[found[1]] = 2.0**20 * float(found[2])
        elif found := _BYTES.fullmatch(line):
            self.total = int(found[1])
        return bool(found)

    def module(self) -> DarshanModule:
        return DarshanModule(self.total, self.files, self.rates)
