"""Sheets for reviews by other students, and their reviews as drafts for a marker."""

import csv
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..gradebook.database import open_gradebook
from ..reports.feedback_page import lab_title
from ..result_store import file_name
from ..spreadsheet import number_cell, text_cell
from .answer_state import names_of
from .answer_view import answer_view
from .mark_sheet import open_sheet
from .page_handler import PAGES
from .peer_review import (
    MAX_COMMENT,
    Review,
    by_author,
    load_plan,
    majority,
    make_plan,
    plan_file,
    read_reviews,
    save_plan,
    spread,
)
from .session import MarkingSession

REVIEWS = 3  # by each student, unless another number is given
APART = 2.0  # points between reviewers of one answer from which a marker should read it first


@dataclass(frozen=True)
class Entered:
    """Counts and sentences about the reviews that were entered.

    Attributes
    ----------
    drafts : int
        Answers that have a draft now.
    kept : int
        Answers that a person had marked or begun, which stay as they are.
    missing : tuple of str
        Students who sent no review.
    apart : tuple of str
        Sentences about answers on which the reviewers differ by at least `APART` points.
    problems : tuple of str
        Sentences about files that cannot be used.
    """

    drafts: int
    kept: int
    missing: tuple[str, ...]
    apart: tuple[str, ...]
    problems: tuple[str, ...]


def write_sheets(session: MarkingSession, folder: Path, reviews: int | None = None) -> tuple[int, list[str]]:
    """Write ``STUDENT.html`` for each student who answered: other answers without names, and the rubric to tick.

    Who reviews whom is drawn once, with ``reviews`` (by default `REVIEWS`) for each student; the same command later writes
    the same sheets.

    Returns
    -------
    int
        Number of sheets.
    list of str
        Students who answered after the sheets were drawn; nobody reviews them.

    Raises
    ------
    ValueError
        If too few students answered, the folder is not empty, or another number of reviews was drawn before.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} is not an empty folder; name a new one")
    file = plan_file(session.root, session.lab.name, session.question)
    plan = load_plan(file)
    if plan is None:
        plan = make_plan(session.students, REVIEWS if reviews is None else reviews)
        save_plan(file, plan)
    drawn = max(len(codes) for codes in plan.answers.values())
    if reviews not in (None, drawn):
        raise ValueError(f"the sheets were drawn with {drawn} reviews each; to draw them anew, move {file} aside")
    present = set(session.students)
    with open_gradebook(session.course.directory) as book:
        names = {student: names_of(book.find_student(student)) for student in present}
    views = {
        student: answer_view(session.result(student), session.lab, session.question, hidden)
        for student, hidden in names.items()
    }
    folder.mkdir(parents=True, exist_ok=True)
    template = PAGES.get_template("peer_sheet.html.j2")
    for token, student in plan.sheets.items():
        answers = [(code, views[author]) for code, author in plan.answers[token].items() if author in present]
        if answers:
            page = template.render(
                lab=lab_title(session.lab),
                name=session.lab.name,
                question=answers[0][1].question,
                token=token,
                nonce=secrets.token_urlsafe(16),
                answers=answers,
                rubric=session.rubric,
                most=MAX_COMMENT,
            )
            (folder / f"{file_name(student)}.html").write_text(page, encoding="utf-8")
    return len(plan.sheets), sorted(present - set(plan.sheets.values()))


def enter_reviews(session: MarkingSession, files: Sequence[Path], table: Path | None = None) -> Entered:
    """Make drafts on the marking page from reviews, and write all reviews as CSV.

    Raises
    ------
    ValueError
        If no sheets were written before.
    """
    lab, question, rubric = session.lab.name, session.question, session.rubric
    plan = load_plan(plan_file(session.root, lab, question))
    if plan is None:
        raise ValueError(f"no sheets were written for {lab}: run `autograder peer-review {lab} --sheets FOLDER` first")
    found, problems = read_reviews(files, plan, rubric)
    if table is not None:
        _write_table(table, found, session)
    drafts = kept = 0
    apart = []
    with open_sheet(session.file, lab, question) as sheet:
        for author, reviews in sorted(by_author(found).items()):
            mine = sheet.drafts.setdefault(session.marker, {})
            if author in sheet.marks or author in mine:
                kept += 1
                continue
            comments = [f"Another student: {review.comment}" for review in reviews if review.comment]
            mine[author] = {"lines": list(majority(reviews, rubric)), "comment": "\n\n".join(comments)}
            drafts += 1
            # An author who is no longer in the list has no number on the page, and a name would not be blind.
            if (points := spread(reviews, rubric)) >= APART and author in session.students:
                place = session.students.index(author) + 1
                apart.append(f"answer {place}: {len(reviews)} reviewers, up to {points:g} points apart")
    missing = tuple(sorted(set(plan.sheets.values()) - {review.reviewer for review in found}))
    return Entered(drafts, kept, missing, tuple(apart), tuple(problems))


def _write_table(file: Path, reviews: Sequence[Review], session: MarkingSession) -> None:
    if file.exists():
        raise ValueError(f"{file} exists already; name another file, because it is not overwritten")
    with open(file, "w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        rows.writerow(["reviewer", "author", "points", *(line.id for line in session.rubric.lines), "comment"])
        for one in sorted(reviews, key=lambda review: (review.reviewer, review.author)):
            chosen = [int(line.id in one.lines) for line in session.rubric.lines]
            points = number_cell(session.rubric.score(one.lines))
            rows.writerow([text_cell(one.reviewer), text_cell(one.author), points, *chosen, text_cell(one.comment)])
