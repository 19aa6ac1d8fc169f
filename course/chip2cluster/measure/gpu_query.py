"""What ``nvidia-smi --query-gpu=... --format=csv`` prints, read."""

from __future__ import annotations

import re
from typing import Any

from ._lines import numbered, wrong

_UNITS = {"MiB": 2.0**20, "%": 0.01, "W": 1.0, "MHz": 1e6, "ms": 1e-3, "us": 1e-6, "KB/s": 1e3, "C": 1.0}
_UNKNOWN = ("N/A", "Not Supported", "Unknown Error", "Not Found", "Requested functionality has been deprecated")
_TEXT = (
    "name",
    "uuid",
    "serial",
    "pci.bus_id",
    "driver_version",
    "pstate",
    "timestamp",
    "vbios_version",
    "compute_cap",
)


def read_gpu_query(text: str) -> tuple[dict[str, Any], ...]:
    """Read ``nvidia-smi --query-gpu=name,memory.total,... --format=csv``.

    Parameters
    ----------
    text : str
        The output with its header, with or without units.

    Returns
    -------
    tuple of dict
        One for each GPU, by the names that were asked for: bytes, hertz, watts, shares of 1
        (for per cent), plain numbers; words as they are; None where the tool knows nothing.

    Raises
    ------
    ValueError
        The header is missing, or a line has other columns or another unit; the message has the line number.

    Notes
    -----
    ``utilization.gpu`` is the share of time in which any kernel ran, not the share of the chip that
    worked. Source: `nvidia-smi --help-query-gpu`.

    Examples
    --------
    >>> read_gpu_query("name, memory.used [MiB], utilization.gpu [%]\\nTesla T4, 31 MiB, 50 %")
    ({'name': 'Tesla T4', 'memory.used': 32505856.0, 'utilization.gpu': 0.5},)
    """
    lines = numbered(text, "nvidia-smi --query-gpu")
    place, header = lines[0]
    named = [re.fullmatch(r"([a-z_][\w.]*)(?: \[(.+)\])?", cell.strip()) for cell in header.split(",")]
    if not all(named) or len(lines) == 1 or (len(named) == 1 and "," in lines[1][1]):
        raise wrong(
            place,
            header,
            "the header of nvidia-smi --query-gpu=... --format=csv (not noheader), then a line for each GPU",
        )
    columns = [(cell[1], cell[2]) for cell in named if cell]
    gpus = []
    for place, line in lines[1:]:
        if line == header:  # called again and again, into one file
            continue
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != len(columns):
            raise wrong(place, line, f"{len(columns)} columns: {', '.join(name for name, _ in columns)}")
        gpus.append(
            {name: _value(name, unit, cell, place, line) for (name, unit), cell in zip(columns, cells, strict=True)}
        )
    return tuple(gpus)


def _value(name: str, unit: str | None, cell: str, place: int, line: str) -> Any:
    if cell.strip("[]") in _UNKNOWN:
        return None
    if not cell:
        raise wrong(place, line, f"something in the column {name}, [N/A] where it is not known")
    if name in _TEXT:
        return cell
    number = re.fullmatch(r"(-?[\d.]+)(?: (\S+))?", cell)
    if not number:
        if unit:
            raise wrong(place, line, f"a number of {unit} in the column {name}, not {cell!r}")
        return cell
    printed = number[2] or unit
    if (unit and printed != unit) or (printed and printed not in _UNITS):
        raise wrong(place, line, f"{name} in {unit or ', '.join(_UNITS)}, not {cell!r}")
    try:
        return float(number[1]) * _UNITS.get(printed or "", 1.0)
    except ValueError:
        raise wrong(place, line, f"a number in the column {name}, not {cell!r}") from None
