"""A damaged submission is put back; an honest one is left alone; no line of a student is lost."""

import copy
import json
import re

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbgrader.nbgraderformat import MetadataValidator

from autograder.grading.intake.rebuild import rebuild
from tests.grading.notebooks import ANSWERS, RELEASED, answered, code, find, markdown, marks, position, text

FUNCTIONS = [id for id in ANSWERS if id != "recommendation"]
POINTS = sum(marks(cell).get("points", 0) for cell in RELEASED["cells"])
SET_UP = text(find(RELEASED, "setup"))


def check_shape(rebuilt):
    """What holds for every result, whatever was handed in."""
    notebook = rebuilt.notebook
    node = nbformat.from_dict(copy.deepcopy(notebook))
    nbformat.validate(node)
    MetadataValidator().validate_nb(node)
    json.dumps(notebook, ensure_ascii=False).encode("utf-8")
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    wanted = [cell["id"] for cell in RELEASED["cells"]]
    assert [id for id in ids if id in set(wanted)] == wanted
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
    for id, answer in (ANSWERS | answers).items():
        assert text(find(notebook, id)).strip() == answer.strip()


def run(notebook):
    """Execute the code top to bottom without its check cells, as far as each cell goes; return the functions at each check."""
    space, seen = {"check": lambda *given: None, "hint": None}, {}
    for cell in notebook["cells"]:
        name = cell["id"].removesuffix("-check")
        if name != cell["id"]:
            seen[name] = space.get(name)
        elif cell["cell_type"] == "code" and cell["id"] not in ("setup", "ranking"):
            try:
                exec(text(cell), space)
            except Exception:
                pass
    return seen


def test_an_honest_submission_needs_no_repair():
    for notebook in (RELEASED, answered()):
        before = copy.deepcopy(notebook)
        result, repairs = repaired(notebook)
        assert repairs == () and notebook == before
        assert [text(cell) for cell in result["cells"]] == [text(cell) for cell in notebook["cells"]]


def test_saving_in_jupyterlab_is_no_repair():
    notebook = answered()
    for count, cell in enumerate(notebook["cells"]):
        lines = text(cell).splitlines(keepends=True)
        cell["source"] = lines if count % 2 else text(cell) + "\n"
        if cell["cell_type"] == "code":
            cell |= {"execution_count": count, "outputs": [{"output_type": "stream", "name": "stdout", "text": ["hi"]}]}
            cell["metadata"] |= {"trusted": True, "execution": {"iopub.status.busy": "2026-01-01T00:00:00Z"}}
        notebook["cells"][count] = dict(reversed(cell.items()))
        notebook["cells"][count]["metadata"] = dict(reversed(cell["metadata"].items()))
    notebook["metadata"]["kernelspec"] = {"name": "conda-env-c2c-py", "display_name": "Python [conda]", "language": "python"}
    notebook["metadata"]["language_info"] = {"name": "python", "version": "3.13.1"}
    result, repairs = repaired(notebook)
    assert repairs == ()
    has_answers(result)


def test_own_cells_stay_where_they_were():
    notebook = answered()
    notebook["cells"].insert(0, markdown("my name"))
    notebook["cells"].insert(position(notebook, "shortest_time"), code("import numpy as np", id="mine"))
    notebook["cells"].append(code("print('end')"))
    result, repairs = repaired(notebook)
    assert repairs == ()
    assert [text(cell) for cell in result["cells"]] == [text(cell) for cell in notebook["cells"]]
    assert find(result, "mine")["source"] == "import numpy as np"


@pytest.mark.parametrize("id", [cell["id"] for cell in RELEASED["cells"]])
def test_a_deleted_cell_is_put_back(id):
    notebook = answered()
    notebook["cells"].remove(find(notebook, id))
    result, repairs = repaired(notebook)
    name = marks(find(RELEASED, id)).get("grade_id", id)
    assert repairs == (f"The cell `{name}` had been deleted; it was put back.",)
    assert text(find(result, id)) == text(find(RELEASED, id))
    assert len(result["cells"]) == len(RELEASED["cells"])


def test_an_emptied_set_up_cell_is_put_back():
    notebook = answered(setup=" \n")
    result, repairs = repaired(notebook)
    assert find(result, "setup")["source"] == SET_UP and "`setup` had been deleted" in repairs[0]
    notebook = answered(setup="import math, numpy")
    result, repairs = repaired(notebook)
    assert find(result, "setup")["source"] == "import math, numpy" and repairs == ()


