"""What is half there is told in one line that names the missing file, and a whole course in none."""

import json
from types import SimpleNamespace

import pytest

from autograder.gaps import Course, gaps

PAGE, LAB = "course/01_tides.ipynb", "solutions/01_tides/lab_01_tides.ipynb"
QUESTIONS, VIEW = "course/chip2cluster/predict/questions/tides.py", "course/chip2cluster/explore/views/tides.py"
TEXTS = (QUESTIONS, VIEW, "autograder/exercises/tides/high.py", "autograder/exercises/tides_lab/low.py")
CODE = {
    "course/00_start.ipynb": 'check("tides.high", high)',
    PAGE: 'predict.ask("tides.first")\nexplore.tides()\ncheck("tides.high", high)',
    LAB: 'check("lab.tides.low", low)',
    "labs/01_tides/lab_01_tides.ipynb": 'check("lab.tides.low", low)',
}


def page(file, code):
    file.parent.mkdir(parents=True, exist_ok=True)
    cell = {"cell_type": "code", "id": "all", "metadata": {}, "execution_count": None, "outputs": [], "source": [code]}
    title = {"cell_type": "markdown", "id": "title", "metadata": {}, "source": ["# 1 · Tides: when?\n", "\n", "Soon."]}
    file.write_text(
        json.dumps({"cells": [title, cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8"
    )


@pytest.fixture
def course(tmp_path):
    for name, code in CODE.items():
        page(tmp_path / name, code)
    for name in (*TEXTS, "solutions/01_tides/INSTRUCTOR.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("whole", encoding="utf-8")
    explorers = {"tides": SimpleNamespace(strip="a strip")}
    return Course(tmp_path, ["tides.high", "lab.tides.low"], ["tides.first"], explorers)


def test_a_whole_course_has_no_gap_and_ours_is_whole(course):
    assert course.gaps() == []
    assert gaps() == []


@pytest.mark.parametrize(
    "name, code, lines",
    [
        (PAGE, CODE[PAGE] + '\ncheck("tides.ebb", ebb)', ["{} checks tides.ebb: autograder/exercises/tides does not hold it"]),
        (PAGE, CODE[PAGE] + '\ncheck("moon.full", full)', ["{} checks moon.full: autograder/exercises/moon does not exist"]),
        (PAGE, CODE[PAGE] + '\npredict.ask("tides.ebb")', [f"{{}} asks tides.ebb: {QUESTIONS} does not hold it"]),
        (
            PAGE,
            CODE[PAGE] + '\npredict.ask("moon.full")',
            [f"{{}} asks moon.full: {QUESTIONS.replace('tides', 'moon')} does not exist"],
        ),
        (
            PAGE,
            CODE[PAGE] + "\nexplore.moon()",
            [f"{{}} shows explore.moon: {VIEW.replace('tides', 'moon')} does not exist"],
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
                "{} checks no exercise: autograder/exercises/tides is checked nowhere",
                f"autograder/exercises/tides holds tides.high: {PAGE} does not use it",
            ],
        ),
        (LAB, "", [f"autograder/exercises/tides_lab holds lab.tides.low: {LAB} does not use it"]),
        ("course/01_moon.ipynb", CODE[PAGE], [f"{PAGE} has the number of another chapter", "{} has the number of another chapter"]),
    ],
)  # fmt: skip
def test_a_page_that_does_not_fit_is_named_with_what_it_lacks(course, name, code, lines):
    page(course.root / name, code)
    assert sorted(course.gaps()) == sorted(line.format(name) for line in lines)


@pytest.mark.parametrize(
    "name, lines",
    [
        (
            PAGE,
            [
                "autograder/exercises/tides holds tides.high: its chapter course/NN_tides.ipynb does not exist",
                f"{QUESTIONS} holds tides.first: its chapter course/NN_tides.ipynb does not exist",
                f"{VIEW} is an explorer that no page shows",
                f"solutions/01_tides is a lab, and its chapter {PAGE} does not exist",
            ],
        ),
        (
            LAB,
            [
                f"solutions/01_tides is a lab, and {LAB} does not exist",
                f"autograder/exercises/tides_lab holds lab.tides.low: {LAB} does not exist",
            ],
        ),
        (
            "solutions/01_tides/INSTRUCTOR.md",
            ["solutions/01_tides is a lab, and solutions/01_tides/INSTRUCTOR.md does not exist"],
        ),
        (
            "labs/01_tides/lab_01_tides.ipynb",
            ["solutions/01_tides is a lab, and labs/01_tides/lab_01_tides.ipynb does not exist: run `autograder labs`"],
        ),
    ],
)
def test_a_file_that_is_missing_is_named(course, name, lines):
    (course.root / name).unlink()
    assert sorted(course.gaps()) == sorted(lines)


def test_a_chapter_whose_heading_is_not_that_of_its_file_is_named(course):
    file = course.root / PAGE
    file.write_text(file.read_text(encoding="utf-8").replace("# 1 ", "# 2 "), encoding="utf-8")
    assert course.gaps() == [f"{PAGE} must begin with the heading # 1 · NAME: QUESTION"]


def test_an_explorer_without_a_strip_is_named(course):
    course.explorers["tides"].strip = None
    assert course.gaps() == [f"{VIEW} declares no strip, so the book cannot show explore.tides"]


@pytest.mark.parametrize("name", [PAGE, LAB, "solutions/01_tides/INSTRUCTOR.md", *TEXTS])
def test_a_file_that_its_author_has_not_filled_in_is_named(course, name):
    file = course.root / name
    text = file.read_text(encoding="utf-8")
    for whole, half in (("whole", "FILL IN the moon, FILL IN"), ('"id"', '"FILL IN the moon": "FILL IN", "id"')):
        text = text.replace(whole, half, 1)
    file.write_text(text, encoding="utf-8")
    assert course.gaps() == [f"{name} says FILL IN in 2 places, first: FILL IN the moon"]
