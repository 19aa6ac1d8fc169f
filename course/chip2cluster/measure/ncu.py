"""Reader of the CSV of Nsight Compute, ``ncu --csv``, in both of its layouts."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from typing import Any

from .._validate import one_positive
from ._lines import line_error, normalized_lines

_SCALES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "n": 1e-9, "u": 1e-6, "m": 1e-3}
_BASES = {"byte": 1.0, "second": 1.0, "hz": 1.0, "s": 1.0}
_UNIT = re.compile(r"([KMGTnum]?)(byte|second|hz|Hz|s)(?:/(\w+))?")
_DRAM = ("dram__bytes_read.sum", "dram__bytes_write.sum")
_DRAM_ALL = "dram__bytes.sum"
_SECONDS = ("gpu__time_duration.sum", "gpu__time_duration.avg", "Duration")
_ACHIEVED = ("sm__warps_active.avg.pct_of_peak_sustained_active", "Achieved Occupancy")
_THEORETICAL = ("sm__maximum_warps_per_active_cycle_pct", "Theoretical Occupancy")
_FLOPS = {  # FLOP of one executed instruction of a thread
    f"{prefix}_op_{kind}{name}_pred_on.sum": flops
    for prefix in ("smsp__sass_thread_inst_executed", "sm__sass_thread_inst_executed")
    for kind in "hfd"
    for name, flops in (("add", 1.0), ("mul", 1.0), ("fma", 2.0))
}


@dataclass(frozen=True)
class NcuKernel:
    """Metrics of one launch of a kernel.

    Attributes
    ----------
    name : str
        Name of the kernel.
    compute_capability : str
        Compute capability of the device, such as ``"9.0"``.
    metrics : dict
        Values by the tool's names: bytes, seconds, hertz, fractions (for percent) or plain numbers; text unchanged.
    """

    name: str
    compute_capability: str
    metrics: dict[str, Any] = field(repr=False)

    @property
    def seconds(self) -> float:
        """Duration, seconds; with the clock that the tool had set."""
        return float(self._first(_SECONDS, "--metrics gpu__time_duration.sum"))

    @property
    def dram_bytes(self) -> float:
        """Bytes read from and written to the device's memory."""
        if _DRAM_ALL in self.metrics:
            return float(self.metrics[_DRAM_ALL])
        return sum(float(self._first((name,), f"--metrics {','.join(_DRAM)}")) for name in _DRAM)

    @property
    def achieved_occupancy(self) -> float:
        """Mean of the active warps over the maximum, while an SM was active."""
        return float(self._first(_ACHIEVED, f"--metrics {_ACHIEVED[0]}"))

    @property
    def theoretical_occupancy(self) -> float:
        """Occupancy that the resources of the kernel allow; see `occupancy.occupancy`."""
        return float(self._first(_THEORETICAL, f"--metrics {_THEORETICAL[0]}"))

    @property
    def flops(self) -> float | None:
        """FLOP by the counters of the threads' instructions, without Tensor Cores; None if they were not collected."""
        found = [float(value) * _FLOPS[name] for name, value in self.metrics.items() if name in _FLOPS]
        return sum(found) if found else None

    def roofline_point(self, flops: float | None = None) -> tuple[float, float]:
        """Return arithmetic intensity (FLOP/byte of DRAM traffic) and rate (FLOP/s).

        Parameters
        ----------
        flops : float, optional
            FLOP of the launch by your own count, which Tensor Core kernels need; by default those of the counters.

        Returns
        -------
        tuple of float
            Point for `draw.roofline`.
        """
        count = self.flops if flops is None else one_positive("flops", flops)
        if not count:
            raise ValueError(
                "flops must be given: the CSV has no counters of the threads' instructions, and Tensor Cores are not in them"
            )
        return count / self.dram_bytes, count / self.seconds

    def traffic_ratio(self, bytes_moved: float) -> float:
        """Return the measured DRAM bytes over those of a model, such as ``roofline.gemm(m, n, k).bytes_moved``."""
        return self.dram_bytes / one_positive("bytes_moved", bytes_moved)

    def _first(self, names: tuple[str, ...], fix: str) -> Any:
        for name in names:
            if self.metrics.get(name) is not None:
                return self.metrics[name]
        raise ValueError(f"the CSV has none of {', '.join(names)}: collect it with `ncu {fix}`")


