"""``autograder written-question``: show a lab's second question, put it into the lab, take it out."""

import json
import tempfile
from pathlib import Path
from typing import Any

from ..atomic_write import write_text
from ..grading.lab import source_notebook
from . import class_question
from .cells import question_text, text_of, with_question, without_question

MOST_POINTS = 100


def run(options: Any) -> int:
    """Do what the options say; print what was done and how to undo it."""
    root, lab = Path(options.root), options.lab
    file = source_notebook(root, lab)
    notebook = json.loads(file.read_text(encoding="utf-8"))
    if options.remove:
        if not question_text(notebook):
            print(f"{lab} has no second question; nothing was changed.")
            return 0
        _write(root, lab, file, without_question(notebook))
        print(
            f"The second question is out of {file}; `nbgrader generate_assignment {lab}` releases the lab without it."
        )
        return 0
    question = class_question(lab.partition("_")[2])
    points = question.points if options.points is None else options.points
    if not 0 < points <= MOST_POINTS:
        raise ValueError(f"a question gives 1 to {MOST_POINTS} points, got {points:g}")
    wanted = with_question(notebook, question, int(points) if float(points).is_integer() else points)
    if not options.add:
        if options.points is not None or options.replace:
            raise ValueError("--points and --replace say how it is put into the lab: give --add with them")
        print("\n\n".join("".join(cell["source"]) for cell in wanted["cells"] if cell["id"].startswith("second-")))
        return 0
    if (before := question_text(notebook)) and before != question.wording and not options.replace:
        raise ValueError(
            f"{lab} has its second question already, with the numbers of another secret: set CHIP2CLUSTER_SECRET to that "
            "one, or give --replace if no student has the old one yet"
        )
    if wanted == notebook:
        print(f"{lab} has this question already, worth {points:g} points; nothing was changed.")
        return 0
    _write(root, lab, file, wanted)
    print(
        f"In {file}, worth {points:g} points by hand, with model answer and rubric: keep that file where students can't see "
        f"it. `nbgrader generate_assignment {lab}` releases the lab with it; `autograder written-question {lab} --remove` takes it out."
    )
    return 0


def _write(root: Path, lab: str, file: Path, notebook: dict[str, Any]) -> None:
    """Replace the instructor's notebook, unless submissions stand in the way.

    Raises
    ------
    ValueError
        Where nbgrader could not release it: nothing is changed then.
    """
    from ..grading.gradebook.course import open_course
    from ..grading.gradebook.registration import source_conflict

    if (root / "autograder" / "work" / "gradebook.db").is_file():
        course = open_course(root)
        with tempfile.TemporaryDirectory() as place:
            draft = Path(place) / file.name
            draft.write_text(text_of(notebook), encoding="utf-8")
            if problem := source_conflict(course, lab, draft):
                raise ValueError(f"{problem}. {file} stays as it was")
    write_text(file, text_of(notebook))
