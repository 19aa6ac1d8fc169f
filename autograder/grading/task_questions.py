"""Questions of each graded task to a submission, and the verdict on the replies.

An exercise is graded from outside the sandbox: its function is called on hidden cases.
A test of the instructor's own is a graded cell of plain Python, and runs as nbgrader runs it.
Unlike a question, such a test is inside the sandbox while it runs, and a student's code there
could read it and react to it. So each test runs in a copy of the notebook, no cell runs after
it there, and no text of a student comes back from a test that has hidden lines.
"""

import math
import re
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chip2cluster.exercise.verdict_codes import CORRECT, NOT_WRITTEN, RAISES, REFUSED, VALUE, Refusal

from ..checking.judge import grade_outcomes
from ..checking.outcome import Outcome, OutcomeKind
from ..checking.verdict import Verdict
from ..exercises import Case, Exercise
from ..sandbox import CallReply, CodeCell, NoReply, Query
from ..sandbox.inside.reply_codes import TEST, ReplyCode
from .check_cells import GradedTask, without_hidden
from .intake.cell_matching import bound_names
from .lab import Lab
from .partial_credit import apply_credit
from .sandbox_replies import defining_cell, trusted_outcome
from .sanitize.terminal_text import printable_lines


@dataclass(frozen=True)
class TaskQuestions:
    """Questions of one graded task to one student.

    Attributes
    ----------
    task : GradedTask
    steps : list of Query and CodeCell
        Queries of the task, and code of a visible test that cells below may use.
    exercise : Exercise or None
        The exercise with this student's constants and the points of the cell; None for an instructor's test.
    cases : list of Case
        Hidden cases of the exercise; empty for an instructor's test.
    """

    task: GradedTask
    steps: list[Query | CodeCell]
    exercise: Exercise | None = None
    cases: list[Case] = field(default_factory=list)

    @classmethod
    def prepare(
        cls, task: GradedTask, lab: Lab, given: Mapping[str, dict[str, Any]], seeds: Mapping[str, int]
    ) -> "TaskQuestions":
        """Draw the hidden cases of an exercise, or split an instructor's test into its parts.

        Parameters
        ----------
        task : GradedTask
        lab : Lab
        given : dict
            The student's own constants, by exercise id.
        seeds : dict
            Seeds of the hidden cases, by exercise id.
        """
        if task.definition is None:
            return cls(task, _test_steps(task, lab))
        exercise = replace(task.definition.personal(given.get(task.exercise, {})), points=task.points)
        cases = exercise.cases(seeds[task.exercise])
        return cls(task, [Query(task.function, [list(case.inputs.values()) for case in cases])], exercise, cases)

    def verdict(self, replies: Sequence[CallReply], sources: Mapping[int, str], first_query: int) -> Verdict:
        """Judge the replies to all queries of this task.

        If the grader itself fails here, the verdict says so and is not a mark.

        Parameters
        ----------
        replies : list of CallReply
        sources : dict
            Source of each cell, by its number among the steps.
        first_query : int
            Number of the first query among the steps.
        """
        if self.exercise is None:
            return judge_test(self.task, replies)
        arguments = list(self.cases[0].inputs)
        quotable = defining_cell(sources, self.task.function, first_query)

        def outcome(reply: CallReply) -> Outcome:
            return trusted_outcome(reply, self.task.function, arguments, quotable)

        try:
            verdict = grade_outcomes(self.exercise, self.cases, [outcome(reply) for reply in replies], hidden=True)
            return apply_credit(self.task, verdict)
        except Exception:
            print(f"{self.exercise.id}: the grader failed\n{printable_lines(traceback.format_exc())}", file=sys.stderr)
            message = "The grader itself failed on this task, so it isn't graded yet. Your work is not the cause."
            return Verdict(
                self.exercise.id, self.exercise.title, RAISES, message, 0.0, self.exercise.points, fault=True
            )

    def timed_out(self, replies: Sequence[CallReply]) -> bool:
        """Return whether a call of the function did not end in time."""
        return self.exercise is not None and any(reply.code is NoReply.SLOW for reply in replies)


