"""The doctor names each unfinished file of a course in one line, and finds none in this course."""

import json
from itertools import takewhile
from types import SimpleNamespace

import pytest

from autograder import course_pages
from autograder.doctor.content_lint import CourseContent, content_problems

PAGE, LAB = "course/01_tides.ipynb", "solutions/01_tides/lab_01_tides.ipynb"
CHAPTER = "course/chip2cluster/chapters/tides"
QUESTIONS, VIEW, GOALS = f"{CHAPTER}/predictions.py", f"{CHAPTER}/explorers/tides.py", f"{CHAPTER}/goals.toml"
EXERCISES, TASKS = f"{CHAPTER}/exercises", f"{CHAPTER}/lab"
MAP = 'goals = [{ id = "when", from = "say when", taught = ["title"], exercises = ["high"], lab = ["all"] }]'
TEXTS = (QUESTIONS, VIEW, f"{EXERCISES}/high.py", f"{TASKS}/low.py")
CODE = {
    "course/00_start.ipynb": 'check("tides.high", high)',
    PAGE: 'predict.ask("tides.first")\nexplore.tides()\ncheck("tides.high", high)',
    LAB: 'check("lab.tides.low", low)',
    "labs/01_tides/lab_01_tides.ipynb": 'check("lab.tides.low", low)',
}


def page(file, code, *more):
    title = text_cell("title", "# 1 · Tides: when?\n\nSoon.")
    write(file, [title, code_cell("all", code), *more])


def write(file, cells):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")


def text_cell(name, source):
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": source.splitlines(keepends=True)}


def code_cell(name, source):
    return {**text_cell(name, source), "cell_type": "code", "execution_count": None, "outputs": []}


def exercise(name):
    return [
        text_cell(f"ex-{name}", f"### Exercise 1 · {name}"),
        code_cell(f"ex-{name}-check", f'check("tides.{name}", {name})'),
    ]


