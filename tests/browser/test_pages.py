"""Every chapter in the real JupyterLab: it runs, its explorers move, and it can be used by everybody."""

import json

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe

from chip2cluster import explore
from tests.browser.conftest import REPOSITORY, scrolled_to

# The chapters; the pages without an explorer are run by the tests of the notebooks.
PAGES = [page for page in sorted((REPOSITORY / "course").glob("[0-9]*.ipynb")) if not page.name.startswith("00")]
# Only what the course itself puts on the page; JupyterLab's own frame is not ours to mend.
OURS = [".c2c", ".c2c-verdict", ".c2c-predict", ".c2c-progress"]
SAID = """(view) => [view.querySelector('[role=img]').getAttribute('aria-label'),
    view.querySelector('[role=img]').shadowRoot.innerHTML,
    view.querySelector('[aria-live=polite]').textContent, view.querySelector('table').textContent].join('|')"""
AT_END = """(control) => control.options
    ? control.selectedIndex === control.options.length - 1 : Number(control.value) === Number(control.max)"""
# JupyterLab takes distant cells out of the page; now it shall have all of them, and each says which it is.
ALL_AT_ONCE = """() => {
    const content = window.jupyterapp.shell.currentWidget.content;
    content.notebookConfig = { ...content.notebookConfig, windowingMode: 'none' };
    for (const cell of content.widgets) cell.node.dataset.c2cCell = cell.model.sharedModel.id;
}"""
# JupyterLab's body is 0 high and hides what hangs over; axe-core takes it at its word and would judge no colour.
HANG_OVER = """(how) => {
    for (const frame of [document.body, document.querySelector('.jp-LabShell')]) frame.style.overflow = how;
}"""
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], "resultTypes": ["violations"]}


def expected(page):
    """The cells with an explorer, and the first with each other thing that the course shows, by id."""
    cells = [cell for cell in json.loads(page.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    sources = {cell["id"]: "".join(cell["source"]) for cell in cells}
    wanted = {name: source for name, source in sources.items() if "explore." in source}
    for kind in ("predict.ask", "check(", "progress()"):
        firsts = [name for name, source in sources.items() if source.startswith(kind)][:1]
        wanted |= {name: sources[name] for name in firsts}
    return wanted


# One page as it is, and all explorers on one: the book runs every page, and these are what a page is made of.
@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=pytest.mark.prove if path != PAGES[0] else ()) for path in PAGES],
    ids=lambda path: path.stem,
)
def test_page(path, lab, page):
    can_be_used(path, lab, page)


def test_every_explorer(lab, page, tmp_path):
    cells = ["from chip2cluster import explore", *(f"explore.{name}()" for name in explore.explorers())]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, tmp_path / "all.ipynb")
    can_be_used(tmp_path / "all.ipynb", lab, page)


def can_be_used(path, lab, page):
    """Run a notebook, move what is on it, and look at everything that the course has put there."""
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    lab.notebook(page, path=path).open().run_all()
    to_see = expected(path)
    for name, source in to_see.items():
        cell = scrolled_to(page, name)
        cell.locator(".jp-OutputArea-output").first.wait_for()
        if "explore." in source:
            explorer_moves(cell, name)
    # One look at everything: it takes a second, however much is there.
    page.evaluate(ALL_AT_ONCE)
    for name in to_see:
        page.locator(f'[data-c2c-cell="{name}"]').locator(", ".join(OURS)).first.wait_for()
    assert faults + violations(page) == []


def test_what_cannot_be_read_or_hit_is_found(lab, page):
    lab.notebook(page, "from autograder import progress\nprogress()").open().run_all()
    found = page.locator(".c2c-progress")
    found.wait_for()
    assert violations(page) == []
    found.evaluate(
        "(node) => { node.style.color = '#ccc'; for (const one of node.querySelectorAll('summary')) one.style.padding = 0; }"
    )
    text = " ".join(violations(page))
    assert "color-contrast" in text and "target-size" in text


def explorer_moves(cell, name):
    """Each slider and each list can be moved by the keyboard, and picture, words or table follow."""
    view = cell.locator(".c2c").first
    image = view.get_by_role("img")
    image.wait_for()
    assert len(image.get_attribute("aria-label") or "") > 40, name
    assert view.locator("table tbody tr").count() > 0, name
    controls = [
        one for one in [*view.get_by_role("slider").all(), *view.get_by_role("combobox").all()] if one.is_visible()
    ]
    assert controls, f"{name}: nothing to move"
    for control in controls:
        before = view.evaluate(SAID)
        control.focus()
        # From either end the other end is another state.
        control.press("Home" if control.evaluate(AT_END) else "End")
        view.page.wait_for_function(
            f"([view, before]) => ({SAID})(view) !== before", arg=[view.element_handle(), before], timeout=15000
        )


def violations(page):
    """What axe-core finds in our own output."""
    there = [place for place in OURS if page.locator(place).count()]
    page.evaluate(HANG_OVER, "visible")
    found = Axe().run(page, context={"include": [[place] for place in there]}, options=RULES).response["violations"]
    page.evaluate(HANG_OVER, "")
    return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found for node in one["nodes"]]
