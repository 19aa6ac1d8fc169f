"""Formgrader's page with a real MathJax: formulas, pictures and tables of a student stay inside their cell."""

import base64
import io
import json
import secrets
import shutil
import sys
import urllib.request
from pathlib import Path

import pytest
from PIL import Image

from autograder.grading.gradebook.formgrader_preview import local_mathjax
from tests.grading import fakes
from tests.grading.course import LAB, Course
from tests.grading.test_browser_safety import png
from tests.grading.test_pictures import JPEG
from tests.serving import start_jupyter

MATHJAX = local_mathjax(Path(sys.prefix))
pytestmark = pytest.mark.skipif(
    MATHJAX is None,
    reason="NO FORMULAS IN FORMGRADER TESTED: install Node.js with npm, then `make test` fetches MathJax",
)
# A white box over the field of the points with a 6 in it, black bars over other cells, and a page of 90,000 pixels.
FORGED = (
    r"$\smash{\raise 38px{\rlap{\hspace{735px}\color{white}{\Rule{300px}{20px}{14px}}}}}"
    r"\smash{\raise 38px{\rlap{\hspace{742px}\color{black}{\text{6}}}}}$ I would buy the H100 because it is good."
)
SPILLS = {
    "field": FORGED,
    "above": r"$\smash{\raise 900px{\Rule{900px}{400px}{400px}}}$ text",
    "words": r"$\smash{\raise 300px{\Huge\color{red}{\textbf{FULL MARKS AGREED}}}}$ text",
    "far": r"$\smash{\raise 4000px{\Rule{1000px}{1000px}{1000px}}}$ text",
    "below": r"$\smash{\lower 400px{\Rule{4000px}{400px}{400px}}}$ text",
    "wide": r"$\hspace{90000px}x$ text",
    "display": r"$$\moveleft 500px{\kern -300px \Rule{3000px}{300px}{300px}}$$ text",
}
TABLE = "| chip | GB/s |\n|---|---|\n| H200 | 1892 |\n| H100 | 1321 |"
HONEST = f"$$P = \\frac{{T}}{{W}}$$\n\n![image.png](attachment:image.png) ![plot](attachment:plot.jpg)\n\n{TABLE}\n\nIt is good."


@pytest.fixture(scope="module")
def pages(registered, tmp_path_factory):
    """A formgrader with one submission for each essay; gives its address, token, and pages by student."""
    course = Course(tmp_path_factory.mktemp("course"))
    shutil.copytree(registered / "autograder/work", course.root / "autograder/work")
    essays = {**SPILLS, "honest": HONEST}
    for student, essay in essays.items():
        course.submit(student, {"recommendation": essay})
    file = fakes.submitted(course, "honest") / f"lab_{LAB}.ipynb"
    notebook = json.loads(file.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["id"] == "recommendation":
            png_bytes = base64.b64encode(png(40, 30)).decode()
            cell["attachments"] = {"image.png": {"image/png": png_bytes}, "plot.jpg": {"image/jpeg": JPEG}}
    file.write_text(json.dumps(notebook), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CHIP2CLUSTER_SECRET", "JUPYTER_CONFIG_DIR"):
            patch.setenv(name, course.environment[name])
        patch.setenv("FAKE_TRACE", str(course.root / "trace"))
        fakes.run(course)
    token = secrets.token_hex(16)
    arguments = [
        *("jupyter_server", "--allow-root", "--no-browser"),
        *(f"--IdentityProvider.token={token}", "--ServerApp.disable_check_xsrf=True"),
    ]
    server, base = start_jupyter(arguments, course.environment, course.root, course.root / "server.log")
    request = f"{base}formgrader/api/submitted_notebooks/{LAB}/lab_{LAB}?token={token}"
    with urllib.request.urlopen(request, timeout=100) as answer:
        found = {one["student"]: one["id"] for one in json.loads(answer.read())}
    yield base, {name: f"{base}formgrader/submissions/{one}/?token={token}" for name, one in found.items()}
    server.terminate()
    server.wait(30)


def visit(browser, base, address):
    """Open a page with its formulas typeset; also return the requests to other machines."""
    tab, elsewhere = browser.new_page(viewport={"width": 1300, "height": 900}), []

    def route(request):
        url = request.request.url
        if url.startswith((base, "data:")):
            return request.continue_()
        elsewhere.append(url)
        return request.abort()

    tab.route("**/*", route)
    tab.goto(address, wait_until="load")
    tab.wait_for_function("window.MathJax && MathJax.Hub && MathJax.isReady")
    tab.evaluate("new Promise(done => MathJax.Hub.Queue(done))")
    assert tab.locator(".MathJax_CHTML, .mjx-chtml").count(), "no formula was typeset"
    return tab, elsewhere


# The element on top at the middle of each field for points.
COVERED = """() => [...document.querySelectorAll('input.score')].filter(field => {
    field.scrollIntoView({block: 'center'});
    const box = field.getBoundingClientRect();
    const points = [[.5, .5], [.05, .1], [.95, .9]].map(([x, y]) => [box.x + x * box.width, box.y + y * box.height]);
    return points.some(([x, y]) => document.elementFromPoint(x, y) !== field);
}).map(field => field.id)"""


def test_formulas_of_a_student_cover_no_field(pages, browser):
    base, addresses = pages
    for student in SPILLS:
        tab, elsewhere = visit(browser, base, addresses[student])
        assert elsewhere == [], "MathJax comes from this machine"
        assert tab.evaluate(COVERED) == [], student
        assert tab.evaluate("document.documentElement.scrollWidth") <= 1400, student
        tab.locator("#recommendation").click(timeout=5000)
        tab.close()


def drawn(tab, wanted=None):
    """Take pictures of the field for points until one is drawn completely, and equals ``wanted``; return the last."""
    field, shot = tab.locator("#recommendation"), b""
    field.scroll_into_view_if_needed()
    for _ in range(20):
        tab.evaluate("document.activeElement.blur()")
        tab.wait_for_timeout(100)
        shot = field.screenshot(animations="disabled")
        with Image.open(io.BytesIO(shot)) as opened:
            # A busy machine gives a white picture before the first one.
            if len(opened.convert("RGB").getcolors()) > 1 and wanted in (None, shot):
                break
    return shot


def test_field_looks_the_same_above_every_formula(pages, browser):
    """What a person sees of the field for points does not depend on the formula below it."""
    base, addresses = pages
    honest = None
    for student in ("honest", "field", "words", "above"):
        tab, _ = visit(browser, base, addresses[student])
        honest = honest or drawn(tab)
        assert drawn(tab, honest) == honest, student
        tab.close()


def test_pasted_pictures_and_tables_are_drawn(pages, browser):
    base, addresses = pages
    tab, elsewhere = visit(browser, base, addresses["honest"])
    assert elsewhere == []
    pictures = tab.evaluate(
        "[...document.querySelectorAll('#notebook img')].map(e => [e.src.slice(0, 22), e.naturalWidth])"
    )
    assert pictures == [["data:image/png;base64,", 40], ["data:image/jpeg;base64", 16]]
    gaps = tab.evaluate(
        """() => [...document.querySelectorAll('.text_cell_render td')].slice(-4).map(cell => {
            const text = document.createRange(); text.selectNodeContents(cell);
            return text.getBoundingClientRect().x - cell.getBoundingClientRect().x; })"""
    )
    assert len(gaps) == 4 and min(gaps) >= 8
    tab.close()
