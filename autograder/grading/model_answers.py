"""Process of the model answers: calls them with values that a student's function passes, where no student code runs.

It has a sandbox of its own, because those values are as untrusted as the code that passes them.
"""

import re
from contextlib import AbstractContextManager
from typing import Any

from ..sandbox import CellStatus, CodeCell, Sandbox, TimeBudget
from ..sandbox.session import Session
from .intake.cell_matching import bound_names
from .lab import Lab

# A call may end the process, for example with a list that is too long; after as many none is answered any more.
MOST_SESSIONS = 5
_UNANSWERED = {"raised": "RuntimeError"}


class ModelAnswers:
    """Model answers of a lab, in a process that opens when it is first needed. A context manager.

    Parameters
    ----------
    lab : Lab
    sandbox : Sandbox
        An open sandbox of the lab.
    given : dict
        The student's own constants, by exercise id.
    """

    def __init__(self, lab: Lab, sandbox: Sandbox, given: dict[str, dict[str, Any]]) -> None:
        self._lab, self._sandbox, self._given = lab, sandbox, given
        self._opened: AbstractContextManager[Session] | None = None
        self._session: Session | None = None
        self._left = MOST_SESSIONS

    def prepare(self) -> None:
        """Open the process, which can take seconds.

        Raises
        ------
        RuntimeError
            If the lab's model answers cannot be defined.
        """
        if self._session is None and self._left:
            self._open()

    def reply(self, name: str, arguments: list[Any], keywords: dict[str, Any]) -> dict[str, Any]:
        """Call a model answer; arguments and value are packed for messages.

        Parameters
        ----------
        name : str
            Name of the function.
        arguments : list
        keywords : dict

        Returns
        -------
        dict
            ``{"value": packed value}``, or ``{"raised": name of an exception}``.

        Raises
        ------
        RuntimeError
            If the lab's model answers cannot be defined.
        """
        if self._session is None and not self._left:
            return _UNANSWERED
        session = self._session or self._open()
        try:
            reply = session.call_function(name, arguments, keywords)
        except OSError:
            self.close()
            return _UNANSWERED
        return {key: reply[key] for key in ("value", "raised") if key in reply}

    def close(self) -> None:
        """End the process; another call would open a new one."""
        opened, self._opened, self._session = self._opened, None, None
        if opened is not None:
            opened.__exit__(None, None, None)

    def __enter__(self) -> "ModelAnswers":
        """Return this; nothing opens yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self.close()

    def _open(self) -> Session:
        self._left -= 1
        sandbox = self._sandbox.for_answers()
        self._opened = sandbox.open_session(self._given, {}, TimeBudget(sandbox.limits))
        self._session = session = self._opened.__enter__()
        functions = {task.function for task in self._lab.tasks if task.answer}
        for number, source in enumerate(defining_cells(self._lab)):
            result = session.run_cell(number, CodeCell(source))
            # A released cell may fail, such as one that shows what no answer may call.
            if result.status is not CellStatus.OK and bound_names(source) & functions:
                self.close()
                raise RuntimeError(
                    f"the model answers of {self._lab.name} cannot be used, because a cell of its solution "
                    f"is {result.status}: {source.strip().splitlines()[0]!r}"
                )
        return session


def defining_cells(lab: Lab) -> list[str]:
    """Return the released code that the model answers need, and the model answers, in the order of the notebook.

    Parameters
    ----------
    lab : Lab
    """
    solutions = dict.fromkeys(source for task in lab.tasks for source in task.solutions)
    answer_of = {name: source for source in solutions for name in bound_names(source)}
    answer_of |= {task.function: task.answer for task in lab.tasks if task.answer}
    cells, placed = list[str](), set[str]()
    for cell in lab.released["cells"]:
        marks = cell["metadata"].get("nbgrader", {})
        source = "".join(cell["source"])
        if cell["cell_type"] != "code" or marks.get("grade"):
            continue
        names = bound_names(source) if marks.get("solution") else ()
        answers = [*dict.fromkeys(answer_of[name] for name in answer_of if name in names)]
        cells += answers or [source]
        placed.update(answers)
    cells += [answer for answer in dict.fromkeys(answer_of.values()) if answer not in placed]
    needed, kept = {task.function for task in lab.tasks if task.answer}, list[str]()
    for source in reversed(cells):
        if bound_names(source) & needed:
            needed |= set(re.findall(r"\w+", source))
            kept.append(source)
    return kept[::-1]
