"""A line that cannot run where work is graded costs that line, and nothing that is defined below it."""

import json
import pickle
import time

import numpy as np
import pytest

from autograder.grading.submission import grade
from autograder.sandbox import CellStatus, CodeCell, Limits, Query, Sandbox, TimeBudget, session
from autograder.sandbox.inside.partial_cells import compilable_definitions
from autograder.sandbox.inside.reply_codes import ReplyCode
from tests.grading.attacks.model import BARE, FULL, LAB, NAME, POINTS, SOLVED, code, notebook, write

pytestmark = pytest.mark.sandbox

ANSWER = SOLVED["efficiency"]
ROOF = "def roof(intensity, peak, bandwidth):\n    return min(peak, intensity * bandwidth)"
HELPED = (
    "def efficiency(measured_flops, intensity, peak_flops, memory_bandwidth):\n"
    "    return measured_flops / roof(intensity, peak_flops, memory_bandwidth)"
)
HELPERS = json.dumps(
    {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [code(ROOF), {"cell_type": "markdown", "id": "m", "metadata": {}, "source": "mine"}],
    }
).encode()
# Lines above a definition, in its cell.
LINES = {
    "input": "n = input('How many? ')",
    "input, twice": "n = int(input())\nm = n * 2\nprint(m)",
    "version of a missing package": "import torch; print(torch.__version__)",
    "style of a missing package": "import seaborn as sns\nsns.set_theme()",
    "file that is not there": "rows = open('rows.csv').read().splitlines()",
    "pickle that is not there": "import pickle\nkept = pickle.load(open('kept.pkl', 'rb'))",
    "notebook that is not there": "%run other.ipynb",
    "exit": "import sys\nsys.exit()",
    "raise": "raise RuntimeError('stop here')",
    "failing check": "assert efficiency(1, 2, 3, 4) == 0.5",
    "timed cell": "%%time\nn = input()",
    "captured cell": "%%capture\nn = input()",
    "endless loop": "while True: pass",
    "timed endless loop": "%%time\nwhile True: pass",
    "await": "import asyncio\nawait asyncio.wait_for(asyncio.sleep(9), 0.01)",
}


@pytest.fixture(scope="module")
def box():
    with Sandbox(LAB, limits=Limits(cell_seconds=1, case_seconds=2)) as box:
        yield box


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")


def graded(box, folder, edits, first="", files=()):
    folder = folder / NAME
    folder.mkdir()
    write(folder, notebook(edits, first, base=SOLVED))
    for name, content in dict(files).items():
        (folder / name).write_bytes(content)
    return grade(folder, "ann", LAB, box)


@pytest.mark.parametrize("name", LINES)
def test_line_above_a_definition_costs_only_itself(name, box, tmp_path):
    result = graded(box, tmp_path, {"efficiency": f"{LINES[name]}\n\n{ANSWER}"})
    assert result.score == FULL, (result.repairs, result.exercises["lab.roofline.efficiency"])
    assert result.status == "graded_with_errors"
    assert any("the cell that defines `efficiency` failed" in sentence for sentence in result.repairs)


@pytest.mark.parametrize("line", ["n = input()", "import torch\ntorch.manual_seed(1)", "while True: pass"])
def test_line_above_a_helper_costs_only_itself(line, box, tmp_path):
    first = f"{line}\nSHARE = 2 / 2\nimport math as maths\n{ROOF.replace('min(', 'SHARE * maths.fabs(1) * min(')}"
    result = graded(box, tmp_path, {"efficiency": HELPED}, first=first)
    assert result.score == FULL, result.repairs
    assert any("A line of a cell failed" in sentence for sentence in result.repairs)


def test_line_below_a_definition_does_not_go_on(box, tmp_path):
    result = graded(box, tmp_path, {"efficiency": f"{ANSWER}\n\nprint(input())\nprint('reached')"})
    assert result.score == FULL and "reached" not in json.dumps(result.notebook["cells"])[1:].replace(
        "print('reached')", ""
    )
    assert not any("Definitions below" in sentence for sentence in result.repairs)


