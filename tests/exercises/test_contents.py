"""Contents of the course follow from the files and titles of the chapters."""

import json
import re

import pytest

from autograder import course_pages
from autograder.exercise_headers import page_headers
from autograder.exercises import exercises
from autograder.student.contents import ChapterRow, CourseContents, contents
from chip2cluster import journal
from chip2cluster.draw.machines.course_map import STAGES, WHOLE
from tests.tables import every_row


def test_contents_lists_every_chapter_once_in_order():
    files = sorted(course_pages.chapters())
    assert [(row.number, row.page) for row in contents().rows] == [(course_pages.number(file), file) for file in files]
    for row in contents().rows:
        (title,) = json.loads(row.page.read_text(encoding="utf-8"))["cells"][0]["source"][:1]
        assert row.name in title and row.question.lower() in title.lower() and row.question.endswith("?")
        assert (row.lab is not None) == any(
            name.startswith(f"lab.{course_pages.topic(row.page)}.") for name in exercises()
        )


def test_minutes_and_the_short_path_are_what_the_page_says():
    for row in contents().rows:
        text = "\n".join("".join(cell["source"]) for cell in json.loads(row.page.read_text("utf-8"))["cells"])
        assert row.reading == int(re.search(r"\*\*Time\.\*\* (\d+) minutes to read", text)[1])
        said = re.findall(r"Exercise (\d+) · .+\n\n\*.*importance (\S+) · (\d+) min", text)
        short = [(int(number), int(time)) for number, dots, time in said if dots == "●●●●●"]
        assert row.exercises == len(said) and row.exercise_minutes == sum(int(time) for *_, time in said)
        assert row.short == tuple(number for number, _ in short)
        assert row.short_minutes == sum(time for _, time in short)


SUMMARY = re.compile(
    r"<details><summary>(\d+) minutes to read, (.+?) for the exercises?(, in two sittings)?: goals, and what you need</summary>"
)


@every_row("page", course_pages.chapters())
def test_folded_head_of_a_chapter_says_its_times(page):
    """The line over the fold repeats the paragraph in it, so that goals and needs can stay folded."""
    title = json.loads(page.read_text(encoding="utf-8"))["cells"][0]
    text = "".join(title["source"])
    reading, exercises, sittings = SUMMARY.search(text).groups()
    time = re.search(r"\*\*Time\.\*\* (.+)", text)[1]
    assert time.startswith(f"{reading} minutes") and f"and {exercises}" in time
    assert bool(sittings) == ("in two sittings" in time)
    assert text.count("<details>") == text.count("</details>") == 1 and text.endswith("</details>")
    assert title["metadata"]["place"] in (*STAGES, WHOLE)


@every_row("page", course_pages.chapters())
def test_a_short_path_is_short(page):
    assert 1 <= sum(header.short for header in page_headers(page)) <= 4


def test_a_chapter_is_a_link_and_what_a_title_says_is_text(tmp_path):
    row = ChapterRow(
        12, "Bits & bytes", "Is 1 < 2?", tmp_path / "12_bits.ipynb", tmp_path / "12_bits/lab_12_bits.ipynb"
    )
    contents = CourseContents((row,))
    assert 'aria-label="Chapter 12, Bits &amp; bytes"' in contents.map_html(lambda page: page.name)
    html = contents.html(lambda page: page.name, lambda lab: None)
    assert "<a" not in html.partition("Is 1")[2] and ">lab 12<" in html.replace(" ", " "), "there is no such lab here"
    assert '<a href="12_bits.ipynb"><strong>Bits &amp; bytes</strong></a>' in html and "Is 1 &lt; 2?" in html
    assert CourseContents((row,)).html(lambda page: f"{page.stem}.html", str).count('"12_bits.html"') == 1


@pytest.mark.parametrize("course, labs", [("my_course", "my_labs"), ("course", "labs"), (".", "labs")])
def test_a_lab_is_a_link_to_where_it_lies(course, labs, tmp_path, monkeypatch):
    (tmp_path / course).mkdir(exist_ok=True)
    lab = tmp_path / labs / "12_bits/lab_12_bits.ipynb"
    lab.parent.mkdir(parents=True)
    lab.touch()
    monkeypatch.chdir(tmp_path / course)
    html = CourseContents((ChapterRow(12, "Bits", "Is 1 < 2?", tmp_path / "12_bits.ipynb", lab),))._repr_html_()
    (address,) = re.findall(r'<a href="([^"]+)">lab 12</a>', html.partition("<table")[2])
    assert (tmp_path / course / address).resolve() == lab and ":" not in address


def test_map_leads_to_every_chapter_in_both_widths():
    html = contents().map_html(lambda page: f"{page.stem}.html")
    links = re.findall(
        r'<a href="([^"]+)" aria-label="Chapter (\d+), ([^",]+(?:, [^",]+)*)" style="([^"]+)"></a>', html
    )
    pages = [f"{row.page.stem}.html" for row in contents().rows]
    assert [link[0] for link in links] == pages * 2
    for wide in (links[: len(pages)], links[len(pages) :]):
        boxes = [{name: float(size) for name, size in re.findall(r"(\w+):([\d.]+)%", link[3])} for link in wide]
        for box in boxes:
            assert box["left"] + box["width"] < 100 and box["top"] + box["height"] < 100.01
        for number, one in enumerate(boxes):
            for other in boxes[:number]:
                apart = [
                    one[start] >= other[start] + other[size] or other[start] >= one[start] + one[size]
                    for start, size in (("left", "width"), ("top", "height"))
                ]
                assert any(apart), "two links on one place"


def test_map_shows_what_is_solved_in_the_record(tmp_path, monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path))
    assert "exercises solved" not in contents().map_html(str)
    for name in ("roofline.ridge", "roofline.attainable"):
        journal.attempt(name, "correct", True)
    journal.attempt("links.effective", "wrong", False)
    (row,) = [row for row in contents().rows if row.solved]
    assert (row.number, row.solved) == (3, 2) and row.door.done == 2 / row.exercises
    html = contents().map_html(str)
    assert html.count(f"Chapter 3, The roofline, 2 of {row.exercises} exercises solved") == 2
    assert "Exercises solved in 3:" in html
