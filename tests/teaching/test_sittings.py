"""A chapter in two sittings: each is short enough for an evening, and says how long it takes."""

import re

import pytest

from autograder import course_pages, exercise_headers
from chip2cluster import _pages
from course.teaching import goals, sections

LONGEST = 40  # minutes of reading in one sitting
STATED = re.compile(
    r"\*\*Time\.\*\* (\d+) minutes to read.*? and (\d+) for exercises? (\d+)(?: (?:to|and) (\d+))?\.", re.S
)


def text(topic, name):
    return next("".join(c["source"]) for c in course_pages.cells(_pages.chapters()[topic]) if c["id"] == name)


DIVIDED = [
    topic
    for topic, chapter in sections.chapters().items()
    if "second-sitting" in [section.name for section in chapter.sections]
]


def test_long_chapters_are_divided():
    assert {"parallelism", "serving", "storage", "scheduling"} <= set(DIVIDED)


@pytest.mark.parametrize("topic", DIVIDED)
def test_a_sitting_takes_an_evening_as_it_says(topic):
    chapter, aside = sections.chapter(topic), goals.parts()[topic].aside
    names = [section.name for section in chapter.sections if section.name not in aside]
    start = names.index("second-sitting")
    first, second = chapter.reading(names[:start], aside), chapter.reading(names[start:], aside)
    assert first <= LONGEST and second <= LONGEST, (first, second)
    stated = STATED.search(text(topic, "second-sitting"))
    assert abs(int(stated[1]) - second) <= 4, second


@pytest.mark.parametrize("topic", DIVIDED)
def test_exercises_of_the_second_sitting_are_counted(topic):
    """Their number and minutes are those of the exercises after its heading."""
    chapter = sections.chapter(topic)
    names = [section.name for section in chapter.sections]
    late = [one for section in chapter.sections[names.index("second-sitting") :] for one in section.exercises]
    every = [one for section in chapter.sections for one in section.exercises]
    stated = STATED.search(text(topic, "second-sitting"))
    assert int(stated[2]) == sum(exercise_headers.all_headers()[one].minutes for one in late)
    assert (int(stated[3]), int(stated[4] or stated[3])) == (len(every) - len(late) + 1, len(every))
