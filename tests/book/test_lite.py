"""The lab without a server: what the site holds, and what it does in a browser with the network cut."""

import json
import os
import re
from hashlib import sha256
from pathlib import Path

import pytest
from filelock import FileLock
from packaging.utils import canonicalize_name

from autograder.workspace.origin import NAVIGATION
from course.publish import pyodide
from course.publish.lite import lock, pages, wheels
from course.publish.lite.site import CACHE, ROOT, build
from tests.serving import served

CHAPTERS = sorted((ROOT / "course").glob("*.ipynb"))
LABS = sorted((ROOT / "labs").glob("*/*.ipynb"))


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """The site with npm's Pyodide, built once for all processes of a run."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    CACHE.mkdir(parents=True, exist_ok=True)
    with FileLock(shared / "lite.lock"):
        if not (shared / "lite-site/lite/index.html").exists():
            try:
                engine = pyodide.fetch_engine(CACHE)
            except pyodide.NoPyodide as problem:
                pytest.skip(f"NO LAB IN THE BROWSER TESTED: {problem}")
            (shared / "lite-site/lite").mkdir(parents=True)
            (shared / "lite-site/lite/old.html").touch()
            (shared / "lite-site/index.html").write_text("the book")
            build(shared / "lite-site", engine)
    return shared / "lite-site/lite"


def listed(lab):
    return json.loads((lab / "static/pyodide-lock/pyodide-lock.json").read_text(encoding="utf-8"))["packages"]


# --- what the site holds -------------------------------------------------------------


def test_every_listed_package_is_there_as_it_is_listed(lab):
    for name, entry in listed(lab).items():
        file = lab / "static/pyodide-lock" / entry["file_name"]
        assert sha256(file.read_bytes()).hexdigest() == entry["sha256"], name
        assert set(map(canonicalize_name, entry["depends"])) <= set(listed(lab)), name


def test_lite_build_replaces_the_lab_and_keeps_the_book(lab):
    assert (lab.parent / "index.html").read_text() == "the book"
    assert not (lab / "old.html").exists()


def test_the_kernel_is_told_of_our_list_and_of_nothing_afar(lab):
    settings = json.loads((lab / "jupyter-lite.json").read_text())["jupyter-config-data"]
    kernel = settings["litePluginSettings"]["@jupyterlite/pyodide-kernel-extension:kernel"]
    assert (lab / kernel["pyodideUrl"]).exists()
    assert (lab / kernel["loadPyodideOptions"]["lockFileURL"]).exists()
    assert set(kernel["loadPyodideOptions"]["packages"]) <= set(listed(lab))
    assert settings["settingsOverrides"]["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"
    names = [extension["name"] for extension in settings["federated_extensions"]]
    assert sorted(names) == [
        "@jupyter-widgets/jupyterlab-manager",
        "@jupyterlite/pyodide-kernel-extension",
        "anywidget",
    ]


def test_our_wheel_brings_no_server_and_both_packages(lab):
    entry = listed(lab)["chip2cluster"]
    assert set(entry["imports"]) == {"autograder", "chip2cluster"}
    assert not {"jupyterlab", "ipykernel", "filelock"} & set(entry["depends"])
    assert {"anywidget", "ipywidgets", "networkx", "platformdirs"} == set(entry["depends"])  # npm's folder has no NumPy


def test_from_afar_nothing_that_the_course_needs_is_missing(lab):
    everything = pyodide.Distribution(pyodide.fetch_engine(CACHE), served_from_afar=True)
    own = next((lab / "static/pyodide-lock").glob("chip2cluster-*.whl"))
    beside = [file for file in (lab / "static/pyodide-lock").glob("*.whl") if "chip2cluster" not in file.name]
    kernel = [file for file in beside if wheels.Wheel(file).name in ("piplite", "ipykernel", "pyodide-kernel")]
    resolved = lock.resolve(everything, [own, *kernel], CACHE / "wheels")
    assert resolved.missing == ()
    assert {"numpy", "pandas", "matplotlib", "networkx"} <= set(resolved.packages["chip2cluster"]["depends"])
    assert resolved.packages["numpy"]["file_name"].startswith(pyodide.PYODIDE_CDN_URL)
    ours = {"anywidget", "chip2cluster", "comm", "ipykernel", "ipywidgets", "piplite", "psygnal", "pyodide-kernel"}
    assert {wheels.Wheel(file).name for file in resolved.files} >= ours


@pytest.mark.parametrize("page", [*CHAPTERS, *LABS], ids=lambda page: page.stem)
def test_lite_pages_are_the_committed_notebooks_plus_a_note(lab, page):
    shown = page.name if page in CHAPTERS else f"labs/{page.relative_to(ROOT / 'labs')}"
    ours = json.loads(page.read_text(encoding="utf-8"))
    theirs = json.loads((lab / "files" / shown).read_text(encoding="utf-8"))
    notes = [cell for cell in theirs["cells"] if cell["id"] == pages.NOTE_ID]
    assert len(notes) == any(cell["cell_type"] == "code" for cell in ours["cells"])
    added = (pages.NOTE_ID, *NAVIGATION)
    same = [cell for cell in theirs["cells"] if cell["id"] not in added]
    assert [cell["id"] for cell in same] == [cell["id"] for cell in ours["cells"]]
    for there, here in zip(same, ours["cells"], strict=True):
        # Labs lie elsewhere there; tests/copies/test_links.py follows every link.
        assert there == here or ("](labs/" in "".join(there["source"]) and "](../labs/" in "".join(here["source"]))
    if notes:  # it stands before the cell that makes a reader wait
        after = theirs["cells"][theirs["cells"].index(notes[0]) + 1]
        assert after["cell_type"] == "code"
        assert ("hand it in" in "".join(notes[0]["source"])) == (page in LABS)
    for image in re.findall(r"\]\((images/[^)]+)\)", json.dumps(ours)):
        assert (lab / "files" / image).exists()


def test_only_what_a_wheel_needs_in_a_browser_counts(tmp_path):
    fields = "Name: x\nVersion: 1\nRequires-Dist: a; sys_platform != 'emscripten'\nRequires-Dist: B_c>1\nRequires-Dist: d; extra == 'e'"
    wheel = wheels.Wheel(tmp_path / "x-1-py3-none-any.whl")
    from zipfile import ZipFile

    with ZipFile(wheel.file, "w") as archive:
        archive.writestr("x-1.dist-info/METADATA", fields)
        archive.writestr("x/__init__.py", "")
        archive.writestr("y.py", "")
    assert wheel.needs("3.14") == ["b-c"]
    assert wheel.entry("3.14")["imports"] == ["x", "y"]


def test_without_npm_the_message_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(pyodide.shutil, "which", lambda name: None)
    with pytest.raises(pyodide.NoPyodide, match="install npm"):
        pyodide.fetch_engine(tmp_path)
    with pytest.raises(pyodide.NoPyodide, match="holds no Pyodide"):
        pyodide.Distribution(tmp_path, served_from_afar=False)
    (tmp_path / "pyodide-lock.json").write_text('{"packages": {}}')
    with pytest.raises(pyodide.NoPyodide, match="of no version; the kernel wants"):
        pyodide.Distribution(tmp_path, served_from_afar=False)
    (tmp_path / "package.json").write_text('{"version": "0.1.0"}')
    with pytest.raises(pyodide.NoPyodide, match="holds Pyodide 0.1.0; the kernel wants"):
        pyodide.Distribution(tmp_path, served_from_afar=False)


# --- what it does ----------------------------------------------------------------------


SHOWN = ".jp-NotebookPanel:not(.lm-mod-hidden)"


@pytest.fixture
def address(lab):
    with served(lab.parent) as address:
        yield f"{address}/"


def run(page, number, code):
    """Put code into the code cell of that number, hidden ones not counted, run it, and return its output's locator."""
    # What is run before there is a kernel may be forgotten.
    kernel = page.locator(f"{SHOWN} .jp-Notebook-ExecutionIndicator[data-status=idle]")
    kernel.wait_for(state="attached", timeout=90_000)
    cell = page.locator(f"{SHOWN} .jp-CodeCell", has=page.locator(".cm-content")).nth(number)
    prompt = cell.locator(".jp-InputPrompt").first
    for turn in range(900):
        told = prompt.inner_text()
        if re.search(r"\[\d+\]", told):
            return cell.locator(".jp-OutputArea").first
        # A notebook that is still being drawn can take the focus away, and with it the keys: then once more.
        if turn % 25 == 0 and "*" not in told:
            cell.locator(".cm-content").click()
            page.keyboard.press("Control+A")
            page.keyboard.insert_text(code)
            page.keyboard.press("Shift+Enter")
        page.wait_for_timeout(200)
    raise AssertionError(f"after three minutes the prompt says {told}")


