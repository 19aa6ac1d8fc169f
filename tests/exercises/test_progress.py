"""Progress shows the current notebook by default, and the whole course on request."""

import json
import re
from html import unescape

import pytest

from autograder import check, course_pages, progress
from autograder.exercise_headers import all_headers, page_headers
from autograder.exercises import exercises
from autograder.student import current_page
from autograder.student.written_questions import written_questions
from chip2cluster import journal


@pytest.fixture(autouse=True)
def own_record(tmp_path, monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "record"))
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.setitem(current_page._last, "exercise", "")


def words(html):
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html)))


@pytest.mark.parametrize("page", course_pages.chapters(), ids=course_pages.topic)
def test_a_page_shows_its_own_exercises_as_they_stand_there(page):
    cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
    (cell,) = [cell for cell in cells if cell["id"] == "progress"]
    assert "".join(cell["source"]) == f'progress("{course_pages.topic(page)}")'
    prose = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    titles = re.findall(r"^#+ Exercise (\d+ · .+)$", prose, re.MULTILINE)
    text = "\n".join(line for line in str(progress(course_pages.topic(page))).splitlines() if line.startswith("  "))
    places = [text.index(title) for title in titles]
    assert len(places) == len(course_pages.checked_exercises(page)) and places == sorted(places)
    minutes = [int(match) for match in re.findall(r"importance [●○]+ · (\d+) minute", prose)]
    assert [header.minutes for header in page_headers(page)] == minutes
    assert sum(header.short for header in page_headers(page)) == prose.count("importance ●●●●●")
    asked = [text.index(question) for question in course_pages.prediction_ids(page)]
    assert asked == sorted(asked) and text.count("not guessed yet") == len(asked)


def test_every_exercise_has_a_header_on_its_page():
    assert (
        set(all_headers())
        == {name for page in course_pages.pages() for name in course_pages.checked_exercises(page)}
        == set(exercises())
    )


def test_what_to_do_next_is_named_until_it_is_solved():
    short = [header for header in page_headers(course_pages.chapters()[2]) if header.short]
    first = short[0]
    line = f"Next on the short path: {first.number} · {first.title} ({first.minutes} min)"
    assert line in str(progress("roofline")) and line in words(progress(3)._repr_html_())
    journal.attempt(first.exercise, "correct", True)
    text = str(progress("roofline"))
    assert line not in text and "Next on the short path" in text and "1 of" in text
    assert "✓ solved" in progress("roofline")._repr_html_()
    for header in short:
        journal.attempt(header.exercise, "correct", True)
    assert "Next on the short path" not in str(progress("roofline"))


def test_progress_names_the_chapter_once():
    for html in (words(progress("mfu")._repr_html_()), words(progress("all")._repr_html_())):
        assert html.count("9 · Utilization") == 1 and "mfu" not in html
    page = words(progress("mfu")._repr_html_())
    assert "3 · The roofline" not in page and 'progress("all")' in page
    assert f"0 of {len(exercises())} exercises solved" in page


def test_predictions_say_how_far_off_and_which_way_one_leans():
    journal.predict("roofline.faster_chip", 120)
    page = words(progress("roofline")._repr_html_())
    assert "You were 3.0 times too high" in page and "leaning too high" in page and "not guessed yet" in page
    assert "You were 3.0 times too high" in str(progress("roofline"))


def test_without_a_name_it_is_the_page_at_hand_or_the_whole(monkeypatch):
    assert progress().page == ""
    check("links.pcie", abs)
    assert progress().page == "links"
    monkeypatch.setenv("JPY_SESSION_NAME", "my_course/04_occupancy.ipynb")
    assert progress().page == "occupancy" and progress("all").page == ""
    monkeypatch.setenv("JPY_SESSION_NAME", "my_course/00_start.ipynb")
    monkeypatch.setitem(current_page._last, "exercise", "")
    assert progress().page == ""


def test_a_chapter_goes_by_topic_number_or_file():
    assert {progress(name).page for name in ("roofline", 3, "3", "03", "03_roofline", "03_roofline.ipynb")} == {
        "roofline"
    }
    with pytest.raises(TypeError, match='there are machine, .* "all"'):
        progress("rooflin")


LAB = "labs/03_roofline/lab_03_roofline.ipynb"


def in_a_lab(monkeypatch, tmp_path, answer=None, named=True):
    """Save the roofline lab, with an answer to its written question, and work on it."""
    notebook = json.loads((course_pages.chapters()[0].parents[1] / LAB).read_text(encoding="utf-8"))
    (cell,) = [cell for cell in notebook["cells"] if cell["id"] == "recommendation"]
    cell["source"] = cell["source"] if answer is None else answer
    (tmp_path / "lab_03_roofline.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    if named:
        monkeypatch.setenv("JPY_SESSION_NAME", str(tmp_path / "lab_03_roofline.ipynb"))
    else:
        check("lab.roofline.shortest_time", max)


@pytest.mark.parametrize("named", [True, False])
def test_progress_says_that_the_written_question_is_untouched(monkeypatch, tmp_path, named):
    in_a_lab(monkeypatch, tmp_path, named=named)
    for shown in (str(progress()), words(progress()._repr_html_())):
        assert shown.count("The written question (6 points) is untouched") == 1
    assert "written question" not in str(progress("links")) + str(progress("all"))
    in_a_lab(monkeypatch, tmp_path, answer="I would buy the H200.", named=named)
    assert "written question" not in str(progress()) + progress()._repr_html_()
    in_a_lab(monkeypatch, tmp_path, answer=" \n", named=named)
    assert "The written question (6 points) is untouched" in str(progress())


def test_progress_without_the_file_says_who_marks(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    check("lab.roofline.shortest_time", max)
    assert "The written question (6 points) is marked by a person, and not counted here." in str(progress())
    (tmp_path / "lab_03_roofline.ipynb").write_text("{damaged", encoding="utf-8")
    assert "marked by a person" in str(progress())


@pytest.mark.parametrize(
    "lab", sorted(course_pages.chapters()[0].parents[1].glob("labs/*/lab_*.ipynb")), ids=lambda lab: lab.stem
)
def test_released_written_questions_are_untouched(lab):
    cells = json.loads(lab.read_text(encoding="utf-8"))["cells"]
    marks = [cell["metadata"].get("nbgrader", {}) for cell in cells if cell["cell_type"] == "markdown"]
    points = [one["points"] for one in marks if one.get("grade") and one.get("solution")]
    assert points and written_questions(lab) == [(float(one), True) for one in points]
