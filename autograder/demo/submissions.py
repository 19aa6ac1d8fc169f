"""Make submissions like those of a real class: right, wrong in every known way, damaged, renamed, zipped."""

import copy
import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from chip2cluster.exercise.model import Exercise

from .. import lab_names
from ..grading.lab import Lab
from ..grading.reports.answer_cells import answer_cells, grade_id, sources_by_cell
from .wrong_answers import wrong_answers

# Names that tables, pages and terminals often handle wrongly; the other students are numbered.
NAMES = ("Zoë Müller-O'Neil", "李小龙", "Ann Smith", "José 🎓", "=SUM(A1:A9)", "<i>Bob")
ESSAYS = (
    "I would take the second one. It costs more, but by the numbers above it is done in half the time.",
    "It depends. On the table alone the first is best; with the wait for delivery it is not.",
    "The table ranks by one number. I would not sign anything before somebody has measured it.",
    "I computed everything above and the largest value wins.\n\n<script>alert('marks')</script>",
    "…",
)
MARKS = ("### BEGIN SOLUTION", "### END SOLUTION")


@dataclass(frozen=True)
class DemoSubmission:
    """Submission of an invented student: its oddity, and its ``files`` by their path in the student's folder."""

    student: str
    oddity: str
    files: dict[str, bytes]


def make_submissions(lab: Lab, solution: dict[str, Any], count: int, seed: int) -> list[DemoSubmission]:
    """Make the submissions of a class.

    Parameters
    ----------
    lab : Lab
        Lab that the class submits.
    solution : dict
        Solution notebook of the lab.
    count : int
        Number of students, at least one.
    seed : int
        Seed of the class; the same seed gives the same submissions.

    Returns
    -------
    list of DemoSubmission
        Damaged ones first, up to the number of students; the others are right except for a mistake in one task.
    """
    if count < 1:
        raise ValueError(f"submissions must be at least 1, got {count}")
    model = {name: _without_marks(source) for name, source in sources_by_cell(solution).items()}
    drawn = random.Random(seed)
    made = []
    for number, (oddity, files) in zip(range(count), _class_files(lab, model, drawn), strict=False):
        name = NAMES[number] if number < len(NAMES) else f"student{number + 1:03}"
        made.append(DemoSubmission(name, oddity, files))
    return made


def _without_marks(source: str) -> str:
    """Return a source without the lines that mark the model answer for nbgrader."""
    return "\n".join(line for line in source.splitlines() if line.strip() not in MARKS)


def _class_files(lab: Lab, model: dict[str, str], drawn: random.Random) -> Iterator[tuple[str, dict[str, bytes]]]:
    code = [cell for cell in answer_cells(lab).values() if cell in model]
    essays = [cell for cell in lab.by_hand if cell in model]
    wrong = {
        answer_cells(lab)[task.cell]: list(wrong_answers(task.definition)) for task in lab.tasks if task.definition
    }
    wrong = {cell: found for cell, found in wrong.items() if found and cell in code}

    def answers(without: int = 0) -> dict[str, str]:
        filled = {cell: model[cell] for cell in code[: len(code) - without]}
        return filled | {cell: drawn.choice(ESSAYS) for cell in essays}

    yield "all right, with the model essay", notebook_files(lab, {cell: model[cell] for cell in (*code, *essays)})
    yield "as it was released", notebook_files(lab, {})
    yield from _damaged_submissions(lab, code, answers)
    same = answers() | dict.fromkeys(essays, "We thought about this for a long time, and the second one is better.")
    yield "the same essay as the next one", notebook_files(lab, same)
    yield "the same essay as the one before", notebook_files(lab, same)
    every = [(cell, name, source) for cell, found in wrong.items() for name, source in found]
    drawn.shuffle(every)
    while True:
        if not every or drawn.random() < 0.25:
            left = drawn.randrange(len(code)) if drawn.random() < 0.5 else 0
            yield (
                f"right as far as it goes, {left} tasks left" if left else "all right",
                notebook_files(lab, answers(left)),
            )
            continue
        cell, name, source = every[0]
        every = [*every[1:], every[0]]
        yield f"{cell}: {name}", notebook_files(lab, answers() | {cell: source})


def _damaged_submissions(
    lab: Lab, code: list[str], answers: Callable[[], dict[str, str]]
) -> Iterator[tuple[str, dict[str, bytes]]]:
    """Yield submissions damaged in ways that students damage notebooks."""
    name = f"{lab.notebook}.ipynb"
    first, last = code[0], code[-1]
    cell, exercise = [(task.cell, task.definition) for task in lab.tasks if task.definition][-1]
    yield "a syntax error", notebook_files(lab, answers() | {last: "def broken(:\n"})
    yield (
        "a function that never ends",
        notebook_files(lab, answers() | {answer_cells(lab)[cell]: endless_answer(exercise)}),
    )
    yield "an answer was deleted", notebook_files(lab, answers(), drop=last)
    yield "a check was deleted", notebook_files(lab, answers(), drop=lab.tasks[0].cell)
    yield (
        "a cell of the student's own above the first answer",
        notebook_files(lab, answers(), own=(first, "import seaborn_of_mine")),
    )
    right = notebook_files(lab, answers())[name]
    yield "called Untitled", {"Untitled.ipynb": right}
    yield "in a folder of its own", {f"my lab/{name}": right}
    yield "in a zip", {f"{lab.name}.zip": _zipped(name, right)}
    yield "the answers are in a copy", {name: notebook_files(lab, {})[name], f"{lab.notebook}-Copy1.ipynb": right}
    yield "from Colab, without ids and marks", {name: _without_metadata(right)}
    yield "with line ends of Windows", {name: right.replace(b"\n", b"\r\n")}
    yield "half of the file", {name: right[: len(right) // 2]}
    yield "no notebook", {"notes.txt": b"I will hand it in tomorrow."}
    yield "the older name", {f"{lab_names.other_name(lab.notebook)}.ipynb": right}


def endless_answer(exercise: Exercise) -> str:
    """Return the source of an answer that never returns."""
    return f"def {exercise.function_name}(*given, **named):\n    while True:\n        pass\n"


def notebook_files(
    lab: Lab, answers: dict[str, str], drop: str = "", own: tuple[str, str] | None = None
) -> dict[str, bytes]:
    """Return a submission by its file: the released notebook with these sources, without ``drop``, with an ``own`` cell."""
    notebook = copy.deepcopy(lab.released)
    cells: list[dict[str, Any]] = []
    for cell in notebook["cells"]:
        name = grade_id(cell)
        if own and name == own[0]:
            cells.append({"cell_type": "code", "id": "mine", "metadata": {}, "outputs": [], "execution_count": None, "source": own[1]})  # fmt: skip
        if name and name == drop:
            continue
        cells.append(cell | {"source": answers.get(name, cell["source"])} if name else cell)
    notebook["cells"] = cells
    return {f"{lab.notebook}.ipynb": json.dumps(notebook, indent=1, ensure_ascii=False).encode()}


def _without_metadata(notebook: bytes) -> bytes:
    """Return a notebook without the metadata of nbgrader and the cell ids of newer formats."""
    read = json.loads(notebook)
    for cell in read["cells"]:
        cell["metadata"] = {}
        cell.pop("id", None)
    read["metadata"], read["nbformat_minor"] = {"colab": {}}, 4
    return json.dumps(read).encode()


def _zipped(name: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        # A fixed time, because the clock would make two classes of one seed differ.
        archive.writestr(zipfile.ZipInfo(name, date_time=(2026, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
