"""A test of the instructor's own: a graded cell of plain Python, run in the box as nbgrader runs it.

Unlike a question, such a test is inside the box while it runs, and a student's code there
can read it and answer as it likes. So each runs in a copy of the notebook of which no cell
learns, and no word of a student's comes back from one that has hidden lines in it.
"""

import math
import re
from collections.abc import Sequence

from chip2cluster.exercise.verdict_codes import CORRECT, NOT_WRITTEN, RAISES, REFUSED, VALUE, Refusal, Ruling

from ..checking.outcome import Kind, Outcome
from ..checking.verdict import Verdict
from ..sandbox import CallReply, CodeCell, Query
from ..sandbox.inside.codes import TEST, ReplyCode
from .check_cells import without_hidden
from .intake.matching import bound
from .lab import Lab, Task
from .sandbox_replies import trusted


def steps(task: Task, lab: Lab) -> list[Query | CodeCell]:
    """What to run for a test: the part that its reader sees, where that is not all, and the whole.

    What the visible part defines, cells below may use: it then runs as a cell too.
    """
    visible = without_hidden(task.test)
    words = set(re.findall(r"\w+", task.test))
    above = [other.test for other in lab.tasks[: lab.tasks.index(task)] if other.test]
    needed = tuple(test for test in above if words & (bound(test) - bound(without_hidden(test))))
    made: list[Query | CodeCell] = [Query("", [[]], needed, task.test)]
    if visible.strip() != task.test.strip():
        made.insert(0, Query("", [[]], test=visible or "pass"))
    return [*made, CodeCell(visible)] if bound(visible) else made


def verdict_on(task: Task, answers: Sequence[CallReply]) -> Verdict:
    """Judge what came of a test.

    Parameters
    ----------
    task : Task
    answers : list of CallReply
        Of the questions in `steps`, in order; not to be trusted.

    Returns
    -------
    Verdict
        Full points where nothing was raised, or as many as the number says that the test
        ends with; the words are those of the visible part alone.
    """
    read = [trusted(answer, task.function, [], {TEST: without_hidden(task.test)}) for answer in answers]
    whole, visible = read[-1], read[0]
    earned = _earned(whole, task.points)
    if whole.kind is Kind.VALUE and earned == task.points:
        ruling, message = CORRECT, f"The test `{task.cell}` passed."
    elif whole.kind is Kind.VALUE:
        ruling, message = VALUE, f"The test `{task.cell}` gave {'a part' if earned else 'none'} of its points."
    elif whole.kind is Kind.UNWRITTEN:
        ruling, message = NOT_WRITTEN, "Replace `raise NotImplementedError` by your own lines, then run the cell again."
    elif visible.kind is Kind.VALUE:
        seen = "The part that you see passed; a" if without_hidden(task.test).strip() else "A"
        ruling, message = VALUE, f"{seen} hidden part of the test `{task.cell}` failed."
    else:
        ruling, message = _failed(task, answers[0], visible)
    refused = Refusal.PACKAGE if ruling is REFUSED else ""
    return Verdict(task.exercise, task.title, ruling, message, round(earned, 6), task.points, mistake=refused)


def _earned(whole: Outcome, points: float) -> float:
    """As nbgrader counts: all where the test ends with no number."""
    if whole.kind is not Kind.VALUE:
        return 0.0
    if isinstance(whole.value, float) and not math.isnan(whole.value):
        return min(max(whole.value, 0.0), points)
    return points


def _failed(task: Task, answer: CallReply, visible: Outcome) -> tuple[Ruling, str]:
    if visible.kind is Kind.PACKAGE:
        return REFUSED, f"The test `{task.cell}` failed: your code calls {visible.text}, which is the answer itself."
    ruling = VALUE if answer.code is ReplyCode.RAISED and answer.name == "AssertionError" else RAISES
    return ruling, f"The test `{task.cell}` failed: {visible.text}"
