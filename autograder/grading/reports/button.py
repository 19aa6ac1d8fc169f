"""nbgrader's *Generate feedback*, button and command, with the same page as ``autograder feedback``."""

from typing import Any

from nbconvert.exporters import Exporter
from traitlets import default

from chip2cluster.exercise.verdict_codes import CORRECT, VALUE, Ruling

from ..gradebook.database import open_gradebook
from ..gradebook.marks import load_marks
from ..gradebook.safe_release import refuse_unknown_labs
from ..lab import GradedTask, Lab, load
from ..nbgrader_compat.converters import wrap_conversion
from ..outputs import VERDICT_MIME
from ..result import GRADED, ExerciseMark, Result
from ..result_store import ResultStore
from ..sanitize.html import field_text
from .answer_cells import grade_id
from .feedback import with_checksum, write_renamed_copy
from .page import feedback_page


class FeedbackExporter(Exporter):
    """What ``GenerateFeedback.exporter_class`` is set to.

    Takes the stored result of a submission; for one that stock ``nbgrader autograde``
    marked, the verdicts that its check cells hold.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        wrap_conversion(self.parent, refuse_unknown_labs)

    @default("file_extension")
    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(self, nb: Any, resources: Any = None, **_: Any) -> Any:
        """Return the page and the resources that nbgrader's writer needs."""
        resources = self._init_resources(resources)
        who = resources["nbgrader"]
        directory = self.parent.coursedir  # type: ignore[union-attr]  # nbgrader's converter
        lab = load(directory.root, who["assignment"])
        result = ResultStore.of(directory.root, lab.name).get(who["student"]) or from_autograded(
            nb, lab, who["student"]
        )
        with open_gradebook(directory) as book:
            marks = load_marks(book, lab.name).get(result.student)
        text = feedback_page(result, lab, marks)
        write_renamed_copy(directory, text, who["student"], lab)
        return with_checksum(text), resources


def from_autograded(notebook: dict[str, Any], lab: Lab, student: str) -> Result:
    """Read a `Result` from an autograded notebook's check cells."""
    cells = {grade_id(cell): cell for cell in notebook["cells"]}
    exercises = {task.exercise: _marked(cells.get(task.cell, {}), task) for task in lab.tasks}
    return Result(lab.name, student, GRADED, None, exercises=exercises, notebook=notebook)


def _marked(cell: dict[str, Any], task: GradedTask) -> ExerciseMark:
    outputs = cell.get("outputs", ())
    data: dict[str, Any] = next((o["data"] for o in outputs if o.get("output_type") == "execute_result"), {})
    try:
        score = float(field_text(data.get("text/plain")))
    except ValueError:
        score = 0.0
    # A notebook of an older version, or a check of somebody's own, holds its points alone.
    marked: ExerciseMark = {
        "score": score,
        "max_score": task.points,
        "verdict": CORRECT if score == task.points else VALUE,
        "message": "".join(field_text(o.get("text")) for o in outputs if o.get("output_type") == "stream").strip(),
        "mistake": "",
    }
    match data.get(VERDICT_MIME):
        case {"verdict": str(word), "message": str(message), "mistake": str(mistake)} if word in set(Ruling):
            marked |= {"verdict": Ruling(word), "message": message, "mistake": mistake}
    return marked