def test_definition_that_fails_itself_earns_nothing(box, tmp_path):
    broken = "n = input()\n@missing_decorator\n" + ANSWER
    result = graded(box, tmp_path, {"efficiency": broken})
    assert result.score == FULL - POINTS["efficiency"]


# Faulty statements in the cell of an answer, above and below it.
FAULTY = {
    "line that is not Python": "{answer}\n\nthis is what I found out",
    "function without a body": "def mine(x):\n\n{answer}",
    "function with a comment for a body": "def mine(x):\n    # to do\n\n{answer}",
    "docstring that does not end": 'def mine(x):\n    """Mine.\n    return x\n\n{answer}',
    "parenthesis that stays open": "peaks = (1e12, 2e12\n{answer}",
    "colon left out": "{answer}\nfor n in range(3)\n    print(n)",
    "indentation that does not match": "{answer}\n\ndef mine(x):\n\treturn x\n        return 2",
    "return at the top level": "def mine(x):\n    y = 2 * x\nreturn y\n\n{answer}",
    "quotes of a word processor": "{answer}\nprint(\u201cdone\u201d)",
    "Python 2": "print efficiency\n{answer}",
    "try without except": "try:\n    import math\n{answer}",
    "conflict markers": "<<<<<<< HEAD\n{answer}\n=======\n>>>>>>> theirs",
    "timed": "%%time\n{answer}\nx = = 2",
    "magic and an error": "%matplotlib inline\n{answer}\nx = = 2",
}


@pytest.mark.parametrize("name", FAULTY)
def test_syntax_error_beside_a_definition_costs_only_itself(name, box, tmp_path):
    result = graded(box, tmp_path, {"efficiency": FAULTY[name].format(answer=ANSWER)})
    assert result.score == FULL, (result.repairs, result.exercises["lab.roofline.efficiency"])
    assert result.status == "graded_with_errors"
    assert any("has a syntax error. Those of its definitions" in sentence for sentence in result.repairs)


def test_syntax_error_in_one_of_all_answers_costs_that_answer(box, tmp_path):
    """All answers stand in one cell, and one of them does not compile."""
    broken = ANSWER.replace("return ", "return return ")
    together = "\n\n".join(broken if name == "efficiency" else source for name, source in SOLVED.items())
    first, *others = SOLVED
    edits = dict.fromkeys(others, "") | {first: together}
    result = graded(box, tmp_path, edits)
    assert result.score == FULL - POINTS["efficiency"], result.repairs


def test_faulty_last_version_is_not_replaced_by_an_earlier_one(box, tmp_path):
    broken = f"{ANSWER}\n\n{ANSWER.replace('return ', 'return return ')}"
    result = graded(box, tmp_path, {"efficiency": broken})
    assert result.score == FULL - POINTS["efficiency"], result.repairs


def test_statements_of_a_cell_with_a_syntax_error_do_not_run():
    with Sandbox(BARE, limits=Limits(cell_seconds=1)) as box:
        source = "print('scr' + 'atch')\nPEAK = 2.0\nrate = f(3)\ndef f(x): return PEAK * x\nx = = 1"
        cell, (reply,), (missing,) = box.run([CodeCell(source), Query("f", [[3.0]]), Query("rate", [[3.0]])])
    assert cell.status is CellStatus.ERROR and cell.salvaged and "scratch" not in str(cell.outputs)
    assert reply.value == 6.0 and missing.code is ReplyCode.MISSING


@pytest.mark.parametrize(
    "source", ["def f(x" * 300, "x = = 1\n" * 150, "x = = 1\n" * 9000, "(" * 5000, "'''\n" * 301, "\0", "\\", "@a\n" * 200, "\ufeff= 1"]
)  # fmt: skip
def test_odd_source_is_salvaged_in_time(source):
    began = time.process_time()
    assert compilable_definitions(source) == ""
    assert time.process_time() - began < 5


