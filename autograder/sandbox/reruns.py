"""Run the cells of a notebook, again without a cell that ends the interpreter, and then the queries."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from .notebook_steps import CallReply, CellResult, CellStatus, CodeCell, Query
from .session import Session, Snapshot
from .time_budget import TimeBudget

EMPTY_CELL = CodeCell("pass")


def run_with_reruns(
    steps: Sequence[CodeCell | Query],
    reruns: int,
    budget: TimeBudget,
    open_session: Callable[[int], AbstractContextManager[Session]],
) -> list[CellResult | list[CallReply]]:
    """Run all steps, see `Sandbox.run`.

    Parameters
    ----------
    steps : list of CodeCell and Query
    reruns : int
        How many times the cells may run again without one that ended the interpreter.
    budget : TimeBudget
        Time budget of all runs together.
    open_session : callable
        Opens a session for a number of queries.

    Notes
    -----
    No query is made before the last run of the cells: no cell, in whatever session, comes after a query and could show
    what the query has left behind.
    """
    steps, results = list(steps), dict[int, CellResult]()
    queries = sum(isinstance(step, Query) for step in steps)
    while True:
        with open_session(queries) as session:
            done = [
                session.run_cell(number, step) if isinstance(step, CodeCell) else session.snapshot(step)
                for number, step in enumerate(steps)
            ]
            for number, one in enumerate(done):
                # The output of a cell's first run counts.
                if isinstance(one, CellResult) and one.status is not CellStatus.NOT_RUN:
                    results.setdefault(number, one)
            fatal = next(
                (n for n, one in enumerate(done) if isinstance(one, CellResult) and one.status is CellStatus.KILLED),
                None,
            )
            if fatal is None or fatal + 1 == len(steps) or not reruns or not budget.allows_rerun:
                session.end_cells()
                replies = {number: session.query(one) for number, one in _in_order_of_trust(done)}
                return [
                    replies[number] if isinstance(one, Snapshot) else results.get(number, one)
                    for number, one in enumerate(done)
                ]
            reruns -= 1
            steps[fatal] = EMPTY_CELL


def _in_order_of_trust(done: Sequence[CellResult | Snapshot]) -> list[tuple[int, Snapshot]]:
    """Return the snapshots with their numbers: those that get a test with hidden lines, which could leave it in a file, last."""
    snapshots = [(number, one) for number, one in enumerate(done) if isinstance(one, Snapshot)]
    return sorted(snapshots, key=lambda pair: bool(pair[1].question.test))
