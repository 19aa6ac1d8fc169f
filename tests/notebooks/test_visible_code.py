"""Chapter 16: code that a reader sees fits the window, and the code that only tabulates or draws is folded."""

import json
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "course/16_design.ipynb"
WIDEST = 125  # characters in JupyterLab at 1440 pixels with its left panel open


def code_cells():
    return [cell for cell in json.loads(PAGE.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]


def folded(cell):
    return cell["metadata"].get("jupyter", {}).get("source_hidden", False)


def test_visible_code_fits_the_window():
    for cell in code_cells():
        if not folded(cell):
            assert max(map(len, "".join(cell["source"]).split("\n"))) <= WIDEST, cell["id"]


def test_folded_cells_ask_nothing_of_the_reader():
    """Designs, answers, checks, predictions and explorers stay open."""
    for cell in filter(folded, code_cells()):
        text = "".join(cell["source"])
        assert not any(word in text for word in ("check(", "predict.ask", "explore.", "NotImplementedError", "mine ="))
    assert sum(map(folded, code_cells())) >= 10
