"""Add the second question to a lab's notebook before its release, and remove it again completely."""

import json
from typing import Any

from chip2cluster.exercise.written_question import ClassQuestion

TEXT, ANSWER = "second-question", "second_answer"
BEFORE = "hand-in"  # the cell that closes a lab
Notebook = dict[str, Any]


def question_text(notebook: Notebook) -> str:
    """Return the text of the second question in a notebook; empty without one."""
    return next(("".join(cell["source"]) for cell in notebook["cells"] if cell.get("id") == TEXT), "")


def with_question(notebook: Notebook, posed: ClassQuestion, points: float) -> Notebook:
    """Return the notebook with this question before its closing cell, in place of an earlier one."""
    cells = without_question(notebook)["cells"]
    index = next((at for at, cell in enumerate(cells) if cell.get("id") == BEFORE), len(cells))
    share = points / posed.points
    rubric = "\n".join(f"| {share * worth:g} | {text} |" for worth, text in posed.rubric)
    model = (
        f"{posed.answer}\n\nRubric, {points:g} points:\n\n| points | for |\n|---|---|\n{rubric}\n\n"
        "An answer that names the right letter without numbers earns at most one of the lines."
    )
    new = [
        _cell(TEXT, TEXT, posed.wording, {"locked": True}),
        _cell("second-answer", ANSWER, model, {"grade": True, "solution": True, "points": points}),
    ]
    return notebook | {"cells": [*cells[:index], *new, *cells[index:]]}


def without_question(notebook: Notebook) -> Notebook:
    """Return the notebook without a second question."""
    return notebook | {"cells": [cell for cell in notebook["cells"] if cell.get("id") not in (TEXT, "second-answer")]}


def _cell(cell_id: str, name: str, source: str, kinds: dict[str, Any]) -> dict[str, Any]:
    marks = {"grade": False, "grade_id": name, "locked": False, "schema_version": 3, "solution": False, "task": False}
    return {
        "cell_type": "markdown",
        "id": cell_id,
        "metadata": {"nbgrader": dict(sorted((marks | kinds).items()))},
        "source": source.splitlines(keepends=True),
    }


def text_of(notebook: Notebook) -> str:
    """Return a notebook in the format of this course's files."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
