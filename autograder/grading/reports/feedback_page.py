"""Render one student's feedback page: answers, verdicts, and comments of graders.

A page contains nothing that runs, loads or reveals a hidden case: students' text is escaped,
check cells appear only as their verdict, and there are no scripts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from chip2cluster.exercise.verdict_codes import NOT_WRITTEN

from ...checking.html_cards import format_inline
from ...checking.verdict import Verdict
from ..gradebook.marks import Marks, format_points
from ..lab import GradedTask, Lab
from ..marking.feedback_lines import WrittenFeedback
from ..result import UNREADABLE, WITH_ERRORS, Result
from ..sanitize import html
from ..sanitize.outputs import clean_text
from .answer_cells import answer_cells, grade_id
from .cell_html import cell_outputs, cell_source

ANSWER_BYTES, OTHER_BYTES, PICTURE_BYTES = 120_000, 100_000, 1_000_000  # bytes of a page
MAX_REPAIRS = 20
CHECKSUM_STAMP = "chip2cluster feedback " + "0" * 64  # `feedback.with_checksum` inserts a checksum


class MarkStyle(StrEnum):
    """State of a mark, which is a class in the page's style sheet."""

    RIGHT = "right"
    WRONG = "wrong"
    OPEN = "open"
    HAND = "hand"


class PagePart(StrEnum):
    """Kind of a part of the page; the template renders each kind differently."""

    VERDICT = "verdict"
    ANSWER = "answer"
    QUESTION = "question"
    RELEASED = "released"
    ADDED = "added"
    COMMENT = "comment"


TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters["points"] = format_points
TEMPLATES.filters["marked"] = lambda text: Markup(format_inline(text))


def feedback_page(
    result: Result, lab: Lab, marks: Marks | None = None, written: Mapping[str, WrittenFeedback] | None = None
) -> str:
    """Render one student's feedback page.

    Parameters
    ----------
    result : Result
    lab : Lab
    marks : Marks, optional
        Marks of the gradebook; if omitted, only autograded points are shown.
    written : mapping, optional
        Chosen lines of the rubric, by the ``grade_id`` of the answer cell.

    Returns
    -------
    str
        Self-contained HTML, at most about 300 kB and 1 MB of pictures.
    """
    marks = marks or Marks()
    verdicts = {task.cell: _verdict(task, result, marks) for task in lab.tasks}
    by_hand = {
        cell: _by_hand(cell, worth, marks) | {"rubric": (written or {}).get(cell)}
        for cell, worth in lab.by_hand.items()
    }
    scored = [*verdicts.values(), *by_hand.values()]
    earned = round(sum(mark["score"] or 0 for mark in scored), 6)
    return TEMPLATES.get_template("feedback.html.j2").render(
        stamp=CHECKSUM_STAMP,
        title=lab_title(lab),
        student=clean_text(result.student),
        unreadable=result.status == UNREADABLE,
        by_person=bool(marks.comments) or any(mark.manual is not None for mark in marks.cells.values()),
        with_errors=result.status == WITH_ERRORS and bool(result.notebook),
        failed=[mark for mark in verdicts.values() if mark["failed"]],
        repairs=[html.shorten(clean_text(repair), 400) for repair in result.repairs[:MAX_REPAIRS]],
        more_repairs=max(0, len(result.repairs) - MAX_REPAIRS),
        rows=scored,
        earned=earned,
        total=max(0.0, earned - marks.late_penalty),
        worth=sum(mark["worth"] for mark in scored),
        late_penalty=marks.late_penalty,
        catalogue=result.catalogue,
        waiting=[mark for mark in scored if mark["score"] is None and not mark.get("failed")],
        outdated=[mark for mark in scored if mark["outdated"]],
        parts=_parts(result, lab, verdicts, by_hand, marks.dated_comments),
    )


