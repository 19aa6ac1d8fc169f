"""``autograder written-question``: show a lab's second written question, add it to the lab, or remove it."""

import json
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from .common import DONE, add_lab_and_root

HELP = "show, add or remove a lab's second written question, whose numbers follow from your secret"
MOST_POINTS = 100


def add_options(parser: ArgumentParser) -> None:
    """Add the options of ``autograder written-question``."""
    add_lab_and_root(parser)
    change = parser.add_mutually_exclusive_group()
    change.add_argument("--add", action="store_true", help="add it to the lab, with model answer and rubric")
    change.add_argument("--remove", action="store_true", help="remove it from the lab")
    parser.add_argument("--points", type=float, metavar="N", help="with --add: its points, marked by hand (default: 4)")
    parser.add_argument(
        "--replace", action="store_true", help="with --add: replace a question with the numbers of another secret"
    )


def run(options: Namespace) -> int:
    """Show, add or remove the question; print what was done and how to undo it."""
    from ..grading.lab import source_notebook
    from ..questions.cells import question_text, without_question

    root, lab = Path(options.root), options.lab
    file = source_notebook(root, lab)
    notebook = json.loads(file.read_text(encoding="utf-8"))
    if not options.remove:
        return _show_or_add(options, root, file, notebook)
    if not question_text(notebook):
        print(f"{lab} has no second question; nothing was changed.")
        return DONE
    _write(root, lab, file, without_question(notebook))
    print(f"The second question is out of {file}; `nbgrader generate_assignment {lab}` releases the lab without it.")
    return DONE


def _show_or_add(options: Namespace, root: Path, file: Path, notebook: dict[str, Any]) -> int:
    from ..questions import class_question
    from ..questions.cells import question_text, with_question
    from ..secret import require_unguessable

    lab = options.lab
    question = class_question(lab.partition("_")[2])
    points = question.points if options.points is None else options.points
    if not 0 < points <= MOST_POINTS:
        raise ValueError(f"a question gives 1 to {MOST_POINTS} points, got {points:g}")
    wanted = with_question(notebook, question, int(points) if float(points).is_integer() else points)
    if not options.add:
        if options.points is not None or options.replace:
            raise ValueError("--points and --replace say how it is put into the lab: give --add with them")
        print("\n\n".join("".join(cell["source"]) for cell in wanted["cells"] if cell["id"].startswith("second-")))
        return DONE
    if (before := question_text(notebook)) and before != question.wording and not options.replace:
        raise ValueError(
            f"{lab} has its second question already, with the numbers of another secret: set CHIP2CLUSTER_SECRET to that "
            "one, or give --replace if no student has the old one yet"
        )
    if wanted == notebook:
        print(f"{lab} has this question already, worth {points:g} points; nothing was changed.")
        return DONE
    require_unguessable("the numbers of a written question")
    _write(root, lab, file, wanted)
    print(
        f"In {file}, worth {points:g} points by hand, with model answer and rubric: keep that file where students can't see "
        f"it. `nbgrader generate_assignment {lab}` releases the lab with it; `autograder written-question {lab} --remove` "
        "removes it."
    )
    return DONE


def _write(root: Path, lab: str, file: Path, notebook: dict[str, Any]) -> None:
    """Replace the solution notebook, unless nbgrader could not release it because of existing submissions."""
    from ..atomic_write import write_text
    from ..grading.gradebook.course import open_course
    from ..grading.gradebook.registration import source_conflict
    from ..questions.cells import text_of

    if (root / "autograder" / "work" / "gradebook.db").is_file():
        course = open_course(root)
        with tempfile.TemporaryDirectory() as place:
            draft = Path(place) / file.name
            draft.write_text(text_of(notebook), encoding="utf-8")
            if problem := source_conflict(course, lab, draft):
                raise ValueError(f"{problem}. {file} stays as it was")
    write_text(file, text_of(notebook))
