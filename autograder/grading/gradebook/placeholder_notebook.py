"""The autograded notebook of a submission that gave none: the released lab with a word at the top."""

import copy
import os
from pathlib import Path
from typing import Any

from ..lab import Lab
from ..result import UNREADABLE, Result
from ..sanitize.terminal_text import shown


def stand_in(lab: Lab, result: Result, file: str | Path) -> dict[str, Any]:
    """Build the notebook that a person finds in formgrader.

    Parameters
    ----------
    lab : Lab
    result : Result
        Of a submission without a notebook of its own.
    file : path
        Where the submission as handed in is.

    Returns
    -------
    dict
        The released lab, 0 in every check cell. Where the file was readable and the
        grader itself failed, answers for a person to mark still wait for one.
    """
    notebook = copy.deepcopy(lab.released)
    # A name may hold bytes that no notebook can.
    file = os.fsencode(file).decode("utf-8", "backslashreplace")
    failed = result.status != UNREADABLE
    problems = dict.fromkeys(marked["message"] for marked in result.exercises.values()) if failed else result.repairs
    heading = "This submission could not be graded" if failed else "This submission could not be read"
    text = "\n\n".join(
        [
            f"# {heading}",
            *problems,
            f"What was handed in is at\n\n    {shown(file, 400)}",
            "Below is the lab as released.",
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
            # Its checksum no longer says "untouched", so nbgrader asks a person.
            cell["source"] = f"*Not read by the grader: look it up in {shown(file, 400)}.*"
    notebook["cells"].insert(0, {"cell_type": "markdown", "id": "not-graded", "metadata": {}, "source": text})
    return notebook
