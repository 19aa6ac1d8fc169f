"""What a learner types in a real JupyterLab: the page is known, a slip is one line, the record names what is next."""

import os

from tests.browser.axe import violations

CELLS = (
    "from autograder import check, hint, progress, reveal\ndef attainable(i, p, b):\n    return max(p, b * i)",
    "check(attainable)",
    "hint()",
    "def exposed(*_):\n    return 1.0",
    "progress()",
    "check('roofline.ridge', attainable(1, 2, 3))",
)


def test_a_page_is_known_by_its_file_and_a_slip_is_one_line(lab, page):
    book = lab.notebook(page, *CELLS)
    folder = lab.root / book.name.removesuffix(".ipynb")
    folder.mkdir()
    os.rename(lab.root / book.name, folder / "03_roofline.ipynb")
    book.name = f"{folder.name}/03_roofline.ipynb"
    book.open()
    page.evaluate("async () => { await window.jupyterapp.commands.execute('notebook:run-all-cells') }")
    slip = page.locator('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.stderr"]')
    slip.wait_for()
    said = slip.inner_text().strip()
    assert "\n" not in said and 'without brackets: check("roofline.ridge", ridge)' in said
    cards = {kind: page.locator(f".c2c-{kind}") for kind in ("verdict", "help", "progress")}
    assert "the larger roof" in cards["verdict"].inner_text()
    assert "hint()" in cards["verdict"].inner_text() and "point" not in cards["verdict"].inner_text()
    assert "Hint 1 of 3 · The attainable rate" in cards["help"].inner_text()
    record = cards["progress"].inner_text()
    assert "3 · The roofline" in record and "Next on the short path" in record and 'progress("all")' in record
    assert violations(page) == []
