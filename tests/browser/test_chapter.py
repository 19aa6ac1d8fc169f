"""The roofline chapter as a student meets it: predict, explore, get it wrong, get it right."""

import re
import shutil

from autograder.exercises import exercise
from tests.browser.axe import all_at_once, violations
from tests.browser.conftest import REPOSITORY, drawn, scrolled_to


def cell(notebook, name):
    """Scroll to a cell and return its element."""
    return scrolled_to(notebook.page, name)


def run(notebook, name, source=None):
    """Give a cell a new source, if one is given, run it and return its element."""
    place = cell(notebook, name)
    notebook.page.evaluate(
        """async ([id, source]) => {
            const content = window.jupyterapp.shell.currentWidget.content;
            const cell = content.widgets.find((cell) => cell.model.sharedModel.id === id);
            if (source !== null) cell.model.sharedModel.setSource(source);
            await window.jupyterapp.commands.execute('notebook:run-cell');
        }""",
        [name, source],
    )
    return place


def test_a_student_predicts_explores_fails_reads_and_passes(lab, page):
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    notebook = lab.notebook(page, path=REPOSITORY / "course/03_roofline.ipynb").open()
    notebook.run_all()

    # Predict: the value appears only after the commit, and the guess is frozen then.
    form = cell(notebook, "predict-faster-chip")
    assert "memory-bound" not in form.inner_text().lower()
    form.get_by_label("Your guess").fill("120")
    form.get_by_role("button", name="Commit").click()
    form.get_by_text(re.compile(r"3(\.0+)? times too high")).wait_for()
    assert not form.get_by_label("Your guess").is_enabled()

    # Explore: the slider moves the picture, and alt text, sentence and table agree.
    explorer = cell(notebook, "explore-roofline")
    slider, image = explorer.get_by_role("slider").first, explorer.get_by_role("img").first
    before = drawn(image), image.get_attribute("aria-label")
    slider.focus()
    page.keyboard.press("End")
    explorer.get_by_text(re.compile("At batch 4,096")).wait_for()
    assert drawn(image) != before[0] and image.get_attribute("aria-label") != before[1]
    marked = explorer.locator("tbody tr").first.inner_text()
    assert "compute" in marked and "312" in marked and "312" in image.get_attribute("aria-label")

    # A wrong function is told which mistake it makes; the right one passes.
    assert "not written yet" in run(notebook, "ex-ridge-check").inner_text()
    run(notebook, "ex-ridge-answer", "def ridge(t, b):\n    return t * 1e12 / (b * 1e9)")
    failed = run(notebook, "ex-ridge-check")
    failed.get_by_text("You took the peak with sparsity for the dense one").wait_for()
    assert "you returned" in failed.inner_text()
    run(notebook, "ex-ridge-answer", exercise("roofline.ridge").solution)
    run(notebook, "ex-ridge-check").get_by_text("Every case agrees").wait_for()

    summary = run(notebook, "progress")
    summary.get_by_text("1 of", exact=False).first.wait_for()
    assert "three times the FLOP/s" in summary.inner_text()

    # And everybody can use what stands there now: one form answered, others open, one verdict right, others open.
    all_at_once(page, ("predict-faster-chip", "explore-roofline", "ex-ridge-check", "progress"))
    assert faults + violations(page) == []


def test_the_first_page_opens_and_says_what_to_do(lab, page):
    notebook = lab.notebook(page, path=REPOSITORY / "course/00_start.ipynb").open().run_all()
    assert "not written yet" in cell(notebook, "try-check").inner_text()
    ring = cell(notebook, "play")
    ring.get_by_role("button", name="Play").click()
    ring.get_by_text("Step 6 of 6").first.wait_for()
    cell(notebook, "progress").get_by_text("exercises solved", exact=False).first.wait_for()
    all_at_once(page, ("play", "chapters", "try-check", "progress"))
    assert violations(page) == []
    shutil.copy(REPOSITORY / "course/03_roofline.ipynb", lab.root)
    cell(notebook, "chapters").get_by_role("link", name="Chapter 3, The roofline").click()
    page.get_by_role("tab", name="03_roofline.ipynb").first.wait_for()


def test_a_page_can_be_saved_without_its_state(lab, page):
    saved = lab.notebook(page, "from chip2cluster import explore\nexplore.roofline()").open().run_all().save()
    (shown,) = saved.cells
    live, still = (output["data"] for output in shown.outputs)
    assert "application/vnd.jupyter.widget-view+json" in live and live["text/html"] == "<!-- live -->"
    # What a viewer without a kernel finds: a picture with its words, and the table.
    assert "<img alt=" in still["text/html"] and "<table>" in still["text/html"] and "image/png" in still
    assert "At batch 1 " in still["text/plain"]
