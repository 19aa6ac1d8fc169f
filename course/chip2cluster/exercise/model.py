"""Definition of an exercise: data that does not depend on who checks it and how it is shown.

The task's text, duration and difficulty are only on the exercise's page.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from zlib import crc32

from .answers import Answer
from .components import Case, Group, Mistake, Mutant, Together, Unfair
from .critique import Critique
from .scored_answers import Board, Rating
from .validity import draw_cases, mistaken_answer

__all__ = ["Case", "Exercise", "Group", "Mistake", "Mutant", "Together", "Unfair", "solved_by"]


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """One exercise, the same object for ``check``, grading and feedback.

    Attributes
    ----------
    id, title : str
    signature : str
        Signature of the student's function, such as ``"ridge(peak_flops, memory_bandwidth)"``.
    unit : str
        Unit of the answer.
    points : float
    reference : callable
        Computes the right answer.
    groups : tuple of Group
        Groups of cases. The first one is the main group: the others give points only if it passes.
    hints : tuple of str
        Three hints.
    explanation : str
        Explanation that `reveal` shows.
    mistakes : tuple of Mistake
    together : tuple of Together
        Pairs of mistakes that compose in a way of their own.
    mutants : tuple of Mutant
    tolerance : float
        Relative tolerance.
    allowed : tuple of str
        Modules of the package that a solution may call; a call of any other one is refused, because it is the answer.
    shows : tuple of callable
        Functions of the package behind the exercise.
    graded : bool
        Whether the work is graded; solutions of graded work are never revealed.
    solution : str
        Source that a student might write.
    constants : callable or None
        Makes the exercise personal: takes a ``numpy.random.Generator`` and returns a dict of numbers that differ from
        student to student. The reference and the mistakes take them as further named arguments; the student's function
        gets them from ``given(id)``.
    numbers_of : str
        Id of another exercise that has the same constants; several tasks about one subject share them.
    digest : callable or None
        Called with inputs that are too long to read; returns a short form by the names of the arguments.
    close : str
        Advice for answers that are all nearly right, if the likely cause has a name.
    former_words : tuple of (str, str)
        Words that earlier versions of the notebook asked for, each with the present one; answers in either count.
    meaning : callable or None
        Returns a sentence about what a right answer means for a real machine; its numbers come from the models.
    rate : callable or None
        Scores answers of which many are right: ``rate(answer, seed=…, **inputs, **constants)`` returns a `Rating`. The
        points are the mean over the cases, and nothing is compared with the reference, which is one good answer.
    board : Board or None
        Picture of a class's scored answers.
    guess_first : str
        Place of the notes (`predict.notes`) that must hold the reader's guess before a check answers; grading does not ask.
    critique : Critique or None
        Three worked answers, of which the student's function says what is wrong with each; see `critique_draws`.
    redraw : callable or None
        Takes the number of a draw and returns other three answers.
    """

    id: str
    title: str
    signature: str
    unit: str
    points: float
    reference: Callable
    groups: tuple[Group, ...]
    hints: tuple[str, str, str]
    explanation: str
    mistakes: tuple[Mistake, ...] = ()
    together: tuple[Together, ...] = ()
    mutants: tuple[Mutant, ...] = ()
    tolerance: float = 1e-4
    allowed: tuple[str, ...] = ("chip2cluster.specs", "chip2cluster.units")
    shows: tuple[Callable, ...] = field(default=())
    graded: bool = False
    solution: str = ""
    constants: Callable | None = None
    numbers_of: str = ""
    digest: Callable[..., Mapping] | None = None
    close: str = ""
    former_words: tuple[tuple[str, str], ...] = ()
    meaning: Callable[[], str] | None = None
    rate: Callable[..., Rating] | None = None
    board: Board | None = None
    guess_first: str = ""
    critique: Critique | None = None
    redraw: Callable[[int], Critique] | None = None

    def __post_init__(self) -> None:
        """Refuse contradictory data."""
        if abs(sum(group.share for group in self.groups) - 1) > 1e-9:
            raise ValueError(f"{self.id}: the shares of the groups must add up to 1")
        if len(self.hints) != 3:
            raise ValueError(f"{self.id}: an exercise has three hints")
        if self.rate and self.mistakes:
            raise ValueError(
                f"{self.id}: answers that are rated have mutants, and no mistakes that they are compared with"
            )
        names = [mistake.name for mistake in self.mistakes]
        for mistake in self.mistakes:
            if names.count(mistake.name) > 1:
                raise ValueError(f"{self.id}: two mistakes are called {mistake.name!r}")
            if mistake.coincides and mistake.coincides not in names:
                raise ValueError(
                    f"{self.id}: {mistake.name!r} coincides with {mistake.coincides!r}, which is none of {names}"
                )
        if unknown := {name for pair in self.together for name in (pair.first, pair.second)} - {*names}:
            raise ValueError(f"{self.id}: {sorted(unknown)} of a pair is none of the mistakes {names}")

    @property
    def function_name(self) -> str:
        """Name of the student's function."""
        return self.signature.split("(")[0]

    @property
    def stub(self) -> str:
        """Source of the function that the student completes."""
        return f"def {self.signature}:\n    raise NotImplementedError\n"

    @property
    def messages(self) -> dict[str, str]:
        """Message of every named mistake, by its name."""
        return dict(self.critique.messages) if self.critique else {one.name: one.message for one in self.mistakes}

    def with_draw(self, number: int) -> "Exercise":
        """Return the exercise with the three answers of another draw; itself if it shows none."""
        if not self.redraw:
            return self
        drawn = self.redraw(number)
        return replace(self, critique=drawn, reference=drawn.right, solution=drawn.solution(self.signature))

    def cases(self, seed: int) -> list[Case]:
        """Draw the cases of all groups from one seed, see `validity.draw_cases`."""
        return [Case({}, self.groups[0].name)] if self.critique else draw_cases(self, seed)

    @property
    def visible_cases(self) -> list[Case]:
        """Cases that `check` shows, the same each time."""
        return [*self._visible]

    @cached_property
    def _visible(self) -> list[Case]:
        """Cases that are drawn once, because a draw may take a second and `check` runs often."""
        return self.cases(crc32(self.id.encode()))

    def given(self, seed: int) -> dict:
        """Return the constants for a student's seed; none if the exercise is the same for everybody."""
        if not self.constants:
            return {}
        from numpy.random import default_rng  # here, because an exercise without drawn numbers needs no NumPy

        return self.constants(default_rng(seed))

    def personal(self, given: Mapping) -> "Exercise":
        """Return the exercise with constants put in; itself without constants."""
        if not given:
            return self
        mistakes = tuple(replace(mistake, wrong=partial(mistake.wrong, **given)) for mistake in self.mistakes)
        together = tuple(replace(pair, wrong=partial(pair.wrong, **given)) for pair in self.together)
        rate = partial(self.rate, **given) if self.rate else None
        reference = partial(self.reference, **given)
        return replace(self, reference=reference, mistakes=mistakes, together=together, rate=rate, constants=None)

    def expected(self, case: Case) -> object:
        """Return the reference's answer to a case."""
        return self.reference(**case.inputs)

    def mistaken(self, mistake: Mistake, case: Case) -> Answer:
        """Return a mistake's normalized answer to a case; raise `Unfair` if it gives none."""
        return mistaken_answer(self, mistake, case.inputs)


def solved_by(exercise: Exercise) -> tuple[Callable, ...]:
    """Return the functions whose source answers the exercise, for `reveal`."""
    return exercise.shows or (exercise.reference,)
