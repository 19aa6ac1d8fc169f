"""`autograder new` writes each part in its place, says why it refuses, and overwrites nothing."""

import json
import re
import shutil

import pytest

from autograder import __main__ as command
from autograder import course_pages, scaffold
from autograder.commands.common import UNUSABLE
from autograder.commands.new import KINDS
from autograder.doctor.content_lint import CourseContent
from chip2cluster._pages import FIRST


@pytest.fixture
def root(tmp_path):
    (tmp_path / "course").mkdir()
    (tmp_path / "course" / FIRST).write_text("{}", encoding="utf-8")
    return tmp_path


def files(root):
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in root.rglob("*") if file.is_file()}


def test_new_chapter_gets_the_next_number_and_all_parts(root):
    scaffold.write_chapter(root, "moon_light")
    scaffold.write_chapter(root, "tides")
    (root / "course/01_moon_light.ipynb").rename(root / "course/14_moon_light.ipynb")
    made = scaffold.write_chapter(root, "sun")
    assert [(file.relative_to(root).as_posix(), state) for file, state in made] == [
        ("course/15_sun.ipynb", "new"),
        ("course/chip2cluster/chapters/sun/__init__.py", "new"),
        ("course/chip2cluster/chapters/sun/explorers/__init__.py", "new"),
        ("course/chip2cluster/chapters/sun/explorers/sun.py", "new"),
        ("tests/notebooks/test_explore_sun.py", "new"),
        ("course/chip2cluster/chapters/sun/predictions.py", "new"),
        ("course/chip2cluster/chapters/sun/exercises/__init__.py", "new"),
        ("course/chip2cluster/chapters/sun/goals.toml", "new"),
        ("course/chip2cluster/chapters/sun/exercises/first.py", "new"),
    ]
    assert (root / "course/02_tides.ipynb").is_file()
    page = root / "course/15_sun.ipynb"
    assert (
        course_pages.prediction_ids(page),
        course_pages.explorer_names(page),
        course_pages.checked_exercises(page),
    ) == (
        ["sun.first"],
        ["sun"],
        ["sun.first"],
    )


def test_new_files_are_valid_and_say_that_they_are_empty(root):
    written = [
        *scaffold.write_chapter(root, "moon_light"),
        *scaffold.write_lab(root, "moon_light"),
        *scaffold.write_exercise(root, "moon_light.rays"),
        *scaffold.write_explorer(root, "moon_light.half_moon"),
        *scaffold.write_picture(root, "half_moon"),
    ]
    for file, _ in written:
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".py":
            compile(text, file, "exec")
        if file.suffix == ".ipynb":
            names = [cell["id"] for cell in json.loads(text)["cells"]]
            assert len(set(names)) == len(names)
        assert scaffold.unfilled(file) or file.name.startswith(("__init__", "test_"))
        assert not re.search(r"@(?!pytest\.|two_widths\n)", text)


def test_new_exercise_goes_behind_the_last_exercise(root):
    scaffold.write_chapter(root, "tides")
    scaffold.write_lab(root, "tides")
    for name, page in (
        ("tides.ebb", "course/01_tides.ipynb"),
        ("lab.tides.ebb", "solutions/01_tides/lab_01_tides.ipynb"),
    ):
        before = json.loads((root / page).read_text(encoding="utf-8"))
        grown = scaffold.write_exercise(root, name)
        after = json.loads((root / page).read_text(encoding="utf-8"))
        assert [state for _, state in grown] == ["new", "grown"]
        last = 1 + max(place for place, cell in enumerate(before["cells"]) if "check(" in cell["source"][0])
        more = after["cells"][last : last + 3]
        assert after == {**before, "cells": [*before["cells"][:last], *more, *before["cells"][last:]]}
        assert "2 · " in more[0]["source"][0] and more[2]["source"][0].startswith(f'check("{name}", ebb)')
        assert course_pages.checked_exercises(root / page)[-1] == name


NUMBERED = re.compile(r"^#{2,4} (?:Exercise )?(\d+) · ", re.M)


def copy_page(root, page):
    """Copy a chapter or a lab into a course folder, a lab with its chapter; return the copy and its id's beginning."""
    topic = course_pages.topic(page)
    copy = root / ("solutions" if page.stem.startswith("lab_") else "course")
    if copy.name == "solutions":
        copy_page(root, next(chapter for chapter in course_pages.chapters() if course_pages.topic(chapter) == topic))
        copy = copy / page.parent.name
        copy.mkdir(parents=True)
    shutil.copy(page, copy)
    return copy / page.name, topic if copy.name == "course" else f"lab.{topic}"


