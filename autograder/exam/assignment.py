"""An exam as a notebook for nbgrader, made of the tasks as their pages set them; this course's grader marks it.

Each student's hidden cases follow from the secret, as in any lab, and so do numbers of one's own.
Nothing tells a student before the end whether an answer is right.
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
from .eligibility import Asked, leans, on_paper, texts

TASK, ANSWER, GRADED = {"locked": True}, {"solution": True}, {"locked": True, "grade": True}
SETUP = "import itertools\nimport math\nfrom itertools import combinations\n\nimport numpy as np\n\nfrom autograder import given\nfrom chip2cluster import specs, units"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def settable(topics: tuple[str, ...] = ()) -> tuple[list[Asked], dict[str, str]]:
    """The exercises of these topics that a notebook can set alone, and why not, by id, of the others."""
    asked, refused = [], {}
    for name, exercise in exercises().items():
        if topics and exercise_headers.topic(name) not in topics:
            continue
        header, text = exercise_headers.all_headers().get(name), texts().get(name, "")
        if header is None or not text:
            refused[name] = "it stands on no page"
        elif reason := _leans(exercise, text):
            refused[name] = reason
        else:
            asked.append(Asked(exercise, header, text))
    return asked, refused


def _leans(exercise: Exercise, text: str) -> str:
    """What an exercise needs of its page that the exam has not; empty where it stands alone."""
    if exercise.rate:
        return "many answers are right: it is rated, not compared"
    if exercise.id.startswith("lab."):
        cells = _lab_cells(exercise.id)
        if len(cells) > 1 + bool(exercise.constants):
            return "it needs more cells of its lab than one"
        if missing := _free(cells):
            return f"its answer builds on {', '.join(missing)}"
    return leans(on_paper(exercise, text))


def notebook(title: str, tasks: Sequence[Asked]) -> dict[str, Any]:
    """The instructor's notebook, with model answers and hidden tests."""
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


def _task(number: int, one: Asked) -> list[dict[str, Any]]:
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
    """The cell with the model answer between nbgrader's marks."""
    if exercise.id.startswith("lab."):
        return _lab_cells(exercise.id)[-1]
    # The page's own solution inside of the function: what it imports or helps itself with goes with it.
    names = [argument.arg for argument in _function(exercise.stub).args.args]
    inside = f"{exercise.solution.strip()}\n\n\nreturn {exercise.function_name}({', '.join(names)})"
    return f"def {exercise.signature}:\n    ### BEGIN SOLUTION\n{textwrap.indent(inside, '    ')}\n    ### END SOLUTION"


def _function(source: str) -> ast.FunctionDef:
    return next(node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))


def _lab_cells(name: str) -> list[str]:
    """Code between the text of a lab's task and its check: what it hands out, and the answer last."""
    for page in course_pages.labs():
        if name not in (found := course_pages.tasks(page)):
            continue
        cells = course_pages.cells(page)
        start = next(at for at, cell in enumerate(cells) if cell["id"] == found[name])
        sources: list[str] = []
        for cell in cells[start + 1 :]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code":
                if name in course_pages.CHECK.findall(source):
                    return sources
                sources.append(source)
    return []


def _free(cells: Sequence[str]) -> list[str]:
    """Names that a lab's cells need and nothing of the exam defines."""
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


def put(root: Path, name: str, made: dict[str, Any]) -> Path:
    """Write the notebook to ``solutions/``.

    Raises
    ------
    ValueError
        Where another one is there already: nothing is written then.
    """
    file = root / "solutions" / f"exam_{name}" / f"exam_{name}.ipynb"
    text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    if file.exists() and file.read_text(encoding="utf-8") != text:
        raise ValueError(
            f"{file} is there already, and another one: give this exam another name, or move that one away"
        )
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file
