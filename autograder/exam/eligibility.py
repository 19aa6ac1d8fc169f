"""Exercises that an exam can ask, and why not the others: paper needs a text of its own, without the notebook around it."""

import re
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from chip2cluster import chapters
from chip2cluster.exercise.paper_task import PaperTask

from .. import course_pages, exercise_headers
from .. import exercises as exercises_package
from ..exercise_headers import ExerciseHeader
from ..exercises import Exercise, exercises, topics

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
    """Exercise that an exam can set: its text in Markdown, without the heading, its header, and its task on paper."""

    exercise: Exercise
    header: ExerciseHeader
    text: str
    paper: PaperTask | None = None

    @property
    def judges(self) -> bool:
        """Whether the task on paper asks for a judgement."""
        return self.paper is not None and self.paper.judges


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


def notebook_text(exercise: Exercise) -> str:
    """Return the text of an exercise's notebook as a page without the notebook shows it."""
    return paper_text(exercise, task_texts().get(exercise.id, ""))


@cache
def paper_tasks() -> dict[str, PaperTask]:
    """Return the tasks in words for paper by the id of their exercise: those of chapters, and an instructor's own."""
    modules = [chapters.module(topic, "paper_tasks") for topic in chapters.topics()]
    own = [f"{exercises_package.__name__}.{topic}.paper_tasks" for topic in topics() if topic.endswith("_lab")]
    modules += [import_module(name) for name in own if _exists(name)]
    return {task.exercise: task for module in modules if module for task in module.TASKS}


def _exists(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # a lab of the course: its folder is elsewhere
        return False


def paper_candidates(wanted: tuple[str, ...] = ()) -> tuple[list[ExamCandidate], dict[str, str]]:
    """Return the exercises of these topics (all by default) that paper can ask, and for the others the reason, by id.

    Whether suitable numbers are found is known only when they are drawn.
    """
    candidates, refused = [], {}
    for name, exercise in exercises().items():
        if wanted and exercise_headers.topic(name) not in wanted:
            continue
        header = exercise_headers.all_headers().get(name)
        task = paper_tasks().get(name)
        if header is None:
            refused[name] = "it stands on no page"
        elif task is None:
            refused[name] = "no text for paper is written for it"
        else:
            candidates.append(ExamCandidate(exercise, header, task.text, task))
    return candidates, refused


def missing_context(text: str) -> str:
    """Return what a text refers to that the paper does not have; empty if it is self-contained."""
    for pattern, what in _MISSING_CONTEXT.items():
        if re.search(pattern, text, re.I):
            return f"its text refers to {what}"
    return ""
