"""What a graded cell asks of a submission, and the verdict on what comes back."""

import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..checking.judge import decide
from ..checking.outcome import Outcome
from ..checking.verdict import Verdict
from ..exercises import Case, Exercise
from ..sandbox import CallReply, CodeCell, Query, NoReply
from . import plain_cells
from .lab import Lab, Task
from .sandbox_replies import own_cell, trusted
from .sanitize.terminal_text import shown_lines


@dataclass(frozen=True)
class Asked:
    """One graded cell, ready to be asked.

    Attributes
    ----------
    task : Task
    steps : list of Query and CodeCell
        What to ask, and what cells below may need of a test.
    exercise : Exercise or None
        With this student's own constants, worth what the cell gives; None for a test of the instructor's own.
    cases : list of Case
    """

    task: Task
    steps: list[Query | CodeCell]
    exercise: Exercise | None = None
    cases: list[Case] = field(default_factory=list)

    @classmethod
    def of(cls, task: Task, lab: Lab, given: Mapping[str, dict[str, Any]], seeds: Mapping[str, int]) -> "Asked":
        """Draw the cases of a task, or take the parts of its test."""
        if task.known is None:
            return cls(task, plain_cells.steps(task, lab))
        own = replace(task.known.personal(given.get(task.exercise, {})), points=task.points)
        cases = own.cases(seeds[task.exercise])
        question = Query(task.function, [list(case.inputs.values()) for case in cases])
        return cls(task, [question], own, cases)

    def verdict(self, answers: Sequence[CallReply], sources: Mapping[int, str], question: int) -> Verdict:
        """Judge the answers to all questions; a fault of the grader's own costs this cell alone.

        Parameters
        ----------
        answers : list of CallReply
        sources : dict
            Source of each cell by its number among the steps.
        question : int
            The number of the first question.
        """
        if self.exercise is None:
            return plain_cells.verdict_on(self.task, answers)
        names = list(self.cases[0].inputs)
        written = own_cell(sources, self.task.function, question)

        def read(answered: CallReply) -> Outcome:
            return trusted(answered, self.task.function, names, written)

        try:
            return decide(self.exercise, self.cases, [read(answered) for answered in answers], hidden=True)
        except Exception:
            print(f"{self.exercise.id}: the grader failed\n{shown_lines(traceback.format_exc())}", file=sys.stderr)
            return decide(self.exercise, self.cases, [read(CallReply(NoReply.GARBLED))] * len(self.cases), hidden=True)

    def too_slow(self, answers: Sequence[CallReply]) -> bool:
        """Whether a function did not end in time."""
        return self.exercise is not None and any(answered.code is NoReply.SLOW for answered in answers)
