"""Columns of assignments in Canvas's gradebook: kept by ``roster``, so that an export of marks uses Canvas's names."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from ...atomic_write import write_text

MAX_COLUMNS, MAX_NAME = 500, 500  # columns that are kept, and characters of one
_WITH_NUMBER = re.compile(r".*\S \(\d+\)", re.DOTALL)


def assignment_columns(header: Iterable[str]) -> list[str]:
    """Return the columns of assignments of a gradebook export, such as ``Lab 3 (12345)``."""
    names = [name.strip() for name in header if len(name) <= MAX_NAME]
    return [name for name in names if _WITH_NUMBER.fullmatch(name)][:MAX_COLUMNS]


def keep_columns(root: str | Path, columns: list[str]) -> None:
    """Keep the columns of assignments for exports; an empty list changes nothing."""
    if columns:
        write_text(_file(root), json.dumps(columns, ensure_ascii=False, indent=1))


def column_of(root: str | Path, lab: str, title: str = "") -> str | None:
    """Return Canvas's column of a lab: the only one that fits best; None if none or several do.

    Parameters
    ----------
    root : path
        Course folder.
    lab : str
        Name of the lab, such as ``"03_roofline"``.
    title : str, optional
        Title of the lab's notebook.
    """
    try:
        columns = [str(name) for name in json.loads(_file(root).read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        return None
    scores = {column: _fit(column, lab, title) for column in columns}
    best = max(scores.values(), default=0)
    fitting = [column for column, score in scores.items() if score == best]
    return fitting[0] if best and len(fitting) == 1 else None


def _fit(column: str, lab: str, title: str) -> int:
    """Return how well a column fits a lab: by its name or title, by topic and number, by topic, or by number."""
    name = _words(column.rpartition(" (")[0])
    number, _, topic = lab.partition("_")
    if name in (_words(lab), _words(f"lab_{lab}")) or (title and name == _words(title)):
        return 4
    is_number = number.isdigit() and re.search(rf"\b(?:lab|assignment|homework|exercise)\s?0*{int(number)}\b", name)
    other_number = re.search(r"\b(?:lab|assignment|homework|exercise)\s?\d", name) and not is_number
    is_topic = bool(topic) and not other_number and f" {_words(topic)} " in f" {name} "
    return (2 if is_topic else 0) + (1 if is_number else 0)


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def _file(root: str | Path) -> Path:
    return Path(root, "autograder", "work", "canvas_columns.json")
