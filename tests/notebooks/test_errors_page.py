"""Errors in print: the page lists each error once, and a chapter keeps the one or two that carry its lesson."""

import json
import re
from pathlib import Path

from autograder import course_pages
from tests.tables import every_row

COURSE = Path(__file__).resolve().parents[2] / "course"
PAGE = COURSE / "errors.ipynb"
BOX = re.compile(r"^> \*\*Spot the error\.\*\*", re.M)
ROW = re.compile(r"^\| (?!printed|---)(.+) \|$", re.M)


def texts(page):
    return ["".join(cell["source"]) for cell in json.loads(page.read_text(encoding="utf-8"))["cells"]]


def table():
    """Rows of the tables: printed claim, what is wrong, right value, source, chapter."""
    return [re.split(r" (?<!\\)\| ", row) for text in texts(PAGE) for row in ROW.findall(text)]


@every_row("page", course_pages.chapters())
def test_a_chapter_keeps_one_or_two_errors(page):
    if course_pages.number(page):
        assert sum(len(BOX.findall(text)) for text in texts(page)) in (1, 2)


def test_counts_in_the_title_are_those_of_the_page():
    title, *others = texts(PAGE)
    boxes = sum(len(BOX.findall(text)) for text in others)
    assert f"{len(table())} printed claims" in title and f"{boxes} are questions" in title


def test_every_question_has_an_answer_and_a_chapter():
    for text in texts(PAGE):
        if BOX.search(text):
            question, _, answer = text.partition("<details><summary>Answer</summary>")
            assert re.search(r"\*Chapter \[\d+\]\(\d\d_\w+\.ipynb\)\.\*$", question.strip()), text[:80]
            assert len(answer.split()) > 7, text[:80]


def test_every_error_has_a_source_and_a_chapter():
    rows = table()
    assert len({row[0] for row in rows}) == len(rows) > 60
    for row in rows:
        assert len(row) == 5 and all(row), row
        assert "](bibliography.ipynb#" in row[3] and re.fullmatch(r"\[\d+\]\(\d\d_\w+\.ipynb\)", row[4]), row


def test_every_chapter_has_an_error_in_the_table():
    """An error that a chapter keeps has its row as well."""
    numbers = {int(re.match(r"\[(\d+)\]", row[4])[1]) for row in table()}
    assert numbers == {course_pages.number(page) for page in course_pages.chapters()} - {0}
