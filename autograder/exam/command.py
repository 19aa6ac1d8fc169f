"""Run ``autograder exam`` with its options."""

import re
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from .. import exercise_headers
from ..atomic_write import create_bytes, create_text, write_text
from ..grading.sanitize.terminal_text import printable
from ..grading.spreadsheet import text_cell
from ..secret import exam_seed, require_unguessable
from . import answer_table, assignment, marking, roster, totals
from .drawing import ExamRequest, choose_exercises
from .eligibility import ExamCandidate, paper_candidates
from .exam import Exam, add_students, draw_exam
from .exam_file import FILE, exam_folder, load_exam, save_exam
from .paper import render_pages
from .retake import draw_retake

_RANGE = re.compile(r"([1-5])(?:-([1-5]))?")
MOST_MINUTES = 600


def run(options: Any) -> int:
    """Draw, print or mark an exam; return 1 if something needs a person."""
    if options.list:
        return _list(options)
    if options.name is None:
        raise ValueError("say how the exam is called: autograder exam NAME --students FILE")
    place = exam_folder(options.root, options.name)
    if (options.marks or options.notebook) and (options.students or options.copies is not None):
        raise ValueError(
            f"--students and --copies print papers; leave them out with --{'marks' if options.marks else 'notebook'}"
        )
    if options.marks and options.notebook:
        raise ValueError("--marks is for answers on paper; `autograder grade` marks an exam in a notebook")
    if options.marks:
        return _mark(load_exam(place / FILE), options.marks, place / "marks.csv", options.force)
    if options.notebook:
        return _notebook(options)
    if options.students and options.copies is not None:
        raise ValueError("give --students or --copies, not both")
    before = load_exam(place / FILE) if (place / FILE).exists() else None
    who = _students(options, before)
    if before:
        _refuse_changes(before, options)
        exam = add_students(before, who)
        print(f"{exam.name} was drawn before: {len(exam.papers) - len(before.papers)} papers are new, the others stay.")
    elif options.retake_of:
        exam = _retake(options, who)
    else:
        require_unguessable("the papers of an exam")
        exam = draw_exam(options.name, _request(options), who, 0.5 if options.slip is None else options.slip)
    save_exam(exam, place / FILE)
    for name, page in render_pages(exam).items():
        write_text(place / name, page)
    _write_answer_table(exam, place / "answers.csv")
    print(_summary(exam))
    print(f"written: {place}")
    return 0


def _retake(options: Any, students: list[str]) -> Exam:
    """Draw the tasks of an earlier exam with other numbers."""
    if given := [
        name
        for name in ("topics", "difficulty", "minutes", "wrong_answers", "slip")
        if getattr(options, name) is not None
    ]:
        raise ValueError(f"a retake has the tasks of {options.retake_of}: leave --{given[0].replace('_', '-')} out")
    require_unguessable("the papers of an exam")
    return draw_retake(options.name, load_exam(exam_folder(options.root, options.retake_of) / FILE), students)


def _write_answer_table(exam: Exam, file: Path) -> None:
    """Write a table to type answers into; one that exists may have answers and stays."""
    if not file.exists():
        create_text(file, answer_table.empty_table(exam))
        return
    named = file.read_text(encoding="utf-8-sig", errors="replace")
    if new := [who for who in exam.papers if text_cell(who) not in named]:
        print(f"{file} exists and stays: add a row for {', '.join(map(printable, new))}", file=sys.stderr)


def _students(options: Any, before: Exam | None) -> list[str]:
    """Return the names on the papers; print what a list of students has besides students."""
    if options.copies is not None:
        return roster.numbered_papers(options.copies, before.papers if before else ())
    if not options.students:
        return roster.gradebook_class(options.root)
    students, notes = roster.read_students(options.students)
    for note in notes:
        print(note, file=sys.stderr)
    return students


def _request(options: Any) -> ExamRequest:
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
    comparisons = options.wrong_answers or 0
    if comparisons < 0:
        raise ValueError(f"--wrong-answers is the number of such tasks, 0 or more; got {comparisons}")
    if comparisons and options.notebook:
        raise ValueError("--wrong-answers is for exams on paper: leave it or --notebook out")
    return ExamRequest(topics, int(dots[1]), int(dots[2] or dots[1]), minutes, comparisons)


