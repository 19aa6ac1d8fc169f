"""Reviews of a written question by other students: who reviews whom, and what their reviews say together.

``autograder/work/peers/LAB/QUESTION.json`` holds who reviews whom. A review is never a mark: what most reviewers of an
answer chose becomes a draft on the marking page, which a person confirms or changes.
"""

import json
import random
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...atomic_write import write_text
from ..result_store import file_name
from ..sanitize.terminal_text import printable
from .rubric import Rubric

FORMAT = 1
MAX_COMMENT = 2000  # characters
MAX_FILE = 1_000_000  # bytes


@dataclass(frozen=True)
class PeerPlan:
    """Plan of the reviews: the sheets, and the answers on each of them.

    Attributes
    ----------
    sheets : dict
        Student who reviews, by the token of the sheet.
    answers : dict
        Author by the code of the answer, for each token.
    """

    sheets: dict[str, str]
    answers: dict[str, dict[str, str]]

    def token_of(self, student: str) -> str:
        """Return the token of a student's sheet."""
        return next(token for token, one in self.sheets.items() if one == student)


@dataclass(frozen=True)
class Review:
    """Lines and comment that one student chose for the answer of another."""

    reviewer: str
    author: str
    lines: tuple[str, ...]
    comment: str


def plan_file(root: str | Path, lab: str, question: str) -> Path:
    """Return the path of the plan of a question, existing or not."""
    return Path(root) / "autograder" / "work" / "peers" / lab / f"{file_name(question)}.json"


def make_plan(students: Sequence[str], reviews: int) -> PeerPlan:
    """Let every student review ``reviews`` other answers, each answer as often; nobody reviews their own.

    Raises
    ------
    ValueError
        If there are not more students than reviews.
    """
    if not 1 <= reviews < len(students):
        raise ValueError(
            f"{len(students)} students answered, so each can review from 1 to {len(students) - 1} others, got {reviews}"
        )
    around = list(students)
    random.SystemRandom().shuffle(around)
    tokens = {student: secrets.token_hex(8) for student in around}
    answers: dict[str, dict[str, str]] = {}
    for place, student in enumerate(around):
        others = [around[(place + step) % len(around)] for step in range(1, reviews + 1)]
        # The order around the circle says who is whose neighbour.
        random.SystemRandom().shuffle(others)
        answers[tokens[student]] = {secrets.token_hex(4): other for other in others}
    return PeerPlan({token: student for student, token in tokens.items()}, answers)


def load_plan(file: Path) -> PeerPlan | None:
    """Load a plan; None if there is none.

    Raises
    ------
    ValueError
        If the file cannot be read; it stays as it is.
    """
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if data["format"] != FORMAT:
            raise ValueError("another version of the course wrote it")
        return PeerPlan(data["sheets"], data["answers"])
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError) as problem:
        raise ValueError(
            f"{file} cannot be read as a plan of reviews ({problem}): move it aside, or repair it"
        ) from None


def save_plan(file: Path, plan: PeerPlan) -> None:
    """Store a plan."""
    file.parent.mkdir(parents=True, exist_ok=True)
    data = {"format": FORMAT, "sheets": plan.sheets, "answers": plan.answers}
    write_text(file, json.dumps(data, indent=1) + "\n")


def read_reviews(files: Iterable[Path], plan: PeerPlan, rubric: Rubric) -> tuple[list[Review], list[str]]:
    """Read the files that students saved from their sheets.

    Returns
    -------
    reviews : list of Review
        One for each reviewer and answer; of two files of one sheet, the newer one counts.
    open : list of str
        A sentence for each file that cannot be used.
    """
    known = {line.id for line in rubric.lines}
    found: dict[tuple[str, str], Review] = {}
    problems = []
    for file in sorted(files, key=lambda file: (file.stat().st_mtime, file.name)):
        try:
            for review in _reviews_of(file, plan, known):
                found[review.reviewer, review.author] = review
        except ValueError as problem:
            problems.append(f"{printable(file.name)}: {problem}")
    return list(found.values()), problems


def _reviews_of(file: Path, plan: PeerPlan, known: Collection[str]) -> list[Review]:
    if file.stat().st_size > MAX_FILE:
        raise ValueError("is too large for a review")
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        token, answers = data["sheet"], data["answers"]
        mine = plan.answers.get(token) if isinstance(token, str) else None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ValueError("is not a file that a review sheet saved") from None
    if mine is None:
        raise ValueError("belongs to no sheet of this question")
    if not isinstance(answers, dict) or not answers.keys() <= mine.keys():
        raise ValueError("holds reviews of answers that are not on its sheet")
    return [_review(plan.sheets[token], mine[code], answer, known) for code, answer in answers.items()]


def _review(reviewer: str, author: str, answer: Any, known: Collection[str]) -> Review:
    lines = answer.get("lines") if isinstance(answer, dict) else None
    comment = answer.get("comment", "") if isinstance(answer, dict) else None
    if not isinstance(lines, list) or not isinstance(comment, str) or not all(isinstance(one, str) for one in lines):
        raise ValueError("is not a file that a review sheet saved")
    if not set(lines) <= set(known):
        raise ValueError("chooses a line that the rubric does not have; was the rubric changed since?")
    return Review(reviewer, author, tuple(sorted(set(lines))), comment.strip()[:MAX_COMMENT])


def majority(reviews: Sequence[Review], rubric: Rubric) -> tuple[str, ...]:
    """Return the lines that more than half of the reviewers of an answer chose."""
    return tuple(
        line.id for line in rubric.lines if 2 * sum(line.id in review.lines for review in reviews) > len(reviews)
    )


def spread(reviews: Sequence[Review], rubric: Rubric) -> float:
    """Return the difference between the most and the fewest points that reviewers gave to one answer."""
    points = [rubric.score(review.lines) for review in reviews]
    return max(points) - min(points)


def by_author(reviews: Iterable[Review]) -> Mapping[str, list[Review]]:
    """Return the reviews of each answer."""
    found: dict[str, list[Review]] = {}
    for review in reviews:
        found.setdefault(review.author, []).append(review)
    return found