@pytest.mark.parametrize("page", course_pages.pages(), ids=lambda page: page.stem)
def test_new_exercise_keeps_the_cells_of_each_exercise(root, page):
    copy, home = copy_page(root, page)
    before = course_pages.cells(copy)
    scaffold.write_exercise(root, f"{home}.added_last")
    after = course_pages.cells(copy)
    place = next(place for place, cell in enumerate(after) if cell["id"].endswith("-added-last"))
    assert [cell["id"] for cell in [*after[:place], *after[place + 3 :]]] == [cell["id"] for cell in before]
    assert after[:place] == before[:place]
    # Whatever follows the last check up to a heading or the takeaway is its exercise's.
    last = max(place for place, cell in enumerate(before) if cell["id"].endswith("-check"))
    assert last < place and "".join(after[place + 3]["source"]).startswith(("## ", "### ", "> **Takeaway.**"))
    assert not any(re.match(r"##|> \*\*", "".join(cell["source"])) for cell in before[last + 1 : place])
    assert [*scaffold.misplaced_cells(after)] == []


@pytest.mark.parametrize("page", course_pages.pages(), ids=lambda page: page.stem)
def test_new_exercise_leaves_numbers_without_a_gap(root, page):
    copy, home = copy_page(root, page)
    scaffold.write_exercise(root, f"{home}.added_last")
    texts = ["".join(cell["source"]) for cell in course_pages.cells(copy) if cell["cell_type"] == "markdown"]
    numbers = [int(number) for text in texts for number in NUMBERED.findall(text)]
    assert numbers == [*range(1, len(numbers) + 1)]


def test_new_task_goes_behind_an_answer_without_a_heading(root):
    scaffold.write_chapter(root, "tides")
    scaffold.write_lab(root, "tides")
    lab = root / "solutions/01_tides/lab_01_tides.ipynb"
    notebook = json.loads(lab.read_text(encoding="utf-8"))
    check = next(place for place, cell in enumerate(notebook["cells"]) if cell["id"] == "first-check")
    found = {"cell_type": "markdown", "id": "first-found", "metadata": {}, "source": ["What you should have seen."]}
    notebook["cells"].insert(check + 1, found)
    lab.write_text(json.dumps(notebook), encoding="utf-8")
    scaffold.write_exercise(root, "lab.tides.ebb")
    names = [cell["id"] for cell in course_pages.cells(lab)]
    assert names[check : check + 6] == ["first-check", "first-found", "task-ebb", "ebb", "ebb-check", "question"]


@pytest.mark.parametrize("page", course_pages.chapters(), ids=lambda page: page.stem)
def test_new_explorer_goes_below_the_last_explorer(root, page):
    copy, topic = copy_page(root, page)
    before = course_pages.cells(copy)
    written = scaffold.write_explorer(root, f"{topic}.added_2")
    assert [(file.relative_to(root).as_posix(), state) for file, state in written] == [
        (f"course/chip2cluster/chapters/{topic}/explorers/added_2.py", "new"),
        ("tests/notebooks/test_explore_added_2.py", "new"),
        (f"course/{page.name}", "grown"),
    ]
    after = course_pages.cells(copy)
    place = next(place for place, cell in enumerate(after) if cell["id"] == "explore-added-2-text")
    assert [*after[:place], *after[place + 4 :]] == before
    assert [cell["id"] for cell in after[place + 1 : place + 4]] == [
        "explore-added-2",
        "notes-added-2",
        "explore-added-2-found",
    ]
    assert course_pages.explorer_names(copy)[-1] == "added_2"
    assert re.match(r"#|> \*\*", "".join(after[place + 4]["source"]))
    assert [*scaffold.misplaced_cells(after)] == []


def test_new_picture_is_a_file_and_its_test(root):
    assert [
        (file.relative_to(root).as_posix(), state) for file, state in scaffold.write_picture(root, "high_tide")
    ] == [
        ("course/chip2cluster/draw/pictures/high_tide.py", "new"),
        ("tests/models/test_draw_high_tide.py", "new"),
    ]


def test_new_offers_what_can_be_written():
    assert tuple(scaffold.WRITERS) == KINDS


