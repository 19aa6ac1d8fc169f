"""Submissions as a real class hands them in: right, wrong in every way that has a name, broken, renamed, zipped, late."""

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
from .wrong_answers import slips

# Names that a table, a page or a terminal could stumble over; the rest are numbered.
NAMES = ("Zoë Müller-O'Neil", "李小龙", "Ann Smith", "José 🎓", "=SUM(A1:A9)", "<i>Bob")
ESSAYS = (
    "I would take the second one. It is dearer, but the numbers above say that it is done in half the time.",
    "It depends. On the table alone the first is best; with the wait for delivery it is not.",
    "The table ranks by one number. I would not sign anything before somebody has measured it.",
    "I computed everything above and the largest value wins.\n\n<script>alert('marks')</script>",
    "…",
)
MARKS = ("### BEGIN SOLUTION", "### END SOLUTION")


@dataclass(frozen=True)
class Submission:
    """What one student handed in: ``files`` by their path in the student's folder, and what is odd about it."""

    student: str
    odd: str
    files: dict[str, bytes]


def submissions(lab: Lab, solution: dict[str, Any], count: int, seed: int) -> list[Submission]:
    """Make up a class.

    Parameters
    ----------
    lab : Lab
    solution : dict
        The notebook in ``solutions/`` that the lab was released from.
    count : int
        Students, at least one.
    seed : int
        The same seed gives the same class.

    Returns
    -------
    list of Submission
        First the odd ones, as far as there is room; the others are right but for a slip in one or two tasks.
    """
    if count < 1:
        raise ValueError(f"submissions must be at least 1, got {count}")
    model = {name: _without_marks(source) for name, source in sources_by_cell(solution).items()}
    drawn = random.Random(seed)
    made = []
    for number, (odd, files) in zip(range(count), _class(lab, model, drawn), strict=False):
        name = NAMES[number] if number < len(NAMES) else f"student{number + 1:03}"
        made.append(Submission(name, odd, files))
    return made


def _without_marks(source: str) -> str:
    """What a student writes: without the lines that tell nbgrader where the model answer is."""
    return "\n".join(line for line in source.splitlines() if line.strip() not in MARKS)


def _class(lab: Lab, model: dict[str, str], drawn: random.Random) -> Iterator[tuple[str, dict[str, bytes]]]:
    code = [cell for cell in answer_cells(lab).values() if cell in model]
    essays = [cell for cell in lab.by_hand if cell in model]
    wrong = {answer_cells(lab)[task.cell]: list(slips(task.definition)) for task in lab.tasks if task.definition}
    wrong = {cell: found for cell, found in wrong.items() if found and cell in code}

    def answers(without: int = 0) -> dict[str, str]:
        filled = {cell: model[cell] for cell in code[: len(code) - without]}
        return filled | {cell: drawn.choice(ESSAYS) for cell in essays}

    yield "all right, with the model essay", as_file(lab, {cell: model[cell] for cell in (*code, *essays)})
    yield "as it was released", as_file(lab, {})
    yield from _odd(lab, code, answers)
    same = answers() | dict.fromkeys(essays, "We thought about this for a long time, and the second one is better.")
    yield "the same essay as the next one", as_file(lab, same)
    yield "the same essay as the one before", as_file(lab, same)
    every = [(cell, name, source) for cell, found in wrong.items() for name, source in found]
    drawn.shuffle(every)
    while True:
        if not every or drawn.random() < 0.25:
            left = drawn.randrange(len(code)) if drawn.random() < 0.5 else 0
            yield f"right as far as it goes, {left} tasks left" if left else "all right", as_file(lab, answers(left))
            continue
        cell, name, source = every[0]
        every = [*every[1:], every[0]]
        yield f"{cell}: {name}", as_file(lab, answers() | {cell: source})


def _odd(lab: Lab, code: list[str], answers: Callable[[], dict[str, str]]) -> Iterator[tuple[str, dict[str, bytes]]]:
    """What students do to notebooks."""
    name = f"{lab.notebook}.ipynb"
    first, last = code[0], code[-1]
    asked = [task for task in lab.tasks if task.definition][-1]
    yield "a syntax error", as_file(lab, answers() | {last: "def broken(:\n"})
    yield "a function that never ends", as_file(lab, answers() | {answer_cells(lab)[asked.cell]: endless(asked.definition)})
    yield "an answer was deleted", as_file(lab, answers(), drop=last)
    yield "a check was deleted", as_file(lab, answers(), drop=lab.tasks[0].cell)
    yield "a cell of its own above the first answer", as_file(lab, answers(), own=(first, "import seaborn_of_mine"))
    right = as_file(lab, answers())[name]
    yield "called Untitled", {"Untitled.ipynb": right}
    yield "in a folder of its own", {f"my lab/{name}": right}
    yield "in a zip", {f"{lab.name}.zip": _zipped(name, right)}
    yield "the answers are in a copy", {name: as_file(lab, {})[name], f"{lab.notebook}-Copy1.ipynb": right}
    yield "from Colab, without ids and marks", {name: _bare(right)}
    yield "with line ends of Windows", {name: right.replace(b"\n", b"\r\n")}
    yield "half of the file", {name: right[: len(right) // 2]}
    yield "no notebook", {"notes.txt": b"I will hand it in tomorrow."}
    yield "the older name", {f"{lab_names.other(lab.notebook)}.ipynb": right}


def endless(exercise: Exercise) -> str:
    """An answer that never comes."""
    return f"def {exercise.function_name}(*given, **named):\n    while True:\n        pass\n"


def as_file(lab: Lab, answers: dict[str, str], drop: str = "", own: tuple[str, str] | None = None) -> dict[str, bytes]:
    """A submission by its file: the released notebook with these sources, one cell dropped, and one of the student's own before another."""
    notebook = copy.deepcopy(lab.released)
    cells = []
    for cell in notebook["cells"]:
        name = grade_id(cell)
        if own and name == own[0]:
            cells.append({"cell_type": "code", "id": "mine", "metadata": {}, "outputs": [], "execution_count": None, "source": own[1]})  # fmt: skip
        if name and name == drop:
            continue
        cells.append(cell | {"source": answers.get(name, cell["source"])} if name else cell)
    notebook["cells"] = cells
    return {f"{lab.notebook}.ipynb": json.dumps(notebook, indent=1, ensure_ascii=False).encode()}


def _bare(notebook: bytes) -> bytes:
    """Without what nbgrader and newer formats write."""
    read = json.loads(notebook)
    for cell in read["cells"]:
        cell["metadata"] = {}
        cell.pop("id", None)
    read["metadata"], read["nbformat_minor"] = {"colab": {}}, 4
    return json.dumps(read).encode()


def _zipped(name: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        # A time of its own: the clock's would make two classes of one seed differ.
        archive.writestr(zipfile.ZipInfo(name, date_time=(2026, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
