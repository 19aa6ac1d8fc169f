"""Check that a lab is graded as it promises, by the code path of a student's submission.

The released lab must score 0 and the solved lab full points, without a cell that fails or shows an error. In the solved lab each mutant must get its
stated share and message, and a function that returns a constant or its first argument nothing. The texts
of the lab must state the points that its cells give.
"""

import copy
import json
import re
from pathlib import Path
from typing import Any

from chip2cluster.exercise.answers import agree, normalize
from chip2cluster.exercise.verdict_codes import CORRECT, NOT_WRITTEN

from ..questions.cells import ANSWER
from ..sandbox import Sandbox
from ..sandbox.inside import message_protocol
from .check_cells import points_by_cell
from .lab import Lab
from .marking.rubric import RUBRIC, rubric_problems
from .model_answers import ModelAnswers
from .result import GRADED, ExerciseMark, Result
from .student_seeds import Secrets, secrets_for
from .submission import grade_notebook
from .task_questions import TaskQuestions

DOCTOR = "doctor"  # student id of the trial submissions


def examine_lab(root: str | Path, lab: Lab, sandbox: Sandbox, only: str = "") -> list[str]:
    """Return the problems of one lab's grading; an empty list means that there are none.

    Parameters
    ----------
    root : path
        The course folder, with ``solutions/`` in it.
    lab : Lab
    sandbox : Sandbox
        An open sandbox of this lab.
    only : str
        Id of the only task whose mutants are submitted; all tasks if empty.
    """
    secrets = secrets_for(lab, DOCTOR)
    points_of = {task.exercise: task.points for task in lab.tasks}
    problems = []

    def grade(notebook: dict[str, Any]) -> dict[str, ExerciseMark]:
        return grade_whole(notebook).exercises

    def grade_whole(notebook: dict[str, Any]) -> Result:
        return grade_notebook(notebook, DOCTOR, lab, sandbox, secrets)

    def expect(trial: str, name: str, got: ExerciseMark, verdict: str, share: float, says: str = "") -> None:
        points = share * points_of[name]
        if got["verdict"] != verdict or abs(got["score"] - points) > 1e-6 or says not in got["message"]:
            problems.append(
                f"{lab.name}, {name}: {trial} got '{got['verdict']}', {got['score']:g} points, {got['message']!r}; "
                f"wanted '{verdict}', {points:g} points, {says!r}"
            )

    tests = {task.exercise for task in lab.tasks if task.definition is None}
    untouched = grade(_with_text_sources(lab.released))
    for name in untouched.keys() - tests:
        expect("the untouched lab", name, untouched[name], NOT_WRITTEN, 0)
    solved = _solved(root, lab)
    graded = grade_whole(solved)
    problems += _failures(lab, graded) + _answer_problems(lab, sandbox, secrets, only)
    for name, got in graded.exercises.items():
        expect("the solution", name, got, CORRECT, 1)
    for task in [task for task in lab.tasks if only in ("", task.exercise)]:
        for mutant in task.definition.mutants if task.definition else ():
            got = grade(_with_function(solved, task.function, mutant.source))[task.exercise]
            expect(f"mutant {mutant.source!r}", task.exercise, got, mutant.verdict, mutant.share, mutant.says)
        for trial, value in () if task.test else (("a constant", "1.0"), ("an echo", "args[0]")):
            source = f"def {task.function}(*args):\n    return {value}"
            if score := grade(_with_function(solved, task.function, source))[task.exercise]["score"]:
                problems.append(f"{lab.name}, {task.exercise}: {trial} earns {score:g} points")
    return problems


def _failures(lab: Lab, graded: Result) -> list[str]:
    """Return a problem if the solution of a lab is not plainly graded, and one for each cell that shows an error."""
    problems = []
    if graded.status is not GRADED:
        problems.append(
            f"{lab.name}: the solution is {graded.status}, as every student's work would be: mend the cell that fails"
        )
    return problems + [
        f"{lab.name}: the cell {cell['id']!r} of the solution shows {output['ename']}: {output['evalue']}"
        for cell in graded.notebook["cells"]
        for output in cell.get("outputs", ())
        if output["output_type"] == "error"
    ]


