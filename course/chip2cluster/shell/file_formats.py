"""Answers as Markdown, for issues and reports, and as CSV, for spreadsheets."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from .key_assumptions import key_assumptions
from .text_format import assumption_rows, hidden_assumptions, number_groups

if TYPE_CHECKING:
    from .answer import Answer

COLUMNS = (
    "part",
    "group",
    "name",
    "says",
    "value",
    "unit",
    "low",
    "high",
    "kind",
    "source",
    "option",
    "function",
    "topic",
)
_FORMULA = tuple("=+-@\t\r")  # a spreadsheet computes a cell that begins with one of these


def answer_markdown(answer: Answer, *, every: bool = False) -> str:
    """Format an answer as Markdown tables.

    Parameters
    ----------
    answer : Answer
        Answer of a command.
    every : bool
        All assumptions, instead of the few that change the answer most.

    Returns
    -------
    str
        Title, unmet requirements, tables, notes and assumptions.
    """
    parts = [f"**{_escaped(answer.question)}**", *(f"**Not met:** {_escaped(one)}" for one in answer.problems)]
    parts += [_table(header, rows) for header, rows in number_groups(answer)]
    parts += [f"Note: {_escaped(remark)}" for remark in answer.remarks]
    if rows := assumption_rows(answer.assumptions if every else key_assumptions(answer)):
        parts.append(_table(("assumption", "value", "kind", "source; option"), rows))
    if not every and (hidden := hidden_assumptions(answer)):
        parts.append(hidden)
    return "\n\n".join(parts)


def answer_csv(answer: Answer, *, every: bool = False) -> str:
    """Format an answer as one CSV table, in base units.

    Parameters
    ----------
    answer : Answer
        Answer of a command.
    every : bool
        All assumptions, instead of the few that change the answer most.

    Returns
    -------
    str
        One row per number, assumption, unmet requirement and note, which the column ``part`` tells apart.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    shown = answer.assumptions if every else key_assumptions(answer)
    for part, records in (("number", answer.numbers), ("assumption", shown)):
        for one in records:
            fields = {name: getattr(one, name) for name in one.__dataclass_fields__}
            fields["option"] = fields.get("option", "").removeprefix("--")
            writer.writerow({"part": part} | {name: _cell(value) for name, value in fields.items()})
    for part, texts in (("not met", answer.problems), ("note", answer.remarks)):
        for text in texts:
            writer.writerow({"part": part, "says": _cell(text)})
    return out.getvalue().rstrip("\n")


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    kept = [place for place in range(len(header)) if any(row[place] for row in rows)]
    side = ["---:" if place == 1 else "---" for place in kept]
    lines = [[_escaped(row[place]) for place in kept] for row in rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in ([header[place] for place in kept], side, *lines))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