def test_reader_journey_through_lab_page_and_explorer(browser, address):
    from playwright.sync_api import expect

    # Whatever is not on this machine goes to a proxy that is not there.
    dead = {"server": "http://127.0.0.1:9", "bypass": "127.0.0.1"}
    context = browser.new_context(viewport={"width": 1280, "height": 900}, proxy=dead)
    outside, wrong = [], []
    local = (address, "data:", "blob:")
    context.on("request", lambda request: None if request.url.startswith(local) else outside.append(request.url))
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))

    # A link leads to its exercise.
    page.goto(f"{address}lite/lab/index.html?path=01_machine.ipynb#cell-id=ex-lost-work")
    page.locator(SHOWN).get_by_role("heading", name="1 · The machine").wait_for(timeout=60_000)
    heading = page.locator(SHOWN).locator("h3", has_text="What a wait costs")
    heading.wait_for()
    page.wait_for_function(
        "(node) => { const { top } = node.getBoundingClientRect(); return 0 < top && top < 450 }",
        arg=heading.element_handle(),
    )
    assert page.locator(".jp-Dialog").count() == 0
    if shots := os.environ.get("LITE_SHOTS"):
        page.screenshot(path=Path(shots) / "opened.png")

    version = run(
        page, 0, "import chip2cluster, sys; print(sys.platform, 'numpy' in sys.modules, chip2cluster.__version__)"
    )
    assert version.inner_text().split() == ["emscripten", "False", _version()]

    view = run(page, 1, "from chip2cluster import explore\nview = explore.machine()\nview")
    picture = view.locator(".c2c-picture [role=img][aria-label]")
    picture.wait_for(timeout=30_000)
    before = picture.get_attribute("aria-label")
    view.locator("[data-name=message] input").press("ArrowRight")
    expect(picture).not_to_have_attribute("aria-label", before, timeout=20_000)
    if shots:
        page.screenshot(path=Path(shots) / "moved.png")
    told = run(page, 2, "print(view.alt); assert view.values['message'] == 20 * 10**9")
    assert told.inner_text().strip() == picture.get_attribute("aria-label")

    form = run(page, 3, "from chip2cluster import predict\npredict.ask('machine.one_byte')")
    form.get_by_label("Your guess").fill("40")
    form.get_by_role("button", name="Commit").click()
    form.get_by_text("It is ").first.wait_for(timeout=20_000)

    page.goto("about:blank")
    page.goto(f"{address}lite/")  # without the name of a page it is the first
    page.locator(SHOWN).get_by_role("heading", name="Chip to Cluster").first.wait_for(timeout=60_000)
    if shots:
        page.screenshot(path=Path(shots) / "first.png")
    kept = run(page, 0, "from chip2cluster import journal\nprint(journal.path(), journal.read()['predictions'])")
    assert "/drive/progress/progress.json" in kept.inner_text() and "'guess': 40.0" in kept.inner_text()
    assert page.locator(".jp-NotebookPanel").count() == 1  # pages of before stay closed
    assert outside == [] and wrong == []
    context.close()


