"""What an exercise is: data, told apart from who checks it and how it is shown.

What it asks, and how long and hard it is, stands on its page alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from zlib import crc32

import numpy as np

from .answers import Answer, plain
from .scored_answers import Board, Rating
from .validity import unfair

TRIES = 100  # draws of cases before an exercise is said to have none that are fair


class Unfair(ValueError):
    """An exercise whose cases let a named mistake earn now more, now less: no marks can be given with it."""


@dataclass(frozen=True)
class Case:
    """One call of the student's function: named arguments in order, and the group it belongs to.

    ``seed`` is what a rated answer is put to the test with; the function never learns it.
    """

    inputs: Mapping
    group: str
    seed: int = 0


@dataclass(frozen=True)
class Group:
    """Cases that stand or fall together, worth ``share`` of the points.

    ``draw`` takes a ``numpy.random.Generator`` and returns a list of argument
    dicts. ``verdict`` names what it means to fail here and nowhere before, and
    ``advice`` says it to the student. Where these are ordinary cases and no edges it
    is "wrong value": a slip that has a name, an error or a wrong type is then told as such.
    """

    name: str
    share: float
    draw: Callable
    verdict: str = "wrong at the edges"
    advice: str = ""


@dataclass(frozen=True)
class Mistake:
    """A wrong answer worth naming: ``wrong(**inputs)`` computes what it would give.

    ``share`` of the points is what it earns, on every draw of the inputs.
    ``coincides`` names another mistake of the exercise, one that leads to the same
    answers for some draws of the inputs, so that nobody can tell the two apart there.
    """

    name: str
    wrong: Callable
    message: str
    verdict: str = "a named misconception"
    share: float = 0.0
    coincides: str = ""


@dataclass(frozen=True)
class Mutant:
    """A solution that no named mistake stands for, with the share of the points and the words it must get."""

    source: str
    verdict: str
    says: str
    share: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """One exercise. ``check``, grading and feedback all read this object.

    The first group is the heart of the exercise: the others give points only
    when it passes. ``solution`` is what a student might write; ``shows`` names the
    functions of the package behind it. ``graded`` work is never revealed.
    ``allowed`` lists the modules of the package that a solution may call; calling
    any other is refused, because that is the answer itself.

    ``constants`` makes the exercise personal: it takes a ``numpy.random.Generator``
    and returns a dict of numbers that each student gets different ones of. The
    reference and the mistakes take them as further named arguments; the student's
    function does not, it finds them with ``given(id)``. ``numbers_of`` is the id of another
    exercise whose numbers these are; several tasks about one thing share them.

    ``rate`` is for answers of which many are right: ``rate(answer, seed=…, **inputs, **constants)``
    gives a `Rating`, and nothing is compared with the reference, which is but one good answer. The
    points are the mean over the cases. A ``board`` shows a class where its answers stand.

    ``digest`` is for inputs too long to read: called with them, it returns what a message shows in their place, by
    the names of the arguments.

    ``close`` is told of answers that are all near the right ones, where the likely reason has a name.

    ``meaning`` says, when called, what a right answer says about a real machine; its numbers come from the models.
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
    meaning: Callable[[], str] | None = None
    rate: Callable[..., Rating] | None = None
    board: Board | None = None

    def __post_init__(self) -> None:
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

    @property
    def function_name(self) -> str:
        return self.signature.split("(")[0]

    @property
    def stub(self) -> str:
        return f"def {self.signature}:\n    raise NotImplementedError\n"

    def cases(self, seed: int) -> list[Case]:
        """Draw the cases of all groups from one seed.

        They are drawn again until every named mistake earns its share of the points and is
        told from the others, so that no seed is kinder than another.

        Raises
        ------
        Unfair
            When the groups draw no such cases, or a mistake gives no plain answer to one; names the mistake.
        """
        generator = np.random.default_rng(seed)
        for _ in range(TRIES):
            cases = [Case(inputs, group.name) for group in self.groups for inputs in group.draw(generator)]
            if self.rate:
                return [replace(case, seed=int(generator.integers(2**31))) for case in cases]
            # Where constants are missing, nothing can be asked until some student's are put in.
            problem = "" if self.constants else unfair(self, cases)
            if not problem:
                return cases
        raise Unfair(f"{self.id}: {problem}")

    @property
    def visible_cases(self) -> list[Case]:
        """The cases that `check` shows, the same each time."""
        return [*self._visible]

    @cached_property
    def _visible(self) -> list[Case]:
        """They are drawn once: a fair draw may take a second, and `check` is run again and again."""
        return self.cases(crc32(self.id.encode()))

    def given(self, seed: int) -> dict:
        """The constants that belong to a student's seed; none where the exercise is the same for everybody."""
        return self.constants(np.random.default_rng(seed)) if self.constants else {}

    def personal(self, given: Mapping) -> "Exercise":
        """The exercise with constants put in; itself where it has none."""
        if not given:
            return self
        mistakes = tuple(replace(mistake, wrong=partial(mistake.wrong, **given)) for mistake in self.mistakes)
        rate = partial(self.rate, **given) if self.rate else None
        return replace(self, reference=partial(self.reference, **given), mistakes=mistakes, rate=rate, constants=None)

    def expected(self, case: Case) -> object:
        """The reference's answer to a case."""
        return self.reference(**case.inputs)

    def mistaken(self, mistake: Mistake, case: Case) -> Answer:
        """A mistake's plain answer to a case, or `Unfair`."""
        try:
            return plain(mistake.wrong(**case.inputs))
        except Exception as problem:
            raise Unfair(f"{self.id}: the mistake {mistake.name!r} gives no plain answer: {problem!r}") from problem


def solved_by(exercise: Exercise) -> tuple[Callable, ...]:
    """The functions whose source answers the exercise, for `reveal`."""
    return exercise.shows or (exercise.reference,)
