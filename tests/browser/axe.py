"""Accessibility problems that axe-core finds in the course's part of a JupyterLab page."""

from axe_playwright_python.sync_playwright import Axe

# Only what the course itself puts on the page; JupyterLab's own frame is not ours to mend.
OURS = [".c2c-drawing", ".c2c", ".c2c-verdict", ".c2c-predict", ".c2c-progress"]
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


def all_at_once(page, names):
    """Have all cells in the page, and what the course shows in those of these ids."""
    page.evaluate(ALL_AT_ONCE)
    for name in names:
        page.locator(f'[data-c2c-cell="{name}"]').locator(", ".join(OURS)).first.wait_for()


def violations(page):
    """What axe-core finds in our own output."""
    there = [place for place in OURS if page.locator(place).count()]
    page.evaluate(HANG_OVER, "visible")
    found = Axe().run(page, context={"include": [[place] for place in there]}, options=RULES).response["violations"]
    page.evaluate(HANG_OVER, "")
    return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found for node in one["nodes"]]
