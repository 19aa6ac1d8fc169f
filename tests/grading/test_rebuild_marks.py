"""nbgrader metadata are restored after any change, and each answer finds its cell."""

import copy

import pytest

from tests.grading.notebooks import RELEASED, answered, code, find, has_answers, marks, repaired

CHANGES = [
    *[("points", value) for value in (1000, -1, "5", None, 1e308, [3], {"a": 1})],
    *[
        ("grade", False),
        ("solution", True),
        ("locked", False),
        ("task", True),
        ("checksum", "0" * 32),
        ("schema_version", 1),
    ],
    *[("schema_version", "three"), ("grade_id", "mine"), ("grade_id", 7), ("grade_id", ""), ("cell_type", "markdown")],
]
NAMED = ("efficiency", "efficiency-check", "recommendation", "title")


@pytest.mark.parametrize(
    "cell_id, key, value",
    [
        (cell_id, key, value)
        for cell_id in NAMED
        for key, value in CHANGES
        if marks(find(RELEASED, cell_id)).get(key, ...) != value
    ],
)
def test_changed_marks_are_restored(cell_id, key, value):
    notebook = answered()
    marks(find(notebook, cell_id))[key] = value
    result, (sentence,) = repaired(notebook)
    assert f"of the cell `{cell_id}` had been changed ({key})" in sentence
    has_answers(result)


@pytest.mark.parametrize("wrong", [None, [], "text", 5, {"nbgrader": None}, {"nbgrader": ["grade"]}, {"nbgrader": "x"}])
def test_metadata_of_a_wrong_type_is_restored(wrong):
    notebook = answered()
    for cell_id in ("efficiency", "efficiency-check"):
        find(notebook, cell_id)["metadata"] = wrong
    result, (sentence,) = repaired(notebook)
    assert (
        sentence == "The cells `efficiency` and `efficiency-check` had lost their nbgrader metadata; it was restored."
    )
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
    result, _ = repaired(notebook)
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


def test_points_invented_for_an_own_cell():
    notebook = answered()
    invented = marks(find(RELEASED, "efficiency-check")) | {"grade_id": "bonus", "points": 50}
    notebook["cells"].append(code("50", metadata={"nbgrader": invented}))
    result, (sentence,) = repaired(notebook)
    assert "not part of the lab" in sentence and result["cells"][-1]["metadata"] == {}
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
