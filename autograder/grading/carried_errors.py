"""Errors are carried forward (ECF): a mistake costs points once.

A task that builds on an earlier one with a mistake is judged a second time with the model answer in place of
that earlier function, and the better verdict counts. The model answer comes from ``solutions/`` and runs in a process
of its own, see `model_answers`: the student's code can call it, and cannot read it. Two rules keep anybody from
writing down what it returns and handing that in:

* All queries of one run have the same functions corrected. Each run is a session with empty folders of its own.
* A function is never queried in or after a run in which it is corrected.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..checking.verdict import Verdict
from ..sandbox import CodeCell, Query
from .check_cells import GradedTask
from .intake.cell_matching import bound_names
from .lab import Lab
from .task_questions import TaskQuestions, group_by_answer


@dataclass(frozen=True)
class CorrectedRun:
    """Plan of one run with corrected functions, by position of a graded cell.

    Attributes
    ----------
    steps : dict
        Steps to take at each check; all queries have the same functions corrected.
    corrected : dict
        Names of the earlier functions that the model answers replace, for the positions that are judged.
    """

    steps: dict[int, list[Query | CodeCell]]
    corrected: dict[int, list[str]] = field(default_factory=dict)


def plan_corrected_runs(
    notebook: Mapping[str, Any], lab: Lab, questions: Mapping[int, TaskQuestions], verdicts: Mapping[int, Verdict]
) -> list[CorrectedRun]:
    """Find tasks that lost points and may build on earlier tasks that did, too.

    Parameters
    ----------
    notebook : dict
        The rebuilt submission.
    lab : Lab
    questions, verdicts : dict
        Questions and verdicts by the position of each graded cell, in order.

    Returns
    -------
    list of CorrectedRun
        Runs in the order in which they must be made; empty if no task can gain points, as for nearly every submission.
    """
    code = _student_code(notebook, lab)
    functions = [of_task.task.function for of_task in questions.values()]
    runs: dict[tuple[str, ...], CorrectedRun] = {}
    run_of: dict[int, tuple[CorrectedRun, tuple[str, ...], list[str]]] = {}  # by the first position of a group
    with_mistake: list[GradedTask] = []
    groups = {position: group for group in group_by_answer(questions) for position in group}
    for number, (position, of_task) in enumerate(questions.items()):
        first = groups[position][0]
        lost = not all(verdicts[member].correct for member in groups[position])
        if lost and position == first and of_task.exercise is not None:
            # From here on, no function that such a model answer defines is queried.
            usable = [task for task in with_mistake if not bound_names(task.answer) & set(functions[number:])]
            used = [task.function for task in usable if re.search(rf"(?<!def )\b{re.escape(task.function)}\b", code)]
            if used:
                names = tuple(task.function for task in usable)
                run = runs.setdefault(names, CorrectedRun(_visible_tests(questions)))
                run_of[first] = run, names, used
        if first in run_of:
            run, names, used = run_of[first]
            queries = [step for step in of_task.steps if isinstance(step, Query)]
            run.steps[position] += [replace(query, corrected=names) for query in queries]
            run.corrected[position] = used
        if lost and of_task.task.answer:
            with_mistake.append(of_task.task)
    return list(runs.values())


def with_correction_note(verdict: Verdict, functions: Sequence[str]) -> Verdict:
    """Return a verdict of a corrected run whose message names the corrected functions."""
    names = " and ".join(f"`{name}`" for name in functions)
    return replace(verdict, message=f"{verdict.message} Judged with a correct {names} in place of yours.")


def _visible_tests(questions: Mapping[int, TaskQuestions]) -> dict[int, list[Query | CodeCell]]:
    """Return the visible parts of tests, which run in every run because cells below may use what they define."""
    return {
        position: [step for step in of_task.steps if isinstance(step, CodeCell)]
        for position, of_task in questions.items()
    }


def _student_code(notebook: Mapping[str, Any], lab: Lab) -> str:
    """Return the code of all cells that differ from the release."""
    released = {"".join(cell["source"]).strip() for cell in lab.released["cells"]}
    cells = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return "\n".join(source for source in cells if source.strip() not in released)
