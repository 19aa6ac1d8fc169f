"""Parser of perftest, which tests RDMA links: ``ib_write_bw`` and its kin."""

from __future__ import annotations

import re
from typing import NamedTuple

from ._lines import line_error, normalized_lines

_TEST = re.compile(r"^\s*(RDMA_Write|RDMA_Read|Send|Atomic\w*)\b.*\b(BW|Latency) Test\s*$")
_SETTING = re.compile(r"(Device|Link type|Mtu|Number of qps|Connection type)\s*:\s*([^\t]+?)(?=\s{2,}|\t|$)")
_UNITS = {"MB/sec": 2.0**20, "Gb/sec": 1e9 / 8}  # the tool's MB has 2**20 bytes


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
        There is no table or several, or a row is incomplete; the message has the line number.

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
    if other := next((line for line in lines[header + 1 :] if "#bytes" in line[1] and "#iterations" in line[1]), None):
        raise line_error(*other, "one table; pass the output of one run")
    unit = next((factor for name, factor in _UNITS.items() if f"[{name}]" in head), None)
    latency = "t_typical" in head or "t_min" in head or "t_avg" in head
    if (unit is None and not latency) or (latency and "[usec]" not in head):
        raise line_error(place, head, "bandwidth in [MB/sec] or [Gb/sec], or latencies in [usec]")
    names = re.findall(
        r"#bytes|#iterations|BW peak|BW average|MsgRate|t_\w+|tps average|99(?:\.\d+)?% percentile|CPU_Util", head
    )
    rows: list[PerftestRow] = []
    for number, line in lines[header + 1 :]:
        if rows and set(line.strip()) == {"-"}:
            break
        words = line.split()
        # The tool warns of the CPU's clock between rows.
        if not words[0].isdigit():
            continue
        if len(words) < len(names):
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