FILES = {
    "helpers.ipynb": HELPERS,
    "kept.pkl": pickle.dumps({"power": 1}),
    "kept.pickle": pickle.dumps({"power": 1}),
    "ones.npy": b"",
}


@pytest.mark.parametrize(
    "line, answer",
    [
        ("%run helpers.ipynb", HELPED),
        ("import pickle\nkept = pickle.load(open('kept.pkl', 'rb'))", ANSWER.replace("return ", "return kept['power'] * ")),
        ("import pickle\nkept = pickle.load(open('kept.pickle', 'rb'))", ANSWER.replace("return ", "return kept['power'] * ")),
        ("import numpy as np\nones = np.load('ones.npy')", ANSWER.replace("return ", "return ones[0] * ")),
    ],
    ids=["notebook", "pkl", "pickle", "npy"],
)  # fmt: skip
def test_file_beside_the_notebook_is_there(line, answer, box, tmp_path):
    np.save(tmp_path / "ones.npy", np.ones(3))
    files = FILES | {"ones.npy": (tmp_path / "ones.npy").read_bytes()}
    result = graded(box, tmp_path, {"efficiency": f"{line}\n{answer}"}, files=files)
    assert (result.score, result.status) == (FULL, "graded"), result.repairs
    assert not any("Files left out" in sentence or "not read" in sentence for sentence in result.repairs)


def test_large_notebook_beside_is_left_out_without_alarm(box, tmp_path):
    result = graded(box, tmp_path, {}, files={"lab-Copy1.ipynb": b" " * (1 << 19), "mine.py": b"x = 1"})
    assert result.score == FULL and not any("Files left out" in sentence for sentence in result.repairs)


# --- time -------------------------------------------------------------------------------
SPIN = "import time\nuntil = time.process_time() + {}\nwhile time.process_time() < until: pass"


def test_scratch_cells_leave_time_for_definitions(tmp_path, monkeypatch):
    with Sandbox(LAB, limits=Limits(cell_seconds=2, notebook_seconds=6, submission_seconds=60)) as slow:
        made = notebook(base=SOLVED)
        made["cells"][1:1] = [code(SPIN.format(5) + f"  # {number}") for number in range(4)]
        folder = tmp_path / NAME
        folder.mkdir()
        write(folder, made)
        result = grade(folder, "ann", LAB, slow)
    assert result.score == FULL, result.repairs
    assert result.status == "graded_with_errors"
    assert any("took too long" in sentence for sentence in result.repairs)


def test_reserve_of_time_is_limited(monkeypatch):
    monkeypatch.setattr(session, "RESERVE_SECONDS", 0.2)
    monkeypatch.setattr(session, "RESERVES_SECONDS", 0.6)
    limits = Limits(cell_seconds=5, notebook_seconds=0.5)
    budget = TimeBudget(limits)
    with Sandbox(BARE, limits=limits) as box:
        cells = [CodeCell(f"def f{number}(): return 1\nwhile True: pass", defines=True) for number in range(30)]
        ran = box.run(cells, budget=budget)
    # Cells without any time may end before they can be interrupted, and then have to be killed.
    assert [result.status for result in ran[:3]] == [CellStatus.INTERRUPTED] * 3
    # Each measurement comes some hundredths of a second late.
    assert 0.8 < limits.submission_seconds - budget._left < 4


def test_stopped_statement_lets_only_definitions_run():
    with Sandbox(BARE, limits=Limits(cell_seconds=0.3)) as box:
        source = "while True: pass\nprint('scr' + 'atch')\nPEAK = 2.0\ndef f(x): return PEAK * x\nwhile True: pass\nclass A: pass"
        cell, (reply,) = box.run([CodeCell(source, defines=True), Query("f", [[3.0]])])
    assert cell.status is CellStatus.INTERRUPTED and cell.continued and "scratch" not in str(cell.outputs)
    assert reply.code is ReplyCode.VALUE and reply.value == 6.0
