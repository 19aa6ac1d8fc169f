"""Positions of own cells after released cells were moved, and labs of other shapes."""

import copy

from autograder.grading.intake.reconstruction import rebuild
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


def ids(notebook):
    return [cell["id"] for cell in notebook["cells"]]


def take(notebook, cell_id):
    """Remove a cell and return it."""
    return notebook["cells"].pop(position(notebook, cell_id))


def put(notebook, *cells, after):
    where = position(notebook, after) + 1
    notebook["cells"][where:where] = cells


def own(name):
    return code(f"own = {name!r}", id=name)


def follows(notebook, *wanted):
    """Return whether cells with these ids follow one another."""
    where = ids(notebook).index(wanted[0])
    return ids(notebook)[where : where + len(wanted)] == list(wanted)


# --- own cells ---------------------------------------------------------------------


def test_a_check_that_moves_takes_nothing_along():
    notebook = answered()
    check = take(notebook, "shortest_time-check")
    put(notebook, own("mine"), check, after="efficiency-check")
    result, _ = repaired(notebook)
    assert follows(result, "efficiency-check", "mine")


def test_own_cell_stays_after_its_neighbour():
    notebook = answered()
    take(notebook, "task-attention-intensity")
    put(notebook, own("mine"), after="shortest_time-check")
    result, _ = repaired(notebook)
    assert follows(result, "shortest_time-check", "mine", "task-attention-intensity", "attention_intensity")


def test_cells_before_a_moved_answer_move_with_it():
    notebook = answered()
    take(notebook, "task-attention-intensity")
    late = [take(notebook, cell_id) for cell_id in ("shortest_time", "attention_intensity")]
    put(notebook, late[0], own("mine"), late[1], after="efficiency-check")
    result, _ = repaired(notebook)
    assert follows(result, "task-attention-intensity", "mine", "attention_intensity")


def test_own_cells_keep_their_side_of_copies():
    notebook = answered()
    answer = find(notebook, "shortest_time")
    older = copy.deepcopy(answer) | {"id": "older", "source": "def shortest_time(*given):\n    return 1"}
    stub = copy.deepcopy(find(RELEASED, "shortest_time")) | {"id": "stub"}
    put(notebook, own("before"), older, own("between"), after="task-shortest-time")
    put(notebook, stub, own("behind"), after="shortest_time")
    result, _ = repaired(notebook)
    has_answers(result)
    assert [
        cell_id for cell_id in ids(result) if cell_id in ("before", "older", "between", "shortest_time", "behind")
    ] == [*("before", "older", "between", "shortest_time", "behind")]


def test_text_on_both_sides_of_a_merged_cell_stays_there():
    notebook = answered()
    title = find(notebook, "title")
    title["source"] = "my name\n\n" + text(title) + "\n\nmy group"
    result, _ = repaired(notebook)
    where = position(result, "title")
    assert [text(result["cells"][where + step]) for step in (-1, 1)] == ["my name", "my group"]


def test_own_cells_with_one_id_get_two():
    notebook = answered()
    notebook["cells"] += [code("a = 1"), code("b = 2", id="own-1"), code("c = 3", id="mine"), code("d = 4", id="mine")]
    result, repairs = repaired(notebook)
    assert repairs == () and [text(cell) for cell in result["cells"][-4:]] == ["a = 1", "b = 2", "c = 3", "d = 4"]


# --- answers and texts -------------------------------------------------------------


def test_of_copies_one_of_the_right_kind_counts():
    notebook = answered()
    note = copy.deepcopy(find(notebook, "efficiency")) | {"id": "note", "source": "def efficiency(): pass"}
    put(notebook, note | {"cell_type": "markdown"}, after="efficiency")
    result, _ = repaired(notebook)
    has_answers(result)


def test_stub_does_not_overwrite_an_answer_in_a_former_text_cell():
    notebook = answered(shortest_time=ANSWERS["shortest_time"] + "\n\n" + ANSWERS["efficiency"])
    take(notebook, "efficiency")
    find(notebook, "shortest_time")["cell_type"] = "markdown"
    result, _ = repaired(notebook)
    assert run(result)["efficiency"](1, 1, 4, 1) == 0.25


def test_an_emptied_answer_is_the_students_choice():
    result, repairs = repaired(answered(efficiency=""))
    assert repairs == () and text(find(result, "efficiency")) == ""


def test_what_is_put_back_is_said_once():
    notebook = answered(setup="")
    find(notebook, "setup")["cell_type"] = "raw"
    _, (sentence,) = repaired(notebook)
    assert "`setup` had been deleted" in sentence


def test_trailing_blanks_are_not_a_change():
    notebook = answered()
    title = find(notebook, "title")
    title["source"] = "".join(f"{line}  \n" for line in text(title).splitlines()[1:])
    result, _ = repaired(notebook)
    assert len(result["cells"]) == len(RELEASED["cells"])


def test_another_kernel_name_is_not_another_language():
    name = RELEASED["metadata"]["kernelspec"]["name"]
    _, repairs = repaired(answered() | {"metadata": {"kernelspec": {"name": name}}})
    assert repairs == ()


def test_marks_that_nbgrader_does_not_have_are_not_repeated():
    notebook = answered()
    marks(find(notebook, "efficiency"))["mine"] = "hello"
    _, (sentence,) = repaired(notebook)
    assert "(unknown entries)" in sentence and "hello" not in sentence and "mine" not in sentence


# --- the released lab --------------------------------------------------------------


def test_the_result_shares_nothing_with_the_released_lab():
    released = copy.deepcopy(RELEASED)
    result = rebuild(answered(), released).notebook
    result["metadata"]["kernelspec"]["name"] = "other"
    for cell in result["cells"]:
        cell["metadata"].setdefault("nbgrader", {})["points"] = 99
    assert released == RELEASED


def test_a_lab_released_with_outputs_comes_back_without():
    released = copy.deepcopy(RELEASED)
    shown = [{"output_type": "stream", "name": "stdout", "text": "shown"}]
    find(released, "efficiency").update(outputs=shown, execution_count=3)
    result = find(rebuild(answered(), released).notebook, "efficiency")
    assert (result["outputs"], result["execution_count"]) == ([], None)


def test_empty_released_cells_are_as_good_as_others():
    locked = {
        "grade": False,
        "grade_id": "space",
        "locked": True,
        "schema_version": 3,
        "solution": False,
        "task": False,
    }
    released = copy.deepcopy(RELEASED)
    put(released, markdown("", id="space", metadata={"nbgrader": locked}), code("", id="scratch"), after="title")
    notebook = copy.deepcopy(released)
    assert rebuild(notebook, released).repairs == ()
    find(notebook, "space")["source"] = "a note"
    result = rebuild(notebook, released)
    assert "`space` had been edited" in "".join(result.repairs)
    assert text(find(result.notebook, "space")) == "" and "a note" in [text(cell) for cell in result.notebook["cells"]]


def test_released_text_with_blank_lines_leaves_a_merged_cell():
    released = copy.deepcopy(RELEASED)
    title = find(released, "title")
    title["source"] = "\n" + text(title) + "\n"
    notebook = copy.deepcopy(released)
    find(notebook, "title")["source"] = "my name\n" + text(title).strip() + " and more"
    result = rebuild(notebook, released).notebook
    where = position(result, "title")
    assert text(result["cells"][where - 1]) == "my name" and text(result["cells"][where + 1]).strip() == "and more"
