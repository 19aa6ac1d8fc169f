"""Parser of ``dcgmi dmon``."""

from __future__ import annotations

import re
from typing import Any

from ._lines import line_error, normalized_lines, whole_line

_CUT = "; was the text cut off?"


def read_dcgmi_dmon(text: str) -> tuple[dict[str, Any], ...]:
    r"""Parse the output of ``dcgmi dmon``.

    Parameters
    ----------
    text : str
        Output with its header, which the tool repeats, and with its last line end.

    Returns
    -------
    tuple of dict
        One dict per line: ``"entity"``, such as ``"GPU 0"``, and a float for each printed name, in the printed unit; None for N/A.

    Raises
    ------
    ValueError
        The header is missing, or a line has other columns; the message has the line number.

    Notes
    -----
    ``GPUTL`` is percent of the time in which a kernel ran; ``SMACT``, ``TENSO`` and ``DRAMA`` are fractions of the cycles.
    Source: `dcgmi dmon --list`.

    Examples
    --------
    >>> read_dcgmi_dmon("#Entity   GPUTL   SMACT\nID\nGPU 0     100     0.557\n")
    ({'entity': 'GPU 0', 'GPUTL': 100.0, 'SMACT': 0.557},)
    """
    names: list[str] = []
    rows = []
    lines = normalized_lines(text, "dcgmi dmon")
    for place, line in lines:
        words = line.split()
        if words[0].lstrip("#") == "Entity":
            names = words[1:]
        elif words[0].lower() == "id" and names and len(words) <= 1 + len(names):
            continue  # units
        elif not names:
            raise line_error(place, line, "the output of dcgmi dmon, which begins with '#Entity'")
        elif len(words) != 2 + len(names) or not words[1].isdigit():
            raise line_error(place, line, f"an entity such as GPU 0 and {len(names)} columns: {', '.join(names)}{_CUT}")
        else:
            rows.append({"entity": " ".join(words[:2]), **{
                name: _number(word, place, line) for name, word in zip(names, words[2:], strict=True)
            }})  # fmt: skip
    if not rows:
        raise line_error(*lines[-1], f"a line of values below the header of dcgmi dmon{_CUT}")
    whole_line(text)
    return tuple(rows)


def _number(word: str, place: int, line: str) -> float | None:
    if word in ("N/A", "-"):
        return None
    if not re.fullmatch(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", word):
        raise line_error(place, line, f"a number, not {word!r}")
    return float(word)
