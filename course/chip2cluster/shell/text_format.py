"""Text form of an answer: tables with human-readable units, and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from .. import _pages
from ..units import show
from .key_assumptions import key_assumptions

if TYPE_CHECKING:
    from .answer import Answer, Assumption, Number

_TIMES = ((2 * 86400.0, 86400.0, "days"), (2 * 3600.0, 3600.0, "h"), (120.0, 60.0, "min"))
_LARGE = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
_PARTED = re.compile(r"([0-9.,]+)( .+)?")
_SYMBOLS = {"FLOP", "FLOP/s", "OP/s", "B", "B/s", "W", "Wh", "Hz"}


def format_value(value: Any, unit: str) -> str:
    """Format one value with its unit.

    >>> [format_value(*pair) for pair in ((0.0094, "s"), (2.6e6, "s"), (1.8e9, "J"), (0.405, "share"), (8.84e6, "dollars"))]
    ['9.40 ms', '30.1 days', '500 kWh', '40.5 %', '$8.84 million']
    """
    if value is None or isinstance(value, str):
        return "–" if value is None else value
    if isinstance(value, float) and not isfinite(value):
        return "never" if unit == "s" else "unlimited"
    if unit == "s":
        return _time(value)
    if unit == "J":
        return show(value / 3.6e6 * 1e3, "Wh") if value >= 3.6e3 else show(value, "J")
    if unit == "share":
        return f"{100 * value:.3g} %"
    if unit == "kg":
        return f"{_plain(value / 1e3)} t" if value >= 1e3 else _plain_or_small(value)
    if unit == "dollars":
        return f"${value:.2f}" if 0.095 <= value < 1000 else f"${_words(value)}"
    if unit in _SYMBOLS:
        if unit == "FLOP" and value >= 1e24:  # beyond the prefixes
            return f"{value:.3g} FLOP"
        return show(value, unit) if unit != "B" or value >= 1000 else f"{value:g} B"
    if unit.endswith("s") and value == 1:
        unit = unit[:-1]
    return f"{_words(value) if value >= 1e8 else _plain(value)} {unit}".rstrip()


def answer_text(answer: Answer, *, every: bool = False) -> str:
    """Format an answer for a terminal: what is not met, the numbers, the notes, then the assumptions that matter, or all."""
    parts = [answer.question, "", *(f"Not met: {problem}" for problem in answer.problems)]
    parts += [""] if answer.problems else []
    for header, rows in number_groups(answer):
        parts += [_table(rows, header), ""]
    parts += [f"Note: {remark}" for remark in answer.remarks]
    parts += [""] if answer.remarks else []
    if rows := assumption_rows(answer.assumptions if every else key_assumptions(answer)):
        parts += [_table(rows, ("assumptions", "", "kind", "source; option"))]
    if not every and (hidden := hidden_assumptions(answer)):
        parts.append(hidden)
    return "\n".join(parts).rstrip()


def number_groups(answer: Answer) -> Iterator[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """Yield the header and the rows of each group of numbers."""
    for group in dict.fromkeys(one.group for one in answer.numbers):
        rows: list[tuple[str, ...]] = [
            (one.says, format_value(one.value, one.unit), _between(one), one.function, page(one.topic))
            for one in answer.numbers
            if one.group == group
        ]
        yield (group or "result", "", "range", "function", "chapter"), rows


def assumption_rows(assumptions: Sequence[Assumption]) -> list[tuple[str, ...]]:
    """Return the rows of a table of assumptions."""
    return [
        (one.says, format_value(one.value, one.unit), one.kind, "; ".join(filter(None, (one.source, one.option))))
        for one in assumptions
    ]


def hidden_assumptions(answer: Answer) -> str:
    """Return the line that counts the assumptions left out of the short form; empty if there are none."""
    count = len(answer.assumptions) - len(key_assumptions(answer))
    return f"{count} more assumption{'s' * (count > 1)}: --assumptions all" if count else ""


def _between(one: Number) -> str:
    if (one.low is None and one.high is None) or one.low == one.high == one.value:
        return ""
    if one.high is None:
        return f"at least {format_value(one.low, one.unit)}"
    if one.low is None:
        return f"at most {format_value(one.high, one.unit)}"
    low, high = (_PARTED.fullmatch(format_value(value, one.unit)) for value in (one.low, one.high))
    if low and high and low[2] == high[2]:  # print a common unit once
        return f"{low[1]} to {high[0]}"
    return f"{format_value(one.low, one.unit)} to {format_value(one.high, one.unit)}"


def page(topic: str) -> str:
    """Return the chapter of a topic: the file name, if there are notebooks."""
    file = _pages.chapters().get(topic)
    return file.stem if file else topic


def _table(rows: Sequence[Sequence[str]], columns: Sequence[str]) -> str:
    """Format columns with headings: values right-aligned, text left-aligned, empty columns dropped."""
    cells = [[name, *column] for name, column in zip(columns, zip(*rows, strict=True), strict=True) if any(column)]
    widths = [max(map(len, column)) for column in cells]
    sides = [str.rjust if place == 1 else str.ljust for place in range(len(cells))]
    return "\n".join(
        "  ".join(side(cell, width) for side, cell, width in zip(sides, line, widths, strict=True)).rstrip()
        for line in zip(*cells, strict=True)
    )


def _plain_or_small(kilograms: float) -> str:
    return f"{_plain(kilograms)} kg" if kilograms >= 1 else show(1e3 * kilograms, "g")


def _time(seconds: float) -> str:
    for least, size, name in _TIMES:
        if seconds >= least:
            return f"{_plain(seconds / size)} {name}"
    return show(seconds, "s")


def _words(value: float) -> str:
    for size, name in _LARGE:
        if value >= size:
            return f"{_plain(value / size)} {name}"
    return _plain(value)


def _plain(value: float) -> str:
    """Format with three significant digits, or all integer digits, with commas."""
    if isinstance(value, int) or value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 1e-3 or value == 0 else f"{value:.2e}"
