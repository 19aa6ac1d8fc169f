"""A chapter as the syllabi see it: its sections, how long each is read, which exercises stand in it."""

import re
from dataclasses import dataclass
from functools import cache

from autograder import course_pages, exercise_headers
from chip2cluster import _pages

SECTION = re.compile(r"^## (.+)$", re.M)
HEADING = re.compile(r"^##+ .+$", re.M)
FOLD = re.compile(r"<details>.*?</details>", re.S)


@dataclass(frozen=True)
class Section:
    """A part of a chapter below a heading: the cell of the heading, its title, its words outside of folds, its exercises."""

    name: str
    title: str
    words: int
    exercises: tuple[str, ...]


@dataclass(frozen=True)
class Chapter:
    """A chapter by its topic: number and name, minutes to read, sections, cells that have a heading."""

    topic: str
    number: int
    name: str
    minutes: int
    sections: tuple[Section, ...]
    headings: frozenset

    @property
    def file(self):
        """The name of its notebook."""
        return f"{self.number:02}_{self.topic}.ipynb"

    def section(self, name):
        """The section of this name; a ValueError names the choices."""
        found = next((one for one in self.sections if one.name == name), None)
        if found is None:
            known = ", ".join(one.name for one in self.sections)
            raise ValueError(f"chapter {self.topic} has no section {name!r}; it has {known}")
        return found

    def reading(self, names, aside=()):
        """Minutes to read these sections: those of the page, shared out by the words.

        What is ``aside`` is not in the minutes that the page prints.
        """
        counted = sum(one.words for one in self.sections if one.name not in aside)
        return self.minutes * sum(self.section(name).words for name in names) / counted


@cache
def chapters():
    """Every chapter by its topic, in order."""
    return {topic: _chapter(topic, file) for topic, file in _pages.chapters().items()}


def chapter(topic):
    """The chapter on a topic; a ValueError names the choices."""
    if topic not in chapters():
        raise ValueError(f"no chapter is on {topic!r}; there are {', '.join(chapters())}")
    return chapters()[topic]


def title_cell(topic):
    """The first cell of a chapter, which says goals, time and needs."""
    return "".join(course_pages.cells(_pages.chapters()[topic])[0]["source"])


def _chapter(topic, file):
    tasks = set(course_pages.task_cells(file).values())
    sections, headings = [], set()
    for cell in course_pages.cells(file):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            if HEADING.search(source):
                headings.add(cell["id"])
            if found := SECTION.search(source):
                sections.append([cell["id"], found[1], 0, []])
            if sections and cell["id"] not in tasks:
                sections[-1][2] += len(FOLD.sub(" ", source).split())
        elif sections:
            sections[-1][3] += course_pages.CHECK_CALL.findall(source)
    made = tuple(Section(name, title, words, tuple(asked)) for name, title, words, asked in sections)
    return Chapter(
        topic,
        course_pages.number(file),
        course_pages.title(file)[0],
        exercise_headers.stated_minutes(file),
        made,
        frozenset(headings),
    )
