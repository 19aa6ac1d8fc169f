"""Query each function where the package has the models that its own exercise allows, and no others.

The tasks of a lab, and more so those of an exam, allow different models: one task's tool can be another one's answer.
So the notebook runs once for each set of allowed models, in a sandbox that has these alone. Cells are shown, and their
status counts, as they end where all models of the lab exist.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from chip2cluster._package import is_model

from ..sandbox import CodeCell, Query, TimeBudget
from .lab import Lab
from .notebook_run import NotebookRun, RunOutcome
from .task_questions import TaskQuestions, group_by_answer

Models: TypeAlias = tuple[str, ...]
Steps: TypeAlias = Mapping[int, Sequence[CodeCell | Query]]


def models_by_position(questions: Mapping[int, TaskQuestions], lab: Lab) -> dict[int, Models]:
    """Return the models that the answer to each task may call, sorted, by the position of the graded cell.

    An instructor's test has those of the whole lab, and tasks that rate one and the same answer those of the first.
    """
    models: dict[int, Models] = {}
    for group in group_by_answer(questions):
        exercise = questions[group[0]].exercise
        allowed = tuple(sorted({*filter(is_model, exercise.allowed)})) if exercise else lab.allowed
        models |= dict.fromkeys(group, allowed)
    return models


@dataclass
class RunsByModels:
    """Runs of one submission, one for each set of models that its tasks may call.

    Attributes
    ----------
    main : NotebookRun
        Run in a sandbox with all models of the lab.
    """

    main: NotebookRun
    _others: dict[Models, NotebookRun] = field(default_factory=dict)

    @property
    def wall_clock_hit(self) -> bool:
        """Whether the clock, and not the use of the processor, has stopped code in a run."""
        return any(run.budget.wall_clock_hit for run in (self.main, *self._others.values()))

    def run(self, at_checks: Steps, *, show_cells: bool = True) -> RunOutcome:
        """Take the steps at the checks, each query where the models of its own task exist.

        Parameters
        ----------
        at_checks : dict
            Steps at each check, by position.
        show_cells : bool
            Whether the results of cells are wanted; otherwise only the runs with a query are made.
        """
        models = models_by_position(self.main.questions, self.main.lab)
        outcome = RunOutcome()
        for allowed in sorted({*models.values(), self.main.lab.allowed}, key=lambda one: one != self.main.lab.allowed):
            steps = {
                position: [step for step in chosen if isinstance(step, CodeCell) or models[position] == allowed]
                for position, chosen in at_checks.items()
            }
            shown = show_cells and allowed == self.main.lab.allowed
            if not shown and not any(isinstance(step, Query) for chosen in steps.values() for step in chosen):
                continue
            one = self._run_with(allowed).run(steps)
            if shown:
                outcome = one
            else:
                outcome.verdicts |= one.verdicts
                outcome.notes.add_functions(one.notes)
        return outcome

    def _run_with(self, models: Models) -> NotebookRun:
        if models == self.main.lab.allowed:
            return self.main
        if models not in self._others:
            sandbox = self.main.sandbox.allowing(models)
            # The cells run again, so they get their time again.
            self._others[models] = replace(self.main, sandbox=sandbox, budget=TimeBudget(sandbox.limits))
        return self._others[models]
