"""Rubric of a written question: lines with points, in a file beside the instructor's notebook.

``solutions/LAB/QUESTION.rubric.toml``, where QUESTION is the ``grade_id`` of the answer cell::

    comments = ["Which number of yours says so?"]

    [[lines]]
    id = "two-chips"
    points = 1
    text = "names two chips and compares them"
    version = 1

    [[lines]]
    id = "ranks-by-peak"
    at_most = 2
    text = "An answer that ranks by peak FLOP/s earns at most 2 points"
    version = 1
"""

import json
import re
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..lab import Lab, source_notebook

SUFFIX = ".rubric.toml"
# The table of a rubric in a text for instructors: its points, and its rows.
RUBRIC = re.compile(r"Rubric, (\d+(?:\.\d+)?) points?:\n\n\| points \|.*\n\|.*\n((?:\|.*\n?)+)")
_LINE = re.compile(r"^\| *([\d.]+) *\| *(.*?) *\|$", re.M)
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,60}")
_KEYS = {"id", "text", "points", "at_most", "version"}


@dataclass(frozen=True)
class RubricLine:
    """Line of a rubric.

    Attributes
    ----------
    id : str
        Name that stored marks use; it stays when the text changes.
    text : str
        Criterion, as the student reads it.
    points : float
        Points of the line; 0 for a cap.
    at_most : float or None
        Largest total of an answer to which a cap applies; None for a line with points.
    version : int
        Number that the instructor raises when the meaning of the text changes.
    """

    id: str
    text: str
    points: float = 0.0
    at_most: float | None = None
    version: int = 1


@dataclass(frozen=True)
class Rubric:
    """Lines of one question, and comments that the marking page offers."""

    question: str
    lines: tuple[RubricLine, ...]
    comments: tuple[str, ...] = ()

    def line(self, name: str) -> RubricLine | None:
        """Return the line with this id, or None."""
        return next((line for line in self.lines if line.id == name), None)

    @property
    def points(self) -> float:
        """Points of all lines."""
        return sum(line.points for line in self.lines)

    def score(self, chosen: Collection[str]) -> float:
        """Return the points of an answer: the sum of its lines, but at most what its caps allow.

        Examples
        --------
        >>> lines = RubricLine("a", "", 2), RubricLine("b", "", 1), RubricLine("cap", "", at_most=1)
        >>> rubric = Rubric("recommendation", lines)
        >>> rubric.score({"a", "b"}), rubric.score({"a", "b", "cap"})
        (3.0, 1.0)
        """
        lines = [line for line in self.lines if line.id in chosen]
        caps = [line.at_most for line in lines if line.at_most is not None]
        return float(min([sum(line.points for line in lines), *caps]))


def rubric_file(root: str | Path, lab: str, question: str) -> Path:
    """Return the path of a question's rubric, existing or not."""
    return Path(root) / "solutions" / lab / f"{question}{SUFFIX}"


def load_rubric(root: str | Path, lab: Lab, question: str) -> Rubric:
    """Load the rubric of a written question.

    Without a file, the table *Rubric, N points:* in the model answer's cell or in ``INSTRUCTOR.md`` is the rubric.

    Raises
    ------
    ValueError
        If there is no rubric, or it is malformed or does not sum to the points of the question; the message names the
        file and what to change.
    """
    file, points = rubric_file(root, lab.name, question), lab.by_hand[question]
    if file.is_file():
        rubric = parse_rubric(file.read_text(encoding="utf-8"), question, str(file))
    else:
        texts = [model_answer(root, lab.name, question)]
        notes = file.with_name("INSTRUCTOR.md")
        texts += [notes.read_text(encoding="utf-8")] if notes.is_file() and len(lab.by_hand) == 1 else []
        table = next((lines for text in texts if (lines := table_lines(text))), ())
        if not table:
            raise ValueError(
                f"{lab.name} has no rubric for {question!r}: write {file}, with a block [[lines]] with id, points, text and "
                "version for each line, such as those of the course's own labs"
            )
        rubric, file = Rubric(question, table), notes
    if abs(rubric.points - points) > 1e-6:
        raise ValueError(f"the lines in {file} sum to {rubric.points:g} points, but {question!r} gives {points:g}")
    return rubric


