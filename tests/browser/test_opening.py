"""A learner who opens the course, here or on Binder, sees the first page and nothing in front of it."""

import json
import shutil

from tests.browser.conftest import REPOSITORY

FIRST = "course/00_start.ipynb"


def test_course_opens_on_its_first_page_without_dialogs(lab, page):
    (lab.root / "course").mkdir()
    shutil.copy(REPOSITORY / FIRST, lab.root / FIRST)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    # The address that a Binder link ends in, and that `jupyter lab course/00_start.ipynb` opens.
    page.goto(f"{lab.url}lab/tree/{FIRST}?token={lab.token}")
    page.wait_for_function("window.jupyterapp !== undefined", timeout=60_000)
    page.wait_for_function(
        f"window.jupyterapp.shell.currentWidget?.context?.path === {json.dumps(FIRST)}", timeout=30_000
    )
    page.evaluate(
        """async () => {
            await window.jupyterapp.restored;
            await window.jupyterapp.shell.currentWidget.context.sessionContext.ready;
        }"""
    )
    page.wait_for_load_state("networkidle")  # JupyterLab asks for news only after it is up
    assert page.locator(".jp-Dialog").count() == 0
    assert page.locator(".Toastify__toast").count() == 0
    assert not [url for url in asked if "/lab/api/news" in url or "/lab/api/update" in url]
