"""Draws of an exercise *What is wrong with this answer?* from the named mistakes of another exercise."""

import ast
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from types import SimpleNamespace
from typing import Any
from zlib import crc32

from .answers import agree, normalize
from .components import Group
from .critique import ANSWERS, STATEMENTS, Critique, WorkedAnswer
from .model import Exercise
from .paper_task import Choice, PaperTask

DRAWS = 8  # of each exercise; a learner gets one of them, and another one when the exercise comes back
ATTEMPTS = 400
SIGNATURE = "critique()"
APART = 0.02  # relative distance of two results that a reader can distinguish


@dataclass(frozen=True)
class Working:
    """Lines of Python that make one mistake, as changes to the right answer or in full.

    Attributes
    ----------
    mistake : str
        Name of the mistake in the exercise that was answered.
    says : str
        Statement of what is wrong, about the answer.
    changes : str
        Lines that replace the lines of the right answer that assign the same names.
    lines : str
        All lines, for an answer that has other names than the right one; then there are no ``changes``.
    """

    mistake: str
    says: str
    changes: str = ""
    lines: str = ""

    def worked(self, right: str) -> str:
        """Return all lines of the answer.

        Parameters
        ----------
        right : str
            Lines of the right answer.

        Raises
        ------
        ValueError
            If both ``changes`` and ``lines`` are given, or neither, or if a change assigns a name that the right answer
            lacks.
        """
        if bool(self.changes) == bool(self.lines):
            raise ValueError(f"the working of {self.mistake!r} needs either changes or lines")
        changed = _by_name(self.changes)
        all_of = _by_name(right)
        if new := changed.keys() - all_of.keys():
            raise ValueError(
                f"the right answer assigns no {', '.join(sorted(new))}; give {self.mistake!r} all its lines"
            )
        return self.lines or "\n".join((all_of | changed).values())


def _by_name(lines: str) -> dict[str, str]:
    """Return assignments by the name that each of them assigns."""
    return {line.partition(" = ")[0]: line for line in lines.strip().splitlines()}


class _Draws(random.Random):
    """Generator with the two methods of ``numpy.random.Generator`` that the draw of a task calls."""

    def integers(self, end: int) -> int:
        """Return a whole number from 0 to ``end``, without the end."""
        return int(self.random() * end)

    def shuffled(self, items: Sequence[Any]) -> list[Any]:
        """Return the items in another order."""
        return sorted(items, key=lambda _: self.random())