@pytest.fixture
def course(tmp_path):
    for name, code in CODE.items():
        page(tmp_path / name, code)
    for name in (*TEXTS, "solutions/01_tides/INSTRUCTOR.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("whole", encoding="utf-8")
    (tmp_path / GOALS).write_text(MAP, encoding="utf-8")
    explorers = {"tides": SimpleNamespace(strip="a strip", __module__="chip2cluster.chapters.tides.explorers.tides")}
    return CourseContent(tmp_path, ["tides.high", "lab.tides.low"], ["tides.first"], explorers)


def test_complete_course_has_no_problem(course):
    assert course.problems() == []
    assert content_problems() == []


@pytest.mark.parametrize(
    "name, code, lines",
    [
        (
            PAGE,
            CODE[PAGE] + '\ncheck("tides.ebb", ebb)',
            [
                f"{{}} checks tides.ebb: {EXERCISES} does not hold it",
                f"{{}} checks tides.ebb, which no goal lists: add it to `exercises` of a goal in {GOALS}",
            ],
        ),
        (
            PAGE,
            CODE[PAGE] + '\ncheck("moon.full", full)',
            [
                f"{{}} checks moon.full: {EXERCISES.replace('tides', 'moon')} does not exist",
                f"{{}} checks moon.full, which no goal lists: add it to `exercises` of a goal in {GOALS}",
            ],
        ),
        (PAGE, CODE[PAGE] + '\npredict.ask("tides.ebb")', [f"{{}} asks tides.ebb: {QUESTIONS} does not hold it"]),
        (
            PAGE,
            CODE[PAGE] + '\npredict.ask("moon.full")',
            [f"{{}} asks moon.full: {QUESTIONS.replace('tides', 'moon')} does not exist"],
        ),
        (
            PAGE,
            CODE[PAGE] + "\nexplore.moon()",
            [f"{{}} shows explore.moon: {CHAPTER}/explorers/moon.py does not exist"],
        ),
        (
            PAGE,
            'explore.tides()\ncheck("tides.high", high)',
            [
                f"{{}} asks no question: {QUESTIONS} is asked nowhere",
                f"{QUESTIONS} holds tides.first: {PAGE} does not use it",
            ],
        ),
        (
            PAGE,
            'predict.ask("tides.first")\ncheck("tides.high", high)',
            [f"{{}} shows no explorer: {VIEW} is shown nowhere", f"{VIEW} is an explorer that no page shows"],
        ),
        (
            PAGE,
            'predict.ask("tides.first")\nexplore.tides()',
            [
                f"{{}} checks no exercise: {EXERCISES} is checked nowhere",
                f"{EXERCISES} holds tides.high: {PAGE} does not use it",
            ],
        ),
        (LAB, "", [f"{TASKS} holds lab.tides.low: {LAB} does not use it"]),
        (
            "course/01_moon.ipynb",
            CODE[PAGE],
            [
                f"{PAGE} has the number of another chapter",
                "{} has the number of another chapter",
                f"{GOALS.replace('tides', 'moon')} does not exist: say in it what the chapter teaches",
            ],
        ),
    ],
)  # fmt: skip
def test_a_page_that_does_not_fit_is_named_with_what_it_lacks(course, name, code, lines):
    page(course.root / name, code)
    assert sorted(course.problems()) == sorted(line.format(name) for line in lines)


@pytest.mark.parametrize(
    "name, lines",
    [
        (
            PAGE,
            [
                f"{EXERCISES} holds tides.high: its chapter course/NN_tides.ipynb does not exist",
                f"{QUESTIONS} holds tides.first: its chapter course/NN_tides.ipynb does not exist",
                f"{VIEW} is an explorer that no page shows",
                f"solutions/01_tides is a lab, and its chapter {PAGE} does not exist",
            ],
        ),
        (
            LAB,
            [
                f"solutions/01_tides is a lab, and {LAB} does not exist",
                f"{TASKS} holds lab.tides.low: {LAB} does not exist",
            ],
        ),
        (
            "solutions/01_tides/INSTRUCTOR.md",
            ["solutions/01_tides is a lab, and solutions/01_tides/INSTRUCTOR.md does not exist"],
        ),
        (
            "labs/01_tides/lab_01_tides.ipynb",
            [
                "solutions/01_tides is a lab, and labs/01_tides/lab_01_tides.ipynb does not exist: run `autograder generate-labs`"
            ],
        ),
        (GOALS, [f"{GOALS} does not exist: say in it what the chapter teaches"]),
    ],
)
def test_missing_file_is_named(course, name, lines):
    (course.root / name).unlink()
    assert sorted(course.problems()) == sorted(lines)


def test_chapter_with_another_heading_than_its_file_is_named(course):
    file = course.root / PAGE
    file.write_text(file.read_text(encoding="utf-8").replace("# 1 ", "# 2 "), encoding="utf-8")
    assert course.problems() == [f"{PAGE} must begin with the heading # 1 · NAME: QUESTION"]


@pytest.mark.parametrize(
    "words, line",
    [
        (
            MAP.replace('"high"', ""),
            f"{PAGE} checks tides.high, which no goal lists: add it to `exercises` of a goal in {GOALS}",
        ),
        (MAP.replace('"all"', ""), f"{LAB} sets 'all', which no goal lists: add it to `lab` of a goal in {GOALS}"),
        ("needs = []", f"{GOALS} cannot be read, KeyError('goals'): write it like those of the other chapters"),
        ("goals = [", f"{GOALS} cannot be read, TOMLDecodeError("),
    ],
)
def test_exercise_or_task_without_a_goal_is_named(course, words, line):
    (course.root / GOALS).write_text(words, encoding="utf-8")
    (problem,) = course.problems()
    assert problem.startswith(line)


NEAP_FOUND = (
    f"{PAGE}: the cell '{{}}' belongs to the exercise 'ex-neap' and stands below 'ex-neap-high': "
    "move it up to the other cells of 'ex-neap'"
)
NEAP, HIGHER = exercise("neap"), exercise("neap-high")


@pytest.mark.parametrize(
    "cells, misplaced",
    [
        ([*NEAP, text_cell("ex-neap-found", "It is."), *HIGHER, text_cell("neap-high-found", "So is this.")], []),
        ([*NEAP, *HIGHER, text_cell("ex-neap-found", "It is.")], ["ex-neap-found"]),
        (
            [*NEAP, *HIGHER, code_cell("notes-neap", "1"), text_cell("neap-found", "It is.")],
            ["notes-neap", "neap-found"],
        ),
        ([NEAP[0], *HIGHER, NEAP[1]], ["ex-neap-check"]),
        ([*NEAP, *HIGHER, text_cell("low", "## Low"), text_cell("ex-neap-found", "It is.")], ["ex-neap-found"]),
        # A section may have the name of an exercise, and the cells of such a section too.
        ([*NEAP, *HIGHER, text_cell("low", "## Low"), text_cell("neap-found", "It is.")], []),
        ([text_cell("neap", "## Neap tides"), *NEAP, *HIGHER, text_cell("neap-found", "It is.")], []),
        ([text_cell("ex-neap-lead", "## Neap tides"), *HIGHER, *NEAP], []),
    ],
)
def test_cell_below_another_exercise_is_named(course, cells, misplaced):
    page(course.root / PAGE, CODE[PAGE], *cells)
    problems = [line for line in course.problems() if "belongs to" in line]
    assert problems == [NEAP_FOUND.format(cell) for cell in misplaced]


@pytest.mark.parametrize("file", course_pages.chapters(), ids=lambda file: file.stem)
def test_cells_cut_off_by_an_exercise_are_named(tmp_path, file):
    """Tear each chapter as `autograder new exercise` once did: new cells right behind the last check."""
    cells = course_pages.cells(file)
    place = 1 + max(place for place, cell in enumerate(cells) if cell["id"].endswith("-check"))
    name = cells[place - 1]["id"].removeprefix("ex-").removesuffix("-check")
    cut_off = [cell["id"] for cell in takewhile(lambda cell: name in cell["id"], cells[place:])]
    write(tmp_path / "course" / file.name, [*cells[:place], *exercise("added"), *cells[place:]])
    problems = [line for line in CourseContent(tmp_path, [], [], {}).problems() if "belongs to" in line]
    assert [line.split("'")[1::2] for line in problems] == [
        [cell, f"ex-{name}", "ex-added", f"ex-{name}"] for cell in cut_off
    ]


def test_explorer_without_a_strip_is_named(course):
    course.explorers["tides"].strip = None
    assert course.problems() == [f"{VIEW} declares no strip, so the book cannot show explore.tides"]


@pytest.mark.parametrize("name", [PAGE, LAB, "solutions/01_tides/INSTRUCTOR.md", GOALS, *TEXTS])
def test_unfilled_file_is_named(course, name):
    file = course.root / name
    text = file.read_text(encoding="utf-8")
    empty = "FILL IN the moon, FILL IN"
    for whole, half in (("whole", empty), ("say when", empty), ('"id"', '"FILL IN the moon": "FILL IN", "id"')):
        text = text.replace(whole, half, 1)
    file.write_text(text, encoding="utf-8")
    assert course.problems() == [f"{name} says FILL IN in 2 places, first: FILL IN the moon"]
