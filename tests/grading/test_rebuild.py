"""A damaged submission is repaired; an intact one stays unchanged."""

import copy

import pytest

from tests.grading.notebooks import (
    ANSWERS,
    RELEASED,
    answered,
    code,
    find,
    has_answers,
    markdown,
    marks,
    position,
    repaired,
    run,
    text,
)

FUNCTIONS = [cell_id for cell_id in ANSWERS if cell_id != "recommendation"]
POINTS = sum(marks(cell).get("points", 0) for cell in RELEASED["cells"])
SET_UP = text(find(RELEASED, "setup"))


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
    notebook["metadata"]["kernelspec"] = {
        "name": "conda-env-c2c-py",
        "display_name": "Python [conda]",
        "language": "python",
    }
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


@pytest.mark.parametrize("cell_id", [cell["id"] for cell in RELEASED["cells"]])
def test_a_deleted_cell_is_put_back(cell_id):
    notebook = answered()
    notebook["cells"].remove(find(notebook, cell_id))
    result, repairs = repaired(notebook)
    name = marks(find(RELEASED, cell_id)).get("grade_id", cell_id)
    assert repairs == (f"The cell `{name}` had been deleted; it was put back.",)
    assert text(find(result, cell_id)) == text(find(RELEASED, cell_id))
    assert len(result["cells"]) == len(RELEASED["cells"])


def test_an_emptied_set_up_cell_is_put_back():
    notebook = answered(setup=" \n")
    result, repairs = repaired(notebook)
    assert find(result, "setup")["source"] == SET_UP and "`setup` had been deleted" in repairs[0]


@pytest.mark.parametrize("cell_id", ["setup", "own-chip"])
def test_cells_needed_by_answers_run_as_released_first(cell_id):
    released = text(find(RELEASED, cell_id))
    notebook = answered(**{cell_id: "import seaborn\n" + released})
    result, (sentence,) = repaired(notebook)
    assert f"`{cell_id}` had been edited; it runs as released first" in sentence
    where = position(result, cell_id)
    assert [text(cell) for cell in result["cells"][where : where + 2]] == [released, "import seaborn\n" + released]


def test_a_page_of_the_labs_that_no_answer_needs_is_the_students():
    result, repairs = repaired(answered(ranking="compare(256)"))
    assert repairs == () and text(find(result, "ranking")) == "compare(256)"


def test_many_deleted_cells_are_one_sentence():
    result, (sentence,) = repaired({"cells": []})
    assert (
        sentence.startswith("The cells `title`, `setup-fails`, `setup`,")
        and "more had been deleted; they were put back." in sentence
    )
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
    result, _ = repaired(notebook)
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
    assert "`shortest_time` occurred more than once" in sentence
    assert run(result)["shortest_time"]() == "better"
    has_answers(result, shortest_time=better["source"])
    assert ANSWERS["shortest_time"] in [text(cell) for cell in result["cells"]]


def test_a_copy_used_for_something_else_is_not_the_answer():
    notebook = answered()
    scratch = copy.deepcopy(find(notebook, "shortest_time")) | {"id": "scratch", "source": "shortest_time(1, 2, 3, 4)"}
    notebook["cells"].insert(position(notebook, "shortest_time") + 1, scratch)
    result, (_,) = repaired(notebook)
    has_answers(result)
    assert position(result, "scratch") == position(result, "shortest_time") + 1


def test_copies_of_a_check_cell_are_worth_nothing():
    notebook = answered()
    notebook["cells"] += [copy.deepcopy(find(notebook, "efficiency-check")) for _ in range(3)]
    result, (sentence,) = repaired(notebook)
    assert sentence == "The cell `efficiency-check` had been copied; the copies stay as ordinary cells."
    assert sum(marks(cell).get("points", 0) for cell in result["cells"]) == POINTS


@pytest.mark.parametrize(
    "cell_id, second_has_name", [("shortest_time", True), ("shortest_time", False), ("recommendation", True)]
)
def test_a_split_answer_is_joined(cell_id, second_has_name):
    notebook = answered()
    cell = find(notebook, cell_id)
    first, second = ANSWERS[cell_id].rsplit("\n\n" if cell_id == "recommendation" else "\n    ", 1)
    rest = copy.deepcopy(cell) | {"source": second if cell_id == "recommendation" else "    " + second, "id": "rest"}
    if not second_has_name:
        rest["metadata"] = {}
    cell["source"] = first
    notebook["cells"].insert(position(notebook, cell_id) + 1, rest)
    result, (sentence,) = repaired(notebook)
    assert sentence == f"The cell `{cell_id}` had been split; its parts were joined."
    has_answers(result)


def test_a_split_between_statements_runs_in_order():
    notebook = answered()
    cell = find(notebook, "shortest_time")
    half = copy.deepcopy(cell) | {"source": "factor = 7", "id": "half"}
    cell["source"] = "def shortest_time(*given, by=factor):\n    return by"
    notebook["cells"].insert(position(notebook, "shortest_time"), half)
    result, (_,) = repaired(notebook)
    assert run(result)["shortest_time"]() == 7


@pytest.mark.parametrize(
    "cell_id, kind", [("efficiency", "markdown"), ("efficiency", "raw"), ("recommendation", "code"), ("setup", "raw")]
)
def test_a_retyped_cell_is_turned_back(cell_id, kind):
    notebook = answered()
    find(notebook, cell_id)["cell_type"] = kind
    result, (sentence,) = repaired(notebook)
    assert f"`{cell_id}` had been turned into" in sentence
    has_answers(result)


def test_an_answer_in_a_cell_of_its_own():
    notebook = answered()
    for cell_id in ("efficiency", "recommendation"):
        cell = find(notebook, cell_id)
        cell["id"], cell["metadata"] = f"new-{cell_id}", {}
    result, (sentence,) = repaired(notebook)
    assert sentence.startswith("The answer of the cells `efficiency` and `recommendation`")
    has_answers(result)


def test_all_answers_in_one_cell_at_the_end():
    notebook = copy.deepcopy(RELEASED)
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] not in FUNCTIONS]
    notebook["cells"].append(code("\n\n".join(ANSWERS[cell_id] for cell_id in FUNCTIONS)))
    result, _ = repaired(notebook)
    assert all(callable(run(result)[cell_id]) for cell_id in FUNCTIONS)
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
