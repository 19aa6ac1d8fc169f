"""What a student hands in, opened in a real browser: nothing runs, nothing loads, nothing reaches out of its place."""

import base64
import copy
import json
import secrets
import shutil
import struct
import urllib.error
import urllib.request
import zlib
from urllib.parse import quote

import nbformat
import pytest
from nbconvert import HTMLExporter
from nbformat.v4.rwbase import rejoin_lines

from autograder.grading.gradebook.course import open_course
from autograder.grading.sanitize import notebook_cells
from autograder.grading.sanitize.outputs import PNG
from tests.grading import fakes
from tests.grading.course import LAB, Course
from tests.grading.injection_texts import VECTORS
from tests.serving import start_jupyter

NAME = "Eve \"><img src=x onerror=xss('name')>;xss('name')"
BUNDLE = {
    "text/html": "<script>xss('html')</script><img src=x onerror=xss('html')>",
    "application/javascript": "xss('javascript')",
    "image/svg+xml": "<svg xmlns='http://www.w3.org/2000/svg' onload=\"xss('svg')\"></svg>",
    "text/markdown": "<img src=x onerror=xss('markdown')>",
    "text/latex": "$\\href{javascript:xss('latex')}{x}$<img src=x onerror=xss('latex')>",
    "text/vnd.mermaid": "</pre><script>xss('mermaid')</script>",
    "application/vnd.jupyter.widget-view+json": {"model_id": "</script><script>xss('widget')</script>"},
    "text/plain": "<script>xss('plain')</script>",
}
SHOW = f"""display({BUNDLE!r}, raw=True, metadata={{"image/png": {{"width": "1 onload=xss('metadata')"}}}})
print("<script>xss('printed')</script>\\x1b]8;;javascript:xss('ansi')\\x07a\\x1b]8;;\\x07\\x1b[38;2;\\"><script>xss('colour')</script>m")
raise type("<script>xss('error')</script>", (Exception,), {{}})("<script>xss('message')</script>")
"""
ACTIVE = (
    *("a.html", "a.HTM", "a.xhtml", "a.svg", "a.xml", "a.js", "a.mjs", "a.mhtml", "a.pdf", "a.swf", "a.wasm", "a.xsl"),
    *(
        "noname",
        "a.html.",
        "a.html ",
        "a.txt.html",
        "a.csv.svg",
        "a.shtml",
        "a.php",
        "a.png",
        "sub/b.html",
        "a.txt\n.html",
    ),
)
HARMLESS = ("a.csv", "helper.py", "notes.txt", "sub/values.npz", "real.png")


def png(width=8, height=8):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + bytes(min(width, 100))) * min(height, 100))
    return PNG + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def hostile(released):
    """A submission with every vector as an essay, as text of its own and as raw text, in metadata and outputs."""
    made = copy.deepcopy(released)
    evil = "</script><script>xss('metadata')</script>"
    made["metadata"] = {
        "kernelspec": {"name": "python3", "display_name": evil, "language": "python"},
        "language_info": {"name": "python", "pygments_lexer": evil, "mimetype": evil, "file_extension": evil},
        "title": evil,
        "widgets": {"application/vnd.jupyter.widget-state+json": {"state": {evil: evil}}},
        "authors": [{"name": evil}],
    }
    for cell in made["cells"]:
        if cell["id"] == "recommendation":
            cell["source"] = "\n\n".join(VECTORS)
    tags = {"tags": ['"><img src=x onerror=xss("tag")>'], "magics_language": evil, "raw_mimetype": "text/html"}
    for number, text in enumerate(VECTORS):
        for kind in ("markdown", "raw"):
            made["cells"].append({"cell_type": kind, "id": f"{kind}-{number}", "metadata": tags, "source": text})
    code = {"cell_type": "code", "metadata": tags, "execution_count": "<script>xss('count')</script>", "outputs": []}
    bombs = f"from IPython.display import Image\ndisplay({{'image/png': {base64.b64encode(png(60_000, 60_000)).decode()!r}}}, raw=True)"
    sources = [
        SHOW,
        bombs,
        "%%html\n<script>xss('magic')</script>",
        "%%javascript\nxss('magic')",
        "\n".join(f"# {v}" for v in VECTORS if "\n" not in v),
    ]
    made["cells"] += [code | {"id": f'"><img src=x onerror=xss("id")>{n}', "source": s} for n, s in enumerate(sources)]
    return made


