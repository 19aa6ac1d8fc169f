"""The second day: what a reader left is there again without a kernel, and nothing that was typed is lost."""

import re

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from nbconvert import HTMLExporter

from chip2cluster import explore, predict
from tests.browser.conftest import CLEAR, slider, wait_for

CELLS = (
    "from chip2cluster import explore, predict",
    "predict.ask('roofline.faster_chip')",
    "explore.roofline()",
    "predict.notes('roofline.explore')",
)
FOUND = "What to remember.\n\n<details><summary>What you should have seen</summary>\n\nIt *climbs*.\n\n</details>"
# Looks before every screen frame: how many of still and live view are seen, of each cell.
WATCH = """() => {
    window.seen = { most: 0, still: 0, running: true };
    const look = () => {
        const height = (cell, what) => [...cell.querySelectorAll(what)].filter((one) => one.offsetHeight).length;
        for (const cell of document.querySelectorAll('.jp-CodeCell')) {
            const still = height(cell, '.c2c-saved'), live = height(cell, '.c2c[role=group]');
            window.seen.most = Math.max(window.seen.most, still + live);
            window.seen.still += still;
        }
        if (window.seen.running) requestAnimationFrame(look);
    };
    look();
}"""
KERNEL_GONE = """async () => {
    const context = window.jupyterapp.shell.currentWidget.context.sessionContext;
    await context.shutdown();
}"""
KERNEL_NEW = """async () => {
    const context = window.jupyterapp.shell.currentWidget.context.sessionContext;
    await context.startKernel();
    await context.session.kernel.info;
}"""


def written(lab, page):
    notebook = lab.notebook(page, *CELLS)
    content = nbformat.read(lab.root / notebook.name, as_version=4)
    content.cells.append(nbformat.v4.new_markdown_cell(FOUND))
    nbformat.write(content, lab.root / notebook.name)
    return notebook


def seen(page):
    return page.locator(".jp-Notebook").inner_text()


def as_it_was_left(page):
    """What stands there without a kernel: once each, and no word of a widget."""
    page.locator(".c2c-saved", has_text="climbs with the batch").wait_for()
    text = seen(page)
    assert text.count("At batch 4,096 ") == 1 and text.count("Your guess: 120 tokens/s") == 1
    assert "You were 3.0 times too high" in text and "run this cell" in text
    assert "widget" not in text and page.locator(".c2c-saved img").is_visible()
    assert not page.locator(".c2c[role=group]").count()


def test_the_second_day(lab, page):
    notebook = written(lab, page).open()
    page.evaluate(WATCH)
    notebook.run_all()
    form = page.get_by_role("group", name="Prediction")
    form.get_by_label("Your guess").fill("120")
    form.get_by_role("button", name="Commit").click()
    wait_for(form, "You were 3.0 times too high")
    view = page.get_by_role("group", name="Roofline explorer")
    slider(view).focus()
    page.keyboard.press("End")
    wait_for(view, "At batch 4,096 ")

    # The fold is shut until the reader's own words are kept; then both stand together.
    notes = page.get_by_role("group", name="Your notes")
    assert not page.get_by_text("It climbs.").is_visible()
    notes.get_by_label("Your notes").click()
    page.keyboard.type("bad dxb <i>")  # no letter reaches the notebook's commands
    page.keyboard.press("Enter")
    page.keyboard.type("It climbs with the batch.")
    page.keyboard.press("Control+Enter")
    notes.get_by_text("It climbs with the batch.").wait_for()
    page.get_by_text("It climbs.", exact=True).wait_for()
    notes.get_by_label("Add to your notes").fill("Not said yet")

    # While it lives there is one picture, not two, at any time; the stills follow unseen.
    for kept in ("At batch 4,096 ", "Your guess: 120", "climbs with the batch"):
        page.locator(".c2c-saved", has_text=kept).wait_for(state="attached")
    watched = page.evaluate("() => { window.seen.running = false; return window.seen }")
    assert watched["most"] == 1 and watched["still"] == 0

    # Exported: the pictures, guesses and words of this reader, each once.
    saved = notebook.save()
    assert len(saved.cells) == 5
    exported = HTMLExporter().from_notebook_node(saved)[0]
    for words in ("At batch 4,096 ", "Your guess: <strong>120", "It climbs with the batch."):
        assert re.sub(r'alt="[^"]*"', "", exported).count(words) == 1, words

    # Saved, and opened again by a kernel that knows nothing; JupyterLab gives a widget up after two seconds.
    page.evaluate(CLEAR)
    notebook.open()
    as_it_was_left(page)
    page.locator(".jp-OutputArea-output.jupyter-widgets").nth(2).wait_for(state="attached")
    as_it_was_left(page)

    # Run again: live, the guess kept, and what was typed and not yet kept stands in its field.
    notebook.run_all()
    wait_for(form, "You were 3.0 times too high")
    assert form.get_by_label("Your guess").input_value() == "120"
    assert notes.get_by_label("Add to your notes").input_value() == "Not said yet"
    notes.get_by_text("It climbs with the batch.").wait_for()
    assert "run this cell" not in seen(page)

    # On a machine that doesn't trust the file.
    saved.cells[0].source += "\n# from elsewhere"
    elsewhere = lab.notebook(page, "")
    nbformat.write(saved, lab.root / elsewhere.name)
    page.evaluate(CLEAR)
    elsewhere.open()
    as_it_was_left(page)


