"""Goals of the course, read from each chapter's ``goals.toml`` and from the pages, and checks of these files."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache

from autograder import course_pages, exercise_headers
from chip2cluster import _pages, chapters

from . import labs, sections

FOLDER = chapters.FOLDER
GOALS = re.compile(r"\*\*Goals\.?\*\*\s*(.+?)(?:\n\n|\Z)", re.S)
NEEDS = re.compile(r"\*\*You need\.?\*\*\s*(.+?)(?:\n\n|\Z)", re.S)
LINK = re.compile(r"\(\d\d_(\w+)\.ipynb\)")
# Words between two goals that belong to neither.
BETWEEN = re.compile(
    r"[\s,.]*\b(?:(?:[Aa]nd,? )?(?:in the second reading, )?(?:[Yy]ou(?: can)?)?|[Yy]ou(?: can)?(?: say)?)[\s,.]*$"
)
PART = {"needs", "helps", "lab_needs", "aside", "goals"}
KEYS = {"id", "from", "you", "taught", "exercises", "lab"}
FRAME = ("question", "finish", "recap")  # sections that every page has, without a goal


@dataclass(frozen=True)
class Goal:
    """One goal: its words on the page, the cells that teach it, the exercises and lab tasks that practise it."""

    topic: str
    name: str
    words: str
    taught: tuple[str, ...]
    exercises: tuple[str, ...]
    tasks: tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """Contents of ``goals.toml``: prerequisites of chapter and lab, helpful chapters, sections set aside, goals."""

    topic: str
    needs: tuple[str, ...]
    helps: tuple[str, ...]
    lab_needs: tuple[str, ...]
    aside: tuple[str, ...]
    goals: tuple[Goal, ...]


@cache
def parts():
    """Return the contents of all ``goals.toml`` by topic, in the order of the chapters."""
    files = {file.parent.name: file for file in FOLDER.glob("*/goals.toml")}
    for topic in sections.chapters():
        if topic not in files:
            raise ValueError(
                f"course/chip2cluster/chapters/{topic}/goals.toml is missing: say in it what the chapter teaches"
            )
    if unknown := sorted(files.keys() - sections.chapters().keys()):
        raise ValueError(f"course/chip2cluster/chapters/{unknown[0]}/goals.toml belongs to no chapter")
    return {topic: _part(topic, files[topic]) for topic in sections.chapters()}


def _part(topic, file):
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    if extra := set(data) - PART:
        raise ValueError(f"{topic}/{file.name}: unknown keys: {', '.join(sorted(extra))}")
    said = GOALS.search(sections.title_cell(topic))[1]
    rows = data["goals"]
    for row in rows:
        if extra := set(row) - KEYS:
            raise ValueError(f"{topic}/{file.name}, {row.get('id')}: unknown keys: {', '.join(sorted(extra))}")
    goals = tuple(
        Goal(
            topic,
            row["id"],
            f"{row.get('you', 'can')} {words}".strip(),
            tuple(row["taught"]),
            tuple(f"{topic}.{name}" for name in row["exercises"]),
            tuple(row["lab"]),
        )
        for row, words in zip(rows, split_goals(said, [row["from"] for row in rows], topic), strict=True)
    )
    named = (tuple(data.get(key, ())) for key in ("needs", "helps", "lab_needs", "aside"))
    return Part(topic, *named, goals)


def split_goals(said, beginnings, topic=""):
    """Split a paragraph at the first words of each goal.

    >>> split_goals("You can read a sheet. And you can add, and say why.", ["read", "add", "say why"])
    ['read a sheet', 'add', 'say why']
    """
    places, start = [], 0
    for words in beginnings:
        place = said.find(words, start)
        if place < 0:
            raise ValueError(
                f"chapters/{topic}/goals.toml: no goal begins with {words!r} on the page, or not in this order; the page says: {said}"
            )
        places.append(place)
        start = place + 1
    ends = [*places[1:], len(said)]
    return [BETWEEN.sub("", said[one:end]).rstrip(" .,") for one, end in zip(places, ends, strict=True)]


def problems(known=None):
    """Return contradictions between goals files and pages, one sentence each."""
    known = known or parts()
    found = []
    for topic, part in known.items():
        chapter = sections.chapter(topic)
        found += _unknown_names(part, chapter)
        found += _without_goal(part, chapter)
        found += _prerequisite_problems(part, list(known))
    return found


def _unknown_names(part, chapter):
    has_lab = part.topic in labs.labs()
    lab_tasks = {task.name for task in labs.lab(part.topic).tasks} if has_lab else set()
    asked = {name for one in chapter.sections for name in one.exercises}
    for goal in part.goals:
        where = f"{goal.topic}.{goal.name}"
        if not goal.taught:
            yield f"{where} is taught nowhere"
        if not goal.exercises and not goal.tasks:
            yield f"{where} is practised nowhere"
        for kind, names, there in (
            ("heading", goal.taught, chapter.headings),
            ("exercise", goal.exercises, asked),
            ("task of the lab", goal.tasks, lab_tasks),
        ):
            yield from (f"{where}: there is no {kind} {name!r}" for name in names if name not in there)
    names = [one.name for one in chapter.sections]
    yield from (f"{part.topic}: there is no section {name!r} to set aside" for name in part.aside if name not in names)


def _without_goal(part, chapter):
    """Yield sections, exercises and lab tasks without a goal."""
    taught = {name for goal in part.goals for name in goal.taught}
    for one in chapter.sections:
        if one.name not in (*FRAME, *taught):
            yield f"{part.topic}: the section {one.name!r} teaches no goal"
        for name in one.exercises:
            if not any(name in goal.exercises for goal in part.goals):
                yield f"{name} practises no goal"
    if part.topic in labs.labs():
        for task in labs.lab(part.topic).tasks:
            if not any(task.name in goal.tasks for goal in part.goals):
                yield f"lab {part.topic}: the task {task.name!r} practises no goal"


def _prerequisite_problems(part, order):
    """Yield prerequisites that come later, that the page does not link, or that only the page names."""
    before = order[: order.index(part.topic)]
    page = "\n".join(_markdown(part.topic))
    for name in (*part.needs, *part.helps):
        if name not in before:
            yield f"{part.topic} stands before {name}, which it needs"
        if f"_{name}.ipynb)" not in page:
            yield f"{part.topic} is said to need {name}, and its page never leads there"
    said = NEEDS.search(sections.title_cell(part.topic))
    if said is None:
        yield f"the notebook on {part.topic} must say **You need.** in its first cell"
        return
    linked = [name for name in LINK.findall(said[1]) if name in before]
    yield from (
        f"the page on {part.topic} needs {name}, and the map doesn't say so"
        for name in linked
        if name not in (*part.needs, *part.helps)
    )


def _markdown(topic):
    return [
        "".join(cell["source"])
        for cell in course_pages.cells(_pages.chapters()[topic])
        if cell["cell_type"] == "markdown"
    ]


def before(topic, known=None):
    """Return all prerequisites of a chapter, indirect ones included, in order."""
    known = known or parts()
    found, open_ = set(), [topic]
    while open_:
        new = set(known[open_.pop()].needs) - found
        found |= new
        open_ += new
    return [name for name in known if name in found]


def title(exercise):
    """Return number and title of an exercise, as its page prints them."""
    header = exercise_headers.all_headers()[exercise]
    return f"{header.number} · {header.title}"
