"""nbgrader for this course: https://nbgrader.readthedocs.io explains every option."""

from pathlib import Path

from nbconvert.preprocessors import ClearMetadataPreprocessor
from nbgrader import preprocessors as steps

from autograder.exercises import also_in
from autograder.grading.gradebook.formgrader import escape_names
from autograder.grading.gradebook.guarded import GradeExporter, ReleaseExporter
from autograder.grading.gradebook.lateness import Late
from autograder.grading.gradebook.release import SayHelp, ShowPoints, StampRelease
from autograder.grading.gradebook.steps import Ask, Rebuild, Tame
from autograder.grading.gradebook.stock import take_over
from autograder.grading.reports.button import FeedbackExporter

c = get_config()  # noqa: F821  (nbgrader puts get_config here)
ROOT = Path(__file__).resolve().parent
also_in(ROOT)  # exercises of your own, in the folder of that name

c.CourseDirectory.course_id = "chip2cluster"
c.CourseDirectory.root = str(ROOT)
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "labs"
c.CourseDirectory.submitted_directory = "autograder/work/submitted"
c.CourseDirectory.autograded_directory = "autograder/work/autograded"
c.CourseDirectory.feedback_directory = "autograder/work/feedback"
c.CourseDirectory.db_url = f"sqlite:///{ROOT / 'autograder' / 'work' / 'gradebook.db'}"
# Students' work and marks are nobody else's on a shared machine. A folder that is there keeps its mode.
(ROOT / "autograder" / "work").mkdir(mode=0o700, parents=True, exist_ok=True)

# Notes for instructors stay with the solutions; nbgrader would release every file.
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback", "INSTRUCTOR.md"]

# The labs are in the repository, so a release always replaces one; but never one that
# somebody has worked in, and only when the new one is whole.
c.GenerateAssignment.force = True
c.GenerateAssignment.exporter_class = ReleaseExporter

c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}
c.ClearSolutions.text_stub = "*Your answer here.*"

c.GenerateAssignment.preprocessors = [
    steps.IncludeHeaderFooter,
    ShowPoints,
    SayHelp,
    steps.LockCells,
    steps.ClearSolutions,
    steps.ClearOutput,
    steps.CheckCellMetadata,
    steps.ComputeChecksums,
    steps.SaveCells,
    steps.ClearHiddenTests,
    steps.ClearMarkScheme,
    steps.ComputeChecksums,
    steps.CheckCellMetadata,
    StampRelease,
]

# A submission is put back into the shape of the release; it runs in a box, and its
# functions are asked from outside. Without these two lists nbgrader runs everything
# in one process, as it does by default: the same marks for honest work, but that a slip
# costs points again in the tasks that build on it. nbgrader reads a checked copy of what
# was handed in, which no option of its own can say.
take_over()
c.Autograde.exporter_class = GradeExporter
c.Autograde.sanitize_preprocessors = [Rebuild, steps.CheckCellMetadata]
c.Autograde.autograde_preprocessors = [
    Ask,
    steps.IgnorePattern,
    ClearMetadataPreprocessor,
    steps.LimitOutput,
    steps.SaveAutoGrades,
    Late,
    steps.CheckCellMetadata,
]

# A student's folder may have a name that a terminal would obey.
c.Application.logging_config = {
    "formatters": {"console": {"class": "autograder.grading.gradebook.plain_log.PlainLines"}}
}

# Formgrader shows a student's cells and name as text that does nothing, whoever graded them.
c.HTMLExporter.preprocessors = [Tame]
escape_names()

# The same page as `autograder feedback`: stock feedback runs students' HTML and shows hidden tests.
c.GenerateFeedback.exporter_class = FeedbackExporter
c.GenerateFeedback.preprocessors = []
