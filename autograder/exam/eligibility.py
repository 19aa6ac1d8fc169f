"""Exercises that can be asked on paper, and why others can't: by hand there is neither the notebook nor the catalogue."""

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import FrameType
from typing import Any

from .. import course_pages, exercise_headers
from ..checking.local_runner import COURSE
from ..exercise_headers import ExerciseHeader
from ..exercises import Exercise, exercises

MOST_LINES = 400  # executed lines of the reference and its models for one answer; more is a search
SEARCHES = {"lab.collectives.best_buckets", "lab.measure.fit_line"}  # searches in few lines, of NumPy
# Patterns of references to something that is not on the paper, with its description.
_MISSING_CONTEXT = {
    r"\\?\(\d+\.\d+\)|\bequations?\b": "an equation of its page",
    r"\b(next|in a|each|last) cell\b|\bcell (above|below|after)\b|\bcheck\b": "a cell of its page",
    r"\bpictures?\b|\bfigures? \d|\bexplorer\b|!\[": "a picture of its page",
    r"\b(above|below)(?=[.,;:) ]*$|[.,;:)])|\b(table|print|tree|example) (above|below)|\bearlier\b|\b(task|exercise|question) \d": (
        "another part of its page"
    ),
    r"\bspecs\.|\bmeasure\.|\bcapstone\.|\breliability\.": "a function of the package",
    r"```": "code",
}
# Sentences and paragraphs for a person at a keyboard; the task is complete without them.
_KEYBOARD = re.compile(
    r"\A(Run the check|When it passes|When you have it|(?:If|When) you are stuck|Then try|Guess before|Before you write|No formula of the page)"
)
_HELPS = re.compile(r"\s*(Your|`np\.)[^.]*(`[\w.]+`|`)[^.]*\bhelps?\.|\s*Use [^.]*\bcopy\b[^.]*\.")
_HANDS = re.compile(r"The next cell (?:hands|gives) you")
_SENTENCE = re.compile(r"(?<=[.?!]) (?=[A-Z])")


@dataclass(frozen=True)
class ExamCandidate:
    """Exercise that an exam can set: its text in Markdown, without the heading, and its header."""

    exercise: Exercise
    header: ExerciseHeader
    text: str


@cache
def task_texts() -> dict[str, str]:
    """Return the text of each exercise's task, by id: Markdown, without heading and header."""
    found = {}
    for page in course_pages.pages():
        sources = {cell["id"]: "".join(cell["source"]) for cell in course_pages.cells(page)}
        for name, cell in course_pages.task_cells(page).items():
            body = sources[cell].partition("*difficulty")[2].partition("\n")[2]
            found[name] = body.strip()
    return found


def paper_text(exercise: Exercise, text: str) -> str:
    """Return the text of a task without the parts for a person at a keyboard."""
    paragraphs = [part for part in text.split("\n\n") if not _KEYBOARD.match(part)]
    kept = "\n\n".join(_HELPS.sub("", part) for part in paragraphs)
    return _HANDS.sub("The rows *yours* of the table give you", kept) if exercise.constants else kept


def paper_candidates(topics: tuple[str, ...] = ()) -> tuple[list[ExamCandidate], dict[str, str]]:
    """Return the exercises of these topics (all by default) that paper can ask, and for the others the reason, by id.

    Whether suitable numbers are found is known only when they are drawn.
    """
    candidates, refused = [], {}
    for name, exercise in exercises().items():
        if topics and exercise_headers.topic(name) not in topics:
            continue
        header = exercise_headers.all_headers().get(name)
        text = task_texts().get(name, "")
        if header is None or not text:
            refused[name] = "it stands on no page"
        elif reason := _paper_problem(exercise) or missing_context(paper_text(exercise, text)):
            refused[name] = reason
        else:
            candidates.append(ExamCandidate(exercise, header, paper_text(exercise, text)))
    return candidates, refused


def missing_context(text: str) -> str:
    """Return what a text refers to that the paper does not have; empty if it is self-contained."""
    for pattern, what in _MISSING_CONTEXT.items():
        if re.search(pattern, text, re.I):
            return f"its text refers to {what}"
    return ""


def _paper_problem(exercise: Exercise) -> str:
    if exercise.rate:
        return "many answers are right: it is rated, not compared"
    if exercise.id in SEARCHES:
        return "its answer is a search, too long by hand"
    if not exercise.mistakes:
        return "it names no mistakes"
    own = exercise.personal(exercise.given(1))
    first, *more = own.visible_cases
    own.expected(first)  # files are read once, and their reading does not count
    lines, catalogue, answer = _trace(own.reference, (more or [first])[0].inputs)
    if catalogue:
        return "it needs the catalogue of chips"
    if lines > MOST_LINES:
        return "its answer is a search, too long by hand"
    return "half of all guesses at a truth value are right" if isinstance(answer, bool) else ""


def _trace(reference: Callable[..., Any], inputs: Mapping[str, Any]) -> tuple[int, bool, Any]:
    """Return how many lines of the course run for an answer, whether it looks up a chip, and the answer."""
    lines, catalogue = 0, False

    def line(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return line

    def call(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal catalogue
        module = frame.f_globals.get("__name__", "")
        if not module.startswith(COURSE):
            return None
        catalogue |= module.startswith("chip2cluster.specs") and frame.f_code.co_name == "accelerator"
        return line

    before = sys.gettrace()
    sys.settrace(call)
    try:
        answer = reference(**inputs)
    finally:
        sys.settrace(before)
    return lines, catalogue, answer
