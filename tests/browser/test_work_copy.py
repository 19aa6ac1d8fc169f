"""An evening's work in a copy, an update of the course under the open page, and the answer is still there."""

import json
import shutil
from datetime import date
from pathlib import Path

import pytest

from autograder.exercises import exercise
from autograder.workspace import CopyState, Workspace, reset, start, update
from tests.browser.conftest import REPOSITORY, Notebook, scrolled_to
from tests.copies.conftest import edit, read

PAGE = "my_course/03_roofline.ipynb"
RELOAD = "async () => { await window.jupyterapp.shell.currentWidget.context.revert() }"


@pytest.fixture
def course(lab, tmp_path):
    """A course of three pages and a lab, started in the folder that JupyterLab shows."""
    for name in ("course/00_start.ipynb", "course/03_roofline.ipynb", "course/glossary.ipynb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(REPOSITORY / name, tmp_path / name)
    shutil.copytree(REPOSITORY / "labs/03_roofline", tmp_path / "labs/03_roofline")
    course = Workspace(tmp_path, lab.root)
    start(course)
    yield course
    for name in ("my_course", "my_labs"):
        shutil.rmtree(lab.root / name)


def write(notebook, cell, text):
    """Type into a cell, as the notebook's model takes it."""
    scrolled_to(notebook.page, cell)
    notebook.page.evaluate(
        """([id, text]) => {
            const content = window.jupyterapp.shell.currentWidget.content;
            content.widgets.find((cell) => cell.model.sharedModel.id === id).model.sharedModel.setSource(text);
        }""",
        [cell, text],
    )


def run(notebook, cell):
    element = scrolled_to(notebook.page, cell)
    notebook.page.evaluate("async () => { await window.jupyterapp.commands.execute('notebook:run-cell') }")
    return element


def follow(page, cell, name, path):
    """Click a link of a page, and close that page when the other one is there."""
    scrolled_to(page, cell).get_by_role("link", name=name).click()
    shown(page, path)
    assert Path(path).name in page.locator(".lm-TabBar-tabLabel").all_inner_texts()
    page.evaluate(
        """() => {
            const shell = window.jupyterapp.shell;
            for (const widget of [...shell.widgets('main')]) if (widget !== shell.currentWidget) widget.dispose();
        }"""
    )


def shown(page, path):
    page.wait_for_function(
        f"window.jupyterapp.shell.currentWidget?.context?.path === {json.dumps(path)}", timeout=30_000
    )


def test_an_update_under_an_open_page_keeps_the_answer(lab, page, course):
    Notebook(lab, page, "my_course/00_start.ipynb").open()
    follow(page, "nav-end", "3 · The roofline", PAGE)
    follow(page, "nav-top", "Lab 3", "my_labs/03_roofline/lab_03_roofline.ipynb")
    follow(page, "nav-end", "3 · The roofline", PAGE)

    notebook = Notebook(lab, page, PAGE).open()
    answer = exercise("roofline.ridge").solution
    write(notebook, "ex-ridge-answer", answer)
    notebook.save()
    saved = (lab.root / PAGE).read_bytes()

    edit(course.root / "course/03_roofline.ipynb", **{"explore-found": "The course says this otherwise now."})
    assert [one.state for one in start(course) if one.page.copy == lab.root / PAGE] == [CopyState.OLDER]
    (done,) = update(course, course.chosen(["03_roofline"]))
    assert done.state is CopyState.UPDATED and done.merged.answers == ("ex-ridge-answer",)
    assert done.earlier.read_bytes() == saved and done.earlier.name == f"03_roofline.{date.today().isoformat()}.ipynb"

    page.evaluate(RELOAD)  # File > Reload Notebook from Disk
    assert "otherwise now" in scrolled_to(page, "explore-found").inner_text()
    run(notebook, "setup")
    run(notebook, "ex-ridge-answer")
    run(notebook, "ex-ridge-check").get_by_text("Every case agrees").wait_for()
    notebook.save()
    assert read(lab.root / PAGE)["ex-ridge-answer"] == answer
    assert {str(one.state) for one in start(course)} == {"kept"}, (
        "JupyterLab keeps the record of what a copy was made from"
    )


def test_reset_during_typing_asks_and_loses_nothing(lab, page, course):
    notebook = Notebook(lab, page, PAGE).open()
    write(notebook, "ex-ridge-answer", "first = 1")
    notebook.save()
    write(notebook, "ex-ridge-answer", "second = 2")
    (done,) = reset(course, course.chosen(["03_roofline"]))
    assert read(done.earlier)["ex-ridge-answer"] == "first = 1"
    page.evaluate("() => { window.jupyterapp.commands.execute('docmanager:save') }")
    dialog = page.locator(".jp-Dialog")
    dialog.get_by_text("has changed on disk", exact=False).wait_for()
    dialog.get_by_role("button", name="Overwrite").click()
    dialog.wait_for(state="detached")
    page.wait_for_function("!window.jupyterapp.shell.currentWidget.context.model.dirty")
    assert read(lab.root / PAGE)["ex-ridge-answer"] == "second = 2"
