"""Exercises on the pages of the book: written, checked, kept and exported in a browser that reaches the book alone."""

import gzip
import json
import re
import zipfile

import pytest
from axe_playwright_python.sync_playwright import Axe

from autograder.exercises import exercises
from chip2cluster import journal
from tests.book.names import CHAPTERS

PAGE = "03_roofline.html"
HEAVIEST = 60_000  # bytes of a chapter's cases, compressed
RIGHT = "def ridge(sparse_tflops, bandwidth_gbytes):\n    return sparse_tflops * 1e12 / 2 / (bandwidth_gbytes * 1e9)\n"
ANSWERS = {
    "roofline.ridge": [
        (RIGHT.replace(" / 2", ""), "sparse peak used for dense"),
        (RIGHT.replace(" * 1e9", ""), "too large by a billion"),
        (RIGHT, "correct"),
    ],
    "roofline.decode_rate": [
        ("def decode_rate(*given):\n    return 1.0\n", "the same answer whatever it is asked"),
        ("def decode_rate(*given):\n    return given\n", "Return a number"),
        (None, "correct"),
    ],
    "roofline.break_even": [
        ("def break_even(*given):\n    pass\n", "return` missing"),
        ("def break_even(*given)\n    return 1\n", "Python can't read line 1"),
        (None, "correct"),
    ],
}


@pytest.fixture(scope="module")
def static(site):
    folder = site / "_static"
    if "true" not in (folder / "python/settings.js").read_text(encoding="utf-8"):
        pytest.skip("NO EXERCISE ON THE PAGES TESTED: install npm, which fetches Python for the browser")
    return folder


# --- what the site holds -------------------------------------------------------------------------


def test_chapters_bring_the_cases_of_exercises_but_no_graded_one(static):
    held = {}
    for file in (static / "exercises").glob("*.json"):
        assert len(gzip.compress(file.read_bytes(), 6)) < HEAVIEST, file.name
        held |= json.loads(file.read_text(encoding="utf-8"))["exercises"]
    assert {*held} == {one.id for one in exercises().values() if not one.graded}
    assert all(json.loads(text)["id"] == name for name, text in held.items())


def test_python_of_the_pages_holds_the_judge_and_no_solution(static):
    with zipfile.ZipFile(static / "python/course.zip") as archive:
        names = archive.namelist()
    assert "autograder/checking/judge.py" in names and "chip2cluster/specs/__init__.py" in names
    assert [
        name for name in names if re.search(r"chapters/|solution|autograder/(?!checking|(__pycache__/)?__init__)", name)
    ] == []


def test_engine_is_the_one_of_the_lab_in_the_browser(static):
    from course.publish.pyodide import CACHE, ENGINE, PYODIDE_LOCK, fetch_engine

    folder = fetch_engine(CACHE)
    for name in {*ENGINE} - {PYODIDE_LOCK, "python_stdlib.zip"}:
        assert (static / "python" / name).read_bytes() == (folder / name).read_bytes()
    ours, theirs = (
        {entry.removesuffix("c") if entry.endswith(".pyc") else entry for entry in zipfile.ZipFile(file).namelist()}
        for file in (static / "python/python_stdlib.zip", folder / "python_stdlib.zip")
    )
    assert ours == theirs


def test_what_a_first_verdict_imports_is_bytecode(static):
    with zipfile.ZipFile(static / "python/python_stdlib.zip") as archive:
        names = set(archive.namelist())
    assert {"ast.pyc", "inspect.pyc", "asyncio/__init__.pyc"} <= names and not {"ast.py", "inspect.py"} & names
    assert "turtle.py" in names or "pdb.py" in names, "others stay as they are: bytecode is larger"
    with zipfile.ZipFile(static / "python/course.zip") as archive:
        judge = [name for name in archive.namelist() if re.search(r"checking/(__pycache__/)?judge\.", name)]
        (compiled,) = [name for name in judge if name.endswith(".pyc")]
        # The text stays for tracebacks, and is not compared with the bytecode: bit 0, but not bit 1.
        assert len(judge) == 2 and int.from_bytes(archive.read(compiled)[4:8], "little") == 1


def test_page_without_python_keeps_task_hints_and_solution(site):
    page = (site / PAGE).read_text(encoding="utf-8")
    assert "Hint 3" in page and "Show the solution" in page and "raise</span>" in page


# --- a reader's way ------------------------------------------------------------------------------


