"""Cells deleted, copied, split, retyped: by accident or not, nothing honest may be lost."""

import copy

from .model import FULL, SOLVED, Attack, code, failing, graded, notebook, write


def _solved(name, claim, change, status="graded"):
    return failing(name, claim, change=change, status=status)


def _without(what):
    def change(made):
        made["cells"] = [cell for cell in made["cells"] if not what(cell["metadata"].get("nbgrader", {}))]

    return change


def _setup_gone(made):
    made["cells"] = [cell for cell in made["cells"] if cell["id"] != "setup"]


def _answer_copied(made):
    at = next(i for i, cell in enumerate(made["cells"]) if cell is graded(made)["efficiency"])
    made["cells"].insert(at + 1, copy.deepcopy(made["cells"][at]))
    made["cells"][at]["source"] = "def efficiency(m, i, p, b):\n    return 0.0"


def _check_copied(made):
    at = next(i for i, cell in enumerate(made["cells"]) if cell is graded(made)["efficiency-check"])
    made["cells"].insert(at, copy.deepcopy(made["cells"][at]))


def _split(made):
    at = next(i for i, cell in enumerate(made["cells"]) if cell is graded(made)["tokens_per_second"])
    made["cells"][at]["source"] = (
        "def helper(flops, moved, peak, bandwidth):\n    return max(flops / peak, moved / bandwidth)"
    )
    rest = "def tokens_per_second(n, c, k, p, b):\n    return k / helper(2 * n * k, 2 * n + k * c, p, b)"
    made["cells"].insert(at + 1, code(rest))


def _retyped(made):
    cell = graded(made)["efficiency"]
    cell["cell_type"] = "markdown"
    del cell["outputs"], cell["execution_count"]


def _all_retyped(made):
    for cell in made["cells"]:
        if cell["cell_type"] == "code":
            cell["cell_type"] = "raw"
            del cell["outputs"], cell["execution_count"]


def _stripped(made):
    for cell in made["cells"]:
        cell["metadata"] = {}


def _no_ids(made):
    for cell in made["cells"]:
        cell.pop("id", None)
    made["nbformat_minor"] = 4


def _same_ids(made):
    for cell in made["cells"]:
        cell["id"] = "same"


def _reversed(made):
    made["cells"].reverse()


def _odd_metadata(made):
    for number, cell in enumerate(made["cells"]):
        cell["metadata"]["tags"] = number
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"]["points"] = [None, "ten", {"a": 1}, float("1e308")][number % 4]


def _version_3(folder):
    made = notebook(base=SOLVED)
    cells = []
    for cell in made["cells"]:
        old = {"cell_type": cell["cell_type"], "metadata": cell["metadata"]}
        if cell["cell_type"] == "code":
            cells.append(
                old
                | {"input": cell["source"], "language": "python", "outputs": [], "prompt_number": 1, "collapsed": False}
            )
        else:
            cells.append(old | {"source": cell["source"]})
    write(
        folder,
        {
            "metadata": {"name": ""},
            "nbformat": 3,
            "nbformat_minor": 0,
            "worksheets": [{"cells": cells, "metadata": {}}],
        },
    )


ATTACKS = (
    _solved(
        "checks-deleted",
        "all check cells are gone",
        _without(lambda marks: marks.get("grade") and not marks.get("solution")),
    ),
    _solved(
        "texts-deleted", "all texts are gone", _without(lambda marks: marks.get("locked") and not marks.get("grade"))
    ),
    _solved("setup-deleted", "the first cell, with its imports, is gone", _setup_gone),
    _solved("answer-copied", "an answer was copied, and the second one is right", _answer_copied),
    _solved("check-copied", "a check was copied", _check_copied),
    _solved("answer-split", "an answer stands in two cells", _split),
    _solved("answer-retyped", "an answer was turned into text", _retyped),
    _solved("all-retyped", "all code was turned into raw text", _all_retyped),
    _solved("metadata-stripped", "an editor has dropped all metadata", _stripped),
    _solved("ids-stripped", "an old editor has dropped all cell ids", _no_ids),
    _solved("ids-equal", "all cells have one id", _same_ids),
    _solved("odd-metadata", "points and tags of the wrong types", _odd_metadata),
    _solved("reversed", "all cells in reverse order", _reversed, status=None),
    Attack("nbformat-3", "an old notebook format", _version_3, most=FULL, least=FULL, status="graded"),
)