def group_by_answer(questions: Mapping[int, TaskQuestions]) -> list[list[int]]:
    """Group the tasks that rate one and the same answer.

    A function without arguments, such as a cluster design, may be rated by several tasks,
    each with its own call. If it returned another design at each call, the best verdicts
    together would describe a machine that nobody has designed; so all tasks of a group are
    judged on one answer.

    Parameters
    ----------
    questions : dict
        `TaskQuestions` by the position of the graded cell in the notebook.

    Returns
    -------
    list of list of int
        Positions of the graded cells of each group, in order; most groups have one task.
    """
    groups: dict[object, list[int]] = {}
    for position, of_task in questions.items():
        rated = of_task.exercise is not None and of_task.exercise.rate is not None
        shared = rated and len(of_task.cases) == 1 and not of_task.cases[0].inputs
        groups.setdefault(of_task.task.function if shared else position, []).append(position)
    return list(groups.values())


def scores_more(verdicts: Mapping[int, Verdict], others: Mapping[int, Verdict], group: list[int]) -> bool:
    """Return whether a group of tasks earns more points by ``verdicts`` than by ``others``, all together."""
    return sum(verdicts[position].score for position in group) > sum(others[position].score for position in group)


def _test_steps(task: GradedTask, lab: Lab) -> list[Query | CodeCell]:
    """Steps of an instructor's test: its visible part, if the test has hidden lines, then the whole test.

    Cells below may use what the visible part defines, so it then runs as a cell too.
    """
    visible = without_hidden(task.test)
    words = set(re.findall(r"\w+", task.test))
    above = [other.test for other in lab.tasks[: lab.tasks.index(task)] if other.test]
    needed = tuple(test for test in above if words & (bound_names(test) - bound_names(without_hidden(test))))
    steps: list[Query | CodeCell] = [Query("", [[]], needed, task.test)]
    if visible.strip() != task.test.strip():
        steps.insert(0, Query("", [[]], test=visible or "pass"))
    return [*steps, CodeCell(visible)] if bound_names(visible) else steps


def judge_test(task: GradedTask, replies: Sequence[CallReply]) -> Verdict:
    """Judge the replies to `_test_steps`.

    A test that raises nothing gives full points, or the number that its last line evaluates to;
    the message quotes the visible part alone.
    """
    outcomes = [trusted_outcome(reply, task.function, [], {TEST: without_hidden(task.test)}) for reply in replies]
    visible, whole = outcomes[0], outcomes[-1]
    earned = _test_points(whole, task.points)
    if whole.kind is OutcomeKind.VALUE and earned == task.points:
        ruling, message = CORRECT, f"The test `{task.cell}` passed."
    elif whole.kind is OutcomeKind.VALUE:
        ruling, message = VALUE, f"The test `{task.cell}` gave {'a part' if earned else 'none'} of its points."
    elif whole.kind is OutcomeKind.UNWRITTEN:
        ruling, message = NOT_WRITTEN, "Replace `raise NotImplementedError` by your own lines, then run the cell again."
    elif visible.kind is OutcomeKind.VALUE:
        part = "The visible part passed; a" if without_hidden(task.test).strip() else "A"
        ruling, message = VALUE, f"{part} hidden part of the test `{task.cell}` failed."
    elif visible.kind is OutcomeKind.PACKAGE:
        ruling = REFUSED
        message = f"The test `{task.cell}` failed: your code calls {visible.text}, which is the answer itself."
    else:
        assertion = replies[0].code is ReplyCode.RAISED and replies[0].name == "AssertionError"
        ruling, message = VALUE if assertion else RAISES, f"The test `{task.cell}` failed: {visible.text}"
    refused = Refusal.PACKAGE if ruling is REFUSED else ""
    return Verdict(task.exercise, task.title, ruling, message, round(earned, 6), task.points, mistake=refused)


def _test_points(whole: Outcome, points: float) -> float:
    """Count points as nbgrader does: all of them if the test ends without a number."""
    if whole.kind is not OutcomeKind.VALUE:
        return 0.0
    if isinstance(whole.value, float) and not math.isnan(whole.value):
        return min(max(whole.value, 0.0), points)
    return points