@pytest.mark.parametrize(
    "kind, name, message",
    [
        ("chapter", "Tides", "lower case.*got 'Tides'"),
        ("chapter", "lambda", "not a Python keyword.*got 'lambda'"),
        ("chapter", "../tides", "lower case"),
        ("chapter", "explorers", "name of a part of the packages already"),
        ("chapter", "topics", "name of a part of the packages already"),
        ("chapter", "ebb", "tides/explorers/ebb.py is an explorer called 'ebb' already; call the chapter otherwise"),
        ("chapter", "tides_lab", "call the chapter 'tides'"),
        ("chapter", "tides", "there is a chapter on 'tides' already: course/01_tides.ipynb"),
        ("lab", "moon", "there is none on 'moon': first `autograder new chapter moon`"),
        ("exercise", "tides", r"TOPIC\.NAME, or lab\.TOPIC\.NAME for a lab, got 'tides'"),
        ("exercise", "labs.tides.ebb", r"TOPIC\.NAME, or lab"),
        ("exercise", "tides.1st", "lower case"),
        ("exercise", "moon.full", "no chapter on 'moon'"),
        ("exercise", "lab.tides.ebb", "no lab on 'tides': first `autograder new lab tides`"),
        ("exercise", "tides.first", "cell called 'ex-first.*' already, so nothing was written"),
        ("explorer", "tides", r"an explorer is called TOPIC\.NAME, as in 'memory\.refresh'; got 'tides'"),
        ("explorer", "tides.Ebb", "lower case.*got 'Ebb'"),
        ("explorer", "tides.a.b", "lower case.*got 'a.b'"),
        ("explorer", "moon.full", "no chapter on 'moon': first `autograder new chapter moon`"),
        ("explorer", "tides.file_of", "name of a part of the packages already; call the explorer otherwise"),
        ("explorer", "tides.tides", "cell called 'explore-tides' already, so nothing was written"),
        ("picture", "High", "the name of a picture is written in lower case"),
        ("picture", "pictures", "part of chip2cluster.draw already; call the picture otherwise"),
        ("picture", "heading", "part of chip2cluster.draw already; call the picture otherwise"),
        ("picture", "wave", "pictures/wave.py exists already, so nothing was written"),
    ],
)
def test_new_refuses_and_writes_nothing(root, capsys, kind, name, message):
    scaffold.write_chapter(root, "tides")
    for file in ("pictures/wave.py", "heading.py"):
        (root / "course/chip2cluster/draw" / file).parent.mkdir(parents=True, exist_ok=True)
        (root / "course/chip2cluster/draw" / file).touch()
    (root / "course/chip2cluster/chapters/tides/explorers/ebb.py").touch()
    before = files(root)
    with pytest.raises(ValueError, match=message):
        scaffold.WRITERS[kind](root, name)
    assert files(root) == before
    assert command.main(["new", kind, name, "--root", str(root)]) == UNUSABLE
    assert capsys.readouterr().err.startswith("autograder: ")


def test_new_chapter_keeps_existing_files_and_writes_nothing(root):
    mine = root / "course/chip2cluster/chapters/tides/explorers/tides.py"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine", encoding="utf-8")
    before = files(root)
    with pytest.raises(ValueError, match="tides.py exists already, so nothing was written"):
        scaffold.write_chapter(root, "tides")
    assert files(root) == before
    with pytest.raises(ValueError, match="is not a course folder"):
        scaffold.write_chapter(root / "course", "tides")


def test_doctor_names_missing_rubrics_and_slide_texts(root):
    scaffold.write_chapter(root, "tides")
    scaffold.write_lab(root, "tides")
    content = CourseContent(root, (), (), {})
    assert not [line for line in content.problems() if "rubric.toml does not" in line or "begins a section" in line]
    (root / "solutions/01_tides/answer.rubric.toml").unlink()
    page = root / "course/01_tides.ipynb"
    notebook = json.loads(page.read_text(encoding="utf-8"))
    next(cell for cell in notebook["cells"] if cell["id"] == "derive")["metadata"].pop("slide")
    page.write_text(json.dumps(notebook), encoding="utf-8")
    problems = content.problems()
    assert "solutions/01_tides has the written question 'answer', and answer.rubric.toml does not exist" in problems
    missing = 'the cell derive begins a section and has no "slide" text in its metadata'
    assert f"course/01_tides.ipynb: {missing}" in problems
