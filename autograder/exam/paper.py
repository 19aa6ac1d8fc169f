"""An exam as pages to print: papers, and the key with its marking scheme. They load nothing and run nothing."""

import re
from html import escape
from pathlib import Path
from typing import Any

import mistune
import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from latex2mathml.converter import convert
from markupsafe import Markup

from chip2cluster.exercise.answers import Answer, format_value

from ..checking.html_cards import format_inline
from ..exercises import exercise
from .exam import Exam, Task
from .question import TAB, Question, Slip

SIZES = {"a4": "A4", "letter": "Letter"}
ROOM, MOST_ROOM = 8, 80  # millimetres for the working: for each minute, and at most
_POWER = re.compile(r"(?<![\w.])(-?\d+(?:\.\d+)?)e(-?\d+)\b")

_PAGES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def pages(exam: Exam) -> dict[str, str]:
    """All pages of an exam, by the name of their file."""
    return {
        f"{kind}-{size}.html": _PAGES.get_template(f"{kind}.html.j2").render(size=paper, **values)
        for kind, values in (("papers", _papers(exam)), ("key", _key(exam)))
        for size, paper in SIZES.items()
    }


def _papers(exam: Exam) -> dict[str, Any]:
    tasks = [_task(number, task) for number, task in enumerate(exam.tasks, 1)]
    papers = [
        (who, [(task, _table(one), _wanted(one.answer)) for task, one in zip(tasks, questions, strict=True)])
        for who, questions in exam.papers.items()
    ]
    return {"exam": exam, "papers": papers, "tab": TAB}


def _task(number: int, task: Task) -> dict[str, Any]:
    return {
        "number": number,
        "title": task.title,
        "text": Markup(markdown(task.text)),
        "points": f"{task.points:g} point{'s' * (task.points != 1)}",
        "unit": task.unit,
        "room": min(MOST_ROOM, ROOM * task.minutes),
    }


def _table(one: Question) -> list[tuple[str, Markup, bool]]:
    """Name, value and whether it is a number of one's own, of all that a question gives."""
    rows = [(name, text, False) for name, text in one.inputs.items()] + [(n, t, True) for n, t in one.own.items()]
    return [(name, value(text), own) for name, text, own in rows]


def _wanted(answer: Answer) -> str:
    """What kind of answer has its place here."""
    if isinstance(answer, np.ndarray):
        return f"{answer.size} number{'s' * (answer.size != 1)}, in order"
    return (
        "names, in order, or none" if isinstance(answer, list) else "a word or words" if isinstance(answer, str) else ""
    )


def _key(exam: Exam) -> dict[str, Any]:
    letters = [_letters(exam, place) for place in range(len(exam.tasks))]
    scheme = []
    for number, (task, names) in enumerate(zip(exam.tasks, letters, strict=True), 1):
        met = {slip.name: slip for questions in exam.papers.values() for slip in questions[number - 1].slips}
        scheme.append(
            {
                **_task(number, task),
                "explanation": Markup(markdown(exercise(task.exercise).explanation)),
                "id": task.exercise,
                "slips": [
                    (names[name], _lost(task, slip), Markup(format_inline(slip.message))) for name, slip in met.items()
                ],
            }
        )
    keys = [
        (
            who,
            [
                (number, value(said(one.answer)), value(accepted(one)), _wrong(one.slips, letters[number - 1]))
                for number, one in enumerate(questions, 1)
            ],
        )
        for who, questions in exam.papers.items()
    ]
    return {"exam": exam, "scheme": scheme, "keys": keys, "tab": TAB}


def _letters(exam: Exam, place: int) -> dict[str, str]:
    """A letter for each mistake that a task tells on some paper."""
    names = dict.fromkeys(slip.name for questions in exam.papers.values() for slip in questions[place].slips)
    return {name: chr(ord("a") + at) if at < 26 else f"a{chr(ord('a') + at - 26)}" for at, name in enumerate(names)}


def _lost(task: Task, slip: Slip) -> str:
    return f"{task.points * (1 - slip.keeps):g} of {task.points:g}"


def _wrong(slips: tuple[Slip, ...], letters: dict[str, str]) -> Markup:
    return Markup(" · ").join(
        Markup("<b>{}</b> {}").format(letters[slip.name], value(said(slip.answer))) for slip in slips
    )


def said(answer: Answer) -> str:
    """An answer as the key says it."""
    if isinstance(answer, str):
        return answer
    return "; ".join(map(str, answer)) or "none" if isinstance(answer, list) else format_value(answer)


def accepted(one: Question) -> str:
    """What counts as right, in words."""
    if not one.tolerance or not isinstance(one.answer, float):
        return f"each within {100 * one.tolerance:g} %" if one.tolerance else "exactly this"
    ends = sorted(one.answer * factor for factor in (1 - one.tolerance, 1 + one.tolerance))
    return f"{ends[0]:.4g} to {ends[1]:.4g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


def value(text: str) -> Markup:
    """A value as it is printed: powers of ten set high, several lines as they stand."""
    if "\n" in text:
        return Markup(f"<pre>{escape(text.strip(chr(10)))}</pre>")
    return Markup(_POWER.sub(r"\1 × 10<sup>\2</sup>", escape(text)))


class _Renderer(mistune.HTMLRenderer):
    """Without raw HTML; a link is its words, for paper leads nowhere."""

    def link(self, text: str, url: str, title: str | None = None) -> str:
        return text

    def image(self, text: str, url: str, title: str | None = None) -> str:
        return text


def _formula(_: Any, text: str) -> str:
    return convert(text)


def markdown(text: str) -> str:
    """Markdown with formulas as HTML with MathML."""
    made = mistune.create_markdown(renderer=_Renderer(escape=True), plugins=["math", "table"])
    for kind in ("inline_math", "block_math"):
        made.renderer.register(kind, _formula)  # type: ignore[union-attr]
    return str(made(text))