def test_many_deleted_cells_are_one_sentence():
    result, (sentence,) = repaired({"cells": []})
    assert sentence.startswith("The cells `title`, `setup`,") and "more had been deleted; they were put back." in sentence
    assert [text(cell) for cell in result["cells"]] == [text(cell) for cell in RELEASED["cells"]]


def test_an_edited_check_cell_is_restored_and_the_edit_kept():
    notebook = answered(**{"efficiency-check": 'check = print\ncheck("lab.roofline.efficiency", efficiency)'})
    result, (sentence,) = repaired(notebook)
    assert "`efficiency-check` had been edited; it was restored" in sentence
    where = position(result, "efficiency-check")
    assert text(result["cells"][where - 1]) == "check = print"
    shortened = answered(title="# Lab 3: decoding on real chips")
    result, (sentence,) = repaired(shortened)
    assert "`title` had been edited" in sentence and len(result["cells"]) == len(RELEASED["cells"])


def test_an_answer_merged_into_the_question_comes_out_again():
    notebook = answered()
    question, answer = find(notebook, "task-efficiency"), find(notebook, "efficiency")
    question["source"] = text(question) + "\n\n" + answer["source"]
    notebook["cells"].remove(answer)
    result, repairs = repaired(notebook)
    has_answers(result)
    assert any("`task-efficiency` had been edited" in one for one in repairs)


def test_an_answer_merged_with_its_check_keeps_its_text():
    notebook = answered()
    check = find(notebook, "efficiency-check")
    find(notebook, "efficiency")["source"] += "\n\n" + text(check)
    notebook["cells"].remove(check)
    result, repairs = repaired(notebook)
    assert repairs == ("The cell `efficiency-check` had been deleted; it was put back.",)
    assert text(find(result, "efficiency")) == ANSWERS["efficiency"] + "\n\n" + text(check)


def test_two_answers_in_one_cell_are_not_overwritten_by_a_stub():
    notebook = answered(shortest_time=ANSWERS["shortest_time"] + "\n\n" + ANSWERS["efficiency"])
    notebook["cells"].remove(find(notebook, "efficiency"))
    result, repairs = repaired(notebook)
    assert text(find(result, "efficiency")) == "# Another cell of this notebook defines `efficiency`."
    assert run(result)["efficiency"](1, 1, 4, 1) == 0.25


@pytest.mark.parametrize("new_ids", [True, False])
def test_of_copies_the_last_written_one_counts(new_ids):
    notebook = answered()
    original = find(notebook, "shortest_time")
    better, stub = copy.deepcopy(original), copy.deepcopy(find(RELEASED, "shortest_time"))
    better["source"] = "def shortest_time(*given):\n    return helper()"
    where = position(notebook, "shortest_time-check") + 1
    notebook["cells"][where:where] = [code("def helper():\n    return 'better'"), better, stub]
    if new_ids:
        better["id"], stub["id"] = "one", "two"
    result, (sentence,) = repaired(notebook)
    assert "`shortest_time` stood there more than once" in sentence
    assert run(result)["shortest_time"]() == "better"
    has_answers(result, shortest_time=better["source"])
    assert ANSWERS["shortest_time"] in [text(cell) for cell in result["cells"]]


def test_a_copy_used_for_something_else_is_not_the_answer():
    notebook = answered()
    scratch = copy.deepcopy(find(notebook, "shortest_time")) | {"id": "scratch", "source": "shortest_time(1, 2, 3, 4)"}
    notebook["cells"].insert(position(notebook, "shortest_time") + 1, scratch)
    result, (sentence,) = repaired(notebook)
    has_answers(result)
    assert position(result, "scratch") == position(result, "shortest_time") + 1


def test_copies_of_a_check_cell_are_worth_nothing():
    notebook = answered()
    notebook["cells"] += [copy.deepcopy(find(notebook, "efficiency-check")) for _ in range(3)]
    result, (sentence,) = repaired(notebook)
    assert sentence == "The cell `efficiency-check` had been copied; the copies stay as plain cells."
    assert sum(marks(cell).get("points", 0) for cell in result["cells"]) == POINTS


