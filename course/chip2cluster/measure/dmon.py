"""Parsers of ``nvidia-smi dmon`` and of ``nvidia-smi -q``."""

from __future__ import annotations

import re
from typing import Any

from ._lines import line_error, normalized_lines

_UNITS = {"%": 0.01, "MHz": 1e6, "MB": 2.0**20, "MB/s": 1e6, "W": 1.0, "C": 1.0, "Idx": 1.0, "errs": 1.0, "bool": 1.0}
_QUERY_UNITS = {"MiB": 2.0**20, "KiB": 2.0**10, "GiB": 2.0**30, "%": 0.01, "W": 1.0, "MHz": 1e6, "C": 1.0, "us": 1e-6,
                "ms": 1e-3, "s": 1.0, "MB/s": 1e6, "KB/s": 1e3, "x": 1.0, "mV": 1e-3, "K": 1.0}  # fmt: skip
_NOTHING = ("N/A", "Unknown Error", "Not Supported", "Requested functionality has been deprecated", "ERR!", "Not Found")
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)(?: (\S+))?")
INDENT = 4


def read_dmon(text: str) -> tuple[dict[str, Any], ...]:
    r"""Parse the output of ``nvidia-smi dmon``.

    Parameters
    ----------
    text : str
        Output with its two lines of names and units, which the tool repeats.

    Returns
    -------
    tuple of dict
        One dict per line, by the printed names: hertz, watts, fractions (for percent), bytes, bytes/s or text; None for ``-``.

    Raises
    ------
    ValueError
        The header is missing, or a line has other columns; the message has the line number.

    Notes
    -----
    ``sm`` is the fraction of time in which a kernel ran, as ``utilization.gpu`` in `read_gpu_query`; ``pwr`` is a mean over
    about a second on most cards. Source: `nvidia-smi dmon -h`.

    Examples
    --------
    >>> read_dmon("# gpu   pwr  gtemp   sm  pclk\n# Idx     W      C    %   MHz\n    0   720     62   99  1290")
    ({'gpu': 0, 'pwr': 720.0, 'gtemp': 62.0, 'sm': 0.99, 'pclk': 1290000000.0},)
    """
    lines = normalized_lines(text, "nvidia-smi dmon")
    names: list[str] = []
    units: list[str] = []
    rows = []
    for place, line in lines:
        words = line.replace("#", " ", 1).split() if line.lstrip().startswith("#") else line.split()
        if line.lstrip().startswith("#"):
            if "gpu" in words:
                names, units = words, []
            elif names and len(words) == len(names):
                units = words
            continue
        if not names or not units:
            raise line_error(place, line, "the output of nvidia-smi dmon, which begins with '# gpu' and '# Idx'")
        if len(words) != len(names):
            raise line_error(place, line, f"{len(names)} columns: {', '.join(names)}")
        rows.append(
            {
                name: _dmon_value(name, unit, word, place, line)
                for name, unit, word in zip(names, units, words, strict=True)
            }
        )
    if not rows:
        raise line_error(*lines[-1], "a line of values below the header of nvidia-smi dmon")
    return tuple(rows)


def read_nvidia_smi(text: str) -> dict[str, Any]:
    r"""Parse the output of ``nvidia-smi -q``, all of it or one part (``-d``).

    Parameters
    ----------
    text : str
        Output of one call.

    Returns
    -------
    dict
        Values and nested sections by the printed names, as indented; ``"GPUs"`` is a list with one dict per GPU. Values are
        bytes, hertz, watts, seconds, fractions (for percent) or text; None if the tool has no value. A name that is
        printed several times in a section has a list.

    Raises
    ------
    ValueError
        The text is not such an output.

    Notes
    -----
    Source: `nvidia-smi -h`.

    Examples
    --------
    >>> node = read_nvidia_smi("Driver Version : 580\nGPU 00000000:00:06.0\n    FB Memory Usage\n        Total : 81559 MiB")
    >>> node["GPUs"][0]["FB Memory Usage"]["Total"] / 2**20
    81559.0
    """
    lines = normalized_lines(text, "nvidia-smi -q")
    result: dict[str, Any] = {"GPUs": []}
    open_sections: list[tuple[int, dict[str, Any]]] = [(-1, result)]
    for _, line in lines:
        depth, words = len(line) - len(line.lstrip()), line.strip()
        if set(words) <= set("=") or "NVSMI LOG" in words:
            continue
        while open_sections[-1][0] >= depth:
            open_sections.pop()
        inside = open_sections[-1][1]
        gpu = re.fullmatch(r"GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9])", words)
        name, separator, value = (
            (part.strip() for part in re.split(r"( : ?|:$)", words, maxsplit=1))
            if re.search(r" : ?|:$", words)
            else (words, "", "")
        )
        if gpu:
            section: dict[str, Any] = {"Bus Id": gpu[1]}
            result["GPUs"].append(section)
            open_sections.append((depth, section))
        elif separator:
            _put(inside, name, _query_value(value))
        else:
            section = {}
            _put(inside, name, section)
            open_sections.append((depth, section))
    if not result["GPUs"]:
        raise line_error(*lines[0], "the output of nvidia-smi -q, with a line such as 'GPU 00000000:00:06.0'")
    return result


def _put(section: dict[str, Any], name: str, value: Any) -> None:
    if name in section:
        old = section[name]
        section[name] = [*old, value] if isinstance(old, list) else [old, value]
    else:
        section[name] = value


def _query_value(text: str) -> Any:
    if not text or text.strip("[]") in _NOTHING:
        return None
    match = _NUMBER.fullmatch(text)
    if not match or (match[2] and match[2] not in _QUERY_UNITS):
        return text
    if not match[2]:
        return int(match[1]) if "." not in match[1] else text  # a version is not a number
    return float(match[1]) * _QUERY_UNITS[match[2]]


def _dmon_value(name: str, unit: str, word: str, place: int, line: str) -> Any:
    if word == "-" or word.strip("[]") in _NOTHING:
        return None
    if unit not in _UNITS:
        return word
    if not _NUMBER.fullmatch(word):
        raise line_error(place, line, f"a number of {unit} in the column {name}, not {word!r}")
    if unit == "Idx":
        return int(float(word))
    if unit == "bool":
        return float(word) != 0
    return float(word) * _UNITS[unit]
