"""Feedback files: where nbgrader expects them, and which ones are replaced or kept."""

import json

import pytest

from autograder.checking.verdict import Verdict
from autograder.grading.outputs import verdict_outputs
from autograder.grading.reports.feedback import with_checksum, write_feedback
from autograder.grading.reports.feedback_exporter import from_autograded
from autograder.grading.reports.feedback_page import feedback_page
from autograder.grading.result_store import ResultStore
from chip2cluster.exercise.verdict_codes import EDGES
from tests.grading.course import LAB, nbgrader_here
from tests.grading.samples import TIME, graded, lab, reference


def test_pages_lie_where_nbgrader_looks(marked_course):
    submitted = marked_course / "work/submitted/ann" / LAB
    submitted.mkdir(parents=True)
    (submitted / "timestamp.txt").write_text("2026-01-02 03:04:05 UTC")
    (submitted / "submission_secret.txt").symlink_to("/etc/passwd")
    done = write_feedback(marked_course, LAB)
    assert [(one.student, one.status) for one in done] == [("ann", "written"), ("bob", "written")]
    folder = marked_course / "work/feedback/ann" / LAB
    assert sorted(file.name for file in folder.iterdir()) == [f"lab_{LAB}.html", "timestamp.txt"]
    text = (folder / f"lab_{LAB}.html").read_text(encoding="utf-8")
    # 2.1 autograded points in the gradebook, 4.75 by hand, 1.5 late penalty.
    assert "4.75 of 6" in text and "=SUM(A1) is no argument" in text and "−1.5" in text


def test_one_student_alone_and_nobody(marked_course):
    assert [one.student for one in write_feedback(marked_course, LAB, "bob")] == ["bob"]
    assert not (marked_course / "work/feedback/ann").exists()
    with pytest.raises(ValueError, match="zoë has no graded submission.*autograder grade"):
        write_feedback(marked_course, LAB, "zoë")


@pytest.mark.parametrize(
    "change", [lambda text: "my own page", lambda text: text.replace("Feedback on", "Hello Ann, feedback on")]
)
def test_a_page_that_somebody_made_or_changed_is_kept(marked_course, change):
    (written,) = write_feedback(marked_course, LAB, "ann")
    changed = change(written.file.read_text(encoding="utf-8"))
    written.file.write_text(changed, encoding="utf-8")
    (again,) = write_feedback(marked_course, LAB, "ann")
    assert again.status == "kept" and written.file.read_text(encoding="utf-8") == changed


def test_an_own_page_is_replaced(marked_course):
    write_feedback(marked_course, LAB, "ann")
    ResultStore.of(marked_course, LAB).put(graded("ann"))
    (again,) = write_feedback(marked_course, LAB, "ann")
    assert again.status == "written" and "not written yet" in again.file.read_text(encoding="utf-8")


def test_the_stamp_tells_any_change():
    text = with_checksum(feedback_page(graded("ann"), lab()))
    assert with_checksum(text) == text and with_checksum(text.replace("ann", "anna")) != text.replace("ann", "anna")


def test_a_student_id_cannot_lead_out_of_its_folder(marked_course):
    ResultStore.of(marked_course, LAB).put(graded("../../x"))
    with pytest.raises(ValueError, match="not a valid name of a student's folder"):
        write_feedback(marked_course, LAB, "../../x")


def test_an_autograded_notebook_alone_is_enough():
    result = graded("ann", reference())
    for cell in result.notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "shortest_time-check":
            cell["outputs"] = verdict_outputs(Verdict(TIME, "", EDGES, "A pure copy: (2 of 3) bytes", 2.4, 3))
    read = from_autograded(result.notebook, lab(), "ann")
    assert read.score == 2.4 and read.exercises[TIME]["verdict"] == EDGES
    assert read.exercises[TIME]["message"] == "A pure copy: (2 of 3) bytes" and "A pure copy" in feedback_page(
        read, lab()
    )


def test_nbgraders_own_command_writes_the_same_page(marked_course):
    stored = ResultStore.of(marked_course, LAB).get("ann")
    folder = marked_course / "work/autograded/ann" / LAB
    folder.mkdir(parents=True)
    (folder / f"lab_{LAB}.ipynb").write_text(json.dumps(stored.notebook), encoding="utf-8")
    (folder / "timestamp.txt").write_text("2026-01-02 03:04:05 UTC")
    nbgrader_here(marked_course, {}, "generate_feedback", LAB)
    file = marked_course / "work/feedback/ann" / LAB / f"lab_{LAB}.html"
    by_button = file.read_text(encoding="utf-8")
    (again,) = write_feedback(marked_course, LAB, "ann")
    assert again.status == "written" and file.read_text(encoding="utf-8") == by_button and "4.75 of 6" in by_button
