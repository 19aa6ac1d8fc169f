"""Parsers of tools that test networks: perftest, OSU micro-benchmarks and ibstat."""

from __future__ import annotations

import re
from typing import NamedTuple

from ._lines import line_error, normalized_lines

_TEST = re.compile(r"^\s*(RDMA_Write|RDMA_Read|Send|Atomic\w*)\b.*\b(BW|Latency) Test\s*$")
_SETTING = re.compile(r"(Device|Link type|Mtu|Number of qps|Connection type)\s*:\s*([^\t]+?)(?=\s{2,}|\t|$)")
_PERFTEST_UNITS = {"MB/sec": 2.0**20, "Gb/sec": 1e9 / 8}  # the tool's MB has 2**20 bytes
_OSU = re.compile(r"#\s*OSU (.*?) Test(?: v([\d.]+))?")
_PORT_FIELDS = {"State": "state", "Physical state": "physical_state", "Rate": "rate", "Link layer": "link_layer"}


class PerftestRow(NamedTuple):
    """One message size of perftest.

    Attributes
    ----------
    message_bytes : int
        Message size, bytes.
    iterations : int
        Number of messages.
    peak_bytes_per_second, average_bytes_per_second : float or None
        Bandwidth, bytes/s; None in a latency test, the peak also where the tool did not measure it.
    typical_seconds : float or None
        Typical one-way latency, seconds; None in a bandwidth test.
    """

    message_bytes: int
    iterations: int
    peak_bytes_per_second: float | None
    average_bytes_per_second: float | None
    typical_seconds: float | None


class Perftest(NamedTuple):
    """Run of ``ib_write_bw``, ``ib_read_lat`` or another program of perftest.

    Attributes
    ----------
    test : str
        Name such as ``"RDMA_Write BW"``.
    device, link_type : str or None
        Adapter, and ``"IB"`` or ``"Ethernet"``.
    queue_pairs, mtu_bytes : int or None
        Number of queue pairs; size of a packet, bytes.
    rows : tuple of PerftestRow
        One row per message size.
    """

    test: str
    device: str | None
    link_type: str | None
    queue_pairs: int | None
    mtu_bytes: int | None
    rows: tuple[PerftestRow, ...]


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


class IbPort(NamedTuple):
    """Port of an adapter, by ibstat.

    Attributes
    ----------
    device, port : str, int
        Name of the adapter and number of the port.
    state, physical_state, link_layer : str or None
        Words of the tool, such as ``"Active"``, ``"LinkUp"`` and ``"InfiniBand"``.
    bytes_per_second : float
        Rate of one direction, bytes/s.
    """

    device: str
    port: int
    state: str | None
    physical_state: str | None
    link_layer: str | None
    bytes_per_second: float


def read_perftest(text: str) -> Perftest:
    """Parse the output of ``ib_write_bw``, ``ib_send_lat`` and the other programs of perftest.

    Parameters
    ----------
    text : str
        Output of the client or of the server.

    Returns
    -------
    Perftest
        Settings and one row per message size.

    Raises
    ------
    ValueError
        There is no table, or a row is incomplete; the message has the line number.

    Notes
    -----
    MB/sec of this tool is 2**20 bytes/s. Ignores CPU use. Source: perftest's ``perftest_parameters.h``.

    Examples
    --------
    >>> run = read_perftest('''                    RDMA_Write BW Test
    ...  #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
    ...  65536      5000             392.15             391.90             0.747490''')
    >>> run.test, run.rows[0].average_bytes_per_second
    ('RDMA_Write BW', 48987500000.0)
    """
    lines = normalized_lines(text, "perftest")
    header = next((index for index, (_, line) in enumerate(lines) if "#bytes" in line and "#iterations" in line), None)
    if header is None:
        raise line_error(*lines[0], "the output of perftest, with #bytes and #iterations in the header of its table")
    place, head = lines[header]
    unit = next((factor for name, factor in _PERFTEST_UNITS.items() if f"[{name}]" in head), None)
    latency = "t_typical" in head or "t_min" in head or "t_avg" in head
    if unit is None and not latency:
        raise line_error(place, head, "bandwidth in [MB/sec] or [Gb/sec], or latencies in [usec]")
    names = re.findall(
        r"#bytes|#iterations|BW peak|BW average|MsgRate|t_\w+|99(?:\.\d+)?% percentile|99\.9% percentile|CPU_Util", head
    )
    rows: list[PerftestRow] = []
    for number, line in lines[header + 1 :]:
        words = line.split()
        if not words or not words[0].isdigit():
            if rows:
                break
            continue
        if len(words) < min(len(names), 4):
            raise line_error(
                number, line, f"a line with {len(names)} columns ({', '.join(names)}); was the text cut off?"
            )
        values = dict(zip(names, words, strict=False))
        peak, average = (
            (None if unit is None else unit * float(values[name]) for name in ("BW peak", "BW average"))
            if unit
            else (None, None)
        )
        typical = values.get("t_typical") or values.get("t_avg")
        rows.append(
            PerftestRow(
                int(words[0]),
                int(words[1]),
                peak or None,
                average,
                1e-6 * float(typical) if latency and typical else None,
            )
        )
    if not rows:
        raise line_error(place, head, "at least one line of numbers after the header; was the text cut off?")
    settings = {name: value for _, line in lines[:header] for name, value in _SETTING.findall(line)}
    test = next((line.strip().removesuffix(" Test") for _, line in lines[:header] if _TEST.match(line)), "")
    mtu = re.match(r"\d+", settings.get("Mtu", ""))
    pairs = settings.get("Number of qps", "")
    return Perftest(
        test, settings.get("Device"), settings.get("Link type"), int(pairs) if pairs.isdigit() else None,
        int(mtu[0]) if mtu else None, tuple(rows),
    )  # fmt: skip


