"""What a graded cell asks of a submission, and the verdict on what comes back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..box import Answered, Cell, Question
from ..exercises import Case, Exercise
from ..judge import decide
from ..verdict import Verdict
from . import plain_cells
from .lab import Lab, Task
from .secrets import Secrets
from .trusted import trusted


@dataclass(frozen=True)
class Asked:
    """One graded cell, ready to be asked.

    Attributes
    ----------
    task : Task
    steps : list of Question and Cell
        What to ask, and what cells below may need of a test.
    exercise : Exercise or None
        With this student's own constants, worth what the cell gives; None for a test of the instructor's own.
    cases : list of Case
    """

    task: Task
    steps: list[Question | Cell]
    exercise: Exercise | None = None
    cases: list[Case] = field(default_factory=list)

    @classmethod
    def of(cls, task: Task, lab: Lab, secrets: Secrets) -> "Asked":
        """Draw the cases of a task, or take the parts of its test."""
        if task.known is None:
            return cls(task, plain_cells.steps(task, lab))
        own = replace(task.known.personal(secrets.given.get(task.exercise, {})), points=task.points)
        cases = own.cases(secrets.seeds[task.exercise])
        question = Question(task.function, [list(case.inputs.values()) for case in cases])
        return cls(task, [question], own, cases)

    def verdict(self, answers: Sequence[Answered], sources: Mapping[int, str]) -> Verdict:
        """Judge the answers to all questions; see `trusted` for ``sources``."""
        if self.exercise is None:
            return plain_cells.verdict_on(self.task, answers, sources)
        names = list(self.cases[0].inputs)
        outcomes = [trusted(answered, self.task.function, names, sources) for answered in answers]
        return decide(self.exercise, self.cases, outcomes, hidden=True)
