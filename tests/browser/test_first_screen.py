"""The first screen of a chapter has something to guess or to move, at 1440 x 900 in JupyterLab."""

import nbformat
import pytest

from tests.browser.conftest import REPOSITORY
from tests.sampling import sampled

CHAPTERS = sorted((REPOSITORY / "course").glob("[0-9][0-9]_*.ipynb"))
# Each has its turn within three days.
TODAY = sampled(CHAPTERS, len(CHAPTERS) // 3)
FIRST = ("predict.ask", "explore.")


def opening(path, folder):
    """Write the cells of a notebook up to the first prediction or explorer, and return the file."""
    notebook = nbformat.read(path, as_version=4)
    sources = [cell.source if cell.cell_type == "code" else "" for cell in notebook.cells]
    end = next(place for place, source in enumerate(sources) if source.startswith(FIRST)) + 1
    notebook.cells = notebook.cells[:end]
    nbformat.write(notebook, folder / path.name)
    return folder / path.name


def bottom_of_first_control(lab, page, path):
    """Run a notebook as JupyterLab opens it, and return where its first field or control ends, in px."""
    page.set_viewport_size({"width": 1440, "height": 900})
    lab.notebook(page, path=path).open().run_all()
    control = page.locator(".c2c :is(input, select, button):visible").first
    control.wait_for()
    page.evaluate(
        "() => { const content = window.jupyterapp.shell.currentWidget.content; content.activeCellIndex = 0; return content.scrollToItem(0, 'start'); }"
    )
    page.wait_for_function("document.querySelector('.jp-Cell h1')?.getBoundingClientRect().top > 0")
    return control.evaluate("(node) => node.getBoundingClientRect().bottom")


@pytest.mark.parametrize("path", TODAY, ids=lambda path: path.stem)
def test_first_screen_has_something_to_do(path, lab, page, tmp_path):
    assert bottom_of_first_control(lab, page, opening(path, tmp_path)) <= 900
