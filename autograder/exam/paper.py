"""Exam as HTML pages to print: papers, and the answer key with its marking scheme. They load and run nothing."""

import re
from html import escape
from pathlib import Path
from typing import Any

import mistune
import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from latex2mathml.converter import convert
from markupsafe import Markup

from ..checking.html_cards import format_inline
from ..exercises import exercise
from .comparison import CONFUSED, NAMES
from .exam import Exam, ExamTask
from .paper_numbers import TAB
from .question import MistakeAnswer, PaperQuestion, answer_text

SIZES = {"a4": "A4", "letter": "Letter"}
SPACE_PER_MINUTE, MOST_SPACE = 5, 40  # millimetres for the working: three tasks fit on a page
_POWER = re.compile(r"(?<![\w.])(-?\d+(?:\.\d+)?)e(-?\d+)\b")

_PAGES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render_pages(exam: Exam) -> dict[str, str]:
    """Return all pages of an exam by their file names."""
    return {
        f"{kind}-{size}.html": _PAGES.get_template(f"{kind}.html.j2").render(size=paper, **values)
        for kind, values in (("papers", _papers(exam)), ("key", _key(exam)))
        for size, paper in SIZES.items()
    }


def _papers(exam: Exam) -> dict[str, Any]:
    tasks = [_task(number, task) for number, task in enumerate(exam.tasks, 1)]
    papers = [
        (who, [(task, *_question(one, task), _compared(one)) for task, one in zip(tasks, questions, strict=True)])
        for who, questions in exam.papers.items()
    ]
    return {"exam": exam, "papers": papers, "tasks": tasks, "tab": TAB}


def _question(one: PaperQuestion, task: dict[str, Any]) -> tuple[Markup, list[tuple[str, Markup, bool]], str]:
    """Return the text, the table of what is given, and the type of the answer."""
    if not one.text:
        return task["text"], _table(one), _answer_type(one)
    return Markup(render_markdown(one.text)), [], ", ".join(task["words"]) or _answer_type(one)


def _task(number: int, task: ExamTask) -> dict[str, Any]:
    return {
        "number": number,
        "title": f"What is wrong with this answer? {task.title}" if task.compares else task.title,
        "text": Markup(render_markdown(task.text)),
        "points": f"{task.points:g} point{'s' * (task.points != 1)}",
        "unit": task.unit,
        "judgement": task.judgement,
        "worth": f"{task.points:g}",
        "words": [*task.words[:-1], f"or {task.words[-1]}"] if task.words else [],
        "room": min(MOST_SPACE, SPACE_PER_MINUTE * task.minutes),
    }


def _table(one: PaperQuestion) -> list[tuple[str, Markup, bool]]:
    """Return name, value and whether it is a personal constant, for everything that a question gives."""
    rows = [(name, text, False) for name, text in one.inputs.items()] + [(n, t, True) for n, t in one.own.items()]
    return [(name, value_markup(text), own) for name, text, own in rows]


def _compared(one: PaperQuestion) -> tuple[list[tuple[str, Markup]], list[Markup]] | None:
    """Return the three answers by their letters, and the statements; None for a question that is calculated."""
    if one.comparison is None:
        return None
    answers = [(name, value_markup(text)) for name, text in zip(NAMES, one.comparison.answers, strict=True)]
    return answers, [Markup(format_inline(text)) for text in one.comparison.statements]


def _answer_type(one: PaperQuestion) -> str:
    """Describe the type of answer to write."""
    if one.comparison is not None:
        return "a number for each of A, B and C, in order"
    answer = one.answer
    if isinstance(answer, np.ndarray):
        return f"{answer.size} number{'s' * (answer.size != 1)}, in order"
    return (
        "names, in order, or none" if isinstance(answer, list) else "a word or words" if isinstance(answer, str) else ""
    )