@pytest.mark.parametrize("id, second_has_name", [("shortest_time", True), ("shortest_time", False), ("recommendation", True)])
def test_a_split_answer_is_joined(id, second_has_name):
    notebook = answered()
    cell = find(notebook, id)
    first, second = ANSWERS[id].rsplit("\n\n" if id == "recommendation" else "\n    ", 1)
    rest = copy.deepcopy(cell) | {"source": second if id == "recommendation" else "    " + second, "id": "rest"}
    if not second_has_name:
        rest["metadata"] = {}
    cell["source"] = first
    notebook["cells"].insert(position(notebook, id) + 1, rest)
    result, (sentence,) = repaired(notebook)
    assert sentence == f"The cell `{id}` had been split; its parts were joined."
    has_answers(result)


def test_a_split_between_statements_runs_in_order():
    notebook = answered()
    cell = find(notebook, "shortest_time")
    half = copy.deepcopy(cell) | {"source": "factor = 7", "id": "half"}
    cell["source"] = "def shortest_time(*given, by=factor):\n    return by"
    notebook["cells"].insert(position(notebook, "shortest_time"), half)
    result, (sentence,) = repaired(notebook)
    assert run(result)["shortest_time"]() == 7


@pytest.mark.parametrize("id, kind", [("efficiency", "markdown"), ("efficiency", "raw"), ("recommendation", "code"), ("setup", "raw")])
def test_a_retyped_cell_is_turned_back(id, kind):
    notebook = answered()
    find(notebook, id)["cell_type"] = kind
    result, (sentence,) = repaired(notebook)
    assert f"`{id}` had been turned into" in sentence
    has_answers(result)


CHANGES = [
    *[("points", value) for value in (1000, -1, "5", None, 1e308, [3], {"a": 1})],
    *[("grade", False), ("solution", True), ("locked", False), ("task", True), ("checksum", "0" * 32), ("schema_version", 1)],
    *[("schema_version", "three"), ("grade_id", "mine"), ("grade_id", 7), ("grade_id", ""), ("cell_type", "markdown")],
]
NAMED = ("efficiency", "efficiency-check", "recommendation", "title")


@pytest.mark.parametrize(
    "id, key, value", [(id, key, value) for id in NAMED for key, value in CHANGES if marks(find(RELEASED, id)).get(key, ...) != value]
)
def test_changed_marks_are_restored(id, key, value):
    notebook = answered()
    marks(find(notebook, id))[key] = value
    result, (sentence,) = repaired(notebook)
    assert f"of the cell `{id}` had been changed ({key})" in sentence
    has_answers(result)


@pytest.mark.parametrize("wrong", [None, [], "text", 5, {"nbgrader": None}, {"nbgrader": ["grade"]}, {"nbgrader": "x"}])
def test_metadata_of_a_wrong_type_is_restored(wrong):
    notebook = answered()
    for id in ("efficiency", "efficiency-check"):
        find(notebook, id)["metadata"] = wrong
    result, (sentence,) = repaired(notebook)
    assert sentence == "The cells `efficiency` and `efficiency-check` had lost their nbgrader metadata; it was restored."
    has_answers(result)


@pytest.mark.parametrize("ids_too", [True, False])
def test_names_exchanged_between_answers(ids_too):
    notebook = answered()
    one, two = find(notebook, "efficiency"), find(notebook, "shortest_time")
    one["metadata"], two["metadata"] = two["metadata"], one["metadata"]
    if ids_too:
        del one["id"], two["id"]
    result, (sentence,) = repaired(notebook)
    assert "`shortest_time` and `efficiency` had been changed (grade_id" in sentence
    has_answers(result)


def test_an_answer_that_poses_as_its_check_cell():
    notebook = answered()
    answer, check = find(notebook, "efficiency"), find(notebook, "efficiency-check")
    answer["metadata"] = copy.deepcopy(check["metadata"])
    del answer["id"]
    result, repairs = repaired(notebook)
    has_answers(result)


@pytest.mark.parametrize("ids, metadata", [(True, False), (False, True), (True, True)])
def test_stripped_ids_and_metadata(ids, metadata):
    notebook = answered()
    for cell in notebook["cells"]:
        if ids:
            del cell["id"]
        if metadata:
            cell["metadata"] = {}
    result, repairs = repaired(notebook)
    has_answers(result)
    assert len(result["cells"]) == len(RELEASED["cells"]) and len(repairs) == (3 if ids and metadata else 1)


def test_an_answer_in_a_cell_of_its_own():
    notebook = answered()
    for id in ("efficiency", "recommendation"):
        cell = find(notebook, id)
        cell["id"], cell["metadata"] = f"new-{id}", {}
    result, (sentence,) = repaired(notebook)
    assert sentence.startswith("The answer of the cells `efficiency` and `recommendation`")
    has_answers(result)


