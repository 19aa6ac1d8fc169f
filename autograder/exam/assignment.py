"""Exam as a notebook for nbgrader, with the texts of the tasks' own notebooks; this course's grader marks it.

Each student's hidden cases and personal constants follow from the secret, as in any lab. A student learns only after the
exam whether an answer is right.
"""

import ast
import builtins
import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import course_pages, exercise_headers
from ..exercises import Exercise, exercises
from .eligibility import ExamCandidate, missing_context, paper_text, task_texts

TASK, ANSWER, GRADED = {"locked": True}, {"solution": True}, {"locked": True, "grade": True}
SETUP = "import itertools\nimport math\nfrom itertools import combinations\n\nimport numpy as np\n\nfrom autograder import given\nfrom chip2cluster import specs, units"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def notebook_candidates(topics: tuple[str, ...] = ()) -> tuple[list[ExamCandidate], dict[str, str]]:
    """Return the exercises of these topics that can be set in a notebook, and for the others the reason, by id."""
    candidates, refused = [], {}
    for name, exercise in exercises().items():
        if topics and exercise_headers.topic(name) not in topics:
            continue
        header, text = exercise_headers.all_headers().get(name), task_texts().get(name, "")
        if header is None or not text:
            refused[name] = "it stands on no page"
        elif reason := _notebook_problem(exercise, text):
            refused[name] = reason
        else:
            candidates.append(ExamCandidate(exercise, header, text))
    return candidates, refused


def _notebook_problem(exercise: Exercise, text: str) -> str:
    """Return what an exercise needs that the exam does not have; empty if it is self-contained."""
    if exercise.rate:
        return "many answers are right: it is rated, not compared"
    if exercise.id.startswith("lab."):
        cells = _lab_cells(exercise.id)
        if len(cells) > 1 + bool(exercise.constants):
            return "it needs more cells of its lab than one"
        if missing := _undefined_names(cells):
            return f"its answer builds on {', '.join(missing)}"
    return missing_context(paper_text(exercise, text))


def exam_notebook(title: str, tasks: Sequence[ExamCandidate]) -> dict[str, Any]:
    """Return the solution notebook, with model answers and hidden tests."""
    worth = sum(one.exercise.points for one in tasks)
    minutes = sum(one.header.minutes for one in tasks)
    head = (
        f"# {title}\n\n*{minutes} minutes · {worth:g} points*\n\nWrite each function in its cell. "
        "It is asked about inputs that you have not seen, and about other ones than your neighbour's."
    )
    cells = [_cell("markdown", "title", head, TASK), _cell("code", "setup", SETUP)]
    for number, one in enumerate(tasks, 1):
        cells += _task(number, one)
    return {"cells": cells, "metadata": {"kernelspec": KERNEL}, "nbformat": 4, "nbformat_minor": 5}


def _task(number: int, one: ExamCandidate) -> list[dict[str, Any]]:
    exercise, name = one.exercise, one.exercise.function_name
    stars = "●" * one.header.difficulty + "○" * (5 - one.header.difficulty)
    text = f"## {number} · {exercise.title}\n\n*difficulty {stars} · {one.header.minutes} minutes*\n\n{one.text}"
    asks = (
        f"# Graded when it is handed in.\n### BEGIN HIDDEN TESTS\nfrom autograder.grading import award\n\n"
        f'award("{exercise.id}", {name})\n### END HIDDEN TESTS'
    )
    between = _lab_cells(exercise.id)[:-1] if exercise.id.startswith("lab.") else []
    return [
        _cell("markdown", f"task-{number}", text, TASK),
        *(_cell("code", f"given-{number}-{at}", source) for at, source in enumerate(between, 1)),
        _cell("code", f"answer-{number}", _answer(exercise), ANSWER),
        _cell("code", f"graded-{number}", asks, GRADED, exercise.points),
    ]


def _answer(exercise: Exercise) -> str:
    """Return the cell with the model answer between nbgrader's markers."""
    if exercise.id.startswith("lab."):
        return _lab_cells(exercise.id)[-1]
    # The exercise's solution within the function, so that its imports and helper functions stay with it.
    stub = next(node for node in ast.parse(exercise.stub).body if isinstance(node, ast.FunctionDef))
    names = [argument.arg for argument in stub.args.args]
    inside = f"{exercise.solution.strip()}\n\n\nreturn {exercise.function_name}({', '.join(names)})"
    return f"def {exercise.signature}:\n    ### BEGIN SOLUTION\n{textwrap.indent(inside, '    ')}\n    ### END SOLUTION"


def _lab_cells(name: str) -> list[str]:
    """Return the code cells between a lab task's text and its check: given code, and the answer last."""
    for page in course_pages.labs():
        if name not in (found := course_pages.task_cells(page)):
            continue
        cells = course_pages.cells(page)
        start = next(at for at, cell in enumerate(cells) if cell["id"] == found[name])
        sources: list[str] = []
        for cell in cells[start + 1 :]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code":
                if name in course_pages.CHECK_CALL.findall(source):
                    return sources
                sources.append(source)
    return []


def _undefined_names(cells: Sequence[str]) -> list[str]:
    """Return the names that a lab's cells use and the exam does not define."""
    trees = [ast.parse(source) for source in (SETUP, *cells)]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    bound |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    bound |= {
        (name.asname or name.name).split(".")[0]
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
    }
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    return sorted(used - bound - set(dir(builtins)))


def _cell(
    kind: str, name: str, source: str, kinds: dict[str, bool] | None = None, points: float | None = None
) -> dict[str, Any]:
    marks: dict[str, Any] = {}
    if kinds is not None:
        marks = {"grade": False, "locked": False, "solution": False, "task": False, "schema_version": 3} | kinds
        marks |= {"grade_id": name} | ({} if points is None else {"points": points})
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": name,
        "metadata": {"nbgrader": marks} if marks else {},
        "source": source.splitlines(keepends=True),
    }
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def write_notebook(root: Path, name: str, made: dict[str, Any]) -> Path:
    """Write the notebook to ``solutions/``.

    Raises
    ------
    ValueError
        If a different one exists; then nothing is written.
    """
    file = root / "solutions" / f"exam_{name}" / f"exam_{name}.ipynb"
    text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    if file.exists() and file.read_text(encoding="utf-8") != text:
        raise ValueError(f"{file} exists and is different: give this exam another name, or move that file away")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file
