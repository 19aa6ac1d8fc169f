"""Run a notebook once more for people to see, if its cells call models of the package that answers may not call.

The functions are queried in a sandbox without these models, where such a cell ends with an error. Its table or
picture belongs to the page all the same, so the cells run again in another sandbox that has all models, and no
exercise. Only the outputs of that run are used: no mark, verdict or status comes from it.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..sandbox import CellResult, CellStatus, CodeCell, SandboxUnavailable, TimeBudget
from .intake.cell_matching import bound_names
from .notebook_run import NotebookRun

_UNDEFINED = re.compile(r"name '(\w{1,80})' is not defined")


def failed_cells(notebook: Mapping[str, Any], results: Mapping[int, CellResult]) -> list[int]:
    """Return the positions of the cells that failed, were stopped or never ran.

    A cell does not count if it ended because it calls a model that answers may not call, or because it uses a name
    that such a cell defines.

    Parameters
    ----------
    notebook : dict
        The rebuilt submission.
    results : dict
        Results of the run in which the functions are queried, by position.
    """
    failed: list[int] = []
    undefined: set[str] = set()  # names that are missing because a model is
    for position, result in sorted(results.items()):
        if result.status is CellStatus.OK:
            continue
        if result.status is CellStatus.ERROR and (result.refused or _missing_name(result) in undefined):
            undefined |= bound_names(notebook["cells"][position]["source"])
        else:
            failed.append(position)
    return failed


def results_for_people(run: NotebookRun, results: dict[int, CellResult]) -> dict[int, CellResult]:
    """Return the results to show: those of a run with all models, if a cell called one that answers may not call.

    Parameters
    ----------
    run : NotebookRun
    results : dict
        Results of the run in which the functions are queried, by position.
    """
    if not any(result.refused for result in results.values()):
        return results
    # What had to be stopped once would have to be stopped again.
    stopped = {
        position
        for position, result in results.items()
        if result.status in (CellStatus.INTERRUPTED, CellStatus.KILLED, CellStatus.NOT_RUN)
    }
    cells = [
        cell | {"source": ""} if position in stopped else cell for position, cell in enumerate(run.notebook["cells"])
    ]
    tests = {
        position: [step for step in of_task.steps if isinstance(step, CodeCell)]
        for position, of_task in run.questions.items()
    }
    notebook = run.notebook | {"cells": cells}
    try:
        sandbox = run.sandbox.with_models()
        again = replace(run, notebook=notebook, sandbox=sandbox, budget=TimeBudget(sandbox.limits)).run(tests)
    except (SandboxUnavailable, OSError):
        # The marks are complete; only these outputs are missing.
        return results
    ended = (CellStatus.OK, CellStatus.ERROR)
    return results | {position: result for position, result in again.results.items() if result.status in ended}


def _missing_name(result: CellResult) -> str | None:
    """Return the name of which a cell says that it is not defined."""
    for output in result.outputs:
        match output:
            case {"output_type": "error", "ename": "NameError", "evalue": str(message)}:
                found = _UNDEFINED.match(message)
                return found[1] if found else None
    return None
