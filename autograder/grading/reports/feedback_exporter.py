"""Exporter for nbgrader's *Generate feedback* button and command, with the page of ``autograder feedback``."""

from typing import Any

from nbconvert.exporters import Exporter
from traitlets import default

from chip2cluster.exercise.verdict_codes import CORRECT, VALUE, Ruling

from ..gradebook.database import open_gradebook
from ..gradebook.marks import load_marks
from ..gradebook.safe_release import refuse_unknown_labs
from ..lab import GradedTask, Lab, load
from ..marking.feedback_lines import written_feedback
from ..nbgrader_compat.converters import wrap_conversion
from ..outputs import VERDICT_MIME
from ..result import GRADED, ExerciseMark, Result
from ..result_store import ResultStore
from ..sanitize.html import field_text
from .answer_cells import grade_id
from .feedback import with_checksum, write_renamed_copy
from .feedback_page import feedback_page


class FeedbackExporter(Exporter):
    """Exporter that ``GenerateFeedback.exporter_class`` names.

    It uses the stored result of a submission, or the verdicts in the check cells if
    nbgrader's own autograder graded the submission.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        """Guard the converter against unknown labs."""
        super().__init__(*args, **more)
        wrap_conversion(self.parent, refuse_unknown_labs)

    @default("file_extension")
    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(self, nb: Any, resources: Any = None, **_: Any) -> Any:
        """Return the page and the resources that nbgrader's writer needs."""
        resources = self._init_resources(resources)
        names = resources["nbgrader"]
        directory = self.parent.coursedir  # type: ignore[union-attr]  # nbgrader's converter
        lab = load(directory.root, names["assignment"])
        result = ResultStore.of(directory.root, lab.name).get(names["student"]) or from_autograded(
            nb, lab, names["student"]
        )
        with open_gradebook(directory) as book:
            marks = load_marks(book, lab.name)
        written = written_feedback(directory.root, lab, marks).get(result.student)
        text = feedback_page(result, lab, marks.get(result.student), written)
        write_renamed_copy(directory, text, names["student"], lab)
        return with_checksum(text), resources


def from_autograded(notebook: dict[str, Any], lab: Lab, student: str) -> Result:
    """Return a `Result` from the check cells of an autograded notebook."""
    cells = {grade_id(cell): cell for cell in notebook["cells"]}
    exercises = {task.exercise: _mark_from_outputs(cells.get(task.cell, {}), task) for task in lab.tasks}
    return Result(lab.name, student, GRADED, None, exercises=exercises, notebook=notebook)


def _mark_from_outputs(cell: dict[str, Any], task: GradedTask) -> ExerciseMark:
    outputs = cell.get("outputs", ())
    data: dict[str, Any] = next((o["data"] for o in outputs if o.get("output_type") == "execute_result"), {})
    try:
        score = float(field_text(data.get("text/plain")))
    except ValueError:
        score = 0.0
    # Notebooks of older versions and other tests contain only points.
    mark: ExerciseMark = {
        "score": score,
        "max_score": task.points,
        "verdict": CORRECT if score == task.points else VALUE,
        "message": "".join(field_text(o.get("text")) for o in outputs if o.get("output_type") == "stream").strip(),
        "mistake": "",
    }
    match data.get(VERDICT_MIME):
        case {"verdict": str(word), "message": str(message), "mistake": str(mistake)} if word in set(Ruling):
            mark |= {"verdict": Ruling(word), "message": message, "mistake": mistake}
    return mark