def _answer_problems(lab: Lab, sandbox: Sandbox, secrets: Secrets, only: str) -> list[str]:
    """Return a problem for each model answer that gives no right value in its own process, where later tasks call it."""
    problems, seeds = [], secrets.seeds("")
    with ModelAnswers(lab, sandbox, secrets.given) as answers:
        for task in [task for task in lab.tasks if task.answer and only in ("", task.exercise)]:
            asked = TaskQuestions.prepare(task, lab, secrets.given, seeds)
            if asked.exercise is None:
                continue
            case = asked.cases[0]
            try:
                reply = answers.reply(
                    task.function, [message_protocol.pack(value) for value in case.inputs.values()], {}
                )
            except RuntimeError as problem:
                return [str(problem)]
            if "value" not in reply:
                problems.append(
                    f"{lab.name}, {task.exercise}: its model answer raises {reply['raised']} when it is called alone"
                )
            elif asked.exercise.rate is None:
                value = normalize(message_protocol.unpack(reply["value"]))
                if not agree(value, normalize(asked.exercise.expected(case)), asked.exercise.tolerance):
                    problems.append(f"{lab.name}, {task.exercise}: its model answer is wrong when it is called alone")
    return problems


def wrong_points(root: str | Path, lab: Lab) -> list[str]:
    """Return a problem for each text of a lab that states other points than its cells give, or none.

    Parameters
    ----------
    root : path
        The course folder.
    lab : Lab
        A lab of a chapter; other assignments of an instructor may use other words.
    """
    problems = []
    points, text = points_by_cell(lab.released), ""
    for cell in lab.released["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if name in points:
            if not _states(text, points[name]):
                problems.append(
                    f"{lab.name}: no text above the cell {name!r} says that it gives {points[name]:g} points"
                )
            text = ""
        elif cell["cell_type"] == "markdown":
            text += "".join(cell["source"])
    if not _states("".join(lab.released["cells"][0]["source"]), sum(points.values())):
        problems.append(f"{lab.name}: its first cell does not say that the lab gives {sum(points.values()):g} points")
    file = Path(root) / "solutions" / lab.name / "INSTRUCTOR.md"
    # The second written question has its own rubric.
    by_hand = sum(points for cell, points in lab.by_hand.items() if cell != ANSWER)
    rubric = RUBRIC.search(file.read_text(encoding="utf-8")) if file.is_file() else None
    if rubric and not float(rubric[1]) == by_hand == sum(map(float, re.findall(r"^\| *([\d.]+) *\|", rubric[2], re.M))):
        problems.append(f"{lab.name}: the rubric in {file} does not sum to the {by_hand:g} points of its manual cells")
    return problems + rubric_problems(root, lab)


def _states(text: str, points: float) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(f'{points:g}')} points?\b", text) is not None


def _with_text_sources(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a copy in which every source is one string."""
    changed = copy.deepcopy(notebook)
    for cell in changed["cells"]:
        cell["source"] = "".join(cell["source"])
    return changed


def _solved(root: str | Path, lab: Lab) -> dict[str, Any]:
    """Return the released lab with the model answers of ``solutions/`` in it."""
    source = Path(root) / "solutions" / lab.name / f"{lab.notebook}.ipynb"
    answers = {
        cell["metadata"]["nbgrader"]["grade_id"]: "".join(cell["source"])
        for cell in json.loads(source.read_text(encoding="utf-8"))["cells"]
        if cell["metadata"].get("nbgrader", {}).get("solution")
    }
    solved = _with_text_sources(lab.released)
    for cell in solved["cells"]:
        cell["source"] = answers.get(cell["metadata"].get("nbgrader", {}).get("grade_id"), cell["source"])
    return solved


def _with_function(notebook: dict[str, Any], function: str, source: str) -> dict[str, Any]:
    """Return a copy with another source in the answer cell that defines ``function``."""
    changed = copy.deepcopy(notebook)
    for cell in changed["cells"]:
        is_answer = cell["metadata"].get("nbgrader", {}).get("solution")
        if is_answer and re.search(rf"^def {function}\(", cell["source"], re.M):
            cell["source"] = source
    return changed
