"""Parser of ``rocm-smi``: its table, and the lines that its options print for each GPU."""

from __future__ import annotations

import re
from typing import Any

from ._lines import line_error, normalized_lines

_START, _END = "ROCm System Management Interface", "End of ROCm SMI Log"
_TAIL = ("SCLK", "MCLK", "Fan", "Perf", "PwrCap", "VRAM%", "GPU%")
_LINE = re.compile(r"\s*GPU\[(\d+)\]\s*: (.+?): ?(.*)")
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*(°?[cC]|W|[Mm]hz|%)?")
_UNITS = {"w": 1.0, "mhz": 1e6, "%": 0.01, "c": 1.0, "°c": 1.0, "": 1.0}


def read_rocm_smi(text: str) -> tuple[dict[str, Any], ...]:
    r"""Parse the output of ``rocm-smi``, or of its options such as ``--showmeminfo vram``.

    Parameters
    ----------
    text : str
        Output of one call; `links.node_matrix` reads that of ``--showtopo``.

    Returns
    -------
    tuple of dict
        One dict per GPU. ``gpu`` is its number; of the table ``Temp`` (°C), ``Power`` and ``PwrCap`` (W), ``SCLK`` and
        ``MCLK`` (Hz), ``Fan``, ``VRAM%`` and ``GPU%`` (fractions), ``Perf`` and the name, if it is printed. Of other options
        the printed names, such as ``"VRAM Total Memory (B)"``, with numbers as printed. None for N/A and Unsupported.

    Raises
    ------
    ValueError
        The text is from another tool, a column is missing, or the line at its end is; the message has the line number.

    Notes
    -----
    Source: `rocm-smi`, ROCm 5.5 to 7; a newer `amd-smi` is another tool.

    Examples
    --------
    >>> gpu, = read_rocm_smi('''
    ... ======= ROCm System Management Interface =======
    ... GPU[0]  : VRAM Total Memory (B): 206141652992
    ... ============= End of ROCm SMI Log ==============''')
    >>> gpu["VRAM Total Memory (B)"] / 1e9
    206.141652992
    """
    lines = normalized_lines(text, "rocm-smi")
    if _START not in text:
        raise line_error(*lines[0], f"the output of rocm-smi, which begins with '{_START}'")
    if _END not in text:
        raise line_error(*lines[-1], f"'{_END}' at the end; was the text cut off?")
    gpus: dict[int, dict[str, Any]] = {}
    header: list[str] | None = None
    latest: dict[str, Any] | None = None
    for place, line in lines:
        words = line.split()
        if found := _LINE.match(line):
            _put(
                gpus.setdefault(int(found[1]), {"gpu": int(found[1])}), found[2].strip(), _plain(found[3]), place, line
            )
        elif line.strip().startswith("="):
            latest = None
        elif words[0] in ("GPU", "Device"):
            header = words
            if tuple(words[-len(_TAIL) :]) != _TAIL:
                raise line_error(place, line, f"a header that ends with {' '.join(_TAIL)}")
        elif header is not None and words[0].isdigit():
            latest = gpus.setdefault(int(words[0]), {"gpu": int(words[0])})
            for name, value in _row(header, place, line).items():
                _put(latest, name, value, place, line)
        elif latest is not None and "name" not in latest:
            latest["name"] = line.strip()
    if not gpus:
        raise line_error(*lines[-1], "a GPU between the first and the last line")
    return tuple(gpus[number] for number in sorted(gpus))


def _row(header: list[str], place: int, line: str) -> dict[str, Any]:
    cells = re.split(r"\s{2,}", line.strip())
    before = 3 if "Partitions" in header else 2
    if len(cells) < len(_TAIL) + before + 1:
        raise line_error(place, line, f"temperature, power, {', '.join(_TAIL)} of a GPU")
    values = dict(zip(_TAIL, (_value(cell) for cell in cells[-len(_TAIL) :]), strict=True))
    head = cells[-len(_TAIL) - before : -len(_TAIL)]
    return {"Temp": _value(head[0]), "Power": _value(head[1]), **values}


def _value(cell: str) -> Any:
    if cell in ("N/A", "Unsupported", "None"):
        return None
    found = _NUMBER.fullmatch(cell)
    return float(found[1]) * _UNITS[(found[2] or "").lower()] if found else cell


def _plain(cell: str) -> Any:
    cell = cell.strip()
    if cell in ("N/A", "Unsupported", "None", ""):
        return None
    return float(cell) if re.fullmatch(r"-?\d+(?:\.\d+)?", cell) else cell


def _put(gpu: dict[str, Any], name: str, value: Any, place: int, line: str) -> None:
    if name in gpu:
        raise line_error(place, line, f"one value of {name} for each GPU; pass the output of one call")
    gpu[name] = value