def test_a_guess_typed_while_there_is_no_kernel_is_not_lost(lab, page):
    notebook = written(lab, page).open().run_all()
    form, notes = page.get_by_role("group", name="Prediction"), page.get_by_role("group", name="Your notes")
    form.get_by_label("Your guess").wait_for()
    notes.get_by_label("Your notes").wait_for()
    page.evaluate(KERNEL_GONE)
    form.get_by_label("Your guess").fill("120")
    form.get_by_role("button", name="Commit").click()
    form.get_by_role("alert").get_by_text("What you typed stays in the field").wait_for()
    assert form.get_by_label("Your guess").input_value() == "120"
    notes.get_by_label("Your notes").fill("Two lines,\nnot kept")
    page.evaluate(KERNEL_NEW)
    notebook.run_all()
    form.get_by_role("button", name="Commit").wait_for()
    assert form.get_by_label("Your guess").input_value() == "120"
    assert notes.get_by_label("Your notes").input_value() == "Two lines,\nnot kept"
    form.get_by_role("button", name="Commit").click()
    wait_for(form, "You were 3.0 times too high")
    notebook.run_all()  # what is kept is no draft any more
    wait_for(form, "You were 3.0 times too high")
    assert not page.evaluate("Object.keys(localStorage).filter((key) => key.includes('draft.prediction')).length")
    page.evaluate("localStorage.clear()")


def test_what_is_folded_opens_by_the_keyboard(lab, page):
    cell = "from chip2cluster import predict, specs\npredict.folded(specs.table(['B200'], ['memory_bytes']), 'Show the memory')"
    lab.notebook(page, cell).open().run_all()
    summary = page.locator("summary", has_text="Show the memory")
    summary.wait_for()
    assert not page.get_by_role("cell", name="B200").count() and not page.locator("td:visible").count()
    for key, there in (("Enter", True), ("Enter", False), ("Space", True)):
        summary.focus()
        page.keyboard.press(key)
        page.locator("td").first.wait_for(state="visible" if there else "hidden")
    assert page.locator(".jp-mod-commandMode").count()


HOSTS = {
    "VS Code, dark": ":root { --vscode-foreground: #ccc; --vscode-input-background: #3c3c3c } body { background: #1e1e1e; color: #ccc }",
    "dark, without a word about it": "body { background: #1e1e1e; color: #d5d5d5 }",
    "light": "body { background: #fff; color: #222 }",
}


@pytest.mark.parametrize("host", HOSTS)
def test_what_was_left_can_be_read_on_any_host(host, browser, tmp_path, monkeypatch):
    """Stills alone, as a viewer without JupyterLab's style shows them."""
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path))
    predict.ask("roofline.faster_chip").commit("120")
    predict.notes("roofline.explore").keep("It climbs.")
    shown = (
        explore.roofline(),
        *map(predict.ask, ("roofline.faster_chip", "roofline.ops_per_byte")),
        predict.notes("roofline.explore"),
    )
    stills = "".join(one._still_bundle()["text/html"] for one in shown)
    field = '<div class="c2c"><label>Your guess <input type="text" value="120"></label><button>Commit</button></div>'
    page = browser.new_page()
    page.set_content(f"<!doctype html><style>{HOSTS[host]}</style><body>{stills}{field}")
    options = {"runOnly": ["color-contrast"], "resultTypes": ["violations", "passes"]}
    found = Axe().run(page, options=options).response
    assert [(node["html"], node["failureSummary"]) for one in found["violations"] for node in one["nodes"]] == []
    assert len(found["passes"][0]["nodes"]) > 10
    page.close()
