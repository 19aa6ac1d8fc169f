"""The part ``page``: a chapter's notebook, run whole in a fresh kernel."""

import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from tests.bench.rows import Row

PAGE = Path(__file__).resolve().parents[2] / "course/03_roofline.ipynb"


def rows(_stack):
    """Yield the one row."""
    yield Row(f"run {PAGE.name} in a fresh kernel", run_page, budget=20)


def run_page():
    """Return the seconds that the notebook takes from the start of its kernel to its end."""
    with tempfile.TemporaryDirectory() as folder:
        notebook = nbformat.read(PAGE, as_version=4)
        start = time.perf_counter()
        NotebookClient(notebook, timeout=120, resources={"metadata": {"path": folder}}).execute()
        return time.perf_counter() - start
