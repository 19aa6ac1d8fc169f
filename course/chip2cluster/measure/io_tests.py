"""Parsers of tools that test file systems and disks: fio, IOR and mdtest."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from ._lines import line_error, normalized_lines

_JOB = re.compile(r"^(?P<name>[^:\s][^:]*): \(groupid=\d+, jobs=(?P<jobs>\d+)\)")
_FIO = re.compile(
    r"^\s*(?P<way>read|write|trim)\s*:\s*IOPS=(?P<iops>[\d.]+)(?P<prefix>[kM]?), BW=(?P<rate>[\d.]+)(?P<unit>[KMGT]?i?B)/s"
    r".*?\((?P<amount>[\d.]+)(?P<size>[KMGT]?i?B)/(?P<time>\d+)msec\)"
)
# fio 2 prints KB for 1,024 bytes.
_FIO_2 = re.compile(
    r"^\s*(?P<way>read|write|trim)\s*:\s*io=(?P<amount>[\d.]+)(?P<size>[KMGT]?B), bw=(?P<rate>[\d.]+)(?P<unit>[KMGT]?B)/s, "
    r"iops=(?P<iops>[\d.]+)(?P<prefix>[kM]?), runt=\s*(?P<time>\d+)msec"
)
_SIZES = {"B": 1.0} | {
    f"{prefix}{middle}B": base**power
    for power, prefix in enumerate("KMGT", 1)
    for middle, base in (("i", 1024.0), ("", 1000.0))
}
_PREFIX = {"": 1.0, "k": 1e3, "M": 1e6}
_IOR_BEST = re.compile(r"^\s*Max (Write|Read)\s*:\s*([\d.]+) MiB/sec")
_IOR_TITLE = re.compile(r"^\s*IOR-\d|MPI Coordinated Test of Parallel I/O")
_MDTEST_ROW = re.compile(
    r"^\s*((?:File|Directory|Tree) (?:creation|stat|read|removal|rename))\s*:?((?:\s+[\d.]+){4}|(?:\s+[\d.]+){7})\s*$"
)


class FioResult(NamedTuple):
    """One direction of one job of fio.

    Attributes
    ----------
    job : str
        Name of the job; empty if it is not in the text.
    direction : {"read", "write", "trim"}
        Direction.
    operations_per_second, bytes_per_second : float
        IOPS and bandwidth.
    bytes, seconds : float
        Amount and time of the run.
    """

    job: str
    direction: str
    operations_per_second: float
    bytes_per_second: float
    bytes: float
    seconds: float


class IorResult(NamedTuple):
    """Best bandwidths of a run of IOR, bytes/s; None if that direction was not run."""

    write_bytes_per_second: float | None
    read_bytes_per_second: float | None


class MdtestRow(NamedTuple):
    """One operation of mdtest.

    Attributes
    ----------
    operation : str
        Name such as ``"File creation"``.
    most, least, mean, deviation : float
        Operations per second.
    """

    operation: str
    most: float
    least: float
    mean: float
    deviation: float


def read_fio(text: str) -> tuple[FioResult, ...]:
    """Parse the output of fio, as text or with ``--output-format=json``.

    Parameters
    ----------
    text : str
        Output of the tool.

    Returns
    -------
    tuple of FioResult
        Each direction of each job that moved data.

    Raises
    ------
    ValueError
        There is no line with IOPS and BW, or the JSON is damaged.

    Notes
    -----
    KiB and KB are read as they are printed, but in fio 2 a KB has 1,024 bytes. Ignores latencies. Source: fio 2 and 3.

    Examples
    --------
    >>> result, = read_fio("   read: IOPS=2967, BW=11.7MiB/s (12.2MB/s)(174MiB/15017msec)")
    >>> result.operations_per_second, result.seconds
    (2967.0, 15.017)
    """
    if isinstance(text, str) and '"jobs"' in text and "{" in text:
        return _fio_json(text)
    lines = normalized_lines(text, "fio")
    job, found = "", []
    for _, line in lines:
        if match := _JOB.match(line):
            job = match["name"]
        elif match := _FIO.match(line) or _FIO_2.match(line):
            rate, amount = _fio_bytes(match, "rate", "unit"), _fio_bytes(match, "amount", "size")
            operations = float(match["iops"]) * _PREFIX[match["prefix"]]
            found.append(FioResult(job, match["way"], operations, rate, amount, 1e-3 * float(match["time"])))
    if not found:
        raise line_error(
            *lines[0], "the output of fio, such as 'read: IOPS=2967, BW=11.7MiB/s (12.2MB/s)(174MiB/15017msec)'"
        )
    return tuple(found)


def _fio_bytes(match: re.Match[str], number: str, unit: str) -> float:
    """Return a size or a rate of a line of fio, in bytes."""
    word = match[unit]
    if match.re is _FIO_2 and len(word) == 2:
        word = f"{word[0]}iB"
    return float(match[number]) * _SIZES[word]


def _fio_json(text: str) -> tuple[FioResult, ...]:
    try:
        report: dict[str, Any] = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except ValueError as error:
        raise ValueError(
            f"text is JSON of fio that is damaged or ends too early: {error}; pass the whole file"
        ) from None
    found = tuple(
        FioResult(
            str(job.get("jobname", "")), way, float(job[way]["iops"]), float(job[way]["bw_bytes"]),
            float(job[way]["io_bytes"]), 1e-3 * float(job[way]["runtime"]),
        )
        for job in report["jobs"]
        for way in ("read", "write", "trim")
        if job.get(way, {}).get("io_bytes")
    )  # fmt: skip
    if not found:
        raise ValueError("text is JSON of fio in which no job has moved data")
    return found


def read_ior(text: str) -> IorResult:
    """Parse the best bandwidths that IOR prints.

    Parameters
    ----------
    text : str
        Output of one run.

    Returns
    -------
    IorResult
        Best bandwidth of writes and of reads.

    Raises
    ------
    ValueError
        There is neither ``Max Write`` nor ``Max Read``, or the text holds several runs.

    Notes
    -----
    The tool prints 0 for a direction that was not run. Ignores the repetitions. Source: IOR 3 and 4.

    Examples
    --------
    >>> read_ior("Max Write: 25154.87 MiB/sec (26376.80 MB/sec)").read_bytes_per_second is None
    True
    """
    lines = normalized_lines(text, "IOR")
    found: dict[str, float] = {}
    for place, line in lines:
        if match := _IOR_BEST.match(line):
            if match[1] in found:
                raise line_error(place, line, f"one run of IOR, with one line of Max {match[1]}; pass them one by one")
            found[match[1]] = 2.0**20 * float(match[2])
    if not found:
        wanted = "more lines, up to 'Max Write' and 'Max Read'; was the text cut off?"
        ior = any(_IOR_TITLE.search(line) for _, line in lines)
        raise line_error(
            *lines[-1 if ior else 0], wanted if ior else "the output of IOR, with 'Max Write: ... MiB/sec'"
        )
    return IorResult(found.get("Write") or None, found.get("Read") or None)


def read_mdtest(text: str) -> tuple[MdtestRow, ...]:
    """Parse the summary of mdtest.

    Parameters
    ----------
    text : str
        Output of one run.

    Returns
    -------
    tuple of MdtestRow
        One row per operation, in operations per second.

    Raises
    ------
    ValueError
        There is no summary, or a name occurs twice.

    Notes
    -----
    Columns are maximum, minimum, mean and standard deviation over the iterations. Source: mdtest of IOR 3 and 4.

    Examples
    --------
    >>> row, = read_mdtest("   File creation             :     21364.3    20718.9    21041.6     322.7")
    >>> row.operation, row.mean
    ('File creation', 21041.6)
    """
    lines = normalized_lines(text, "mdtest")
    # Some releases of 2020 and 2021 print maximum, minimum and mean by rank before those by iteration.
    by_iteration = any("per Rank:" in line and line.rstrip().endswith("Std Dev") for _, line in lines)
    rows = []
    for place, line in lines:
        if match := _MDTEST_ROW.match(line):
            values = tuple(map(float, match[2].split()))
            if (len(values) == 7) != by_iteration:
                raise line_error(place, line, "maximum, minimum, mean and standard deviation by iteration")
            rows.append(MdtestRow(match[1], *values[-4:]))
    if not rows:
        raise line_error(*lines[0], "the summary of mdtest, with lines such as 'File creation : max min mean stddev'")
    names = [row.operation for row in rows]
    if len({*names}) < len(names):
        raise ValueError("text holds several summaries of mdtest: pass the output of one run")
    return tuple(rows)
