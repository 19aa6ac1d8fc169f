"""The book is made once for all tests, whichever worker asks first."""

import os

import pytest
from filelock import FileLock

from tests.book.films import write as write_films
from tests.book.strips import MOVING, Strips
from tests.serving import served


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """The folder of executed notebooks, with ``_static`` in it; the explorers of today move. Read it; write nothing there."""
    from course.publish.book import execute

    shared = _shared(tmp_path_factory)
    folder, done = shared / "book-pages", shared / "book-pages.done"
    with FileLock(shared / "book-pages.lock"):
        if not done.exists():
            execute.pages(folder, moving=MOVING)
            done.touch()
    return folder


@pytest.fixture(scope="session")
def site(pages, tmp_path_factory):
    """The finished book. It was built over an older one that had a lab. Read it; write nothing there."""
    from course.publish.book import build

    shared = _shared(tmp_path_factory)
    folder, done = shared / "book-site", shared / "book-site.done"
    with FileLock(shared / "book-site.lock"):
        if not done.exists():
            (folder / "lite/lab").mkdir(parents=True)
            (folder / "lite/lab/index.html").write_text("the lab that was there")
            (folder / "page-of-an-older-book.html").touch()
            build.build(folder, executed=pages, python=_python())
            done.touch()
    return folder


@pytest.fixture(scope="session")
def slides(pages, tmp_path_factory):
    """The slides of every chapter. Read them; write nothing there."""
    from course.publish.slides import build

    shared = _shared(tmp_path_factory)
    with FileLock(shared / "slides.lock"):
        if not (shared / "slides").exists():
            build.build(shared / "slides", executed=pages)
    return shared / "slides"


@pytest.fixture(scope="session")
def strips(pages, tmp_path_factory):
    """The strips that were drawn for the pages, see `Strips`."""
    return Strips(pages, tmp_path_factory.mktemp("strips"))


@pytest.fixture(scope="session")
def address(site):
    """The book on a server of its own."""
    with served(site) as address:
        yield address


@pytest.fixture(scope="session")
def films(tmp_path_factory):
    """The address of pages with one film each, see `tests.book.films`."""
    folder = tmp_path_factory.mktemp("films")
    write_films(folder)
    with served(folder) as address:
        yield address


@pytest.fixture
def page(browser):
    """A page of its own, in which nothing may go wrong."""
    context = browser.new_context(viewport={"width": 900, "height": 900})
    wrong = []
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    context.close()
    assert not wrong


def _python():
    """Python for the pages, as npm's package has it, without NumPy; None where npm is missing."""
    from course.publish.pyodide import CACHE, Distribution, NoPyodide, fetch_engine

    CACHE.mkdir(parents=True, exist_ok=True)
    try:
        return Distribution(fetch_engine(CACHE), served_from_afar=False)
    except NoPyodide:
        return None


def _shared(factory):
    """A folder that all workers of this run see."""
    return factory.getbasetemp().parent if "PYTEST_XDIST_WORKER" in os.environ else factory.getbasetemp()