def test_all_answers_in_one_cell_at_the_end():
    notebook = copy.deepcopy(RELEASED)
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] not in FUNCTIONS]
    notebook["cells"].append(code("\n\n".join(ANSWERS[id] for id in FUNCTIONS)))
    result, repairs = repaired(notebook)
    assert all(callable(run(result)[id]) for id in FUNCTIONS)
    assert run(result)["efficiency"](1, 1, 4, 1) == 0.25


def test_moved_cells_return_and_bring_what_they_need():
    notebook = answered(efficiency="def efficiency(*given, by=needed):\n    return by")
    cell = find(notebook, "efficiency")
    notebook["cells"].remove(cell)
    where = position(notebook, "efficiency-check") + 1
    notebook["cells"][where:where] = [code("needed = 5", id="needed"), cell]
    result, (sentence,) = repaired(notebook)
    assert sentence == "The cell `efficiency` had been moved; it was put back in place."
    assert run(result)["efficiency"]() == 5


def test_points_invented_for_an_own_cell():
    notebook = answered()
    invented = marks(find(RELEASED, "efficiency-check")) | {"grade_id": "bonus", "points": 50}
    notebook["cells"].append(code("50", metadata={"nbgrader": invented}))
    result, (sentence,) = repaired(notebook)
    assert "no part of the lab" in sentence and result["cells"][-1]["metadata"] == {}
    find(notebook, "setup")["metadata"]["nbgrader"] = invented
    result, repairs = repaired(notebook)
    assert any("`setup` had been changed" in one for one in repairs)


@pytest.mark.parametrize(
    "metadata, reported",
    [
        ({"kernelspec": {"name": "ir", "display_name": "R", "language": "R"}}, True),
        ({"kernelspec": {"name": "ir", "display_name": "R"}}, True),
        ({"language_info": {"name": "julia"}}, True),
        ({"kernelspec": {"name": ".venv", "display_name": ".venv", "language": "Python"}}, False),
        ({"kernelspec": "python3"}, False),
        ({}, False),
        (None, False),
    ],
)
def test_the_kernel_is_the_one_of_the_course(metadata, reported):
    _, repairs = repaired(answered() | {"metadata": metadata})
    assert [("another language" in one) for one in repairs] == [True] * reported


DAMAGE = ["delete", "copy", "copy to end", "move", "split", "merge", "retype", "edit", "no metadata", "no id", "new id"]
DAMAGE += ["points", "swap names", "swap ids", "insert", "wrong type", "stub copy", "unknown name", "own names"]


@st.composite
def damages(draw):
    steps = draw(st.lists(st.tuples(st.sampled_from(DAMAGE), st.integers(0, 10**6), st.integers(0, 10**6)), max_size=12))
    notebook = answered()
    # Every line can be told from every other, so that a lost one is seen.
    for cell in notebook["cells"]:
        if cell["id"] in ANSWERS:
            cell["source"] = "\n".join(f"{line}  # {cell['id']} {n}" for n, line in enumerate(text(cell).split("\n")) if line)
    deleted = []
    for what, one, two in steps:
        apply(notebook["cells"], what, one, two, deleted)
    return notebook, deleted


def apply(cells, what, one, two, deleted):
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
            cells.insert(b, code("def shortest_time(): pass", metadata={"nbgrader": {"grade_id": "efficiency", "grade": 1}}))


@settings(max_examples=120, deadline=None, derandomize=True)
@given(damages())
def test_no_damage_breaks_the_shape_or_loses_a_line(damage):
    notebook, deleted = damage
    lines = {line.strip() for cell in notebook["cells"] for line in text(cell).splitlines() if re.search(r"# \w+ \d+$|^edited", line)}
    before = copy.deepcopy(notebook)
    rebuilt = rebuild(notebook, RELEASED)
    assert notebook == before
    check_shape(rebuilt)
    kept = {line.strip() for cell in rebuilt.notebook["cells"] for line in text(cell).splitlines()}
    assert lines <= kept


NAMES = st.sampled_from(["cells", "metadata", "source", "cell_type", "id", "nbgrader", "grade_id", "worksheets", "x"])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["code", "efficiency"])
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5), max_leaves=20)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.dictionaries(NAMES, JSON, max_size=5) | JSON, max_size=5), JSON)
def test_any_cells_and_metadata_of_any_type(cells, metadata):
    check_shape(rebuild({"cells": cells, "metadata": metadata}, RELEASED))
