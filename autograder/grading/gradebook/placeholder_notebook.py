"""The autograded notebook of a submission without a readable notebook: the released lab with a note at the top."""

import copy
import os
from pathlib import Path
from typing import Any

from ..lab import Lab
from ..result import UNREADABLE, Result
from ..sanitize.terminal_text import printable


def placeholder_notebook(lab: Lab, result: Result, file: str | Path) -> dict[str, Any]:
    """Build the notebook that formgrader shows.

    Parameters
    ----------
    lab : Lab
        The lab as released.
    result : Result
        Result of a submission without a notebook.
    file : path
        Path of the submission.

    Returns
    -------
    dict
        The released lab with 0 points in every check cell. If the file was readable and the grader itself failed,
        answers that a person marks still wait for one.
    """
    notebook = copy.deepcopy(lab.released)
    # A file name may hold bytes that cannot stand in JSON.
    file = os.fsencode(file).decode("utf-8", "backslashreplace")
    failed = result.status != UNREADABLE
    problems = dict.fromkeys(marked["message"] for marked in result.exercises.values()) if failed else result.repairs
    heading = "This submission could not be graded" if failed else "This submission could not be read"
    text = "\n\n".join(
        [
            f"# {heading}",
            *problems,
            f"The submission is at\n\n    {printable(file, 400)}",
            "The released lab follows.",
        ]
    )
    for cell in notebook["cells"]:
        marks = cell["metadata"].get("nbgrader", {})
        if marks.get("grade") and not marks.get("solution"):
            line = f"{heading}. 0 of {marks['points']:g} points."
            cell["outputs"] = [
                {"output_type": "stream", "name": "stdout", "text": line},
                {
                    "output_type": "execute_result",
                    "execution_count": None,
                    "metadata": {},
                    "data": {"text/plain": "0.0"},
                },
            ]
        elif failed and marks.get("grade_id") in lab.by_hand:
            # Its checksum is no longer that of the untouched cell, so nbgrader requests a mark by hand.
            cell["source"] = f"*Not read by the grader: look it up in {printable(file, 400)}.*"
    notebook["cells"].insert(0, {"cell_type": "markdown", "id": "not-graded", "metadata": {}, "source": text})
    return notebook
