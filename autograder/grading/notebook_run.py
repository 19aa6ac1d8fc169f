"""Run a rebuilt notebook in the sandbox, query its functions at their check cells, and judge the replies.

A cell below a check may redefine something that the function needs. Such a function is queried
again after the last cell, and the better verdict counts: see `checks_to_repeat`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..checking.verdict import Verdict
from ..sandbox import CallReply, CellResult, CellStatus, CodeCell, Query, Sandbox, TimeBudget
from ..sandbox.inside.reply_codes import ReplyCode
from ..sandbox.session_interface import FunctionAnswers
from .intake.cell_matching import bound_names, defined_names, imported_names, normalize_source
from .intake.stub_detection import keep_earlier_definitions
from .lab import Lab
from .submission_notes import RunNotes
from .task_questions import TaskQuestions, group_by_answer, scores_more

MAX_RERUNS = 3  # cells that end the interpreter; after each, the other cells run once more without it

# Code that binds names without spelling them out.
_BINDS_UNKNOWN_NAMES = re.compile(
    r"^[ \t]*(?:%(?:run|pylab)\b|from[ \t]+\S+[ \t]+import[ \t]*\*)|\b(?:exec|eval|globals|setattr|run_line_magic)\b",
    re.M,
)
# Cells whose definitions other cells need; scratch cells import something, too, but rarely nothing else.
_DEFINITION = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]", re.M)
_ONLY_IMPORTS = re.compile(r"(?:(?:(?:import|from)[ \t][^\n]*+|#[^\n]*+|[ \t]*+)(?:\n|$))++")
_BINDING = re.compile(r"\b(?:def|class|as|import|global)[ \t]+(\w+)|\b(\w+)[ \t]*:=")
# Possessive at the start: otherwise a long run of blanks is tried in every split.
_TARGETS = re.compile(r"^[ \t]*+([\w,*()][\w \t,*()]{0,199}?)(?::[^=\n]{0,100})?=(?!=)", re.M)


@dataclass
class RunOutcome:
    """Outcome of one run, by position in the notebook: results of cells, and verdicts on graded tasks."""

    results: dict[int, CellResult] = field(default_factory=dict)
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    notes: RunNotes = field(default_factory=RunNotes)


@dataclass
class _TaskReplies:
    """Replies to the queries of one task: ``first_query`` is the number of its first query among the steps."""

    first_query: int
    at_check: list[CallReply] = field(default_factory=list)
    at_end: list[CallReply] = field(default_factory=list)


@dataclass
class NotebookRun:
    """A rebuilt notebook that can run more than once on one time budget.

    Attributes
    ----------
    notebook : dict
        The rebuilt submission.
    lab : Lab
    sandbox : Sandbox
        An open sandbox of this lab.
    given : dict
        The student's own constants, by exercise id.
    files : mapping of str to bytes
        Modules and tables that were handed in with the notebook, by path.
    questions : dict of int to TaskQuestions
        Questions by the position of the graded cell in the notebook.
    budget : TimeBudget
    answers : FunctionAnswers, optional
        Answers the calls of corrected functions, if a query has any.
    """

    notebook: dict[str, Any]
    lab: Lab
    sandbox: Sandbox
    given: dict[str, dict[str, Any]]
    files: Mapping[str, bytes]
    questions: dict[int, TaskQuestions]
    budget: TimeBudget
    answers: FunctionAnswers | None = None

    def run(self, at_checks: Mapping[int, Sequence[CodeCell | Query]]) -> RunOutcome:
        """Run the student's cells, take the given steps at the checks, and judge the replies."""
        steps, positions, end = self._steps(at_checks)
        outcome = RunOutcome()
        functions = {task.function for task in self.lab.tasks}
        replies: dict[int, _TaskReplies] = {}
        results = self.sandbox.run(
            steps, self.given, self.files, reruns=MAX_RERUNS, budget=self.budget, answers=self.answers
        )
        for number, (position, result) in enumerate(zip(positions, results, strict=True)):
            if not isinstance(result, CellResult):
                of_task = replies.setdefault(position, _TaskReplies(number))
                (of_task.at_check if number < end else of_task.at_end).extend(result)
            elif position not in self.questions:
                outcome.results[position] = result
                source = self.notebook["cells"][position]["source"]
                if result.status is not CellStatus.OK:
                    outcome.notes.add_failed_cell(source, result.outputs)
                if result.status is CellStatus.INTERRUPTED:
                    outcome.notes.add_stopped_cell()
                # A line that calls a model of the package which answers may not call is no fault of the student.
                if result.salvaged:
                    outcome.notes.add_salvaged_cell(bound_names(source) & functions)
                elif result.continued and not result.refused:
                    outcome.notes.add_continued_cell(bound_names(source) & functions)
        sources = {number: step.source for number, step in enumerate(steps) if isinstance(step, CodeCell)}
        for group in group_by_answer({position: self.questions[position] for position in replies}):
            shared = _shared_replies([replies[position] for position in group])
            outcome.verdicts |= self._judge(group, shared, sources, outcome.notes)
        return outcome

    def _steps(
        self, at_checks: Mapping[int, Sequence[CodeCell | Query]]
    ) -> tuple[list[CodeCell | Query], list[int], int]:
        """Return all steps, the position of each, and the number of steps before the queries at the end."""
        functions = {task.function for task in self.lab.tasks if task.function}
        steps: list[CodeCell | Query] = []
        positions: list[int] = []
        for position, cell in enumerate(self.notebook["cells"]):
            if position in self.questions:
                steps += at_checks.get(position, ())
            elif cell["cell_type"] == "code" and cell["source"].strip():
                source = cell["source"]
                defines = _DEFINITION.search(source) or _ONLY_IMPORTS.fullmatch(source.strip())
                steps.append(CodeCell(keep_earlier_definitions(source, functions), bool(defines)))
            positions += [position] * (len(steps) - len(positions))
        end = len(steps)
        for position in self._checks_to_repeat(at_checks):
            steps += [step for step in at_checks[position] if isinstance(step, Query)]
            positions += [position] * (len(steps) - len(positions))
        return steps, positions, end

    def _checks_to_repeat(self, at_checks: Mapping[int, Sequence[CodeCell | Query]]) -> list[int]:
        released = {normalize_source("".join(cell["source"])) for cell in self.lab.released["cells"]}
        code = [
            NotebookCode(cell["source"], normalize_source(cell["source"]) in released)
            if cell["cell_type"] == "code"
            else None
            for cell in self.notebook["cells"]
        ]
        functions = {
            position: of_task.task.function
            for position, of_task in self.questions.items()
            if of_task.exercise and any(isinstance(step, Query) for step in at_checks.get(position, ()))
        }
        return checks_to_repeat(code, functions)

    def _judge(
        self, group: list[int], replies: _TaskReplies, sources: Mapping[int, str], notes: RunNotes
    ) -> dict[int, Verdict]:
        """Judge one answer for all tasks of a group: as it was at its check, and at the end if that is better."""
        questions = {position: self.questions[position] for position in group}
        first = questions[group[0]]
        verdicts = {
            position: of_task.verdict(replies.at_check, sources, replies.first_query)
            for position, of_task in questions.items()
        }
        if first.timed_out(replies.at_check):
            notes.add_timeout(first.task.function, sources.values())
        if replies.at_end and not all(verdict.correct for verdict in verdicts.values()):
            end = max(sources, default=0) + 1
            final = {position: of_task.verdict(replies.at_end, sources, end) for position, of_task in questions.items()}
            newly_defined = _lacks_function(replies.at_check) and not _lacks_function(replies.at_end)
            if scores_more(final, verdicts, group) or newly_defined:
                notes.add_late_function(first.task.function)
                return final
        return verdicts


