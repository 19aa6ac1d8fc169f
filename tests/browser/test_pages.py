"""Every chapter in the real JupyterLab: it runs, its explorers move, and it can be used by everybody."""

import json

import nbformat
import pytest
from playwright.sync_api import TimeoutError as NothingCame

from chip2cluster import explore
from tests.browser import kernel_pool
from tests.browser.axe import all_at_once, violations
from tests.browser.conftest import REPOSITORY, scrolled_to
from tests.sampling import sampled

# The chapters; the pages without an explorer are run by the tests of the notebooks.
PAGES = [page for page in sorted((REPOSITORY / "course").glob("[0-9]*.ipynb")) if not page.name.startswith("00")]
# Each has its turn within six days.
DAYS = 6
EXPLORERS = sampled(explore.explorers(), len(explore.explorers()) // DAYS)
# As many as a chapter has or more. A browser that shows all at once lays out all of them at each move of one.
ROWS = [EXPLORERS[start : start + 5] for start in range(0, len(EXPLORERS), 5)]
SAID = """(view) => [view.querySelector('[role=img]').getAttribute('aria-label'),
    view.querySelector('[role=img]').shadowRoot.innerHTML,
    view.querySelector('.c2c-sentence').textContent, view.querySelector('table').textContent].join('|')"""
AT_END = """(control) => control.options
    ? control.selectedIndex === control.options.length - 1 : Number(control.value) === Number(control.max)"""

FIXED = "(one) => one.options ? one.options.length === 1 : one.min === one.max"


def expected(page):
    """The cells with an explorer, and the first with each other thing that the course shows, by id."""
    cells = [cell for cell in json.loads(page.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    # What a reader may bring to life shows nothing before.
    sources = {cell["id"]: "".join(line for line in cell["source"] if not line.startswith("#")) for cell in cells}
    wanted = {name: source for name, source in sources.items() if "explore." in source}
    for kind in ("predict.ask", "check(", "progress("):
        firsts = [name for name, source in sources.items() if source.startswith(kind)][:1]
        wanted |= {name: sources[name] for name in firsts}
    return wanted


# All explorers on a few pages, and the chapter of `test_chapter`: the book runs every page, and these are what one is made of.
@pytest.mark.prove
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page(path, lab, page):
    can_be_used(path, lab, page)


@pytest.mark.parametrize("names", ROWS, ids=lambda names: f"{names[0]} to {names[-1]}")
def test_every_explorer(names, lab, page, tmp_path):
    cells = ["from chip2cluster import explore", *(f"explore.{name}()" for name in names)]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": kernel_pool.NAME, "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, tmp_path / "all.ipynb")
    page.set_viewport_size({"width": 1440, "height": 900})
    can_be_used(tmp_path / "all.ipynb", lab, page)
    # Beside the file list, as JupyterLab opens.
    page.evaluate("window.jupyterapp.shell.expandLeft()")
    page.wait_for_function("document.querySelector('.jp-WindowedPanel-outer').clientWidth < 1130")
    room = page.evaluate("document.querySelector('.jp-WindowedPanel-outer').clientHeight")
    high = {
        view.get_attribute("aria-label"): height_of_all(view) for view in page.locator(".c2c:has([role=img])").all()
    }
    assert len(high) == len(names)
    assert {name: height for name, height in high.items() if height > room} == {}


def height_of_all(view):
    """What a reader must see at once to see controls, picture, table and sentence, in pixels."""
    return view.evaluate(
        """(view) => {
            const parts = ['.c2c-controls', '.c2c-picture', '.c2c-table', '.c2c-sentence'].map((part) => view.querySelector(part));
            const boxes = parts.map((part) => part.getBoundingClientRect());
            return Math.max(...boxes.map((box) => box.bottom)) - Math.min(...boxes.map((box) => box.top));
        }"""
    )


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
    all_at_once(page, to_see)
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
    """Sliders and lists, one of them at each turn, can be moved by the keyboard, and picture, words or table follow."""
    view = cell.locator(".c2c").first
    image = view.get_by_role("img")
    image.wait_for()
    assert len(image.get_attribute("aria-label") or "") > 40, name
    assert view.locator("table tbody tr").count() > 0, name
    controls = [
        one for one in [*view.get_by_role("slider").all(), *view.get_by_role("combobox").all()] if one.is_visible()
    ]
    assert controls, f"{name}: nothing to move"
    for control in sampled([one for one in controls if not one.evaluate(FIXED)], days=DAYS):
        if control.evaluate(FIXED):
            continue  # where the others stand now there is nothing to choose
        before = view.evaluate(SAID)
        control.focus()
        # From either end the other end is another state.
        control.press("Home" if control.evaluate(AT_END) else "End")
        try:
            view.page.wait_for_function(
                f"([view, before]) => ({SAID})(view) !== before", arg=[view.element_handle(), before], timeout=15000
            )
        except NothingCame:
            pytest.fail(f"{name}: nothing follows {control.evaluate('(one) => one.labels[0]?.textContent')}")