@pytest.fixture(scope="module")
def formgrader(registered, tmp_path_factory):
    """A server with the hostile submission graded by the button; gives (course, address, a function that fetches from
    an address, token, submission's id)."""
    course = Course(tmp_path_factory.mktemp("course"))
    shutil.copytree(registered / "autograder/work", course.root / "autograder/work")
    token = secrets.token_hex(16)
    arguments = [
        *("jupyter_server", "--allow-root", "--no-browser"),
        *(f"--IdentityProvider.token={token}", "--ServerApp.disable_check_xsrf=True"),
    ]
    server, base = start_jupyter(arguments, course.environment, course.root, course.root / "server.log")
    course.submit(NAME, {})
    folder = course.root / "autograder/work/submitted" / NAME / LAB
    (folder / f"lab_{LAB}.ipynb").write_text(json.dumps(hostile(course.notebook("labs"))), encoding="utf-8")
    (folder / "sub").mkdir()
    for name in (*ACTIVE, *HARMLESS):
        (folder / name).write_text("<script>xss('file')</script>", encoding="utf-8")
    (folder / "real.png").write_bytes(png())
    (folder / "linked.txt").symlink_to(course.root / "solutions" / LAB / "INSTRUCTOR.md")

    def press(path, method="GET"):
        request = urllib.request.Request(f"{base}formgrader/{path}?token={token}", method=method)
        with urllib.request.urlopen(request, timeout=200) as answer:
            return answer.read().decode()

    graded = json.loads(press(f"api/submission/{LAB}/{quote(NAME)}/autograde", "POST"))
    assert graded["success"], graded
    json.loads(press(f"api/assignment/{LAB}/generate_feedback", "POST"))
    (one,) = json.loads(press(f"api/submitted_notebooks/{LAB}/lab_{LAB}"))
    yield course, base, press, token, one["id"]
    server.terminate()
    server.wait(30)


def autograded(course):
    return course.root / "autograder/work/autograded" / NAME / LAB


def visit(browser, address, base="file:"):
    """Open a page, wait until it rests, and return what it did that a page must not do, and the page."""
    tab, did = browser.new_page(), []
    tab.add_init_script("window.ran = []; window.xss = what => window.ran.push(String(what))")
    tab.on("dialog", lambda dialog: (did.append(f"dialog {dialog.message}"), dialog.dismiss()))
    allowed = (base, "data:", "https://cdnjs.cloudflare.com/", "https://cdn.jsdelivr.net/", "https://unpkg.com/")

    def route(request):
        url = request.request.url
        if not url.startswith(allowed):
            did.append(url)
        # MathJax writes styles of its own into the page; tests/grading/test_formgrader_mathematics.py runs it.
        loads = url.startswith((base, "data:")) and "/formgrader/mathjax/" not in url
        (request.continue_ if loads else request.abort)()

    tab.route("**/*", route)
    tab.goto(address, wait_until="load")
    tab.wait_for_load_state("networkidle")
    did += tab.evaluate("window.ran")
    return did, tab


OUTSIDE = """() => [...document.querySelectorAll(
    'iframe,object,embed,base,form,meta[http-equiv=refresh],video,audio,marquee,portal,template')].map(e => e.outerHTML)
  .concat([...document.querySelectorAll('a[href],area[href]')].map(e => e.protocol + e.getAttribute('href'))
    .filter(href => !/^(https?:|file:#)/.test(href)))
  .concat([...document.querySelectorAll('img')].map(e => e.src).filter(src => !src.startsWith('data:image/png;base64,')))
  .concat([...document.querySelectorAll('#notebook *, main *, body > p')].flatMap(e => [...e.attributes])
    .filter(a => a.name.startsWith('on') || a.name == 'style').map(a => a.name + '=' + a.value)
    .filter(text => !/^style=(width: [34]em;|margin-left: 1em;)$/.test(text) && !/^onclick=toggle_name/.test(text)))"""


def test_formgrader_runs_nothing_of_a_hostile_submission(formgrader, browser):
    _, base, _, token, submission = formgrader
    did, tab = visit(browser, f"{base}formgrader/submissions/{submission}/?token={token}", base)
    assert did == []
    assert tab.evaluate(OUTSIDE) == []
    # The fields for points are where they belong: no heading took the place of one.
    for cell in ("recommendation", "largest_batch-check"):
        assert tab.evaluate(f"document.querySelectorAll('[id={json.dumps(cell)}]').length") == 1
        assert tab.evaluate(f"document.getElementById({json.dumps(cell)}).tagName") == "INPUT"
    shown = tab.locator("#notebook").first.inner_text().replace(notebook_cells.WORD_JOINER, "")
    assert "<img src=x onerror=xss(6)>" in shown and "javascript:xss(50)" in shown, "the text is still to be read"
    assert NAME in tab.locator("nav").text_content()
    tab.close()


def test_formgrader_pages_escape_names(formgrader, browser):
    _, base, _, token, _ = formgrader
    for path in (
        "manage_students",
        f"manage_submissions/{LAB}",
        f"gradebook/{LAB}/lab_{LAB}",
        f"manage_students/{quote(NAME)}",
        f"manage_students/{quote(NAME)}/{LAB}",
    ):
        did, tab = visit(browser, f"{base}formgrader/{path}?token={token}", base)
        assert [one for one in did if not one.startswith("http")] == [], path
        tab.close()


