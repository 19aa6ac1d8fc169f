"""Small course that a test may change, and a reader's folders."""

import json
from datetime import date

import pytest

from autograder.workspace import Workspace, start

TODAY = date.today().isoformat()
ANSWER = "def high(day):\n    return 0.5"


def code(name, text, **metadata):
    return {
        "cell_type": "code", "id": name, "metadata": metadata, "source": [text], "execution_count": None, "outputs": []
    }  # fmt: skip


def prose(name, text, **metadata):
    return {"cell_type": "markdown", "id": name, "metadata": metadata, "source": [text]}


def put(file, *cells, **metadata):
    """Write a notebook."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})
    file.write_text(text, encoding="utf-8")


def read(file):
    """Return the cells of a notebook by id, as texts."""
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    return {cell["id"]: "".join(cell["source"]) for cell in cells}


def edit(file, **texts):
    """Write into cells of a notebook, as a reader or an author does; a new cell is added at the end."""
    notebook = json.loads(file.read_text(encoding="utf-8"))
    cells = {cell["id"]: cell for cell in notebook["cells"]}
    for name, text in texts.items():
        if text is None:
            notebook["cells"].remove(cells[name])
        elif name in cells:
            cells[name]["source"] = text.splitlines(keepends=True)
        else:
            notebook["cells"].append(code(name, text))
    file.write_text(json.dumps(notebook), encoding="utf-8")


TIDES = (
    prose("title", "# 1 · Tides: when is it high?"),
    code("setup", "import math"),
    prose("text", "The moon pulls."),
    code("answer", "def high(day):\n    raise NotImplementedError"),
    code("check", 'check("tides.high", high)'),
    code("other", "def low(day):\n    raise NotImplementedError"),
    prose("finish", "Next: [lab 1](../labs/01_tides/lab_01_tides.ipynb). ![a wave](images/wave.svg)"),
)
LAB = (
    prose("title", "# Lab 1: a harbour"),
    code("answer", "def high(day):\n    raise NotImplementedError", nbgrader={"solution": True}),
    prose("essay", "*Your answer here.*", nbgrader={"solution": True}),
)


def states(done):
    return {one.page.copy.stem: str(one.state) for one in done}


def everything(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def course(tmp_path):
    root = tmp_path / "repository"
    put(root / "course/00_start.ipynb", prose("title", "# Start"), prose("map", "## The map"))
    put(root / "course/01_tides.ipynb", *TIDES)
    put(root / "course/02_moon.ipynb", prose("title", "# 2 · The moon: how far?"))
    put(root / "course/glossary.ipynb", prose("title", "# Glossary"))
    put(root / "labs/01_tides/lab_01_tides.ipynb", *LAB)
    (root / "labs/01_tides/gauge.csv").write_text("1,2\n")
    (root / "course/images").mkdir()
    (root / "course/images/wave.svg").write_text("<svg/>")
    (root / "course/images/unused.svg").write_text("<svg/>")
    return Workspace(root, tmp_path / "mine")


@pytest.fixture
def page(course):
    start(course)
    return course.to / "my_course/01_tides.ipynb"


@pytest.fixture
def lab(course):
    start(course)
    return course.to / "my_labs/01_tides/lab_01_tides.ipynb"