def read_ncu(text: str) -> tuple[NcuKernel, ...]:
    r"""Parse the output of ``ncu --csv``.

    Parameters
    ----------
    text : str
        Output with its header; other lines, of the program or of the tool, are ignored. Both layouts are read: one line
        per metric, and ``--page raw`` with one line per kernel.

    Returns
    -------
    tuple of NcuKernel
        Launches in their order.

    Raises
    ------
    ValueError
        There is no header or a line is incomplete; the message has the line number.

    Notes
    -----
    The tool serializes kernels and may set the clock to its base, so durations differ from those of a run without it.
    Ignores the rules and their messages. Source: NVIDIA, Nsight Compute CLI documentation.

    Examples
    --------
    >>> text = '"ID","Kernel Name","CC","Metric Name","Metric Unit","Metric Value"\n"0","a","9.0","dram__bytes.sum","Mbyte","1,024"'
    >>> read_ncu(text)[0].dram_bytes
    1024000000.0
    """
    lines = normalized_lines(text, "ncu --csv")
    begin = next((place for place, (_, line) in enumerate(lines) if '"Kernel Name"' in line and '"ID"' in line), None)
    if begin is None:
        raise line_error(*lines[0], 'the output of ncu --csv, with "ID" and "Kernel Name" in its header')
    header = next(csv.reader([lines[begin][1]]))
    rows = []
    for place, line in lines[begin + 1 :]:
        if not line.startswith('"') or line == lines[begin][1]:
            continue
        cells = next(csv.reader([line]))
        if len(cells) != len(header):
            raise line_error(place, line, f"{len(header)} columns, as in the header")
        rows.append(dict(zip(header, cells, strict=True)))
    kernels = _long(rows) if "Metric Name" in header else _wide(header, rows)
    if not kernels:
        raise ValueError("text has the header of ncu --csv and no kernel below it")
    return kernels


def _long(rows: list[dict[str, str]]) -> tuple[NcuKernel, ...]:
    found: dict[tuple[str, str], NcuKernel] = {}
    for row in rows:
        key = (row.get("Process ID", ""), row["ID"])
        kernel = found.setdefault(key, NcuKernel(row["Kernel Name"], row.get("CC", ""), {}))
        if row["Metric Name"]:
            kernel.metrics[row["Metric Name"]] = _value(row["Metric Value"], row["Metric Unit"])
    return tuple(found.values())


def _wide(header: list[str], rows: list[dict[str, str]]) -> tuple[NcuKernel, ...]:
    if not rows or rows[0]["ID"]:
        return ()
    units, *kernels = rows  # the line below the header has the units
    return tuple(
        NcuKernel(
            row["Kernel Name"], row.get("CC", ""),
            {name: _value(row[name], units[name]) for name in header if "__" in name or units[name]},
        )
        for row in kernels
    )  # fmt: skip


def _value(cell: str, unit: str) -> Any:
    text = cell.strip().replace(",", "")
    try:
        number = float(text)
    except ValueError:
        return None if text.lower() in ("", "n/a", "nan", "(!) n/a") else cell
    if unit == "%":
        return 0.01 * number
    unit = {"nsecond": "ns", "usecond": "us", "msecond": "ms", "sec": "s"}.get(unit, unit)
    match = _UNIT.fullmatch(unit)
    if not match:
        return number
    per = 1.0 if not match[3] or match[3] in ("block", "thread", "s", "second") else None
    return number * _SCALES[match[1]] * (per or 1.0)
