"""Submissions of the roofline lab for tests that damage them, and invariants of the rebuilt notebook."""

import copy
import json
from contextlib import suppress

import nbformat
from nbgrader.nbgraderformat import MetadataValidator

from autograder.grading.intake.reconstruction import rebuild
from tests.grading.course import LAB, ROOT

RELEASED = json.loads((ROOT / "labs" / LAB / f"lab_{LAB}.ipynb").read_text(encoding="utf-8"))

ANSWERS = {
    "shortest_time": (
        "def shortest_time(flops, bytes_moved, peak_flops, memory_bandwidth):\n"
        "    computing = flops / peak_flops\n"
        "    return max(computing, bytes_moved / memory_bandwidth)\n"
    ),
    "attention_intensity": "def attention_intensity(context, query_heads, kv_heads, head_dim):\n    return 1.5\n",
    "largest_batch": "def largest_batch(memory_gb, weights_gb, cache_gb):\n    return max(0, int((memory_gb - weights_gb) / cache_gb))",
    "tokens_per_second": (
        "def tokens_per_second(parameters, cache_bytes, batch, peak_flops, memory_bandwidth):\n"
        "    traffic = 2 * parameters + batch * cache_bytes\n"
        "    return batch / shortest_time(2 * parameters * batch, traffic, peak_flops, memory_bandwidth)"
    ),
    "efficiency": "def efficiency(measured_flops, intensity, peak_flops, memory_bandwidth):\n    return measured_flops / peak_flops",
    "rank_chips": "def rank_chips(names, parameters, cache_bytes, batch):\n    return sorted(names)",
    "recommendation": "I would buy the H200.\n\nIt has 4.8 TB/s.",
}


def text(cell):
    return "".join(cell["source"])


def marks(cell):
    return cell["metadata"].get("nbgrader", {})


def answered(**answers):
    """Return the lab with all answers; ``answers`` replaces some, by cell id."""
    notebook = copy.deepcopy(RELEASED)
    for cell in notebook["cells"]:
        cell["source"] = (ANSWERS | answers).get(cell["id"], cell["source"])
    return notebook


def find(notebook, cell_id):
    """Return the one cell with this id."""
    (cell,) = [cell for cell in notebook["cells"] if cell.get("id") == cell_id]
    return cell


def position(notebook, cell_id):
    return notebook["cells"].index(find(notebook, cell_id))


def code(source, **more):
    return {"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "execution_count": None} | more


def markdown(source, **more):
    return {"cell_type": "markdown", "source": source, "metadata": {}} | more


def check_shape(rebuilt):
    """Assert what holds for every rebuilt notebook."""
    notebook = rebuilt.notebook
    node = nbformat.from_dict(copy.deepcopy(notebook))
    nbformat.validate(node)
    MetadataValidator().validate_nb(node)
    json.dumps(notebook, ensure_ascii=False).encode("utf-8")
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    wanted = [cell["id"] for cell in RELEASED["cells"]]
    assert [cell_id for cell_id in ids if cell_id in set(wanted)] == wanted
    for cell in RELEASED["cells"]:
        found = find(notebook, cell["id"])
        assert (found["cell_type"], found["metadata"]) == (cell["cell_type"], cell["metadata"])
        if marks(cell) and not marks(cell)["solution"]:
            assert text(found) == text(cell)
    for cell in notebook["cells"]:
        assert cell["id"] in wanted or cell["metadata"] == {}
        assert cell["cell_type"] != "code" or (cell["outputs"], cell["execution_count"]) == ([], None)
    assert notebook["metadata"] == RELEASED["metadata"]
    again = rebuild(notebook, RELEASED)
    assert again.repairs == () and again.notebook == notebook
    for sentence in rebuilt.repairs:
        assert sentence[0].isupper() and sentence.endswith(".") and "{" not in sentence


def repaired(notebook):
    rebuilt = rebuild(notebook, RELEASED)
    check_shape(rebuilt)
    return rebuilt.notebook, rebuilt.repairs


def has_answers(notebook, **answers):
    for cell_id, answer in (ANSWERS | answers).items():
        assert text(find(notebook, cell_id)).strip() == answer.strip()


def run(notebook):
    """Execute all cells but the checks, ignoring errors; return the functions at each check."""
    space, seen = {"check": lambda *given: None, "hint": None}, {}
    for cell in notebook["cells"]:
        name = cell["id"].removesuffix("-check")
        if name != cell["id"]:
            seen[name] = space.get(name)
        elif cell["cell_type"] == "code" and cell["id"] not in ("setup", "ranking"):
            with suppress(Exception):
                exec(text(cell), space)
    return seen