PAGE_OF_A_CHAPTER = """from autograder import check, given, hint, progress, reveal
from chip2cluster import explore, predict, roofline, specs
"""


def test_chapter_is_checked_without_numpy(browser, address):
    """Set-up, check, given, hint, reveal and progress of chapter 3; the models of its set-up say what they lack."""
    from autograder.exercises import exercise

    dead = {"server": "http://127.0.0.1:9", "bypass": "127.0.0.1"}
    context = browser.new_context(viewport={"width": 1280, "height": 900}, proxy=dead)
    page = context.new_page()
    page.goto(f"{address}lite/lab/index.html?path=03_roofline.ipynb")
    page.locator(SHOWN).get_by_role("heading", name="3 · The roofline").wait_for(timeout=60_000)
    solution = exercise("roofline.ridge").solution
    wrong = solution.replace(" / 2", "")
    told = run(page, 0, f"{PAGE_OF_A_CHAPTER}{wrong}\ncheck('roofline.ridge', ridge)")
    assert "sparse peak used for dense" in told.inner_text()
    told = run(page, 1, f"{solution}\ncheck('roofline.ridge', ridge)")
    assert "correct" in told.inner_text() and "Every case agrees with the reference" in told.inner_text()
    card = run(page, 2, "given('roofline.critique')")
    assert "What can be wrong:" in card.inner_text()
    told = run(page, 3, "check('roofline.critique', lambda: [0, 0, 0])")
    assert "not exactly one answer is called right" in told.inner_text()
    told = run(page, 4, "print(hint('roofline.critique'), reveal('roofline.critique').code, sep='\\n')")
    assert "Hint 1 of 3" in told.inner_text() and "# A: " in told.inner_text()
    assert "1 of 10 solved" in run(page, 5, "progress('roofline')").inner_text()
    lacking = run(page, 6, "roofline.ridge_point(1.0, 1.0)")
    assert "chip2cluster.roofline needs numpy, which this Python does not have" in lacking.inner_text()
    context.close()


def _version():
    import chip2cluster

    return chip2cluster.__version__
