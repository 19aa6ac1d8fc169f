"""The roofline lab as students hand it in, for tests that damage it."""

import copy
import json

from tests.grading.course import LAB, ROOT

RELEASED = json.loads((ROOT / "labs" / LAB / f"{LAB}.ipynb").read_text(encoding="utf-8"))

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
    """The lab with every answer filled in; ``answers`` replaces some, by cell id."""
    notebook = copy.deepcopy(RELEASED)
    for cell in notebook["cells"]:
        cell["source"] = (ANSWERS | answers).get(cell["id"], cell["source"])
    return notebook


def find(notebook, id):
    """Return the one cell with this id."""
    (cell,) = [cell for cell in notebook["cells"] if cell.get("id") == id]
    return cell


def position(notebook, id):
    return notebook["cells"].index(find(notebook, id))


def code(source, **more):
    return {"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "execution_count": None} | more


def markdown(source, **more):
    return {"cell_type": "markdown", "source": source, "metadata": {}} | more