def parse_rubric(text: str, question: str, where: str) -> Rubric:
    """Parse the text of a rubric's file; ``where`` names it in errors.

    Raises
    ------
    ValueError
        If the text is malformed.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ValueError(f"{where} is not valid TOML: {problem}") from None
    if odd := sorted(data.keys() - {"lines", "comments"}):
        raise ValueError(f"{where}: unknown entry {odd[0]!r}; there are lines and comments")
    lines, comments = data.get("lines"), data.get("comments", [])
    if not isinstance(lines, list) or not lines or not all(isinstance(line, dict) for line in lines):
        raise ValueError(f"{where}: there must be a block [[lines]] for each line")
    if not isinstance(comments, list) or not all(isinstance(comment, str) for comment in comments):
        raise ValueError(f"{where}: comments must be a list of texts")
    read = tuple(_line(line, number, where) for number, line in enumerate(lines, 1))
    for line in read:
        if [one.id for one in read].count(line.id) > 1:
            raise ValueError(f"{where}: two lines have the id {line.id!r}; each needs its own")
    return Rubric(question, read, tuple(comments))


def table_lines(text: str) -> tuple[RubricLine, ...]:
    """Return the lines of the table *Rubric, N points:* in a text, without caps; empty if there is none."""
    found = RUBRIC.search(text)
    rows = _LINE.findall(found[2]) if found else []
    return tuple(RubricLine(f"line-{number}", line, float(points)) for number, (points, line) in enumerate(rows, 1))


def rubric_problems(root: str | Path, lab: Lab) -> list[str]:
    """Return a problem for each rubric of a lab that cannot be used, was released, or is printed differently."""
    problems = []
    for file in sorted(rubric_file(root, lab.name, "x").parent.glob(f"*{SUFFIX}")):
        question = file.name.removesuffix(SUFFIX)
        if question not in lab.by_hand:
            problems.append(f"{lab.name}: {file} is the rubric of a cell {question!r} that nobody marks by hand")
            continue
        try:
            rubric = load_rubric(root, lab, question)
        except ValueError as problem:
            problems.append(f"{lab.name}: {problem}")
            continue
        notes = file.with_name("INSTRUCTOR.md")
        printed = table_lines(notes.read_text(encoding="utf-8")) if notes.is_file() and len(lab.by_hand) == 1 else ()
        wanted = [(line.points, line.text) for line in rubric.lines if line.at_most is None]
        if printed and [(line.points, line.text) for line in printed] != wanted:
            problems.append(f"{lab.name}: the table in {notes} has other lines than {file}; change both")
        if (lab.folder / file.name).exists():
            problems.append(
                f"{lab.name}: the release contains {file.name}: add '*{SUFFIX}' to c.CourseDirectory.ignore in "
                "nbgrader_config.py and release the lab again"
            )
    return problems


def _line(data: dict[str, Any], number: int, where: str) -> RubricLine:
    said = f"{where}, line {number}"
    if odd := sorted(data.keys() - _KEYS):
        raise ValueError(f"{said}: unknown entry {odd[0]!r}; there are {', '.join(sorted(_KEYS))}")
    name, text, version = data.get("id"), data.get("text"), data.get("version", 1)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"{said}: the id must be lower-case letters, digits and hyphens, got {name!r}")
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{said}: text must say what the line is for")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ValueError(f"{said}: version must be 1, 2, 3 and so on, got {version!r}")
    if ("points" in data) == ("at_most" in data):
        raise ValueError(f"{said}: give either points or at_most")
    number_given = data.get("points", data.get("at_most"))
    if not isinstance(number_given, int | float) or isinstance(number_given, bool) or not 0 <= number_given <= 1000:
        raise ValueError(f"{said}: points and at_most are numbers from 0 to 1000, got {number_given!r}")
    if "points" in data:
        return RubricLine(name, text.strip(), float(number_given), None, version)
    return RubricLine(name, text.strip(), 0.0, float(number_given), version)


def model_answer(root: str | Path, lab: str, question: str) -> str:
    """Return the source of an answer cell in the instructor's notebook; empty if there is no such cell."""
    notebook = json.loads(source_notebook(Path(root), lab).read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == question:
            return "".join(cell["source"])
    return ""
