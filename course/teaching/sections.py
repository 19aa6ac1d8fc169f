"""Chapters for the syllabi: sections, reading times, exercises."""

import re
from dataclasses import dataclass
from functools import cache

from autograder import course_pages, exercise_headers
from chip2cluster import _pages

SECTION = re.compile(r"^## (.+)$", re.M)
HEADING = re.compile(r"^##+ .+$", re.M)
TARGET = re.compile(r"\]\([^)\n]*\)")  # of a link, with its tooltip
FOLD = re.compile(r"<details>.*?</details>", re.S)


@dataclass(frozen=True)
class Section:
    """A section of a chapter: id of its heading cell, title, number of words outside folds, exercises."""

    name: str
    title: str
    words: int
    exercises: tuple[str, ...]


@dataclass(frozen=True)
class Chapter:
    """A chapter: topic, number, name, stated reading minutes, sections, ids of cells with a heading."""

    topic: str
    number: int
    name: str
    minutes: int
    sections: tuple[Section, ...]
    headings: frozenset

    @property
    def file(self):
        """Name of its notebook."""
        return f"{self.number:02}_{self.topic}.ipynb"

    def section(self, name):
        """Return the section of this name; a ValueError names the choices."""
        found = next((one for one in self.sections if one.name == name), None)
        if found is None:
            known = ", ".join(one.name for one in self.sections)
            raise ValueError(f"chapter {self.topic} has no section {name!r}; it has {known}")
        return found

    def reading(self, names, aside=()):
        """Return the minutes to read these sections: those of the page in proportion to their words.

        The stated minutes of a page leave out the sections in ``aside``.
        """
        counted = sum(one.words for one in self.sections if one.name not in aside)
        return self.minutes * sum(self.section(name).words for name in names) / counted


@cache
def chapters():
    """Return every chapter by its topic, in order."""
    return {topic: _chapter(topic, file) for topic, file in _pages.chapters().items()}


def chapter(topic):
    """Return the chapter on a topic; a ValueError names the choices."""
    if topic not in chapters():
        raise ValueError(f"no chapter is on {topic!r}; there are {', '.join(chapters())}")
    return chapters()[topic]


def title_cell(topic):
    """Return the text of the first cell of a chapter, which states goals, time and prerequisites."""
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
                sections[-1][2] += len(TARGET.sub("]", FOLD.sub(" ", source)).split())
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
