"""Answers that look alike although most answers do not.

Similarity is a reason to look, never proof: short functions have few good forms, and
students may work together. Only pairs that share what hardly anybody else wrote are named.
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

LOOKED_AT = 20_000  # characters of an answer
GRAM = 4  # tokens, or words of a written answer
ALIKE = 0.7  # cosine of two answers' weighted grams
EVIDENCE = 40.0  # in nats: how surprising it is in this class that two answers share what they share
STANDS_OUT = 2.2  # times what the nearest answers of a quarter of the class have in common
SAME = 3, 20  # students and words from which the same written answer is no chance
PRIOR = 8  # answers that every class is thought to hold besides, so that small ones accuse nobody
Gram: TypeAlias = tuple[str, ...]
KNOWN = set(keyword.kwlist) | set(dir(builtins))


@dataclass(frozen=True)
class SimilarPair:
    """Two students whose answers to one exercise stand out; ``share`` goes from 0 to 1."""

    exercise: str
    first: str
    second: str
    share: float
    evidence: float


@dataclass(frozen=True)
class IdenticalAnswers:
    """Students who wrote the same words in answer to one question."""

    exercise: str
    students: tuple[str, ...]

    def __contains__(self, pair: SimilarPair) -> bool:
        return pair.exercise == self.exercise and {pair.first, pair.second} <= set(self.students)


def answer_texts(result: Result, lab: Lab) -> dict[str, str]:
    """What a student handed in, for `similar_pairs`: each answer's text by exercise, written ones by cell."""
    written = sources_by_cell(result.notebook)
    code = {name: written.get(cell, "") for cell, name in _asked_of(lab).items()}
    return code | {cell: written.get(cell, "") for cell in lab.by_hand}


def similar_pairs(by_student: dict[str, dict[str, str]], lab: Lab) -> list[SimilarPair]:
    """Find the pairs of answers that stand out.

    Parameters
    ----------
    by_student : dict
        `answer_texts` of each student, by id.
    lab : Lab
        What equals the released stub is ignored.

    Returns
    -------
    list of Pair
        The most surprising first. Names of variables, comments, layout and the order
        of statements make no difference. What many students wrote weighs little.
        Code outside the answer cells is not looked at, and two students alone are
        never named: there is nobody to compare them with.
    """
    released = sources_by_cell(lab.released)
    stubs: dict[str, tuple[Callable[[str], list[list[str]]], str]]
    stubs = {name: (_lines_of_code, released.get(cell, "")) for cell, name in _asked_of(lab).items()}
    stubs |= {cell: (_sentences, released.get(cell, "")) for cell in lab.by_hand}
    pairs: list[SimilarPair] = []
    for exercise, (read, stub) in stubs.items():
        known = set(_grams(read(stub)))
        grams = {who: _grams(read(given[exercise])) for who, given in by_student.items() if given.get(exercise)}
        written = {who: Counter({g: n for g, n in bag.items() if g not in known}) for who, bag in grams.items()}
        pairs += _pairs(exercise, {who: bag for who, bag in written.items() if bag})
    return sorted(pairs, key=lambda pair: (-pair.evidence, pair.first, pair.second))


def identical_answers(by_student: dict[str, dict[str, str]], lab: Lab) -> list[IdenticalAnswers]:
    """Find written answers that several students gave in the same words; the largest group first.

    `similar_pairs` cannot: what most of a class wrote stands out for nobody.
    """
    students, words = SAME
    released = sources_by_cell(lab.released)
    groups: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for who, given in by_student.items():
        for cell in lab.by_hand:
            text = " ".join(re.findall(r"\w+", given.get(cell, "")[:LOOKED_AT].lower()))
            if text.count(" ") >= words - 1 and given[cell] != released.get(cell):
                groups[cell, text].append(who)
    found = [IdenticalAnswers(cell, tuple(sorted(who))) for (cell, _), who in groups.items() if len(who) >= students]
    return sorted(found, key=lambda group: (-len(group.students), group.exercise, group.students))


def _asked_of(lab: Lab) -> dict[str, str]:
    """For each answer cell the first exercise that asks it: several tests of one answer are one reason to look."""
    cells = answer_cells(lab)
    return {cells[task.cell]: task.exercise for task in reversed(lab.tasks)}


def _pairs(exercise: str, bags: dict[str, Counter[Gram]]) -> Iterator[SimilarPair]:
    """Compare all bags of one exercise at once: each gram weighs the more the fewer have it."""
    students = sorted(bags)
    columns: defaultdict[Gram, int] = defaultdict(lambda: len(columns))
    entries = [(row, columns[g], n) for row, who in enumerate(students) for g, n in bags[who].items()]
    if len(students) < 2:
        return
    counts = np.zeros((len(students), len(columns)), dtype=np.float32)
    rows, places, numbers = zip(*entries, strict=True)
    counts[rows, places] = np.minimum(numbers, 2)
    having = (counts > 0).sum(axis=0)
    weight = np.log((len(students) + PRIOR) / having)
    weighted = counts * np.sqrt(weight)
    shared = weighted @ weighted.T
    length = np.sqrt(np.diag(shared))
    share = shared / np.maximum(np.outer(length, length), 1e-12)
    evidence = (counts > 0) * weight @ (counts > 0).T
    score = np.triu(share * evidence, k=1)
    # Every honest answer has a nearest one too: how near that is sets what is ordinary here.
    nearest = np.maximum(score.max(axis=0), score.max(axis=1))
    ordinary = np.quantile(nearest, 0.25, method="lower")
    for a, b in np.argwhere((share >= ALIKE) & (score >= max(EVIDENCE, STANDS_OUT * ordinary))):
        yield SimilarPair(
            exercise, students[a], students[b], round(float(share[a, b]), 3), round(float(evidence[a, b]), 1)
        )


def _grams(lines: Iterable[list[str]]) -> Counter[Gram]:
    """Runs of `GRAM` tokens, none across two lines: statements in another order give the same bag."""
    bag: Counter[Gram] = Counter()
    for words in lines:
        line = ("^", *words, "$")
        for start in range(max(1, len(line) - GRAM + 1)):
            bag[line[start : start + GRAM]] += 1
    return bag


def _lines_of_code(text: str) -> list[list[str]]:
    """The tokens of each statement; own names become ``v``, comments and lone strings vanish."""
    lines: list[list[str]] = []
    line: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text[:LOOKED_AT]).readline):
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
        # Half a program still has its first lines.
        lines.append(line)
    return [line for line in lines if line and line != ["s"]]


def _number(text: str) -> str:
    try:
        value = float(text.replace("_", ""))
    except ValueError:
        return text
    return f"{value:g}" if math.isfinite(value) else text


def _sentences(text: str) -> list[list[str]]:
    return [re.findall(r"\w+", part) for part in re.split(r"[.!?\n]+", text[:LOOKED_AT].lower()) if part.strip()]
