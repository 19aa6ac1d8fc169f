"""Parser of the output of ``nvidia-smi --query-gpu=... --format=csv``."""

from __future__ import annotations

import re
from typing import Any

from ._lines import line_error, numbered_lines

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
    r"""Parse the output of ``nvidia-smi --query-gpu=name,memory.total,... --format=csv``.

    Parameters
    ----------
    text : str
        Output with its header, with or without units.

    Returns
    -------
    tuple of dict
        One dict per GPU, by the queried names: bytes, hertz, watts, fractions (for percent) or
        plain numbers; text unchanged; None if the tool has no value.

    Raises
    ------
    ValueError
        The header is missing, or a line has other columns or another unit; the message has the line number.

    Notes
    -----
    ``utilization.gpu`` is the fraction of time in which any kernel ran, not the fraction of the chip that
    was busy. Source: `nvidia-smi --help-query-gpu`.

    Examples
    --------
    >>> read_gpu_query("name, memory.used [MiB], utilization.gpu [%]\nTesla T4, 31 MiB, 50 %")
    ({'name': 'Tesla T4', 'memory.used': 32505856.0, 'utilization.gpu': 0.5},)
    """
    lines = numbered_lines(text, "nvidia-smi --query-gpu")
    place, header = lines[0]
    named = [re.fullmatch(r"([a-z_][\w.]*)(?: \[(.+)\])?", cell.strip()) for cell in header.split(",")]
    if not all(named) or len(lines) == 1 or (len(named) == 1 and "," in lines[1][1]):
        raise line_error(
            place,
            header,
            "the header of nvidia-smi --query-gpu=... --format=csv (not noheader), then one line per GPU",
        )
    columns = [(cell[1], cell[2]) for cell in named if cell]
    gpus = []
    for place, line in lines[1:]:
        if line == header:  # repeated calls appended to one file
            continue
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != len(columns):
            raise line_error(place, line, f"{len(columns)} columns: {', '.join(name for name, _ in columns)}")
        gpus.append(
            {name: _value(name, unit, cell, place, line) for (name, unit), cell in zip(columns, cells, strict=True)}
        )
    return tuple(gpus)


def _value(name: str, unit: str | None, cell: str, place: int, line: str) -> Any:
    if cell.strip("[]") in _UNKNOWN:
        return None
    if not cell:
        raise line_error(place, line, f"a value in the column {name}, [N/A] if it is unknown")
    if name in _TEXT:
        return cell
    number = re.fullmatch(r"(-?[\d.]+)(?: (\S+))?", cell)
    if not number:
        if unit:
            raise line_error(place, line, f"a number of {unit} in the column {name}, not {cell!r}")
        return cell
    printed = number[2] or unit
    if (unit and printed != unit) or (printed and printed not in _UNITS):
        raise line_error(place, line, f"{name} in {unit or ', '.join(_UNITS)}, not {cell!r}")
    try:
        return float(number[1]) * _UNITS.get(printed or "", 1.0)
    except ValueError:
        raise line_error(place, line, f"a number in the column {name}, not {cell!r}") from None
