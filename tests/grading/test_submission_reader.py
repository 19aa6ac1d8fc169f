"""`read_submission` returns a clean notebook or a sentence, and never raises, follows a link or waits."""

import hashlib
import json
import os
import socket
import sys
import tempfile
import threading
import tracemalloc
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.grading.intake import submission_reader, submitted_notebook
from autograder.grading.intake.notebook import clean_notebook
from autograder.grading.intake.reconstruction import rebuild
from autograder.grading.intake.submission_reader import read_submission
from tests.grading.notebooks import ANSWERS, RELEASED, answered, code, find, markdown, text

LAB = "03_roofline"


@pytest.fixture
def hand_in(tmp_path):
    """Write one file to a new folder and read it."""

    def write(data, name=f"lab_{LAB}.ipynb"):
        folder = tmp_path / "submitted" / "ann" / LAB
        folder.mkdir(parents=True, exist_ok=True)
        if not isinstance(data, bytes | str):
            data = json.dumps(data)
        (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
        return read_submission(folder, f"lab_{LAB}")

    return write


def refused(submission, *words):
    assert submission.notebook is None and submission.problem.endswith(".") and "\n" not in submission.problem
    for word in words:
        assert word in submission.problem
    assert len(submission.digest) == 64


def plain_json(notebook):
    return json.dumps(notebook, ensure_ascii=False).encode("utf-8")


def test_an_honest_notebook(hand_in):
    submission = hand_in(answered())
    assert (submission.problem, submission.notes) == ("", ())
    assert submission.digest == hashlib.sha256(json.dumps(answered()).encode()).hexdigest()
    assert [text(cell) for cell in submission.notebook["cells"]] == [text(cell) for cell in answered()["cells"]]
    assert clean_notebook(submission.notebook) == submission.notebook
    nbformat.validate(nbformat.from_dict(submission.notebook))
    assert rebuild(submission.notebook, RELEASED).repairs == ()


@pytest.mark.parametrize(
    "data, words",
    [
        (b"", "is empty"),
        (b" \n\t", "is empty"),
        (b"{", "is not valid JSON (line 1"),
        (b'{"cells": [}', "is not valid JSON"),
        (b"<<<<<<< HEAD\n{}", "is not valid JSON"),
        (bytes(range(256)) * 50, "is not valid JSON"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\xff" * 4000, "is not valid JSON"),
        (b"\0" * 4096, "is empty"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"a":' * 200_000, "nested too deeply"),
        (b"null", "not a notebook"),
        (b"3", "not a notebook"),
        (b'"cells"', "not a notebook"),
        (b"[]", "not a notebook"),
        (b"{}", "no list of cells"),
        (b'{"cells": {}}', "no list of cells"),
        (b'{"cells": "x", "worksheets": 3}', "no list of cells"),
        (b'{"output_type": 1, "cells": []}', "not a notebook"),
    ],
)
def test_no_notebook(hand_in, data, words):
    refused(hand_in(data), words, f"lab_{LAB}.ipynb")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_encodings_that_editors_write(hand_in, encoding):
    notebook = answered(recommendation="H200 – größer, 更快 🚀")
    submission = hand_in(json.dumps(notebook, ensure_ascii=False).encode(encoding))
    assert find(submission.notebook, "recommendation")["source"] == "H200 – größer, 更快 🚀"


def test_an_old_encoding_costs_a_letter_and_no_marks(hand_in):
    notebook = {"cells": [code("x = 1  # größer")]}
    submission = hand_in(json.dumps(notebook, ensure_ascii=False).encode("cp1252"))
    assert submission.notebook["cells"][0]["source"] == "x = 1  # gr\ufffd\ufffder" and "UTF-8" in submission.notes[0]


def test_numbers_that_python_refuses(hand_in):
    data = json.dumps(answered()).replace(
        '"nbformat": 4', f'"nbformat": {"9" * 20_000}, "a": NaN, "b": -Infinity, "c": 1e999'
    )
    submission = hand_in(data)
    assert find(submission.notebook, "efficiency")["source"] == ANSWERS["efficiency"]


def test_outputs_and_attachments_are_left_out(hand_in):
    notebook = answered()
    find(notebook, "efficiency")["outputs"] = [
        {"output_type": "display_data", "data": {"text/html": "<script>"}, "metadata": {}}
    ]
    find(notebook, "recommendation")["attachments"] = {"a.svg": {"image/svg+xml": "<script>"}}
    assert b"script" not in plain_json(hand_in(notebook).notebook)


@pytest.mark.parametrize(
    "source, expected",
    [
        (5, "5"),
        (None, ""),
        ({}, ""),
        (["a\n", "b"], "a\nb"),
        (["a", 3, None, ["x"], {}], "a3"),
        (True, "True"),
        ("\ud800x", "?x"),
    ],
)
def test_sources_of_any_type(hand_in, source, expected):
    submission = hand_in({"cells": [code(source)]})
    assert submission.notebook["cells"][0]["source"] == expected
    plain_json(submission.notebook)


@pytest.mark.parametrize("cell_id", [None, 5, "", "x" * 65, "with space", ["a"], "\ud800", "newline\n"])
def test_ids_that_are_none_are_dropped(hand_in, cell_id):
    (cell,) = hand_in({"cells": [markdown("x", id=cell_id)]}).notebook["cells"]
    assert "id" not in cell


def test_cells_that_are_none_are_left_out_and_said(hand_in):
    submission = hand_in({"cells": [None, "x", code("1"), [], {"cell_type": ["code"], "source": "kept"}]})
    assert [(cell["cell_type"], cell["source"]) for cell in submission.notebook["cells"]] == [
        ("code", "1"),
        ("raw", "kept"),
    ]
    assert "not cells were dropped (3)" in submission.notes[0]


def version_3(cells):
    """Return the cell as IPython 2 wrote it."""
    old = []
    for cell in cells:
        cell = {key: value for key, value in cell.items() if key not in ("id", "execution_count")}
        if cell["cell_type"] == "code":
            cell |= {"input": cell.pop("source"), "language": "python", "collapsed": False, "outputs": []}
        old.append(cell)
    return {
        "metadata": {"name": ""},
        "nbformat": 3,
        "nbformat_minor": 0,
        "worksheets": [{"cells": old, "metadata": {}}],
    }


def test_format_3_is_converted(hand_in):
    notebook = version_3(answered()["cells"])
    notebook["worksheets"][0]["cells"].append({"cell_type": "heading", "level": 2, "source": ["Heading"]})
    submission = hand_in(notebook)
    assert "format 3" in submission.notes[0]
    assert submission.notebook["cells"][-1] == markdown("## Heading")
    rebuilt = rebuild(submission.notebook, RELEASED)
    for cell_id, answer in ANSWERS.items():
        assert find(rebuilt.notebook, cell_id)["source"] == answer
    assert len(rebuilt.repairs) == 1 and "ids" in rebuilt.repairs[0]


@pytest.mark.parametrize(
    "sheets", [[None], [{}], [{"cells": 3}], [{"cells": [None, {}, {"cell_type": "heading", "level": "x"}]}], []]
)
def test_broken_format_3(hand_in, sheets):
    submission = hand_in({"worksheets": sheets, "nbformat": 3})
    assert submission.notebook["cells"] == [] or len(submission.notebook["cells"]) == 2


def test_another_name(hand_in, tmp_path):
    for name in ("lab drei – größer.ipynb", "lab\nnew.IPYNB"):
        submission = hand_in(answered(), name)
        assert submission.notebook and "was graded" in submission.notes[0] and "\n" not in submission.notes[0]
        (tmp_path / "submitted/ann" / LAB / name).unlink()
    hand_in(answered(), "a.ipynb")
    hand_in(b"apple double", "._a.ipynb")
    assert read_submission(tmp_path / "submitted/ann" / LAB, f"lab_{LAB}").notebook
    refused(hand_in(answered(), "b.ipynb"), f"no lab_{LAB}.ipynb", "more than one")
    assert hand_in(answered()).notes == ("a.ipynb, b.ipynb were also handed in and not graded.",)


def test_nothing_there(tmp_path):
    refused(read_submission(tmp_path / "missing", f"lab_{LAB}"), "no submitted folder")
    refused(read_submission(tmp_path, f"lab_{LAB}"), f"no lab_{LAB}.ipynb")
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / ".ipynb_checkpoints").mkdir()
    refused(read_submission(tmp_path, f"lab_{LAB}"), f"no lab_{LAB}.ipynb")
    refused(read_submission(tmp_path / "notes.txt", f"lab_{LAB}"), "a file in place of the submitted folder")
    refused(read_submission(tmp_path / ("x" * 300), f"lab_{LAB}"), "")


def test_a_student_may_be_called_anything(tmp_path):
    folder = tmp_path / "søren 李 ' ; -rf" / LAB
    folder.mkdir(parents=True)
    (folder / f"lab_{LAB}.ipynb").write_text(json.dumps(answered()))
    assert read_submission(folder, f"lab_{LAB}").notebook


def test_links_are_never_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / f"lab_{LAB}.ipynb").write_text(json.dumps(answered()))
    folder = tmp_path / "ann"
    folder.symlink_to(secret)
    refused(read_submission(folder, f"lab_{LAB}"), "symbolic link")
    folder = tmp_path / "bob"
    folder.mkdir()
    (folder / f"lab_{LAB}.ipynb").symlink_to(secret / f"lab_{LAB}.ipynb")
    refused(read_submission(folder, f"lab_{LAB}"), "symbolic link")
    (folder / f"lab_{LAB}.ipynb").unlink()
    (folder / f"lab_{LAB}.ipynb").symlink_to(folder / "nowhere")
    refused(read_submission(folder, f"lab_{LAB}"), "symbolic link")
    (folder / f"lab_{LAB}.ipynb").unlink()
    (folder / "other.ipynb").symlink_to(secret / f"lab_{LAB}.ipynb")
    refused(read_submission(folder, f"lab_{LAB}"), f"no lab_{LAB}.ipynb")


def test_a_link_put_there_at_the_last_moment(hand_in, tmp_path, monkeypatch):
    hand_in(answered())
    file = tmp_path / "submitted/ann" / LAB / f"lab_{LAB}.ipynb"
    secret = tmp_path / "secret"
    secret.write_text(json.dumps(answered(recommendation="secret")))
    really = os.open

    def swap(path, *given, **named):
        if path == file:
            file.unlink()
            file.symlink_to(secret)
        return really(path, *given, **named)

    monkeypatch.setattr(submission_reader.os, "open", swap)
    submission = read_submission(file.parent, f"lab_{LAB}")
    monkeypatch.undo()
    assert file.is_symlink()
    refused(submission, "could not be opened")


@pytest.mark.parametrize("kind", ["fifo", "folder", "socket"])
def test_things_that_are_no_files(tmp_path, kind, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"lab_{LAB}.ipynb"
    listener = socket.socket(socket.AF_UNIX) if kind == "socket" else None
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        listener.bind(path.name)
    answer = []
    reader = threading.Thread(target=lambda: answer.append(read_submission(tmp_path, f"lab_{LAB}")), daemon=True)
    reader.start()
    reader.join(10)
    assert answer, "still waiting for the other end"
    refused(answer[0], "is not a regular file")
    if listener:
        listener.close()


@contextmanager
def somebody():
    """Run as the user nobody for a while, because root may read everything."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.skipif(os.name != "posix", reason="files have no such permissions")
def test_a_file_without_permission():
    # Only its owner may enter `tmp_path`, but here only the file must be inaccessible.
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        file = Path(place) / f"lab_{LAB}.ipynb"
        file.write_text(json.dumps(answered()), encoding="utf-8")
        file.chmod(0o644)
        with somebody():
            assert read_submission(place, f"lab_{LAB}").notebook
        file.chmod(0)
        with somebody():
            refused(read_submission(place, f"lab_{LAB}"), "could not be opened")


def test_a_huge_file_is_refused_before_it_is_read(tmp_path):
    with open(tmp_path / f"lab_{LAB}.ipynb", "wb") as file:
        file.truncate(200 * 10**6)
    tracemalloc.start()
    try:
        submission = read_submission(tmp_path, f"lab_{LAB}")
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()
    refused(submission, "200 MB", "clear its outputs")


def test_a_big_output_is_read_and_dropped(hand_in):
    notebook = answered()
    printed = {"output_type": "stream", "name": "stdout", "text": "1, 2, 3: [4]\n" * 2_000_000}
    find(notebook, "efficiency")["outputs"] = [printed]
    submission = hand_in(notebook)
    assert len(plain_json(submission.notebook)) < 50_000
    assert find(submission.notebook, "efficiency")["source"] == ANSWERS["efficiency"]


@pytest.mark.parametrize("unit", [b"[],", b"{},", b'"",', b"0.5,", b'{"a":0},'])
def test_memory_stays_bounded(hand_in, monkeypatch, unit):
    # A fortieth of both limits makes the test fast.
    monkeypatch.setattr(submitted_notebook, "MAX_BYTES", submitted_notebook.MAX_BYTES // 40)
    monkeypatch.setattr(submitted_notebook, "MAX_VALUES", submitted_notebook.MAX_VALUES // 40)
    for size in (submitted_notebook.MAX_BYTES - 100, len(unit) * submitted_notebook.MAX_VALUES // 3):
        data = b'{"cells":[' + unit * (size // len(unit)) + b"null]}"
        tracemalloc.start()
        try:
            submission = hand_in(data)
            assert tracemalloc.get_traced_memory()[1] < 20 * 10**6
        finally:
            tracemalloc.stop()
        assert "millions of values" in submission.problem or size < 10**6


def test_more_than_a_person_writes(hand_in):
    refused(hand_in({"cells": [code("1")] * 5_001}), "more than 5,000 cells")
    refused(hand_in({"cells": [code("x" * 2_100_000)] * 2}), "4,000,000 characters")
    refused(hand_in({"worksheets": [{"cells": [code("1")] * 3_000}] * 2}), "more than 5,000 cells")


@settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.integers(0, 60_000), st.binary(max_size=8), st.integers(0, 20))
def test_a_file_that_was_damaged_anywhere(tmp_path, where, new, gone):
    data = json.dumps(answered()).encode()
    where %= len(data)
    (tmp_path / f"lab_{LAB}.ipynb").write_bytes(data[:where] + new + data[where + gone :])
    submission = read_submission(tmp_path, f"lab_{LAB}")
    assert (submission.notebook is None) == bool(submission.problem)
    if submission.notebook:
        plain_json(rebuild(submission.notebook, RELEASED).notebook)


def test_deep_nesting_below_the_limit(hand_in):
    depth = sys.getrecursionlimit() // 2
    notebook = answered()
    notebook["metadata"]["deep"] = json.loads("[" * depth + "]" * depth)
    find(notebook, "efficiency")["metadata"]["nbgrader"]["points"] = json.loads('{"a":' * depth + "0" + "}" * depth)
    submission = hand_in(notebook)
    rebuilt = rebuild(submission.notebook, RELEASED)
    assert find(rebuilt.notebook, "efficiency")["source"] == ANSWERS["efficiency"]
