"""Run a notebook in a box, ask at its checks, and judge what comes back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..checking.verdict import Verdict
from ..sandbox import CallReply, Sandbox, TimeBudget, CodeCell, CellStatus, Query, CellResult
from ..sandbox.inside.codes import ReplyCode
from .intake.matching import plain
from .intake.stubs import yielding
from .lab import Lab
from .redefinitions import Code, asked_again
from .shared_answers import families, more
from .submission_notes import Notes
from .task_questions import Asked

RERUNS = 3  # cells that may end the interpreter, each left out when the others run once more


@dataclass
class Once:
    """What one run of a notebook gave, by place: its cells, and the verdicts on what was asked."""

    ran: dict[int, CellResult] = field(default_factory=dict)
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    notes: Notes = field(default_factory=Notes)


@dataclass
class _Answers:
    """What came to the questions of one check: the number of the first among the steps, and what came at the end."""

    number: int
    at_check: list[CallReply] = field(default_factory=list)
    at_end: list[CallReply] = field(default_factory=list)


@dataclass
class Run:
    """A rebuilt notebook that can be run and asked more than once, on one budget."""

    notebook: dict[str, Any]
    lab: Lab
    box: Sandbox
    given: dict[str, dict[str, Any]]
    files: Mapping[str, bytes]
    asked: dict[int, Asked]
    budget: TimeBudget

    def once(self, at_checks: Mapping[int, Sequence[CodeCell | Query]]) -> Once:
        """Run the student's cells, take these steps at the checks, and judge what comes back."""
        steps, places, end = self._steps(at_checks)
        made = Once()
        answers: dict[int, _Answers] = {}
        done = self.box.run(steps, self.given, self.files, reruns=RERUNS, budget=self.budget)
        for number, (place, came) in enumerate(zip(places, done, strict=True)):
            if not isinstance(came, CellResult):
                to = answers.setdefault(place, _Answers(number))
                (to.at_check if number < end else to.at_end).extend(came)
            elif place not in self.asked:
                made.ran[place] = came
                if came.status is not CellStatus.OK:
                    made.notes.failed(self.notebook["cells"][place]["source"], came.outputs)
        sources = {number: step.source for number, step in enumerate(steps) if isinstance(step, CodeCell)}
        for family in families({place: self.asked[place] for place in answers}):
            made.verdicts |= self._judged(
                family, _first({place: answers[place] for place in family}), sources, made.notes
            )
        return made

    def _steps(
        self, at_checks: Mapping[int, Sequence[CodeCell | Query]]
    ) -> tuple[list[CodeCell | Query], list[int], int]:
        """All steps, the place of each, and how many there are before the questions at the end."""
        functions = {task.function for task in self.lab.tasks if task.function}
        steps: list[CodeCell | Query] = []
        places: list[int] = []
        for place, cell in enumerate(self.notebook["cells"]):
            if place in self.asked:
                steps += at_checks.get(place, ())
            elif cell["cell_type"] == "code" and cell["source"].strip():
                steps.append(CodeCell(yielding(cell["source"], functions)))
            places += [place] * (len(steps) - len(places))
        end = len(steps)
        for place in self._asked_again(at_checks):
            steps += [step for step in at_checks[place] if isinstance(step, Query)]
            places += [place] * (len(steps) - len(places))
        return steps, places, end

    def _asked_again(self, at_checks: Mapping[int, Sequence[CodeCell | Query]]) -> list[int]:
        """The places of functions that cells below their check may change."""
        released = {plain("".join(cell["source"])) for cell in self.lab.released["cells"]}
        code = [
            Code(cell["source"], plain(cell["source"]) in released) if cell["cell_type"] == "code" else None
            for cell in self.notebook["cells"]
        ]
        checks = {
            place: one.task.function
            for place, one in self.asked.items()
            if one.exercise and any(isinstance(step, Query) for step in at_checks.get(place, ()))
        }
        return asked_again(code, checks)

    def _judged(
        self, family: list[int], given: _Answers, sources: Mapping[int, str], notes: Notes
    ) -> dict[int, Verdict]:
        """The better of what the function was at its check and at the end; of one answer to several checks, for all of them."""
        some = {place: self.asked[place] for place in family}
        function = some[family[0]].task.function
        verdicts = {place: one.verdict(given.at_check, sources, given.number) for place, one in some.items()}
        if some[family[0]].too_slow(given.at_check):
            notes.slow(function, sources.values())
        if given.at_end and not all(verdict.correct for verdict in verdicts.values()):
            end = max(sources, default=0) + 1
            then = {place: one.verdict(given.at_end, sources, end) for place, one in some.items()}
            if more(then, verdicts, family) or _nothing_in(given.at_check) > _nothing_in(given.at_end):
                notes.late(function)
                return then
        return verdicts


def _first(answers: Mapping[int, _Answers]) -> _Answers:
    """What came to the first of some checks that was answered, and the first that came at the end."""
    some = list(answers.values())
    at_check = next((one for one in some if any(came.code is ReplyCode.VALUE for came in one.at_check)), some[0])
    at_end = next((one.at_end for one in some if one.at_end), [])
    return _Answers(at_check.number, at_check.at_check, at_end)


def _nothing_in(answers: list[CallReply]) -> bool:
    """Whether there was no function yet, or one without lines."""
    return all(answered.code in (ReplyCode.UNWRITTEN, ReplyCode.MISSING, ReplyCode.UNCALLABLE) for answered in answers)