def _verdict(task: GradedTask, result: Result, marks: Marks) -> dict[str, Any]:
    """Return the content of the card of one exercise."""
    verdict = Verdict(task.exercise, task.title, NOT_WRITTEN, "", score=0.0, max_score=task.points)
    if stored := result.exercises.get(task.exercise):
        verdict = replace(
            verdict,
            verdict=stored["verdict"],
            message=html.shorten(clean_text(stored["message"]), 2000),
            score=float(stored["score"]),
            mistake=stored["mistake"],
        )
    mark = marks.cells.get(task.cell)
    by_hand = mark is not None and mark.manual is not None
    failed = stored is not None and stored.get("fault", False) and not by_hand
    return {
        "anchor": task.cell,
        "title": task.title,
        "heading": "not graded yet" if failed else verdict.heading,
        "failed": failed,
        "style": MarkStyle.RIGHT
        if verdict.correct
        else MarkStyle.OPEN
        if verdict.verdict == NOT_WRITTEN or failed
        else MarkStyle.WRONG,
        "message": Markup(format_inline(verdict.message)),
        "score": None if failed else mark.score if mark else verdict.score,
        "worth": verdict.max_score,
        "machine": verdict.score if mark and by_hand and mark.score != verdict.score else None,
        "outdated": mark is not None and mark.outdated,
        "hints": () if verdict.correct or failed or task.definition is None else task.definition.hints,
    }


def _by_hand(cell: str, worth: float, marks: Marks) -> dict[str, Any]:
    """Return the content of the mark of a manually graded cell."""
    mark = marks.cells.get(cell)
    if mark is None or (mark.waiting and not mark.outdated) or (mark.manual is None and mark.machine is None):
        heading, style, score = "not yet marked by hand", MarkStyle.OPEN, None
    elif mark.outdated:
        heading, style, score = "marked before you changed it; to be marked again", MarkStyle.OPEN, mark.score
    else:
        # nbgrader itself gives 0 points to an unchanged answer cell.
        heading = "not answered" if mark.manual is None else "marked by hand"
        style, score = MarkStyle.HAND, mark.score
    return {
        "anchor": cell,
        "title": "Your written answer",
        "heading": heading,
        "style": style,
        "score": score,
        "worth": worth,
        "machine": None,
        "outdated": mark is not None and mark.outdated,
    }


def _parts(
    result: Result, lab: Lab, verdicts: dict[str, Any], by_hand: dict[str, Any], comments: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield the parts of the page from top to bottom: questions, answers, verdicts and comments."""
    released = {grade_id(cell) or cell.get("id"): cell for cell in lab.released["cells"]}
    answers = set(answer_cells(lab).values())
    share = ANSWER_BYTES // max(1, len(answers) + len(by_hand))
    others, pictures = html.ByteBudget(OTHER_BYTES), html.ByteBudget(PICTURE_BYTES)
    for cell in (result.notebook or lab.released).get("cells", ()):
        name = grade_id(cell) or ""
        original = released.get(name or cell.get("id"), {})
        locked = original.get("metadata", {}).get("nbgrader", {}).get("locked")
        comment = comments.get(name)
        if name in verdicts:
            yield {"kind": PagePart.VERDICT, **verdicts[name]}
        elif name in answers or name in by_hand:
            budget = html.ByteBudget(share)
            yield {
                "kind": PagePart.ANSWER,
                "html": Markup(cell_source(cell, budget, pictures)),
                "outputs": cell_outputs(cell, others, pictures),
                "mark": by_hand.get(name),
            }
        elif locked and cell["cell_type"] == "markdown":
            yield {
                "kind": PagePart.QUESTION,
                "html": Markup(html.markdown_html(html.field_text(original["source"]), below=1)),
            }
        else:
            same = html.field_text(cell.get("source")) == html.field_text(original.get("source"))
            outputs = cell_outputs(cell, others, pictures)
            if not same or outputs:
                yield {
                    "kind": PagePart.RELEASED if same else PagePart.ADDED,
                    "html": Markup(cell_source(cell, others, pictures)),
                    "outputs": outputs,
                }
        if comment:
            yield {"kind": PagePart.COMMENT, "html": Markup(html.markdown_html(html.shorten(clean_text(comment))))}


def lab_title(lab: Lab) -> str:
    """Return the first heading of the released notebook, or the lab's name."""
    for cell in lab.released["cells"]:
        for line in html.field_text(cell["source"]).splitlines() if cell["cell_type"] == "markdown" else ():
            if line.startswith("# "):
                return line[2:].strip()
    return lab.name
