"""Parsers of the tables of ``dcgmi diag`` and ``dcgmi stats``."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ._lines import line_error, normalized_lines

_CUT = "; was the text cut off?"
_SECTION = re.compile(r"[|+]?-+  (\w.*?)  -+")
_EDGE = 20  # a shorter line of dashes is cut
_NOTHING = ("N/A", "Not Specified", "-", "")
_MESSAGES = ("Error", "Warning", "Info")
_RESULTS = ("Pass", "Fail", "Skip", "Warn", "Not Run")
_METADATA = ("DCGM Version", "Driver Version Detected", "GPU Device IDs Detected")


class DcgmTest(NamedTuple):
    """Test of dcgmi diag.

    Attributes
    ----------
    category, name : str
        Such as ``"Hardware"`` and ``"GPU Memory"``.
    result : str
        Result as printed, such as ``"Pass - All"`` or ``"Fail - GPU 3"``.
    messages : tuple of str
        Errors, warnings, and results of single GPUs.
    """

    category: str
    name: str
    result: str
    messages: tuple[str, ...]


class DcgmDiag(NamedTuple):
    """Result of dcgmi diag.

    Attributes
    ----------
    version, driver : str or None
        Versions of DCGM and of the driver.
    tests : tuple of DcgmTest
        Tests in the printed order.
    """

    version: str | None
    driver: str | None
    tests: tuple[DcgmTest, ...]


def read_dcgmi_diag(text: str) -> DcgmDiag:
    r"""Parse the table of ``dcgmi diag``.

    Parameters
    ----------
    text : str
        Output of one call.

    Returns
    -------
    DcgmDiag
        Versions and tests.

    Raises
    ------
    ValueError
        The text is from another tool, a result is unknown, or the lower edge is missing.

    Notes
    -----
    Source: `dcgmi diag`, DCGM 3.1 to 4.4.

    Examples
    --------
    >>> diag = read_dcgmi_diag('''
    ... | Diagnostic                | Result                                         |
    ... +===========================+================================================+
    ... +-----  Hardware  ----------+------------------------------------------------+
    ... | GPU Memory                | Fail - GPU 3                                   |
    ... +---------------------------+------------------------------------------------+''')
    >>> diag.tests[0].result
    'Fail - GPU 3'
    """
    category, version, driver = "", None, None
    tests: list[tuple[str, str, str, list[str]]] = []
    wrapped = False  # whether the line above was a message, which the tool breaks at the width of its column
    for place, line, left, right in _box(text, "dcgmi diag", "Diagnostic", "Result"):
        if right is None:
            category, wrapped = left, False
        elif left == "DCGM Version":
            version = right.strip()
        elif left == "Driver Version Detected":
            driver = right.strip()
        elif left in _METADATA:
            continue
        elif left.split(":")[0] in _MESSAGES and tests:
            tests[-1][3].append(right)
            wrapped = True
        elif not left and tests:
            if wrapped:
                tests[-1][3][-1] += right
            else:
                tests[-1][3].append(right)
        elif left and right.startswith(_RESULTS):
            tests.append((category, left, right.strip(), []))
            wrapped = False
        else:
            raise line_error(place, line, f"a test with its result: {', '.join(_RESULTS)}")
    if not tests:
        raise ValueError("text must be the table of dcgmi diag, got no test")
    return DcgmDiag(version, driver, tuple(
        DcgmTest(kind, name, result, tuple(" ".join(message.split()) for message in messages))
        for kind, name, result, messages in tests
    ))  # fmt: skip


def read_dcgmi_stats(text: str) -> tuple[dict[str, Any], ...]:
    r"""Parse the tables of ``dcgmi stats`` about a job or a process.

    Parameters
    ----------
    text : str
        Output of one call.

    Returns
    -------
    tuple of dict
        One dict per GPU: ``"GPU ID"`` (None for the summary), and the printed names with numbers in the printed unit,
        a dict of Avg, Max and Min, or text; None for N/A and Not Specified.

    Raises
    ------
    ValueError
        The text is from another tool, or the lower edge is missing.

    Notes
    -----
    Source: `dcgmi stats -v -j` and `--pid -v`.

    Examples
    --------
    >>> gpu, = read_dcgmi_stats('''
    ... | GPU ID: 6                                                                    |
    ... +====================================+=========================================+
    ... | SM Utilization (%)                 | Avg: 72, Max: 99, Min: 0                |
    ... +------------------------------------------------------------------------------+''')
    >>> gpu["SM Utilization (%)"]["Avg"]
    72.0
    """
    gpus: list[dict[str, Any]] = []
    for place, line, left, right in _box(text, "dcgmi stats", r"GPU ID: \d+|Summary", None):
        if right is None and (found := re.fullmatch(r"GPU ID: (\d+)|Summary", left)):
            gpus.append({"GPU ID": None if found[1] is None else int(found[1])})
        elif right is not None and left and gpus:
            name = left.rstrip("* ")
            if name in gpus[-1]:
                raise line_error(place, line, f"one value of {name} for each GPU")
            gpus[-1][name] = _statistic(right.strip())
    if not any(len(gpu) > 1 for gpu in gpus):
        raise ValueError("text must be the tables of dcgmi stats, got none with a value")
    return tuple(gpus)


def _box(text: str, tool: str, title: str, second: str | None) -> list[tuple[int, str, str, str | None]]:
    """Return place, line and cells of the rows below the title; a title of a section has one cell."""
    lines = normalized_lines(text, tool)
    rows: list[tuple[int, str, str, str | None]] = []
    begun = closed = False
    for place, line in lines:
        bare = line.strip()
        cells = bare.strip("|").split("|")
        first = cells[0].strip()
        if not begun and re.fullmatch(title, first) and (second is None or cells[-1].strip() == second):
            begun = True
            if second is not None:
                continue
        if not begun or not (bare.startswith(("|", "+")) or "|" in bare):
            continue
        if section := _SECTION.search(bare):
            rows.append((place, line, section[1], None))
        elif set(bare) <= set("+-=|") and len(bare) > _EDGE:
            closed = True
            continue
        elif len(cells) == 1:
            rows.append((place, line, first, None))
        else:
            rows.append((place, line, first, cells[-1][1:].removesuffix("  ") if cells[-1].strip() else ""))
        closed = False
    if not begun:
        raise line_error(*lines[0], f"the output of {tool}, with its line '| {title.split('|')[0]} ... |'")
    last = next(line.strip() for _, line in reversed(lines) if line.strip().startswith(("|", "+")))
    if not closed or last[-1] not in "+|":
        raise line_error(*lines[-1], f"the lower edge of the table of {tool}{_CUT}")
    return rows


def _statistic(text: str) -> Any:
    if text in _NOTHING:
        return None
    if re.fullmatch(r"-?\d+(?:\.\d+)?", text):
        return float(text)
    parts = re.findall(r"(Avg|Max|Min): ([^,]+)", text)
    if parts:
        return {name: None if value in _NOTHING else float(value) for name, value in parts}
    return text