class Reader:
    """A browser that reaches the book alone; faults of a page fail the test."""

    def __init__(self, browser, address, width=1280):
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, proxy={"server": "http://127.0.0.1:9", "bypass": "127.0.0.1"}
        )
        self.page, self.address, self.problems, self.files = self.context.new_page(), address, [], []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", lambda told: told.type == "error" and self.problems.append(told.text))
        self.page.on("request", lambda request: self.files.append(request.url))
        self.page.on(
            "response", lambda reply: reply.status >= 400 and self.problems.append(f"{reply.status}: {reply.url}")
        )

    def open(self, name=PAGE):
        self.page.goto(f"{self.address}/{name}", wait_until="networkidle")

    def editor(self, exercise):
        section = self.page.locator(f"section:has(> .cell [data-exercise='{exercise}'])")
        section.locator(f"[data-exercise='{exercise}']").scroll_into_view_if_needed()
        section.locator(".c2c-editor").wait_for()
        return section

    def write(self, exercise, text):
        self.editor(exercise).locator(".cm-content").focus()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Delete")
        self.page.keyboard.insert_text(text)

    def run(self, exercise):
        section = self.editor(exercise)
        section.get_by_role("button", name="Run").click()
        section.locator(".c2c-run:enabled").wait_for(timeout=90_000)
        return section.locator(".c2c-verdict").inner_text()


@pytest.fixture
def reader(browser, address, static):
    readers = []

    def start(width=1280):
        readers.append(Reader(browser, address, width))
        return readers[-1]

    yield start
    for one in readers:
        one.context.close()
        assert one.problems == []
        assert [url for url in one.files if not url.startswith((one.address, "data:", "blob:"))] == []


@pytest.mark.parametrize("width", [1280, 360])
def test_three_exercises_wrong_and_right_then_exported(reader, width, tmp_path, monkeypatch):
    one = reader(width)
    one.open()
    assert not [url for url in one.files if "/python/" in url and not url.endswith("settings.js")]
    for exercise, attempts in ANSWERS.items():
        for source, says in attempts:
            one.write(exercise, source or exercises()[exercise].solution)
            assert says.replace("`", "") in one.run(exercise)
    section = one.editor("roofline.ridge")
    section.get_by_role("button", name="Hint").click()
    assert one.page.evaluate("document.activeElement.textContent") == "Hint 1"
    assert section.locator("details.c2c-hint").first.get_attribute("open") is not None
    assert_accessible(one)

    one.open()
    assert one.editor("roofline.ridge").locator(".cm-content").inner_text().strip() == RIGHT.strip()
    assert "You have solved this exercise." in one.editor("roofline.ridge").locator(".c2c-status").inner_text()
    record = one.page.locator("[data-exercises-record]")
    assert record.locator("p").first.inner_text() == "3 of 10 exercises of this page are solved."
    with one.page.expect_download() as waiting:
        record.get_by_role("button", name="Export my record").click()
    file = tmp_path / "record.json"
    waiting.value.save_as(file)

    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "home"))
    merged = journal.import_from(file)["exercises"]
    assert {name: merged[name]["attempts"] for name in ANSWERS} == dict.fromkeys(ANSWERS, 3)
    assert all(merged[name]["solved"] for name in ANSWERS)
    assert [*merged["roofline.ridge"]["mistakes"]] == ["sparse peak used for dense"]
    assert merged["roofline.ridge"]["hints"] == 1


def assert_accessible(one):
    """Axe finds nothing in the exercises of the page, and the page is no wider than its window."""
    # Without preload axe doesn't look for the style sheets' own imports in the wrong folder.
    places = ".c2c-editor, .c2c-exercise, .c2c-record, [data-critique]"
    found = Axe().run(one.page, context=places, options={"preload": False})
    assert found.violations_count == 0, found.generate_report()
    assert one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def shown_draw(static, one, exercise):
    """Return the recorded draw whose three answers the page shows."""
    chapter = json.loads((static / f"exercises/{exercise.partition('.')[0]}.json").read_text(encoding="utf-8"))
    card = one.page.locator(f"[data-critique='{exercise}']").inner_text()
    drawn = [json.loads(draw["record"]) for draw in chapter["draws"][exercise]]
    (found,) = [
        draw for draw in drawn if all(f": {answer['result']}" in card for answer in draw["critique"]["answers"])
    ]
    return found


