"""The cells of a notebook, once more where one of them ends the interpreter; then the questions."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from .session import Frozen, Session
from .steps import Answered, Cell, Ending, Question, Ran
from .time_budget import Budget

NOTHING = Cell("pass")


def run(
    steps: Sequence[Cell | Question],
    reruns: int,
    budget: Budget,
    session: Callable[[int], AbstractContextManager[Session]],
) -> list[Ran | list[Answered]]:
    """Run all steps, see `Box.run`.

    Parameters
    ----------
    steps : list of Cell and Question
    reruns : int
        How many times the cells may run once more without one that ended the
        interpreter.
    budget : Budget
        Of all of it together.
    session : callable
        Opens a session for so many questions.

    Notes
    -----
    Nothing is asked before the last time that cells run: no cell, in whatever
    session, comes after a question and could show what that one has left behind.
    """
    steps, ran = list(steps), dict[int, Ran]()
    questions = sum(isinstance(step, Question) for step in steps)
    while True:
        with session(questions) as now:
            made = [
                now.cell(number, step) if isinstance(step, Cell) else now.freeze(step)
                for number, step in enumerate(steps)
            ]
            for number, one in enumerate(made):
                # A cell that runs once more has said already what it says.
                if isinstance(one, Ran) and one.ending is not Ending.NOT_RUN:
                    ran.setdefault(number, one)
            fatal = next(
                (n for n, one in enumerate(made) if isinstance(one, Ran) and one.ending is Ending.KILLED), None
            )
            if fatal is None or fatal + 1 == len(steps) or not reruns or not budget.holds_another_run:
                now.end_cells()
                return [
                    now.ask(one) if isinstance(one, Frozen) else ran.get(number, one) for number, one in enumerate(made)
                ]
            reruns -= 1
            steps[fatal] = NOTHING
