"""One slip costs once: a task that builds on an earlier one is also judged with the right one in its place.

The right one is the model answer of ``solutions/``. It runs in a copy of the student's
notebook of which no cell learns, so that nothing but the marks of later tasks can tell of it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..checking.verdict import Verdict
from ..sandbox import CodeCell, Query
from .intake.matching import bound
from .lab import Lab, Task
from .shared_answers import families
from .task_questions import Asked


@dataclass(frozen=True)
class Again:
    """What to ask a second time: steps by the place of a graded cell, and the earlier functions that are put right."""

    steps: dict[int, list[Query | CodeCell]]
    functions: dict[int, list[str]]


def again(
    notebook: Mapping[str, Any], lab: Lab, asked: Mapping[int, Asked], verdicts: Mapping[int, Verdict]
) -> Again | None:
    """Find tasks that lost points and may build on earlier ones that did.

    Parameters
    ----------
    notebook : dict
        The rebuilt submission.
    lab : Lab
    asked, verdicts : dict
        By the place of each graded cell, in order.

    Returns
    -------
    Again or None
        None where nothing is to be gained, as in nearly every submission.
    """
    written = _written(notebook, lab)
    wrong: list[Task] = []
    # What tests define for cells below is there as it was.
    made = Again({place: [step for step in one.steps if isinstance(step, CodeCell)] for place, one in asked.items()}, {})
    kin = {place: family for family in families(asked) for place in family}
    for place, one in asked.items():
        lost = not all(verdicts[other].correct for other in kin[place])
        # A cell may define several functions; the one that is asked stays the student's.
        right = [task for task in wrong if one.task.function not in bound(task.answer)]
        used = [task.function for task in right if _uses(written, task.function)]
        if lost and used and one.exercise is not None:
            before = tuple(task.answer for task in right)
            made.steps[place] += [replace(step, before=before) for step in one.steps if isinstance(step, Query)]
            made.functions[place] = used
        if lost and one.task.answer:
            wrong.append(one.task)
    return made if made.functions else None


def told(second: Verdict, functions: Sequence[str]) -> Verdict:
    """A second verdict that counts, and why."""
    right = " and ".join(f"`{name}`" for name in functions)
    return replace(second, message=f"{second.message} Judged with the right {right} in place of yours.")


def _written(notebook: Mapping[str, Any], lab: Lab) -> str:
    """All code that is the student's own."""
    released = {"".join(cell["source"]).strip() for cell in lab.released["cells"]}
    cells = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return "\n".join(source for source in cells if source.strip() not in released)


def _uses(written: str, function: str) -> bool:
    return re.search(rf"(?<!def )\b{re.escape(function)}\b", written) is not None