@dataclass(frozen=True, eq=False)
class CritiqueDraws:
    """Draws of three answers to one exercise.

    Attributes
    ----------
    exercise_id : str
        Id of the exercise that asks what is wrong.
    answered : Exercise
        Exercise that the answers answer; its mistakes have the names.
    paper : PaperTask
        Text and numbers of that exercise.
    right : str
        Lines of the right answer, each an assignment, with placeholders such as ``{ranks}`` for the printed numbers. The
        last line assigns the answer, in the unit of the exercise.
    wrong : sequence of Working
        Answers with a mistake, three or more.
    """

    exercise_id: str
    answered: Exercise
    paper: PaperTask
    right: str
    wrong: Sequence[Working]

    def __post_init__(self) -> None:
        """Refuse too few mistakes, names that the answered exercise lacks, and changes to lines that do not exist."""
        known = self.answered.messages
        if len(self.wrong) < ANSWERS or any(one.mistake not in known for one in self.wrong):
            raise ValueError(f"{self.exercise_id} needs {ANSWERS} mistakes or more, each with a name out of {[*known]}")
        for one in self.wrong:
            one.worked(self.right)

    def __call__(self, number: int) -> Critique:
        """Return the draw with a number; the same number gives the same one.

        Raises
        ------
        ValueError
            If no numbers are found for which a reader can distinguish the answers.
        """
        generator = _Draws(crc32(f"{self.exercise_id} {number}".encode()))
        for _ in range(ATTEMPTS):
            printed = self.paper.draw(generator)
            truth, results = self._results(printed)
            apart = [one for one in self.wrong if _is_apart(results[one.mistake], truth)]
            listed = generator.shuffled(apart)[:STATEMENTS]
            shown = listed[: ANSWERS - 1]
            fits = self.paper.plausible is None or self.paper.plausible(
                SimpleNamespace(**self.paper.arguments(printed))
            )
            if fits and len(listed) >= ANSWERS and _is_apart(*(results[one.mistake] for one in shown)):
                return self._critique(number, printed, generator.shuffled(listed), shown)
        raise ValueError(
            f"{self.exercise_id}: no numbers in {ATTEMPTS} draws give three answers that can be distinguished"
        )

    def complaints(self, seed: int) -> list[str]:
        """Return a complaint for each working that does not make its mistake with the numbers of a seed."""
        printed = self.paper.draw(_Draws(seed))
        inputs = self.paper.arguments(printed)
        truth, results = self._results(printed)
        expected = {one.name: one.wrong(**inputs) for one in self.answered.mistakes if one.name in results}
        pairs = [("the right answer", truth, self.answered.reference(**inputs))]
        pairs += [(f"the mistake {name!r}", results[name], value) for name, value in expected.items()]
        return [
            f"{self.exercise_id}: the lines of {what} give {got!r}, and {self.answered.id} gives {value!r}, with {printed}"
            for what, got, value in pairs
            if not agree(normalize(got), normalize(value), self.answered.tolerance)
        ]

    def _results(self, printed: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return the value of the right answer, and those of the mistakes by name."""
        return work(self.right, self.paper, printed), {
            one.mistake: work(one.worked(self.right), self.paper, printed) for one in self.wrong
        }

    def _critique(
        self, number: int, printed: Mapping[str, Any], listed: Sequence[Working], shown: Sequence[Working]
    ) -> Critique:
        truth, results = self._results(printed)
        messages = self.answered.messages
        answers = [
            WorkedAnswer(
                _filled(one.worked(self.right), self.paper, printed),
                _result(results[one.mistake], self.paper),
                listed.index(one) + 1,
                one.mistake,
                messages[one.mistake],
            )
            for one in shown
        ]
        # Each place is right equally often.
        answers.insert(
            number % ANSWERS, WorkedAnswer(_filled(self.right, self.paper, printed), _result(truth, self.paper))
        )
        return Critique(
            self.paper.wording(printed),
            tuple(answers),
            tuple(one.says for one in listed),
            tuple((one.mistake, messages[one.mistake]) for one in self.wrong),
        )


def critique_exercise(draws: CritiqueDraws, **fields: Any) -> Exercise:
    """Return the exercise that asks what is wrong with drawn answers.

    Parameters
    ----------
    draws : CritiqueDraws
    **fields
        Attributes of the exercise: ``title``, ``points``, ``hints``, ``explanation``.

    Returns
    -------
    Exercise
        Its function ``critique()`` takes nothing and returns three numbers.
    """
    first = draws(0)
    return Exercise(
        id=draws.exercise_id,
        signature=SIGNATURE,
        unit="",
        reference=first.right,
        groups=(Group("the three answers", 1.0, lambda _: [{}]),),
        solution=first.solution(SIGNATURE),
        allowed=(),
        critique=first,
        redraw=draws,
        **fields,
    )


def work(lines: str, paper: PaperTask, printed: Mapping[str, Any]) -> Any:
    """Return the value that the last line assigns, with these printed numbers.

    Parameters
    ----------
    lines : str
        Lines with placeholders, as in `CritiqueDraws`; the course's own.
    paper : PaperTask
    printed : Mapping
        Printed value of each number, as `PaperTask.draw` returns them.
    """
    source = _filled(lines, paper, printed)
    names: dict[str, Any] = {}
    exec(source, names)
    last = ast.parse(source).body[-1]
    assert isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name)
    return names[last.targets[0].id]


def _filled(lines: str, paper: PaperTask, printed: Mapping[str, Any]) -> str:
    texts = {
        name: repr(one.argument(printed[name])) if isinstance(one, Choice) else f"{printed[name]:.12g}"
        for name, one in paper.given.items()
    }
    return lines.strip("\n").format_map(texts)


def _is_apart(value: Any, other: Any) -> bool:
    """Return whether a reader can distinguish two values, each a number or a list of numbers."""
    return any(starmap(_differ, zip(_numbers(value), _numbers(other), strict=True)))


def _differ(one: float, other: float) -> bool:
    return abs(one - other) > APART * max(abs(one), abs(other))


def _numbers(value: Any) -> list[float]:
    return list(value) if isinstance(value, list) else [value]


def _result(value: Any, paper: PaperTask) -> str:
    assert isinstance(paper.per, float | int)
    return f"{' and '.join(_shown(one / paper.per) for one in _numbers(value))} {paper.unit}".strip()


def _shown(value: float) -> str:
    if 1e4 <= abs(value) < 1e15 or value.is_integer():
        return f"{value:,.0f}"
    return f"{value:.4g}" if 1e-3 <= abs(value) < 1e4 else f"{value:.3e}"
