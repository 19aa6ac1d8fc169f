"""A submission of an earlier release is rebuilt in the current one, and changes of the course are not repairs."""

import copy
import json

import pytest

from autograder.grading.intake.reconstruction import rebuild
from autograder.workspace import Workspace, start
from tests.grading.course import LAB, ROOT
from tests.grading.notebooks import (
    ANSWERS,
    RELEASED,
    answered,
    check_shape,
    code,
    find,
    has_answers,
    markdown,
    marks,
    position,
    text,
)


def _earlier(change):
    """Return the earlier release and a submission that answers it."""
    made_from = copy.deepcopy(RELEASED)
    change(made_from)
    notebook = copy.deepcopy(made_from)
    for cell in notebook["cells"]:
        cell["source"] = ANSWERS.get(cell["id"], cell["source"])
    return made_from, notebook


def _points(lab):
    marks(find(lab, "efficiency-check")).update(points=5, checksum="0" * 32)


def _prose(lab):
    find(lab, "task-efficiency")["source"] = "## 5 · Older words"


def _set_up(lab):
    find(lab, "setup")["source"] = "import math\nfrom autograder import check"


def _table(lab):
    find(lab, "ranking")["source"] = "display(compare(batch=4))"


def _one_cell_less(lab):
    lab["cells"].remove(find(lab, "task-efficiency"))
    lab["cells"].remove(find(lab, "ranking"))


def _a_text_more(lab):
    extra = copy.deepcopy(find(lab, "title")) | {"id": "old-title", "source": "An old text."}
    marks(extra)["grade_id"] = "old-title"
    lab["cells"].insert(3, extra)


def _order(lab):
    lab["cells"].append(lab["cells"].pop(position(lab, "analysis")))


def _kind(lab):
    find(lab, "setup").update(cell_type="raw")


def _stub(lab):
    find(lab, "efficiency")["source"] = "def efficiency(measured_flops):\n    raise NotImplementedError('write me')"


CHANGES = [_points, _prose, _set_up, _table, _one_cell_less, _a_text_more, _order, _kind, _stub]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__.strip("_"))
def test_what_the_course_changed_is_nobodys_repair(change):
    made_from, notebook = _earlier(change)
    assert rebuild(notebook, RELEASED).notebook["cells"] and rebuild(notebook, made_from).repairs == ()
    rebuilt = rebuild(notebook, RELEASED, made_from)
    assert rebuilt.repairs == ()
    check_shape(rebuilt)
    has_answers(rebuilt.notebook)
    assert len(rebuilt.notebook["cells"]) == len(RELEASED["cells"])
    for cell in RELEASED["cells"]:
        if cell["id"] not in ANSWERS:
            assert text(find(rebuilt.notebook, cell["id"])) == text(cell)


@pytest.mark.parametrize("made_from", [None, RELEASED])
def test_of_the_same_release_nothing_is_said(made_from):
    assert rebuild(answered(), RELEASED, made_from).repairs == ()


def test_what_a_student_changed_is_still_told():
    made_from, notebook = _earlier(_prose)
    find(notebook, "task-efficiency")["source"] += "\n\nmy remark"
    notebook["cells"].remove(find(notebook, "title"))
    marks(find(notebook, "efficiency-check"))["points"] = 100
    rebuilt = rebuild(notebook, RELEASED, made_from)
    told = " ".join(rebuilt.repairs)
    assert "`task-efficiency` had been edited" in told and "`title` had been deleted" in told
    assert "`efficiency-check` had been changed (points)" in told
    where = position(rebuilt.notebook, "task-efficiency")
    assert text(rebuilt.notebook["cells"][where + 1]).strip() == "my remark"


def test_a_stub_of_before_is_no_answer():
    made_from, notebook = _earlier(_stub)
    find(notebook, "efficiency")["source"] = text(find(made_from, "efficiency"))
    rebuilt = rebuild(notebook, RELEASED, made_from)
    assert text(find(rebuilt.notebook, "efficiency")) == text(find(RELEASED, "efficiency"))


def test_own_cells_that_repeat_released_text_stay():
    made_from, notebook = _earlier(_a_text_more)
    notebook["cells"].append(markdown("my remark"))
    find(notebook, "recommendation")["source"] = "An old text."
    rebuilt = rebuild(notebook, RELEASED, made_from)
    assert text(find(rebuilt.notebook, "recommendation")) == "An old text."
    assert text(rebuilt.notebook["cells"][-1]) == "my remark"
    check_shape(rebuilt)


def test_an_answer_to_a_task_that_is_gone_stays_as_a_plain_cell():
    made_from = copy.deepcopy(RELEASED)
    task = {**marks(find(RELEASED, "efficiency")), "grade_id": "gone"}
    check = {**marks(find(RELEASED, "efficiency-check")), "grade_id": "gone-check"}
    made_from["cells"] += [
        markdown(
            "## 9 · Gone", id="gone-task", metadata={"nbgrader": {**check, "grade": False, "grade_id": "gone-task"}}
        ),
        code("def gone():\n    raise NotImplementedError", id="gone", metadata={"nbgrader": task}),
        code("check('gone', gone)", id="gone-check", metadata={"nbgrader": check}),
    ]
    notebook = copy.deepcopy(made_from)
    find(notebook, "gone")["source"] = "def gone():\n    return 'an hour of work'"
    rebuilt = rebuild(notebook, RELEASED, made_from)
    assert rebuilt.repairs == ()
    check_shape(rebuilt)
    assert [text(cell) for cell in rebuilt.notebook["cells"][len(RELEASED["cells"]) :]] == [
        "def gone():\n    return 'an hour of work'"
    ]


def test_cell_missing_in_an_unknown_release_was_not_deleted():
    """Create a course that was updated by `git pull` before anything was graded."""
    older = copy.deepcopy(RELEASED)
    older["cells"] = [cell for cell in older["cells"] if cell["id"] not in ("hand-in", "progress")]
    older["metadata"]["chip2cluster_release"] = "0" * 64
    assert rebuild(older, RELEASED).repairs == ()
    older["metadata"]["chip2cluster_release"] = RELEASED["metadata"]["chip2cluster_release"]
    assert "`hand-in` and `progress` had been deleted" in rebuild(older, RELEASED).repairs[0]


def test_a_copy_to_work_in_is_no_repaired_submission(tmp_path):
    """A student's copy has extra lines of links and a note of its origin."""
    course = Workspace(ROOT, tmp_path)
    start(course, course.chosen([f"lab_{LAB}"]))
    copied = json.loads((tmp_path / "my_labs" / LAB / f"lab_{LAB}.ipynb").read_text(encoding="utf-8"))
    rebuilt = rebuild(copied, RELEASED)
    assert rebuilt.repairs == () and len(rebuilt.notebook["cells"]) == len(RELEASED["cells"]) + 2