def _shared_replies(replies: Sequence[_TaskReplies]) -> _TaskReplies:
    """Return the first replies of a group that hold a value at the check, with its first replies at the end."""
    holds_value = (one for one in replies if any(reply.code is ReplyCode.VALUE for reply in one.at_check))
    at_check = next(holds_value, replies[0])
    at_end = next((one.at_end for one in replies if one.at_end), [])
    return _TaskReplies(at_check.first_query, at_check.at_check, at_end)


def _lacks_function(replies: Sequence[CallReply]) -> bool:
    """Return whether the function was missing or had an empty body."""
    return all(reply.code in (ReplyCode.UNWRITTEN, ReplyCode.MISSING, ReplyCode.UNCALLABLE) for reply in replies)


@dataclass(frozen=True)
class NotebookCode:
    """A code cell: its source, and whether this is the released source."""

    source: str
    released: bool


def checks_to_repeat(cells: Sequence[NotebookCode | None], checks: Mapping[int, str]) -> list[int]:
    """Find the checks whose function may behave differently at the end of the notebook.

    That is so if a cell below a check binds a name that the code above it uses.

    Parameters
    ----------
    cells : list of NotebookCode or None
        Cells in the order of the notebook; None for a cell that does not run.
    checks : dict
        Function that each check queries, by the position of the check.

    Returns
    -------
    list of int
        Positions of these checks, in order. One too many costs time, but no points.
    """
    sources = [cell.source if cell else "" for cell in cells]
    words = [set(re.findall(r"\w+", source)) for source in sources]
    bound = [bound_names(source) for source in sources]
    # Importing a module once more changes nothing.
    redefined = [defined_names(source) - imported_names(source) for source in sources]
    functions = [_bound_anywhere(set(checks.values()), source) for source in sources]
    unknown = [bool(_BINDS_UNKNOWN_NAMES.search(source)) for source in sources]
    repeated = []
    for position, function in checks.items():
        before = _union(bound[:position])
        later = [number for number in range(position + 1, len(cells)) if (cell := cells[number]) and not cell.released]
        changed = _union(bound[number] - before | redefined[number] & before | functions[number] for number in later)
        if any(unknown[number] for number in later) or changed & (_union(words[:position]) | {function}):
            repeated.append(position)
    return repeated


def _bound_anywhere(functions: set[str], source: str) -> set[str]:
    """Return those of the functions that a cell may bind, also inside an ``if`` block."""
    found = {name for pair in _BINDING.findall(source) for name in pair}
    for targets in _TARGETS.findall(source):
        found.update(re.findall(r"\w+", targets))
    return found & functions


def _union(sets: Iterable[set[str]]) -> set[str]:
    return set[str]().union(*sets)
