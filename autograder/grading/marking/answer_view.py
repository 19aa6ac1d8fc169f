"""What a marker sees of one answer: the answer, the question, and the student's own numbers, without the student's name."""

import copy
import json
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ..lab import Lab
from ..reports.answer_cells import grade_id
from ..reports.cell_html import cell_outputs, cell_source
from ..result import Result
from ..sanitize import html

ANSWER_BYTES, OUTPUT_BYTES, PICTURE_BYTES = 120_000, 200_000, 4_000_000
NAME_LENGTH = 3  # characters; a shorter name is too often a word of the answer
HIDDEN = "[name]"
Outputs = list[tuple[str, Any]]


@dataclass(frozen=True)
class AnswerView:
    """Sanitized HTML of one answer.

    Attributes
    ----------
    question : Markup
        Question, and the texts since the task before it.
    answer : Markup
        Answer of the student.
    basis : list
        Outputs of the cells between the last task and the answer: the numbers and tables that the question rests on.
    others : list
        Outputs of the other cells, check cells left out.
    found : list of str
        Places where the answer stood outside its cell.
    """

    question: Markup
    answer: Markup
    basis: Outputs
    others: Outputs
    found: list[str]

    @property
    def is_empty(self) -> bool:
        """Whether the answer shows neither a character nor a picture."""
        shown = (one for one in self.answer.striptags() if not one.isspace() and unicodedata.category(one) != "Cf")
        return not any(shown) and "<img" not in self.answer


def answer_view(result: Result, lab: Lab, question: str, names: Collection[str]) -> AnswerView:
    """Return what a marker sees of an answer.

    Parameters
    ----------
    result : Result
        Graded submission.
    lab : Lab
    question : str
        ``grade_id`` of the answer cell.
    names : collection of str
        Names, ids and addresses of the student, which are hidden.
    """
    checks = {task.cell for task in lab.tasks}
    released = lab.released["cells"]
    place = next(at for at, cell in enumerate(released) if grade_id(cell) == question)
    graded = [at for at, cell in enumerate(released[:place]) if (grade_id(cell) or "") in {*checks, *lab.by_hand}]
    above = released[graded[-1] + 1 if graded else 0 : place]
    text = "\n\n".join(html.field_text(cell["source"]) for cell in above if cell["cell_type"] == "markdown")
    near = {cell.get("id") for cell in above}
    answer, pictures = Markup(""), html.ByteBudget(PICTURE_BYTES)
    budget = html.ByteBudget(OUTPUT_BYTES)
    basis: Outputs = []
    others: Outputs = []
    for cell in _without_names(result.notebook, names).get("cells", ()):
        name = grade_id(cell) or ""
        if name == question:
            answer = Markup(cell_source(cell, html.ByteBudget(ANSWER_BYTES), pictures))
        elif name not in checks:
            (basis if cell.get("id") in near else others).extend(cell_outputs(cell, budget, pictures))
    found = [html.shorten(place, 200) for place in result.found.get(question, ())]
    return AnswerView(Markup(html.markdown_html(text, below=1)), answer, basis, others, found)


def released_answer(lab: Lab, question: str) -> str:
    """Return the text of an answer cell as released."""
    return next(html.field_text(cell["source"]) for cell in lab.released["cells"] if grade_id(cell) == question)


def answer_text(result: Result, question: str) -> str:
    """Return a student's answer as typed."""
    cells = (cell for cell in result.notebook.get("cells", ()) if grade_id(cell) == question)
    return next((html.field_text(cell.get("source")) for cell in cells), "")


def autograded_result(file: Path, lab: Lab, student: str) -> Result | None:
    """Return a result from a notebook that nbgrader's own autograder wrote; None if there is none."""
    from ..reports.feedback_exporter import from_autograded

    try:
        notebook = json.loads(file.read_text(encoding="utf-8"))
        return from_autograded(notebook, lab, student)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def hide_names(text: str, names: Collection[str]) -> str:
    """Return a text in which names hidden from the marker are replaced, as whole words and in any case.

    Examples
    --------
    >>> hide_names("I, Ann, ann017, asked Anna.", ["ann017", "Ann"])
    'I, [name], [name], asked Anna.'
    """
    known = sorted({name.strip() for name in names if len(name.strip()) >= NAME_LENGTH}, key=len, reverse=True)
    if not known:
        return text
    return re.sub(rf"(?<!\w)(?:{'|'.join(map(re.escape, known))})(?!\w)", HIDDEN, text, flags=re.IGNORECASE)


def _without_names(notebook: dict[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return a copy of a notebook in which sources and text outputs hide the names."""

    def hide(value: Any) -> Any:
        if isinstance(value, str):
            return hide_names(value, names)
        if isinstance(value, list):
            # A list of lines may break a name only where the text has a line end.
            return [hide(one) for one in value]
        return value

    copied = copy.deepcopy(notebook)
    for cell in copied.get("cells", ()):
        cell["source"] = hide(cell.get("source"))
        for output in cell.get("outputs") or ():
            for part in ("text", "evalue"):
                if part in output:
                    output[part] = hide(output[part])
            if isinstance(data := output.get("data"), dict) and "text/plain" in data:
                data["text/plain"] = hide(data["text/plain"])
    return copied
