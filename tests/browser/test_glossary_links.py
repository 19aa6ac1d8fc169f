"""A link of the glossary leads to the cell of an explorer, in the real JupyterLab."""

import shutil

from tests.browser.conftest import REPOSITORY, Notebook, scrolled_to

IN_VIEW = """(id) => {
    const widget = window.jupyterapp.shell.currentWidget;
    if (!widget.context?.path.endsWith('03_roofline.ipynb')) return false;
    const cell = widget.content.widgets.find((one) => one.model?.sharedModel?.id === id);
    const box = cell?.node.getBoundingClientRect();
    return Boolean(box?.height) && box.top >= 0 && box.top < window.innerHeight;
}"""


def test_a_glossary_link_lands_at_the_explorer(lab, page):
    for name in ("glossary.ipynb", "03_roofline.ipynb"):
        shutil.copy(REPOSITORY / "course" / name, lab.root / name)
    Notebook(lab, page, "glossary.ipynb").open()
    scrolled_to(page, "letter-b").locator("a[href*='cell-id=explore-roofline']").first.click()
    page.wait_for_function(IN_VIEW, arg="explore-roofline", timeout=60_000)