@pytest.mark.parametrize("width", [1280, 360])
def test_three_answers_are_judged_and_stay_the_same(reader, static, width):
    one = reader(width)
    one.open()
    exercise = "roofline.critique"
    section = one.editor(exercise)
    drawn = shown_draw(static, one, exercise)
    answers = drawn["critique"]["answers"]
    right = [answer["number"] for answer in answers]
    place = next(place for place, answer in enumerate(answers) if answer["mistake"])
    taken = [0 if at == place else 1 for at in range(3)]
    for numbers, says in (
        (taken, answers[place]["mistake"]),
        ([0, 0, 0], "You call 3 of them right"),
        (right, "correct"),
    ):
        one.write(exercise, f"def critique():\n    return {numbers}\n")
        assert says in one.run(exercise)
    section.get_by_role("button", name="Solution").click()
    assert f"return {right}" in section.locator(".c2c-solution").inner_text()
    assert_accessible(one)
    one.open()
    one.editor(exercise)
    assert shown_draw(static, one, exercise) == drawn


def test_answers_of_a_review_are_other_ones(reader, static):
    one = reader()
    one.open()
    exercise = "roofline.critique"
    one.editor(exercise)
    first = shown_draw(static, one, exercise)
    one.write(
        exercise, f"def critique():\n    return {[answer['number'] for answer in first['critique']['answers']]}\n"
    )
    assert "correct" in one.run(exercise)
    one.page.clock.install(time="2036-01-01T12:00:00Z")
    one.open("review.html")
    item = one.page.locator(".c2c-review li", has_text="What is wrong with these rates?")
    assert "Three other answers" in item.inner_text()
    one.open()
    one.editor(exercise)
    again = shown_draw(static, one, exercise)
    assert again != first
    one.write(
        exercise, f"def critique():\n    return {[answer['number'] for answer in again['critique']['answers']]}\n"
    )
    assert "correct" in one.run(exercise)
    assert "This was a repetition" in one.editor(exercise).locator(".c2c-status").inner_text()
    one.open()
    one.editor(exercise)
    assert shown_draw(static, one, exercise) == again


def test_record_of_jupyterlab_comes_in_and_nothing_is_lost(reader, tmp_path, monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "home"))
    journal.attempt("roofline.decode_rate", "correct", True)
    journal.attempt("roofline.ridge", "wrong unit", False)
    journal.predict("roofline.faster_chip", 12.0)
    journal.note("roofline.explore", "it climbs")
    one = reader()
    one.open()
    one.write("roofline.ridge", RIGHT)
    assert "correct" in one.run("roofline.ridge")
    record = one.page.locator("[data-exercises-record]")
    broken = tmp_path / "broken.json"
    broken.write_text('{"format": 9}', encoding="utf-8")
    for file, says in (
        (broken, "nothing was changed"),
        (journal.export_to(tmp_path / "all.json"), "nothing of either is lost"),
    ):
        record.locator("input[type=file]").set_input_files(file)
        record.locator("[role=status]", has_text=says).wait_for()
    assert record.locator("p").first.inner_text() == "2 of 10 exercises of this page are solved."
    one.open()
    assert one.editor("roofline.ridge").locator(".cm-content").inner_text().strip() == RIGHT.strip()
    assert "12 " in one.page.locator("[data-prediction='roofline.faster_chip']").inner_text() or one.page.locator(
        "[data-prediction='roofline.faster_chip'] input"
    ).input_value().startswith("12")


def test_python_starts_when_somebody_writes(reader):
    one = reader()
    one.open()
    section = one.editor("roofline.ridge")
    section.locator(".cm-content").focus()
    assert not [url for url in one.files if url.endswith(".wasm")], "focus alone comes by Tab, too"
    with one.page.expect_event("requestfinished", lambda request: request.url.endswith("course.zip"), timeout=90_000):
        one.page.keyboard.insert_text("# ")
    assert section.locator(".c2c-status").inner_text() == "" or "Run" in section.locator(".c2c-status").inner_text()
    one.write("roofline.ridge", RIGHT)
    assert "correct" in one.run("roofline.ridge")
    assert len([url for url in one.files if url.endswith(".wasm")]) == 1


def test_start_that_failed_is_tried_again_at_run(browser, address, static):
    one = Reader(browser, address)
    one.page.route("**/python/course.zip", lambda route: route.abort())
    one.open()
    with one.page.expect_event("requestfailed", timeout=90_000):
        one.write("roofline.ridge", RIGHT)
    one.page.unroute_all()
    assert "correct" in one.run("roofline.ridge")
    one.context.close()


