"""A chapter in one or two sittings: each is short enough for an evening, and says how long it takes."""

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


BEGINS = re.compile(r"in two sittings[^.]*?before exercise (\d+)")


def counted(topic):
    """Return the sections of a chapter that its stated minutes count."""
    return [one for one in sections.chapter(topic).sections if one.name not in goals.parts()[topic].aside]


def names(topic):
    return [section.name for section in counted(topic)]


DIVIDED = [topic for topic in sections.chapters() if "second-sitting" in names(topic)]


@pytest.mark.parametrize("topic", [topic for topic in sections.chapters() if topic not in DIVIDED])
def test_a_chapter_of_one_sitting_fits_an_evening(topic):
    assert sections.chapter(topic).minutes <= LONGEST


@pytest.mark.parametrize("topic", DIVIDED)
def test_a_sitting_takes_an_evening_as_it_says(topic):
    chapter, aside = sections.chapter(topic), goals.parts()[topic].aside
    start = names(topic).index("second-sitting")
    first, second = chapter.reading(names(topic)[:start], aside), chapter.reading(names(topic)[start:], aside)
    assert first <= LONGEST and second <= LONGEST, (first, second)
    stated = STATED.search(text(topic, "second-sitting"))
    assert abs(int(stated[1]) - second) <= 4, second


@pytest.mark.parametrize("topic", DIVIDED)
def test_exercises_of_the_second_sitting_are_counted(topic):
    """Their number and minutes are those after its heading, asides apart; the head of the page names the first."""
    start = names(topic).index("second-sitting")
    late = [one for section in counted(topic)[start:] for one in section.exercises]
    every = [one for section in counted(topic) for one in section.exercises]
    first, last = len(every) - len(late) + 1, len(every)
    stated = STATED.search(text(topic, "second-sitting"))
    assert int(stated[2]) == sum(exercise_headers.all_headers()[one].minutes for one in late)
    assert (int(stated[3]), int(stated[4] or stated[3])) == (first, last)
    assert int(BEGINS.search(sections.title_cell(topic))[1]) == first
