"""Find pairs of unusually similar answers.

Similarity is a reason to look, not proof: there are few good ways to write a short function, and
students may work together. Only pairs that share what hardly anybody else wrote are reported.
"""

import builtins
import io
import keyword
import math
import re
import tokenize
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..lab import Lab
from ..result import Result
from .answer_cells import answer_cells, sources_by_cell

MAX_CHARACTERS = 20_000  # of an answer
GRAM_LENGTH = 4  # tokens, or words of a written answer
MIN_SIMILARITY = 0.7  # cosine similarity of the weighted n-grams of two answers
MIN_EVIDENCE = 40.0  # information content of the shared n-grams in this class, nats
OUTLIER_FACTOR = 2.2  # relative to the lower quartile of the score of nearest neighbours
MIN_STUDENTS, MIN_WORDS = 3, 20  # for identical written answers that are not a coincidence
PRIOR_ANSWERS = 8  # added to the size of each class, so that small classes give no false alarms
Gram: TypeAlias = tuple[str, ...]
KNOWN = set(keyword.kwlist) | set(dir(builtins))


@dataclass(frozen=True)
class SimilarPair:
    """Two students with unusually similar answers to one exercise; ``share`` is the similarity from 0 to 1."""

    exercise: str
    first: str
    second: str
    share: float
    evidence: float


@dataclass(frozen=True)
class IdenticalAnswers:
    """Students student gave the same written answer to one question."""

    exercise: str
    students: tuple[str, ...]

    def __contains__(self, pair: SimilarPair) -> bool:
        """Return whether both answers of a pair belong to this group."""
        return pair.exercise == self.exercise and {pair.first, pair.second} <= set(self.students)


def answer_texts(result: Result, lab: Lab) -> dict[str, str]:
    """Return a student's answers for `similar_pairs`: code by exercise id, written answers by cell."""
    written = sources_by_cell(result.notebook)
    code = {name: written.get(cell, "") for cell, name in _first_exercises(lab).items()}
    return code | {cell: written.get(cell, "") for cell in lab.by_hand}


def similar_pairs(by_student: dict[str, dict[str, str]], lab: Lab) -> list[SimilarPair]:
    """Find the pairs of unusually similar answers.

    Parameters
    ----------
    by_student : dict
        `answer_texts` of each student, by student id.
    lab : Lab
        The lab; n-grams of its released stubs are ignored.

    Returns
    -------
    list of Pair
        Pairs in descending order of evidence. Names of variables, comments, layout and the order
        of statements make no difference, and common n-grams have little weight. Code outside
        the answer cells is ignored. A class of two gives no pairs, because there is no one to
        compare them with.
    """
    released = sources_by_cell(lab.released)
    stubs: dict[str, tuple[Callable[[str], list[list[str]]], str]]
    stubs = {name: (_lines_of_code, released.get(cell, "")) for cell, name in _first_exercises(lab).items()}
    stubs |= {cell: (_sentences, released.get(cell, "")) for cell in lab.by_hand}
    pairs: list[SimilarPair] = []
    for exercise, (read, stub) in stubs.items():
        known = set(_grams(read(stub)))
        grams = {student: _grams(read(given[exercise])) for student, given in by_student.items() if given.get(exercise)}
        written = {student: Counter({g: n for g, n in bag.items() if g not in known}) for student, bag in grams.items()}
        pairs += _pairs(exercise, {student: bag for student, bag in written.items() if bag})
    return sorted(pairs, key=lambda pair: (-pair.evidence, pair.first, pair.second))