def test_loop_that_does_not_end_is_stopped(reader):
    one = reader()
    one.open()
    one.write("roofline.ridge", "def ridge(a, b):\n    while True:\n        pass\n")
    section = one.editor("roofline.ridge")
    section.get_by_role("button", name="Run").click()
    section.locator(".c2c-status", has_text="Running your lines").wait_for(timeout=90_000)
    section.get_by_role("button", name="Stop").click()
    section.locator(".c2c-status", has_text="Stopped.").wait_for()
    one.write("roofline.ridge", RIGHT)
    assert "correct" in one.run("roofline.ridge")


def test_every_printable_key_arrives_in_the_editor(reader):
    """Key by key, as a hand types: shortcuts of the page must not take one away."""
    typed = "a = 6/3 + b*c - d%e < f > g == h != i ** j // k @ m | n & o ^ p ~ q ! r ? s : t ; u , v . w $ x # y _ z 0123456789"
    one = reader()
    one.open()
    one.write("roofline.ridge", "")
    one.page.keyboard.type(typed)
    assert one.editor("roofline.ridge").locator(".cm-content").inner_text().strip() == typed


def test_keyboard_alone_writes_runs_and_leaves_the_editor(reader):
    one = reader()
    one.open()
    one.write("roofline.ridge", RIGHT)
    one.page.keyboard.press("Shift+Enter")
    section = one.editor("roofline.ridge")
    section.locator(".c2c-verdict", has_text="correct").wait_for(timeout=90_000)
    one.page.keyboard.press("Tab")
    assert one.page.evaluate("document.activeElement.textContent") == "Run"


def test_packages_that_the_site_lacks_are_named(reader):
    one = reader()
    one.open()
    one.write("roofline.ridge", "import numpy as np\n\n" + RIGHT)
    one.run("roofline.ridge")
    assert "this site has no numpy" in one.editor("roofline.ridge").locator(".c2c-status").inner_text()


def test_numpy_that_cannot_be_fetched_is_named(browser, address, static):
    """The page says so, and does not judge an answer that never got its arrays."""
    one = Reader(browser, address)
    lock = json.loads((static / "python/packages.json").read_text(encoding="utf-8"))
    entry = {
        "name": "numpy",
        "version": "1",
        "file_name": "https://nowhere.invalid/numpy-1-py3-none-any.whl",
        "sha256": "0" * 64,
    }
    entry |= {
        "install_dir": "site",
        "package_type": "package",
        "depends": [],
        "imports": ["numpy"],
        "unvendored_tests": False,
    }
    settings = 'export default {available: true, packages: ["numpy"], host: "nowhere.invalid"};'
    one.page.route("**/python/settings.js", lambda route: route.fulfill(body=settings, content_type="text/javascript"))
    one.page.route("**/python/packages.json", lambda route: route.fulfill(json=lock | {"packages": {"numpy": entry}}))
    one.open()
    section = one.editor("roofline.attainable")
    assert "fetches it from nowhere.invalid" in section.locator(".c2c-fetches").inner_text()
    one.write("roofline.attainable", exercises()["roofline.attainable"].solution)
    section.get_by_role("button", name="Run").click()
    section.locator(".c2c-run:enabled").wait_for(timeout=90_000)
    assert "numpy could not be fetched from nowhere.invalid" in section.locator(".c2c-status").inner_text()
    assert section.locator(".c2c-verdict").inner_text() == ""
    one.context.close()


def test_start_again_asks_twice_and_undo_brings_lines_back(reader):
    one = reader()
    one.open()
    one.write("roofline.ridge", RIGHT)
    section = one.editor("roofline.ridge")
    section.get_by_role("button", name="Start again").click()
    assert "1e12" in section.locator(".cm-content").inner_text()
    section.get_by_role("button", name="Drop my lines").click()
    assert "NotImplementedError" in section.locator(".cm-content").inner_text()
    one.page.keyboard.press("Control+z")
    assert "1e12" in section.locator(".cm-content").inner_text()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.sampled(2)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_pages_with_editors_are_accessible(reader, theme, chapter):
    one = reader()
    one.page.emulate_media(color_scheme=theme)
    one.open(chapter)
    open_exercises = one.page.locator("[data-exercise]:has(.c2c-solution):not([data-numpy])").all()
    for place in open_exercises:
        one.editor(place.get_attribute("data-exercise"))  # waits for it: a page that scrolls past at once makes none
    assert one.page.locator(".c2c-editor").count() == len(open_exercises)
    assert_accessible(one)
