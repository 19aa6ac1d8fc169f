"""The book is made once for all tests, whichever worker asks first."""

import os
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from filelock import FileLock


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """The folder of executed notebooks, with ``_static`` in it. Read it; write nothing there."""
    from course.publish.book import execute

    shared = _shared(tmp_path_factory)
    folder, done = shared / "book-pages", shared / "book-pages.done"
    with FileLock(shared / "book-pages.lock"):
        if not done.exists():
            execute.pages(folder)
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
            build.build(folder, executed=pages)
            done.touch()
    return folder


@pytest.fixture(scope="session")
def address(site):
    """The book on a server of its own."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def _shared(factory):
    """A folder that all workers of this run see."""
    return factory.getbasetemp().parent if "PYTEST_XDIST_WORKER" in os.environ else factory.getbasetemp()