def read_osu(text: str) -> OsuTable:
    """Parse the output of an OSU micro-benchmark, such as ``osu_allreduce`` or ``osu_bw``.

    Parameters
    ----------
    text : str
        Output of one benchmark.

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
    ... 4                       1.62''')
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
    scale = 1e-6 if "(us)" in columns else 1e6 if "(MB/s)" in columns else None
    if scale is None:
        raise line_error(*lines[starts[0]], "a header with Latency (us) or Bandwidth (MB/s) below it")
    rows = [line.split() for _, line in lines[starts[0] + 1 :] if re.match(r"\s*\d+\s+[\d.]+", line)]
    if not rows:
        raise line_error(*lines[-1], "at least one line of numbers after the header; was the text cut off?")
    sizes = tuple(int(row[0]) for row in rows)
    values = tuple(scale * float(row[1]) for row in rows)
    return OsuTable(found[1], found[2], sizes, values if scale < 1 else None, None if scale < 1 else values)


def read_ibstat(text: str) -> tuple[IbPort, ...]:
    r"""Parse the output of ``ibstat``.

    Parameters
    ----------
    text : str
        Output of the tool, of one host.

    Returns
    -------
    tuple of IbPort
        One entry per port.

    Raises
    ------
    ValueError
        There is no adapter or no port with a rate.

    Notes
    -----
    The rate is the link's, in 10**9 bits/s and one direction. Source: infiniband-diags.

    Examples
    --------
    >>> port, = read_ibstat("CA 'mlx5_0'\n\tCA type: MT4129\n\tPort 1:\n\t\tState: Active\n\t\tRate: 400\n")
    >>> port.device, port.bytes_per_second
    ('mlx5_0', 50000000000.0)
    """
    lines = normalized_lines(text, "ibstat")
    device, ports = None, []
    for _, line in lines:
        if found := re.match(r"\s*CA '([^']+)'", line):
            device = found[1]
        elif device and (found := re.match(r"\s*Port (\d+):", line)):
            ports.append({"device": device, "port": found[1]})
        elif ports and (found := re.match(r"\s*([\w ]+?):\s*(.*?)\s*$", line)) and found[1] in _PORT_FIELDS:
            ports[-1].setdefault(_PORT_FIELDS[found[1]], found[2])
    if device is None:
        raise line_error(*lines[0], "the output of ibstat, such as \"CA 'mlx5_0'\"")
    if not ports or any("rate" not in port for port in ports):
        raise line_error(*lines[-1], "a port with its Rate for each adapter; was the text cut off?")
    return tuple(
        IbPort(
            port["device"], int(port["port"]), port.get("state"), port.get("physical_state"), port.get("link_layer"),
            1e9 / 8 * float(port["rate"].split()[0]),
        )
        for port in ports
    )  # fmt: skip
