"""The book is made once for all tests, whichever worker asks first."""

import os

import pytest
from filelock import FileLock


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """The folder of executed notebooks, with ``_static`` in it. Read it; write nothing there."""
    from course.publish.book import execute

    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder, done = shared / "book-pages", shared / "book-pages.done"
    with FileLock(shared / "book-pages.lock"):
        if not done.exists():
            execute.pages(folder)
            done.touch()
    return folder