def _refuse_changes(before: Exam, options: Any) -> None:
    """Refuse to draw an existing exam again with other options."""
    wish, old = _request(options), before.wish
    given = {
        "topics": options.topics is not None and set(wish.topics) != set(old.topics),
        "difficulty": options.difficulty is not None and (wish.easiest, wish.hardest) != (old.easiest, old.hardest),
        "minutes": options.minutes is not None and wish.minutes != old.minutes,
        "wrong-answers": options.wrong_answers is not None and wish.comparisons != old.comparisons,
        "slip": options.slip is not None and options.slip != before.slip,
        "retake-of": bool(options.retake_of) and options.retake_of != before.retake_of,
    }
    if other := [name for name, differs in given.items() if differs]:
        raise ValueError(
            f"the exam {before.name} is there already, with another --{other[0]}: give the new one another name, or leave "
            f"--{other[0]} out to add students to it"
        )


def _summary(exam: Exam) -> str:
    lines = [
        f"{task.minutes:3} min  {'●' * task.difficulty:5}  {task.points:g} points  {task.exercise}{', what is wrong with this answer' * task.compares}"
        for task in exam.tasks
    ]
    if all(task.steps or task.compares for task in exam.tasks) and not any(task.judges for task in exam.tasks):
        lines.append("No task asks for a judgement: these topics have none that fits.")
    return "\n".join(
        [*lines, f"{exam.minutes} of {exam.wish.minutes} minutes, {exam.points:g} points, {len(exam.papers)} papers."]
    )


def _list(options: Any) -> int:
    wish = _request(options)
    find_candidates: Callable[[tuple[str, ...]], tuple[list[ExamCandidate], dict[str, str]]]
    find_candidates = assignment.notebook_candidates if options.notebook else paper_candidates
    candidates, refused = find_candidates(wish.topics)
    for one in candidates:
        if wish.easiest <= one.header.difficulty <= wish.hardest:
            print(f"{one.header.minutes:3} min  {'●' * one.header.difficulty:5}  {one.exercise.id}")
    print(f"\nNot asked {'in a notebook' if options.notebook else 'on paper'}:")
    for name, reason in refused.items():
        print(f"{name}: {reason}")
    return 0


def _notebook(options: Any) -> int:
    wish = _request(options)
    require_unguessable("the exercises of an exam")
    pool, _ = assignment.notebook_candidates(wish.topics)
    taken = choose_exercises(pool, wish, exam_seed(options.name, "exercises"), lambda _: True)
    file = assignment.write_notebook(Path(options.root), options.name, assignment.exam_notebook(options.name, taken))
    for one in taken:
        print(
            f"{one.header.minutes:3} min  {'●' * one.header.difficulty:5}  {one.exercise.points:g} points  {one.exercise.id}"
        )
    print(f"written: {file}\nRelease it with: nbgrader generate_assignment exam_{options.name}")
    return 0


def _mark(exam: Exam, answers: Path, target: Path, force: bool) -> int:
    found = marking.mark_answers(exam, answers)
    table = totals.marks_table(exam, found)
    if target.exists() and not force:
        raise ValueError(f"{target} exists: --force replaces it")
    if (kept := _keep_copy(target, table)) is not None:
        print(f"the marks that were there are in {kept}")
    (write_text if force else create_text)(target, table)
    print(f"written: {target}\n{totals.totals_summary(exam, found)}")
    for sentence in found.sentences:
        print(text_cell(sentence), file=sys.stderr)
    return 1 if found.sentences else 0


def _keep_copy(file: Path, new: str) -> Path | None:
    """Copy marks that will change to a file of their own, since a person may have decided on some; return the file."""
    if not file.is_file() or (old := file.read_bytes()) == new.encode():
        return None
    for number in count(1):
        kept = file.with_name(f"{file.stem}-before-{number}{file.suffix}")
        try:
            create_bytes(kept, old)
        except FileExistsError:
            continue
        return kept
    return None
