"""No combination of accidents breaks the released shape or loses a line of a student."""

import copy
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.grading.intake.reconstruction import rebuild
from tests.grading.notebooks import ANSWERS, RELEASED, answered, check_shape, code, marks, text

DAMAGE = ["delete", "copy", "copy to end", "move", "split", "merge", "retype", "edit", "no metadata", "no id", "new id"]
DAMAGE += ["points", "swap names", "swap ids", "insert", "wrong type", "stub copy", "unknown name", "own names"]


@st.composite
def damages(draw):
    steps = draw(
        st.lists(st.tuples(st.sampled_from(DAMAGE), st.integers(0, 10**6), st.integers(0, 10**6)), max_size=12)
    )
    notebook = answered()
    # All lines differ, so that a lost one is noticed.
    for cell in notebook["cells"]:
        if cell["id"] in ANSWERS:
            cell["source"] = "\n".join(
                f"{line}  # {cell['id']} {n}" for n, line in enumerate(text(cell).split("\n")) if line
            )
    deleted = []
    for what, one, two in steps:
        apply(notebook["cells"], what, one, two, deleted)
    return notebook, deleted


def apply(cells, what, one, two, deleted):  # noqa: C901  (one case for each kind of damage)
    if not cells:
        return
    a, b = one % len(cells), two % len(cells)
    cell, other = cells[a], cells[b]
    same = copy.deepcopy(cell)
    match what:
        case "delete":
            deleted.append(text(cells.pop(a)))
        case "copy" | "copy to end":
            cells.insert(a + 1 if what == "copy" else len(cells), same)
        case "move":
            cells.insert(b, cells.pop(a))
        case "split":
            lines = text(cell).split("\n")
            cut = two % (len(lines) + 1)
            cell["source"], same["source"] = "\n".join(lines[:cut]), "\n".join(lines[cut:])
            cells.insert(a + 1, same)
        case "merge" if a + 1 < len(cells):
            cell["source"] = text(cell) + "\n\n" + text(cells.pop(a + 1))
        case "retype":
            cell["cell_type"] = ["code", "markdown", "raw", "heading", 5][two % 5]
        case "edit":
            cell["source"] = text(cell) + f"\nedited {two}"
        case "no metadata":
            cell.pop("metadata", None)
        case "no id":
            cell.pop("id", None)
        case "new id":
            cell["id"] = ["fresh", "own-1", "x" * 65, "", 5, None, "title"][two % 7]
        case "points" | "unknown name" if isinstance(cell.get("metadata"), dict) and isinstance(marks(cell), dict):
            marks(cell).update({"points": two} if what == "points" else {"grade_id": f"other-{two % 3}"})
        case "swap names":
            cell["metadata"], other["metadata"] = other.get("metadata"), cell.get("metadata")
        case "swap ids":
            cell["id"], other["id"] = other.get("id"), cell.get("id")
        case "insert":
            cells.insert(b, code(["    return 1", "def efficiency(): pass", "", "x = 1", "\ud800"][two % 5]))
        case "wrong type":
            cell["metadata"] = [None, 5, "x", [], {"nbgrader": 5}, {"nbgrader": {"grade_id": []}}][two % 6]
        case "stub copy":
            cells.insert(b, copy.deepcopy(RELEASED["cells"][one % len(RELEASED["cells"])]))
        case "own names":
            cells.insert(
                b, code("def shortest_time(): pass", metadata={"nbgrader": {"grade_id": "efficiency", "grade": 1}})
            )


@settings(derandomize=True)
@given(damages())
def test_no_damage_breaks_the_shape_or_loses_a_line(damage):
    notebook, _ = damage
    lines = {
        line.strip()
        for cell in notebook["cells"]
        for line in text(cell).splitlines()
        if re.search(r"# \w+ \d+$|^edited", line)
    }
    before = copy.deepcopy(notebook)
    rebuilt = rebuild(notebook, RELEASED)
    assert notebook == before
    check_shape(rebuilt)
    kept = {line.strip() for cell in rebuilt.notebook["cells"] for line in text(cell).splitlines()}
    assert lines <= kept


NAMES = st.sampled_from(["cells", "metadata", "source", "cell_type", "id", "nbgrader", "grade_id", "worksheets", "x"])
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["code", "efficiency"])
)
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5), max_leaves=20
)


@settings(derandomize=True)
@given(st.lists(st.dictionaries(NAMES, JSON, max_size=5) | JSON, max_size=5), JSON)
def test_any_cells_and_metadata_of_any_type(cells, metadata):
    check_shape(rebuild({"cells": cells, "metadata": metadata}, RELEASED))