@pytest.mark.sandbox
def test_formgrader_serves_only_inert_files(formgrader):
    course, _, press, _, submission = formgrader
    lying = {str(path.relative_to(autograded(course))) for path in autograded(course).rglob("*") if path.is_file()}
    own = {path.name for path in (course.root / "solutions" / LAB).iterdir()} - {
        "INSTRUCTOR.md",
        "recommendation.rubric.toml",
    }
    assert lying - own == set(HARMLESS)
    for name in (*ACTIVE, "linked.txt"):
        with pytest.raises(urllib.error.HTTPError):
            press(f"submissions/{submission}/{quote(name)}")
    # Everything that was submitted is still there, and the last cell says so.
    assert {path.name for path in (course.root / "autograder/work/submitted" / NAME / LAB).iterdir()} >= {
        "a.html",
        "a.svg",
    }
    last = json.loads((autograded(course) / f"lab_{LAB}.ipynb").read_text(encoding="utf-8"))["cells"][-1]
    assert "a.html" in "".join(last["source"])


@pytest.mark.parametrize("template", ["lab", "classic"])
def test_nbconvert_export_runs_nothing(formgrader, browser, tmp_path, template):
    course = formgrader[0]
    notebook = nbformat.read(autograded(course) / f"lab_{LAB}.ipynb", as_version=4)
    page = tmp_path / "page.html"
    page.write_text(HTMLExporter(template_name=template).from_notebook_node(notebook)[0], encoding="utf-8")
    did, tab = visit(browser, page.as_uri())
    assert did == [] and tab.evaluate(OUTSIDE) == []
    tab.close()


@pytest.mark.sandbox
def test_buttons_release_grade_and_write_feedback(formgrader):
    course, _, press, _, _ = formgrader
    assert "nbgrader" in press("manage_assignments")
    assert json.loads(press(f"api/assignment/{LAB}/assign", "POST"))["success"]
    course.submit("ann", course.answers())

    def listed():
        return {one["student"]: one for one in json.loads(press(f"api/submissions/{LAB}"))}

    assert set(listed()) == {"ann", NAME} and listed()["ann"]["submitted"]
    assert json.loads(press(f"api/submission/{LAB}/ann/autograde", "POST"))["success"]
    graded = listed()["ann"]
    assert (graded["code_score"], graded["max_code_score"], graded["needs_manual_grade"]) == (25, 25, True)
    assert json.loads(press(f"api/assignment/{LAB}/generate_feedback", "POST"))["success"]
    assert "Every case agrees" in course.feedback("ann")


def test_preview_sanitizes_notebooks_graded_elsewhere(browser, tmp_path, course):
    """Such as an older version, or nbgrader's own steps: what is shown goes through the same."""
    made = rejoin_lines(nbformat.from_dict(hostile(course.notebook("labs"))))
    for number, cell in enumerate(made.cells):
        if cell.cell_type == "code":
            cell |= {
                "id": f"x{number}",
                "outputs": [nbformat.v4.new_output("display_data", BUNDLE)],
                "execution_count": None,
            }
    exporter = HTMLExporter(config=open_course(course.root).app.config)
    with pytest.warns(UserWarning, match="No lexer found for language"):  # the hostile notebook names a script as one
        page, _ = exporter.from_notebook_node(made, resources={"student": NAME, "notebook_path": NAME})
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    did, tab = visit(browser, (tmp_path / "page.html").as_uri())
    assert did == [] and tab.evaluate(OUTSIDE) == []
    tab.close()


def test_feedback_and_report_run_nothing(formgrader, browser, tmp_path):
    from autograder.grading.reports.report import report_on_lab

    course = formgrader[0]
    pages = {"feedback": course.feedback(NAME), "report": report_on_lab(course.root, LAB).html()}
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text.replace("Content-Security-Policy", "x"), encoding="utf-8")
        did, tab = visit(browser, (tmp_path / f"{name}.html").as_uri())
        assert did == [] and [one for one in tab.evaluate(OUTSIDE) if "#" not in one] == [], name
        tab.close()


def test_grade_writes_the_same_sanitized_notebook(course):
    course.submit("ann", {"recommendation": "\n\n".join(VECTORS)})
    folder = fakes.submitted(course, "ann")
    for name in (*ACTIVE[:3], "a.csv"):
        (folder / name).write_text("<script>", encoding="utf-8")
    fakes.run(course)
    cells = {cell["id"]: "".join(cell["source"]) for cell in fakes.autograded(course, "ann")["cells"]}
    answer = cells["recommendation"]
    assert (
        answer == notebook_cells.neutralize_markdown(answer)
        and answer.replace(notebook_cells.WORD_JOINER, "").count("xss(") > 90
    )
    assert "a.html" in cells["left-beside"] and sorted(
        path.name for path in (course.root / "autograder/work/autograded/ann" / LAB).iterdir()
    ) == ["a.csv", f"lab_{LAB}.ipynb"]
