"""The syllabi hold: minutes are those of the pages, nothing comes before what it needs."""

import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from autograder import exercise_headers
from course.teaching import goals, sections, syllabus_check, syllabus_table, terms

ROOT = Path(__file__).resolve().parents[2]
NAMES = [term["name"] for term in tomllib.loads(terms.FILE.read_text(encoding="utf-8"))["term"]]
OWN = """\
[[term]]
name = "2 weeks"
about = "Short."
weeks = 2
class_minutes = 200
own_minutes = 400
[[term.week]]
title = "One"
read = [{ chapter = "roofline", dots = 5 }]
together = ["roofline.break_even"]
[[term.week]]
title = "Two"
read = [{ chapter = "mfu", dots = 5 }]
lab = [{ chapter = "roofline", tasks = ["task-efficiency", "analysis"] }]
"""


@cache
def known():
    """The syllabi by name. To read them takes a second, as all slides are counted: not while tests are collected."""
    return {term.name: term for term in terms.read()}


@pytest.mark.parametrize("name", NAMES)
def test_a_syllabus_holds(name):
    assert syllabus_check.problems(known()[name]) == []


def test_there_is_one_of_8_of_10_and_of_14_weeks():
    assert sorted(len(term.weeks) for term in known().values()) == [8, 10, 14]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_left_out_is_what_the_page_says_to_drop_first(name):
    dropped = [one["chapter"] for one in tomllib.loads(terms.FILE.read_text(encoding="utf-8"))["drop"]]
    left_out = known()[name].left_out
    assert set(left_out) == set(dropped[: len(left_out)])
    assert not any(syllabus_check.needed(known()[name]).values())


def sources(number):
    """The text of a chapter and of its lab, read without any of our readers."""
    (page,) = ROOT.glob(f"course/{number:02}_*.ipynb")
    lab = list(ROOT.glob(f"solutions/{number:02}_*/lab_*.ipynb"))
    text = [re.sub(r'\\n",?\n\s*"', "\n", file.read_text(encoding="utf-8")) for file in (page, *lab)]
    return text[0], (text[1] if lab else "")


@pytest.mark.parametrize("name", NAMES)
def test_the_minutes_in_the_table_are_those_of_the_pages(name):
    """Row by row: read, exercises at home, lab, class, and the sum."""
    rows = [line.split(" | ") for line in syllabus_table.table(known()[name]).splitlines()[2:]]
    for number, read, exercises, lab, together, alone, _ in rows:
        total = sum(map(int, re.findall(r"(\d+) min(?:;|$)", read)))
        for chapter, exercise in re.findall(r"(\d+)\.(\d+)★?", exercises):
            header = re.search(
                rf"### Exercise {exercise} · .+\n+\*difficulty .* · (\d+) minutes?", sources(int(chapter))[0]
            )
            total += int(header[1])
        for chapter, minutes, machine, hand in re.findall(r"lab (\d+), (\d+) min, (\d+) \+ (\d+)", lab):
            page = sources(int(chapter))[1]
            assert f"Time: about {minutes} minutes" in page
            assert sum(map(int, re.findall(r'"points": (\d+)', page))) == int(machine) + int(hand)
            total += int(minutes)
        assert abs(total - int(alone)) <= 1, (name, number)  # a part of a chapter is rounded by itself
        for chapter, exercise, title in re.findall(r"(\d+)\.(\d+)★? \*(.+?)\*", together):
            assert f"### Exercise {exercise} · {title}" in sources(int(chapter))[0]


def test_a_chapter_read_in_parts_takes_as_long_as_in_one():
    for chapter in sections.chapters().values():
        aside = goals.parts()[chapter.topic].aside
        names = [one.name for one in chapter.sections if one.name not in aside]
        parts = sum(chapter.reading([name], aside) for name in names)
        assert parts == pytest.approx(chapter.minutes) == pytest.approx(chapter.reading(names, aside))


def own(tmp_path, text):
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "before, after, says",
    [
        ('"roofline", dots', '"systolic", dots', "week 1: systolic needs accelerators, which was not read yet"),
        ('together = ["roofline.break_even"]', 'together = ["mfu.mfu"]', "week 1: mfu.mfu is done together, and its"),
        (
            "dots = 5 }]\nlab",
            'dots = 5 }, { chapter = "roofline", dots = 5 }]\nlab',
            "roofline.gemm_intensity was set before",
        ),
        (
            'lab = [{ chapter = "roofline"',
            'lab = [{ chapter = "mfu" }, { chapter = "collectives" }]\n#',
            "needs collectives",
        ),
        ("own_minutes = 400", "own_minutes = 60", "minutes of a student's own, "),
        ("class_minutes = 200", "class_minutes = 50", "minutes with the class, "),
        (
            'title = "One"',
            'title = "One"\nshow = [{ chapter = "links" }]',
            "slides of links are shown before it is read",
        ),
    ],
)
def test_what_is_wrong_with_a_syllabus_is_said(before, after, says, tmp_path):
    assert before in OWN
    (term,) = terms.read(own(tmp_path, OWN.replace(before, after, 1)))
    assert any(says in problem for problem in syllabus_check.problems(term))


@pytest.mark.parametrize(
    "before, after, says",
    [
        ('chapter = "mfu"', 'chapter = "mfus"', r"week 2: no chapter is on 'mfus'; there are machine, "),
        ("task-efficiency", "task-speed", r"lab 03_roofline has no task 'task-speed'; it has task-shortest-time, "),
        ("roofline.break_even", "roofline.brake", r"week 1: no page has the exercise 'roofline.brake'"),
        ("weeks = 2", "weeks = 3", r"says 3 weeks and has 2"),
        ("dots = 5", "stars = 5", r"week 1 lacks dots"),
        ("dots = 5", "dots = 5, stars = 5", r"unknown keys stars; known are chapter, dots, sections"),
        (
            "dots = 5",
            'dots = 5, sections = ["explored"]',
            r"chapter roofline has no section 'explored'; it has question, ",
        ),
        ('title = "One"', "title = One", r"is not valid TOML"),
    ],
)
def test_what_cannot_be_understood_is_named_with_the_choices(before, after, says, tmp_path):
    with pytest.raises(ValueError, match=says):
        terms.read(own(tmp_path, OWN.replace(before, after, 1)))


def test_a_syllabus_of_ones_own_is_printed_with_dates(tmp_path):
    file = own(tmp_path, OWN)
    command = [sys.executable, "-m", "course.teaching", file, "--start", "2027-02-01"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "| 1<br>2027-02-01 |" in done.stdout and "| 2<br>2027-02-08 |" in done.stdout
    assert "lab 3, tasks 5, 8, " in done.stdout and "together: 3.8★" in done.stdout


def test_first_page_states_the_hours_of_the_pages():
    """Minutes that the chapters and labs state for reading, and those of their exercises."""
    start, *chapters = sorted((ROOT / "course").glob("[0-9][0-9]_*.ipynb"))
    minutes = sum(map(exercise_headers.stated_minutes, chapters))
    minutes += sum(one.minutes for name, one in exercise_headers.all_headers().items() if not name.startswith("lab."))
    labs = sum(map(exercise_headers.stated_minutes, (ROOT / "solutions").glob("*/lab_*.ipynb")))
    said = re.search(r"all sixteen take about (\d+) hours, and the labs (\d+) more", start.read_text(encoding="utf-8"))
    assert len(chapters) == 16 and [int(number) for number in said.groups()] == [round(minutes / 60), round(labs / 60)]
