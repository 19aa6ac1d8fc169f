"""A course with marks by hand in its gradebook, for exports, feedback and reports."""

from datetime import datetime

from nbgrader.api import Gradebook

from tests.grading.course import LAB

CONFIGURATION = """
from pathlib import Path
ROOT = Path(__file__).resolve().parent
c = get_config()
c.CourseDirectory.course_id = "chip2cluster"
c.CourseDirectory.root = str(ROOT)
c.CourseDirectory.db_url = f"sqlite:///{ROOT / 'gradebook.db'}"
c.CourseDirectory.feedback_directory = "work/feedback"
c.CourseDirectory.autograded_directory = "work/autograded"
c.CourseDirectory.submitted_directory = "work/submitted"
c.GenerateFeedback.preprocessors = []
c.GenerateFeedback.exporter_class = "autograder.grading.reports.feedback_exporter.FeedbackExporter"
"""
STUDENTS = {
    "ann": {"first_name": "Ann", "last_name": "O'Neill, Jr", "email": "ann@example.org", "lms_user_id": "4711"},
    "bob": {"first_name": '=HYPERLINK("http://evil")', "last_name": "+cmd|x", "email": "@cmd"},
    "zoë": {"first_name": "Zoë\n", "last_name": 'van "der" Ü'},
}


def fill(folder):
    """Create a gradebook: ann is marked by hand and late, bob is not marked yet, zoë has no submission."""
    (folder / "nbgrader_config.py").write_text(CONFIGURATION)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}", "chip2cluster") as book:
        book.add_assignment(LAB)
        book.add_notebook(LAB, LAB)
        book.add_grade_cell("shortest_time-check", LAB, LAB, max_score=3, cell_type="code")
        book.add_grade_cell("recommendation", LAB, LAB, max_score=6, cell_type="markdown")
        book.add_solution_cell("recommendation", LAB, LAB)
        for student, fields in STUDENTS.items():
            book.add_student(student, **fields)
        for student in ("ann", "bob"):
            book.add_submission(LAB, student, timestamp=datetime(2026, 1, 2, 3, 4))
            book.find_grade("shortest_time-check", LAB, LAB, student).auto_score = 2.1
            book.find_grade("shortest_time-check", LAB, LAB, student).needs_manual_grade = False
        essay = book.find_grade("recommendation", LAB, LAB, "ann")
        essay.manual_score, essay.extra_credit, essay.needs_manual_grade = 4.5, 0.25, False
        book.find_comment("recommendation", LAB, LAB, "ann").manual_comment = "=SUM(A1) is no argument,\nbut fine."
        book.find_submission_notebook(LAB, LAB, "ann").late_submission_penalty = 1.5
        book.db.commit()
    return folder
