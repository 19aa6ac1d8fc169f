"""Every link of every copied notebook leads to an existing file, and to a heading in it."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from autograder.workspace import Workspace, start
from tests.copies.conftest import read

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)(?: \"[^\"\n]*\")?\)|<(?:img|a)[^>]*(?:src|href)=\"([^\"]+)\"")
CODE = re.compile(r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]+\$", re.S)


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    to = tmp_path_factory.mktemp("reader")
    start(Workspace(ROOT, to))
    return to


@pytest.fixture(scope="module")
def in_the_browser(tmp_path_factory):
    from course.publish.lite import pages

    return pages.write(ROOT, tmp_path_factory.mktemp("lite"), "a few MB")


@pytest.fixture(params=["on one's own machine", "in the browser"])
def site(request, started, in_the_browser):
    return (started, "my_course/00_start.ipynb") if "own" in request.param else (in_the_browser, "00_start.ipynb")


def links(file):
    for name, text in read(file).items():
        for first, second in LINK.findall(CODE.sub("", text)):
            if ":" not in (target := first or second):
                yield name, target


def anchors(file):
    """Return the anchors that JupyterLab and GitHub give the headings of a notebook, and JupyterLab its cells."""
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    headings = [re.sub(r"[*`\\]", "", heading).strip() for heading in re.findall(r"^#+ (.+)$", text, re.M)]
    named = {heading.replace(" ", "-") for heading in headings} | {*re.findall(r'<a id="([^"]+)">', text)}
    return named | {f"cell-id={cell['id']}" for cell in cells}


def test_all_links_lead_somewhere(site):
    started, _ = site
    broken, seen = [], 0
    for file in sorted(started.rglob("*.ipynb")):
        for cell, target in links(file):
            name, _, fragment = target.partition("#")
            there = (file.parent / name).resolve() if name else file
            seen += 1
            if (
                not there.is_file()
                or not there.is_relative_to(started)
                or (fragment and fragment not in anchors(there))
            ):
                broken.append(f"{file.relative_to(started)}, {cell}: {target}")
    assert not broken and seen > 500


def test_links_connect_the_map_and_every_notebook(site):
    started, start_page = site
    pages = {file for file in started.rglob("*.ipynb")}
    leads = {file: {(file.parent / t.partition("#")[0]).resolve() for _, t in links(file)} for file in pages}
    first = started / start_page
    reached, waiting = {first}, [first]
    while waiting:
        new = leads[waiting.pop()] & pages - reached
        reached |= new
        waiting += new
    assert reached == pages
    assert [file for file in pages - {first} if first not in leads[file]] == []


@pytest.mark.parametrize("lab", sorted((ROOT / "labs").glob("*/*.ipynb")), ids=lambda file: file.parent.name)
def test_links_connect_a_chapter_and_its_lab(lab, started):
    chapter, copy = started / f"my_course/{lab.parent.name}.ipynb", started / f"my_labs/{lab.parent.name}/{lab.name}"
    for file, target in (
        (chapter, f"../my_labs/{lab.parent.name}/{lab.name}"),
        (copy, f"../../my_course/{chapter.name}"),
    ):
        found = read(file)
        assert list(found)[1] == "nav-top" and list(found)[-1] == "nav-end"
        assert f"({target})" in found["nav-top"] == found["nav-end"]
    assert f"(../my_labs/{lab.parent.name}/{lab.name})" in "".join(
        text for name, text in read(chapter).items() if not name.startswith("nav")
    ), "a chapter says at its end which lab is its own"


def test_links_connect_neighbouring_chapters(started):
    names = sorted(file.name for file in started.glob("my_course/[0-9]*.ipynb"))
    for before, after in pairwise(names):
        assert f"→]({after})" in read(started / "my_course" / before)["nav-end"]
        if before != "00_start.ipynb":
            assert f"]({before})" in read(started / "my_course" / after)["nav-top"]


def test_the_courses_own_pages_name_no_neighbour(started):
    """Therefore a new chapter needs only new files."""
    for file in ROOT.glob("course/*.ipynb"):
        assert not [name for name in read(file) if name.startswith("nav-")]
