"""Parser of the output of ``darshan-parser --total --perf --file``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ._lines import line_error, numbered_lines

_COUNTER = re.compile(r"total_([A-Z0-9]+_\w+):\s+(-?[\d.]+)")
_FILES = re.compile(r"#\s+(total|read_only|write_only|read_write|unique|shared):\s+(\d+)\s+(\d+)\s+(-?\d+)")
_RATE = re.compile(r"#\s+(agg_perf_by_\w+):\s+(\d+\.\d+)(?: # MiB/s)?")
_BYTES = re.compile(r"#\s+total_bytes:\s+(\d+)")
_HEAD = {"log version": "version", "nprocs": "processes", "run time": "run_time_seconds"}


@dataclass(frozen=True)
class DarshanModule:
    """I/O of one Darshan module (layer); fields as in `DarshanSummary`."""

    total_bytes: int | None = None
    files: Mapping[str, tuple[int, int, int]] = field(default_factory=dict, repr=False)
    rates: Mapping[str, float] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class DarshanSummary:
    """I/O summary of a job; None or empty if not in the output.

    Attributes
    ----------
    version : str or None
        Version of the log.
    processes : int or None
        Number of processes.
    run_time_seconds : float or None
        Duration of the job.
    total_bytes : int or None
        Bytes moved, by the ``"POSIX"`` module, which is below the others, or by the first module with data.
    counters : mapping of str to float
        Counters by name without ``total_``, such as ``"POSIX_BYTES_READ"``.
    files : mapping of str to (int, int, int)
        Number of files, bytes moved, and highest offset (-1 if unknown), by kind; same module as ``total_bytes``.
    rates : mapping of str to float
        Rates by name, bytes/s; same module as ``total_bytes``.
    modules : mapping of str to DarshanModule
        Modules by name, such as ``"MPI-IO"``; the same bytes pass through several modules.
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
    r"""Parse the output of ``darshan-parser`` with any of ``--total``, ``--perf`` and ``--file``.

    Parameters
    ----------
    text : str
        Output of the tool.

    Returns
    -------
    DarshanSummary
        Summary of the job.

    Raises
    ------
    ValueError
        The text is not the output of ``darshan-parser``, or a line is cut off; the message has the line number.

    Notes
    -----
    A rate (in MiB/s in the output) is the bytes of all processes over the time of the slowest one
    (``agg_perf_by_slowest``), not the capability of the file system. Ignores the lines of single files. Source: the
    documentation of darshan-util.

    Examples
    --------
    >>> summary = read_darshan("# nprocs: 4\ntotal_POSIX_BYTES_READ: 8192\n# agg_perf_by_slowest: 2.0")
    >>> summary.processes, summary.counters["POSIX_BYTES_READ"], summary.rates["agg_perf_by_slowest"]
    (4, 8192.0, 2097152.0)
    """
    lines = numbered_lines(text, "darshan-parser")
    head: dict[str, str] = {}
    counters: dict[str, float] = {}
    modules = {"": _ModuleLines()}  # by name, in order; lines before the first module have no name
    seen = modules[""]
    for place, line in lines:
        line = line.strip()
        if found := _COUNTER.fullmatch(line):
            counters[found[1]] = float(found[2])
        elif found := re.fullmatch(r"#\s+(\S+) module data", line):
            seen = modules.setdefault(found[1], _ModuleLines())
        elif not seen.take(line):
            if line.startswith(("total_", "# total", "# agg_perf")) or not (line[0] == "#" or len(line.split()) >= 7):
                raise line_error(
                    place, line, "lines of darshan-parser, such as 'total_POSIX_READS: 12'; was the text cut off?"
                )
            if found := re.match(r"#\s+(?:darshan )?(log version|nprocs|run time):\s+(\S+)", line):
                head[_HEAD[found[1]]] = found[2]
    found_modules = {
        name: one.module() for name, one in modules.items() if one.files or one.rates or one.total is not None
    }
    if not (counters or any(one.files or one.rates for one in found_modules.values())):
        raise line_error(*lines[0], "the output of darshan-parser --total, --perf or --file")
    shown = found_modules.get("POSIX") or next(iter(found_modules.values()), DarshanModule())
    processes, seconds = head.get("processes"), head.get("run_time_seconds")
    return DarshanSummary(
        head.get("version"),
        int(processes) if processes else None,
        float(seconds) if seconds else None,
        shown.total_bytes,
        counters,
        shown.files,
        shown.rates,
        {name: one for name, one in found_modules.items() if name},
    )


class _ModuleLines:
    """Lines of one module that were parsed so far."""

    def __init__(self) -> None:
        self.total: int | None = None
        self.files: dict[str, tuple[int, int, int]] = {}
        self.rates: dict[str, float] = {}

    def take(self, line: str) -> bool:
        """Parse a line about files, rates or bytes; return False for any other line."""
        if found := _FILES.fullmatch(line):
            self.files[found[1]] = (int(found[2]), int(found[3]), int(found[4]))
        elif found := _RATE.fullmatch(line):
            self.rates[found[1]] = 2.0**20 * float(found[2])
        elif found := _BYTES.fullmatch(line):
            self.total = int(found[1])
        return bool(found)

    def module(self) -> DarshanModule:
        """Return the parsed module."""
        return DarshanModule(self.total, self.files, self.rates)
