"""nbgrader's *Generate feedback*, button and command, with the same page as ``autograder feedback``."""

from nbconvert.exporters import Exporter
from traitlets import default

from ...verdict import CORRECT, VALUE, VERDICTS
from ..gradebook.marks import gradebook, marks_of
from ..lab import load
from ..result import GRADED, Result
from ..runs.store import Store
from .answers_in import grade_id
from .feedback import stamped
from .page import page
from .safe import text_of


class FeedbackExporter(Exporter):
    """What ``GenerateFeedback.exporter_class`` is set to.

    Takes the stored result of a submission; for one that stock ``nbgrader autograde``
    marked, the verdicts that stand under its check cells.
    """

    @default("file_extension")
    def _file_extension_default(self):
        return ".html"

    def from_notebook_node(self, nb, resources=None, **_):
        """Return the page and the resources that nbgrader's writer needs."""
        resources = self._init_resources(resources)
        who = resources["nbgrader"]
        directory = self.parent.coursedir
        lab = load(directory.root, who["assignment"])
        result = Store.of(directory.root, lab.name).get(who["student"]) or from_autograded(nb, lab, who["student"])
        with gradebook(directory) as book:
            marks = marks_of(book, lab.name).get(result.student)
        return stamped(page(result, lab, marks)), resources


def from_autograded(notebook, lab, student):
    """Read a `Result` from an autograded notebook's check cells."""
    cells = {grade_id(cell): cell for cell in notebook["cells"]}
    exercises = {task.exercise: _said(cells.get(task.cell, {}), task) for task in lab.tasks}
    return Result(lab.name, student, GRADED, "", exercises=exercises, notebook=notebook)


def _said(cell, task):
    outputs = cell.get("outputs", ())
    text = "".join(text_of(output.get("text")) for output in outputs if output.get("output_type") == "stream").strip()
    values = [text_of(o["data"].get("text/plain")) for o in outputs if o.get("output_type") == "execute_result"]
    verdict, _, message = text.partition(": ")
    try:
        score = float(values[0])
    except (IndexError, ValueError):
        score = 0.0
    if verdict not in VERDICTS:
        verdict, message = CORRECT if score == task.points else VALUE, text
    return {"score": score, "max_score": task.points, "verdict": verdict, "message": message, "mistake": ""}
