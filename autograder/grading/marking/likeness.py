"""How alike a written answer is to other answers and to the model answer: said to markers, never a mark.

Words of the question, of the rest of the released lab and of the output in the student's own notebook do not count, because
everybody may quote them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..lab import Lab
from ..reports.answer_cells import grade_id
from ..result import Result
from ..sanitize.html import field_text
from .answer_view import answer_text, released_answer
from .rubric import RUBRIC
from .word_runs import RUN, Run, WordText, covered, longest_common_run

MODEL = ""  # stands for the model answer, where another answer has its student's id
MIN_RUN = 12  # words of one shared passage
MIN_SHARED, MIN_SHARE = 20, 0.25  # words in shared passages, and their share of the answer's own words
MOST, MOST_PAIRS = 3, 40  # likenesses that are shown of an answer, and of a class
MAX_GIVEN = 40_000  # characters of the output of one notebook
_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True)
class Likeness:
    """Words and passage that an answer shares with another text.

    Attributes
    ----------
    student, other : str
        Students; ``other`` is `MODEL` for the model answer.
    words : int
        Words of the answer, without those of the question and of given tables.
    shared : int
        How many of them are in runs of at least `RUN` words that the other text has, too.
    longest : int
        Words of the longest passage that both have.
    here, there : str
        This passage, as typed in the answer and in the other text.
    """

    student: str
    other: str
    words: int
    shared: int
    longest: int
    here: str
    there: str

    @property
    def share(self) -> float:
        """Share of the answer's own words that the other text has, too, from 0 to 1."""
        return self.shared / self.words


class ClassLikeness:
    """Answers of a class to one question, to compare each with the others and with the model answer.

    Parameters
    ----------
    answers : mapping
        Answer of each student, as typed.
    model : str
        Model answer; empty if there is none.
    given : str
        Text that everybody has: the released lab.
    own : mapping, optional
        Output of each student's notebook.
    """

    def __init__(
        self, answers: Mapping[str, str], model: str = "", given: str = "", own: Mapping[str, str] | None = None
    ) -> None:
        self._students = [*answers, MODEL]
        self._texts = {student: WordText(text) for student, text in answers.items()} | {MODEL: WordText(model)}
        outputs = {student: set(WordText(text[:MAX_GIVEN]).runs()) for student, text in (own or {}).items()}
        released = set(WordText(given).runs())
        numbers: defaultdict[Run, int] = defaultdict(lambda: len(numbers))
        self._runs: dict[str, tuple[list[int], list[int]]] = {}
        holders: defaultdict[int, list[int]] = defaultdict(list)
        for row, (student, text) in enumerate(self._texts.items()):
            known, runs = outputs.get(student, set()), text.runs()
            starts = [start for start, run in enumerate(runs) if run not in released and run not in known]
            self._runs[student] = starts, [numbers[runs[start]] for start in starts]
            for number in set(self._runs[student][1]):
                holders[number].append(row)
            # A word of a given run ends every shared passage.
            quoted = covered({*range(len(runs))} - {*starts})
            text.words = [_Quoted() if place in quoted else word for place, word in enumerate(text.words)]
        self._holders = {number: np.array(rows) for number, rows in holders.items()}

    def likenesses(self, student: str, most: int = MOST) -> tuple[list[Likeness], int]:
        """Return what an answer shares with other texts, the most alike first, and how many more are like it.

        A student who left the answer as released has none.
        """
        alike = self._alike(student) if student in self._runs else []
        return [self._likeness(student, *one) for one in alike[:most]], max(0, len(alike) - most)

    def pairs(self, most: int = MOST_PAIRS) -> tuple[list[Likeness], int]:
        """Return pairs of answers that are alike, and answers like the model answer; and how many more there are."""
        best: dict[frozenset[str], tuple[float, str, str, int]] = {}
        for student in self._students[:-1]:
            for other, count in self._alike(student):
                found = (-count / self._own_words(student), student, other, count)
                pair = frozenset({student, other})
                best[pair] = min(best.get(pair, found), found)
        order = sorted(best.values())
        return [self._likeness(*one[1:]) for one in order[:most]], max(0, len(order) - most)

    def _alike(self, student: str) -> list[tuple[str, int]]:
        """Return the other texts that deserve a look, with the number of shared words; the most alike first."""
        text, (starts, runs) = self._texts[student], self._runs[student]
        if not starts:
            return []
        shared = np.zeros((len(self._students), len(text.words)), dtype=bool)
        for start, run in zip(starts, runs, strict=True):
            shared[self._holders[run], start] = True
        shared[self._students.index(student)] = False
        words = np.zeros_like(shared)
        for place in range(RUN):
            words[:, place:] |= shared[:, : shared.shape[1] - place]
        words &= [isinstance(word, str) for word in text.words]
        counts = words.sum(axis=1)
        enough = (counts >= MIN_SHARED) & (counts >= MIN_SHARE * self._own_words(student))
        rows = [row for row in np.flatnonzero(counts) if enough[row] or _longest(words[row]) >= MIN_RUN]
        return sorted(((self._students[row], int(counts[row])) for row in rows), key=lambda one: (-one[1], one[0]))

    def _own_words(self, student: str) -> int:
        return sum(isinstance(word, str) for word in self._texts[student].words)

    def _likeness(self, student: str, other: str, count: int) -> Likeness:
        mine, theirs = self._texts[student], self._texts[other]
        here, there, longest = longest_common_run(mine.words, theirs.words)
        passages = mine.passage(here, longest), theirs.passage(there, longest)
        return Likeness(student, other, self._own_words(student), count, longest, *passages)


def _longest(row: np.ndarray) -> int:
    """Return the length of the longest block of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], row.view(np.int8), [0]))))
    return int((edges[1::2] - edges[::2]).max(initial=0))


class _Quoted:
    """Word of a given text: equal to nothing but itself."""


class AnswerTexts:
    """Answers of a class to one question, collected from one submission after the other.

    Parameters
    ----------
    lab : Lab
    question : str
        ``grade_id`` of the answer cell.
    """

    def __init__(self, lab: Lab, question: str) -> None:
        self._lab, self._question = lab, question
        self._answers: dict[str, str] = {}
        self._outputs: dict[str, str] = {}

    def add(self, result: Result) -> None:
        """Add a graded submission, unless its answer was left as released."""
        name = result.student
        if (text := answer_text(result, self._question)) != released_answer(self._lab, self._question):
            self._answers[name], self._outputs[name] = text, _output(result.notebook, self._question)

    def likeness(self, model_answer: str) -> ClassLikeness:
        """Return the comparison; ``model_answer`` is the source of its cell, whose rubric is ignored."""
        given = "\n".join(field_text(cell["source"]) for cell in self._lab.released["cells"])
        return ClassLikeness(self._answers, RUBRIC.sub("", model_answer), given, self._outputs)


def _output(notebook: Mapping[str, Any], question: str) -> str:
    """Return what the cells of a notebook printed and showed."""
    cells = (cell for cell in notebook.get("cells", ()) if grade_id(cell) != question)
    return "\n".join(part for cell in cells for output in cell.get("outputs") or () for part in _texts(output))


def _texts(output: Mapping[str, Any]) -> Iterable[str]:
    data = output.get("data")
    data = data if isinstance(data, Mapping) else {}
    yield field_text(output.get("text"))
    yield field_text(data.get("text/plain"))
    yield _TAG.sub(" ", field_text(data.get("text/html")))