def _key(exam: Exam) -> dict[str, Any]:
    letters = [_letters(exam, place) for place in range(len(exam.tasks))]
    scheme = []
    for number, (task, names) in enumerate(zip(exam.tasks, letters, strict=True), 1):
        first = next(iter(exam.papers.values()))[number - 1] if exam.papers else None
        found_alone = []
        if first is not None and first.comparison is not None:
            found_alone = [("", f"{task.points * (1 - first.comparison.keeps):g} of {task.points:g}", CONFUSED)]
        steps = zip("abcdefgh", task.steps, strict=False)
        met = {slip.name: slip for questions in exam.papers.values() for slip in questions[number - 1].slips}
        scheme.append(
            {
                **_task(number, task),
                "explanation": Markup(render_markdown(exercise(task.exercise).explanation)),
                "id": task.exercise,
                "steps": [(letter, f"{task.points * share:.3g}", name) for letter, (name, share) in steps],
                "slips": [
                    (
                        names[name],
                        f"{task.points * (1 - slip.keeps):g} of {task.points:g}",
                        Markup(format_inline(slip.message)),
                    )
                    for name, slip in met.items()
                ]
                + found_alone,
            }
        )
    keys = [
        (
            who,
            [
                (
                    number,
                    value_markup(
                        f"{answer_text(one.answer)} {'' if one.comparison else exam.tasks[number - 1].unit}".strip()
                    ),
                    value_markup(accepted_text(one)),
                    [(letter, step.value) for letter, step in zip("abcdefgh", one.steps, strict=False)],
                    _mistake_answers(one.slips, letters[number - 1]) or _compared_mistakes(one),
                )
                for number, one in enumerate(questions, 1)
            ],
        )
        for who, questions in exam.papers.items()
    ]
    return {"exam": exam, "scheme": scheme, "keys": keys, "tab": TAB}


def _letters(exam: Exam, place: int) -> dict[str, str]:
    """Return a letter for each named mistake of a task on any paper."""
    names = dict.fromkeys(slip.name for questions in exam.papers.values() for slip in questions[place].slips)
    return {name: chr(ord("a") + at) if at < 26 else f"a{chr(ord('a') + at - 26)}" for at, name in enumerate(names)}


def _mistake_answers(slips: tuple[MistakeAnswer, ...], letters: dict[str, str]) -> Markup:
    return Markup(" · ").join(
        Markup("<b>{}</b> {}").format(letters[slip.name].upper(), value_markup(answer_text(slip.answer)))
        for slip in slips
    )


def _compared_mistakes(one: PaperQuestion) -> Markup:
    """Return the named mistake of each wrong answer to compare; empty for a question that is calculated."""
    names = one.comparison.names if one.comparison else ()
    return Markup(" · ").join(
        Markup("<b>{}</b> {}").format(letter, name) for letter, name in zip(NAMES, names, strict=False) if name
    )


def accepted_text(one: PaperQuestion) -> str:
    """Describe the answers that count as right."""
    if not one.tolerance or not isinstance(one.answer, float):
        return f"each within {100 * one.tolerance:g} %" if one.tolerance else "exactly this"
    ends = sorted(one.answer * factor for factor in (1 - one.tolerance, 1 + one.tolerance))
    if all(1 <= abs(end) < 1e6 for end in ends):
        return " to ".join(f"{float(f'{end:.4g}'):,.6g}" for end in ends)
    return f"{ends[0]:.4g} to {ends[1]:.4g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


def value_markup(text: str) -> Markup:
    """Format a value for print: powers of ten as superscripts, several lines unchanged."""
    if "\n" in text:
        return Markup(f"<pre>{escape(text.strip(chr(10)))}</pre>")
    return Markup(_POWER.sub(r"\1 × 10<sup>\2</sup>", escape(text)))


class _Renderer(mistune.HTMLRenderer):
    """Renderer without raw HTML and images; a link is printed as its text."""

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """Return the text of a link."""
        return text

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Return the description of an image."""
        return text


def render_markdown(text: str) -> str:
    """Render Markdown with formulas as HTML with MathML."""
    made = mistune.create_markdown(renderer=_Renderer(escape=True), plugins=["math", "table"])
    for kind in ("inline_math", "block_math"):
        made.renderer.register(kind, lambda _, text: convert(text))  # type: ignore[union-attr]
    return str(made(text))