def identical_answers(by_student: dict[str, dict[str, str]], lab: Lab) -> list[IdenticalAnswers]:
    """Find written answers that several students gave in the same words; the largest group first.

    `similar_pairs` does not find them if most of a class wrote the same.
    """
    released = sources_by_cell(lab.released)
    groups: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for student, given in by_student.items():
        for cell in lab.by_hand:
            text = " ".join(re.findall(r"\w+", given.get(cell, "")[:MAX_CHARACTERS].lower()))
            if text.count(" ") >= MIN_WORDS - 1 and given[cell] != released.get(cell):
                groups[cell, text].append(student)
    found = [
        IdenticalAnswers(cell, tuple(sorted(student)))
        for (cell, _), student in groups.items()
        if len(student) >= MIN_STUDENTS
    ]
    return sorted(found, key=lambda group: (-len(group.students), group.exercise, group.students))


def _first_exercises(lab: Lab) -> dict[str, str]:
    """Return for each answer cell the first exercise that tests it, so that each answer is compared once."""
    cells = answer_cells(lab)
    return {cells[task.cell]: task.exercise for task in reversed(lab.tasks)}


def _pairs(exercise: str, bags: dict[str, Counter[Gram]]) -> Iterator[SimilarPair]:
    """Compare all bags of n-grams of one exercise; the rarer an n-gram, the larger its weight."""
    students = sorted(bags)
    columns: defaultdict[Gram, int] = defaultdict(lambda: len(columns))
    entries = [(row, columns[g], n) for row, student in enumerate(students) for g, n in bags[student].items()]
    if len(students) < 2:
        return
    counts = np.zeros((len(students), len(columns)), dtype=np.float32)
    rows, places, numbers = zip(*entries, strict=True)
    counts[rows, places] = np.minimum(numbers, 2)
    having = (counts > 0).sum(axis=0)
    weight = np.log((len(students) + PRIOR_ANSWERS) / having)
    weighted = counts * np.sqrt(weight)
    shared = weighted @ weighted.T
    length = np.sqrt(np.diag(shared))
    share = shared / np.maximum(np.outer(length, length), 1e-12)
    evidence = (counts > 0) * weight @ (counts > 0).T
    score = np.triu(share * evidence, k=1)
    # Honest answers have nearest neighbours, too; their scores define what is usual in this exercise.
    nearest = np.maximum(score.max(axis=0), score.max(axis=1))
    ordinary = np.quantile(nearest, 0.25, method="lower")
    for a, b in np.argwhere((share >= MIN_SIMILARITY) & (score >= max(MIN_EVIDENCE, OUTLIER_FACTOR * ordinary))):
        yield SimilarPair(
            exercise, students[a], students[b], round(float(share[a, b]), 3), round(float(evidence[a, b]), 1)
        )


def _grams(lines: Iterable[list[str]]) -> Counter[Gram]:
    """Return the bag of n-grams within lines, so that the order of statements does not matter."""
    bag: Counter[Gram] = Counter()
    for words in lines:
        line = ("^", *words, "$")
        for start in range(max(1, len(line) - GRAM_LENGTH + 1)):
            bag[line[start : start + GRAM_LENGTH]] += 1
    return bag


def _lines_of_code(text: str) -> list[list[str]]:
    """Return the tokens of each statement; variable names become ``v``, comments and docstrings are dropped."""
    lines: list[list[str]] = []
    line: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text[:MAX_CHARACTERS]).readline):
            if token.type == tokenize.NEWLINE:
                lines.append(line)
                line = []
            elif token.type == tokenize.NAME:
                line.append(token.string if token.string in KNOWN or line[-1:] == ["."] else "v")
            elif token.type == tokenize.NUMBER:
                line.append(_number(token.string))
            elif token.type == tokenize.STRING:
                line.append("s")
            elif token.type == tokenize.OP:
                line.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        # An incomplete program still has its first lines.
        lines.append(line)
    return [line for line in lines if line and line != ["s"]]


def _number(text: str) -> str:
    try:
        value = float(text.replace("_", ""))
    except ValueError:
        return text
    return f"{value:g}" if math.isfinite(value) else text


def _sentences(text: str) -> list[list[str]]:
    return [re.findall(r"\w+", part) for part in re.split(r"[.!?\n]+", text[:MAX_CHARACTERS].lower()) if part.strip()]
