"""Parser of the output of ``nvidia-smi --query-gpu=... --format=csv``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ._lines import line_error, normalized_lines

_UNITS = {
    "MiB": 2.0**20, "GiB": 2.0**30, "KiB": 2.0**10, "%": 0.01, "W": 1.0, "mW": 1e-3, "MHz": 1e6, "ms": 1e-3, "us": 1e-6,
    "KB/s": 1e3, "MB/s": 1e6, "C": 1.0, "J": 1.0, "mJ": 1e-3,
}  # fmt: skip
_UNKNOWN = ("N/A", "Not Supported", "Unknown Error", "Not Found", "Requested functionality has been deprecated", "ERR!")
_NO_VALUE = re.compile(r"\[[A-Z][A-Za-z /]*\.?\]")  # the tool prints in brackets why it has no value
_TEXT = (
    "name",
    "gpu_name",
    "uuid",
    "gpu_uuid",
    "serial",
    "gpu_serial",
    "pci.bus_id",
    "gpu_bus_id",
    "driver_version",
    "pstate",
    "timestamp",
    "vbios_version",
    "compute_cap",
)
# A query accepts both names; the header has the second one.
ALIASES = {
    "clocks.gr": "clocks.current.graphics",
    "clocks.sm": "clocks.current.sm",
    "clocks.mem": "clocks.current.memory",
    "clocks.video": "clocks.current.video",
    "clocks.applications.gr": "clocks.applications.graphics",
    "clocks.applications.mem": "clocks.applications.memory",
    "clocks.default_applications.gr": "clocks.default_applications.graphics",
    "clocks.default_applications.mem": "clocks.default_applications.memory",
    "clocks.max.gr": "clocks.max.graphics",
    "clocks.max.mem": "clocks.max.memory",
    "gpu_name": "name",
    "gpu_uuid": "uuid",
    "gpu_serial": "serial",
    "gpu_bus_id": "pci.bus_id",
    "gpu_fabric.state": "fabric.state",
    "gpu_fabric.status": "fabric.status",
}
_THROTTLE, _EVENT = "clocks_throttle_reasons.", "clocks_event_reasons."  # before and since driver 535


class GpuState(dict[str, Any]):
    """One line of a query by its printed names; a name is found by its alias as well.

    Parameters
    ----------
    values : mapping of str to any
        Values by printed name, in base units; None if the driver has none.

    Examples
    --------
    >>> state = GpuState({"clocks.current.sm": 1.98e9})
    >>> state["clocks.sm"], "clocks.sm" in state, list(state)
    (1980000000.0, True, ['clocks.current.sm'])
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)

    def __missing__(self, name: str) -> Any:
        """Look up a name by its aliases."""
        for other in _aliases(name):
            if dict.__contains__(self, other):
                return dict.__getitem__(self, other)
        raise KeyError(f"{name!r} was not queried; there are {', '.join(self)}")

    def __contains__(self, name: object) -> bool:
        """Tell whether the name or an alias was printed."""
        return dict.__contains__(self, name) or any(dict.__contains__(self, other) for other in _aliases(str(name)))

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a name or of its alias."""
        try:
            return self[name]
        except KeyError:
            return default


def _aliases(name: str) -> list[str]:
    if name.startswith((_THROTTLE, _EVENT)):
        old, new = (_THROTTLE, _EVENT) if name.startswith(_THROTTLE) else (_EVENT, _THROTTLE)
        return [new + name.removeprefix(old)]
    return [*([ALIASES[name]] if name in ALIASES else []), *(key for key, value in ALIASES.items() if value == name)]


def read_gpu_query(text: str, *, fields: Sequence[str] | None = None) -> tuple[GpuState, ...]:
    r"""Parse the output of ``nvidia-smi --query-gpu=name,memory.total,... --format=csv``.

    Parameters
    ----------
    text : str
        Output with or without units; escape codes, prompts and prefixes such as ``host:`` are removed.
    fields : sequence of str, optional
        Names in the order of the query, for the keys; then the header may be missing (``noheader``). By default the
        printed names.

    Returns
    -------
    tuple of dict
        One dict per GPU: bytes, hertz, watts, fractions (for percent) or plain numbers; text unchanged; None if the
        tool has no value. The driver prints ``clocks.current.sm`` for a queried ``clocks.sm``: both find the value.

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
    lines = normalized_lines(text, "nvidia-smi --query-gpu")
    lines = [line for line in lines if not line[1].startswith("WARNING:")] or lines  # such as a corrupted infoROM
    columns, first = _columns(lines, fields)
    gpus = []
    for place, line in lines[first:]:
        if first and line.strip() == lines[first - 1][1].strip():  # repeated calls appended to one file
            continue
        cells = _cells(line)
        if len(cells) != len(columns):
            raise line_error(place, line, f"{len(columns)} columns: {', '.join(name for name, _ in columns)}")
        bare = [
            cell for (_, unit), cell in zip(columns, cells, strict=True) if unit and re.fullmatch(r"-?[\d.]+", cell)
        ]
        if bare and any(re.fullmatch(r"-?[\d.]+ \S+", cell) for cell in cells):
            raise line_error(place, line, f"a unit behind {bare[-1]} as in the other columns; was the text cut off?")
        gpus.append(
            GpuState(
                {name: _value(name, unit, cell, place, line) for (name, unit), cell in zip(columns, cells, strict=True)}
            )
        )
    return tuple(gpus)


def _cells(line: str) -> list[str]:
    return [cell.strip().strip('"').strip() for cell in line.split(",")]


def _columns(lines: list[tuple[int, str]], fields: Sequence[str] | None) -> tuple[list[tuple[str, str | None]], int]:
    """Return the names and units of the columns, and the index of the first line of values."""
    place, header = lines[0]
    named = [re.fullmatch(r"([a-z_][\w.]*)(?: \[(.+)\])?", cell) for cell in _cells(header)]
    columns = [(cell[1], cell[2]) for cell in named if cell]
    if fields is not None:
        names = list(fields)
        if len(columns) == len(names) == len(named) and all(
            printed == name or printed in _aliases(name) for name, (printed, _) in zip(names, columns, strict=True)
        ):
            return [(name, unit) for name, (_, unit) in zip(names, columns, strict=True)], 1
        if all(named) and len(named) > 1:
            raise line_error(place, header, f"the queried fields in their order: {', '.join(names)}")
        return [(name, None) for name in names], 0
    if not all(named) or len(lines) == 1 or (len(named) == 1 and "," in lines[1][1]):
        raise line_error(
            place,
            header,
            "the header of nvidia-smi --query-gpu=... --format=csv (not noheader), then one line per GPU",
        )
    return columns, 1


def _value(name: str, unit: str | None, cell: str, place: int, line: str) -> Any:
    if cell.strip("[]") in _UNKNOWN or _NO_VALUE.fullmatch(cell):
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
