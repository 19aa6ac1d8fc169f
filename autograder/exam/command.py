"""``autograder exam``: what it does with its options."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import exercise_headers
from ..atomic_write import create_text, write_text
from ..grading.spreadsheet import text_cell
from ..secret import exam_seed
from . import assignment, marking, roster
from .drawing import Wish, chosen
from .eligibility import Asked, askable
from .exam import FILE, Exam, draw, folder, load, save, with_more
from .paper import pages

_RANGE = re.compile(r"([1-5])(?:-([1-5]))?")
MOST_MINUTES = 600


def run(options: Any) -> int:
    """Draw, print or mark an exam; 1 where something waits for a person."""
    if options.list:
        return _list(options)
    if options.name is None:
        raise ValueError("say how the exam is called: autograder exam NAME --students FILE")
    place = folder(options.root, options.name)
    if options.marks:
        return _mark(load(place / FILE), options.marks, place / "marks.csv", options.force)
    if options.notebook:
        return _notebook(options)
    if options.students and options.copies is not None:
        raise ValueError("give --students or --copies, not both")
    if not (options.students or options.copies is not None):
        raise ValueError("say who sits the exam: --students FILE, a CSV with a column id, or --copies NUMBER")
    who = roster.students(options.students) if options.students else roster.numbered(options.copies)
    if (place / FILE).exists():
        before = load(place / FILE)
        _refuse_other(before, options)
        exam = with_more(before, who)
        print(f"{exam.name} was drawn before: {len(exam.papers) - len(before.papers)} papers are new, the others stay.")
    else:
        exam = draw(options.name, _wish(options), who, 0.5 if options.slip is None else options.slip)
    save(exam, place / FILE)
    for name, page in pages(exam).items():
        write_text(place / name, page)
    print(_said(exam))
    print(f"written: {place}")
    return 0


def _wish(options: Any) -> Wish:
    topics = tuple(filter(None, (one.strip() for one in (options.topics or "").split(","))))
    known = sorted({exercise_headers.topic(name) for name in exercise_headers.all_headers()})
    if unknown := [one for one in topics if one not in known]:
        raise ValueError(f"no chapter is on {unknown[0]!r}; there are {', '.join(known)}")
    dots = _RANGE.fullmatch(options.difficulty or "1-5")
    if dots is None or int(dots[2] or dots[1]) < int(dots[1]):
        raise ValueError(f"difficulty is 1 to 5 dots, such as 2 or 1-3; got {options.difficulty!r}")
    minutes = 60 if options.minutes is None else options.minutes
    if not 0 < minutes <= MOST_MINUTES:
        raise ValueError(f"an exam takes 1 to {MOST_MINUTES} minutes, got {minutes}")
    if options.slip is not None and not 0 <= options.slip <= 1:
        raise ValueError(f"a slip keeps a share of the points from 0 to 1, got {options.slip:g}")
    return Wish(topics, int(dots[1]), int(dots[2] or dots[1]), minutes)


def _refuse_other(before: Exam, options: Any) -> None:
    """An exam that is there is not drawn again in another way."""
    wish, old = _wish(options), before.wish
    given = {
        "topics": options.topics is not None and set(wish.topics) != set(old.topics),
        "difficulty": options.difficulty is not None and (wish.easiest, wish.hardest) != (old.easiest, old.hardest),
        "minutes": options.minutes is not None and wish.minutes != old.minutes,
        "slip": options.slip is not None and options.slip != before.slip,
    }
    if other := [name for name, differs in given.items() if differs]:
        raise ValueError(
            f"the exam {before.name} is there already, with another --{other[0]}: give the new one another name, or leave "
            f"--{other[0]} out to add students to it"
        )


def _said(exam: Exam) -> str:
    lines = [
        f"{task.minutes:3} min  {'●' * task.difficulty:5}  {task.points:g} points  {task.exercise}"
        for task in exam.tasks
    ]
    return "\n".join(
        [*lines, f"{exam.minutes} of {exam.wish.minutes} minutes, {exam.points:g} points, {len(exam.papers)} papers."]
    )


def _list(options: Any) -> int:
    wish = _wish(options)
    can: Callable[[tuple[str, ...]], tuple[list[Asked], dict[str, str]]]
    can = assignment.settable if options.notebook else askable
    asked, refused = can(wish.topics)
    for one in asked:
        if wish.easiest <= one.header.difficulty <= wish.hardest:
            print(f"{one.header.minutes:3} min  {'●' * one.header.difficulty:5}  {one.exercise.id}")
    print(f"\nNot asked {'in a notebook' if options.notebook else 'on paper'}:")
    for name, reason in refused.items():
        print(f"{name}: {reason}")
    return 0


def _notebook(options: Any) -> int:
    wish = _wish(options)
    pool, _ = assignment.settable(wish.topics)
    taken = chosen(pool, wish, exam_seed(options.name, "exercises"), lambda _: True)
    file = assignment.put(Path(options.root), options.name, assignment.notebook(options.name, taken))
    for one in taken:
        print(
            f"{one.header.minutes:3} min  {'●' * one.header.difficulty:5}  {one.exercise.points:g} points  {one.exercise.id}"
        )
    print(f"written: {file}\nRelease it with: nbgrader generate_assignment exam_{options.name}")
    return 0


def _mark(exam: Exam, answers: Path, target: Path, force: bool) -> int:
    found = marking.mark(exam, answers)
    try:
        (write_text if force else create_text)(target, marking.table(exam, found))
    except FileExistsError:
        raise ValueError(f"{target} exists: --force replaces it") from None
    print(f"written: {target}")
    for sentence in found.sentences:
        print(text_cell(sentence), file=sys.stderr)
    return 1 if found.sentences else 0
