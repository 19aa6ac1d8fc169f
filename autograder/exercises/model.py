"""What an exercise is: data, told apart from who checks it and how it is shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from zlib import crc32

import numpy as np

LEVELS = range(1, 6)


@dataclass(frozen=True)
class Case:
    """One call of the student's function: named arguments in order, and the group it belongs to."""

    inputs: Mapping
    group: str


@dataclass(frozen=True)
class Group:
    """Cases that stand or fall together, worth ``share`` of the points.

    ``draw`` takes a ``numpy.random.Generator`` and returns a list of argument
    dicts. ``verdict`` names what it means to fail here and nowhere before, and
    ``advice`` says it to the student.
    """

    name: str
    share: float
    draw: Callable
    verdict: str = "wrong at the edges"
    advice: str = ""


@dataclass(frozen=True)
class Mistake:
    """A wrong answer worth naming: ``wrong(**inputs)`` computes what it would give."""

    name: str
    wrong: Callable
    message: str
    verdict: str = "a named misconception"


@dataclass(frozen=True)
class Mutant:
    """A wrong solution, with the share of the points and the words it must get."""

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
    function does not, it finds them with ``given(id)``.
    """

    id: str
    title: str
    prompt: str = ""
    signature: str
    unit: str
    points: float
    minutes: int = 1
    difficulty: int = 1
    importance: int = 1
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

    def __post_init__(self):
        if abs(sum(group.share for group in self.groups) - 1) > 1e-9:
            raise ValueError(f"{self.id}: the shares of the groups must add up to 1")
        if self.difficulty not in LEVELS or self.importance not in LEVELS:
            raise ValueError(f"{self.id}: difficulty and importance go from 1 to 5")
        if len(self.hints) != 3:
            raise ValueError(f"{self.id}: an exercise has three hints")

    @property
    def function_name(self):
        return self.signature.split("(")[0]

    @property
    def stub(self):
        return f"def {self.signature}:\n    raise NotImplementedError\n"

    def cases(self, seed):
        """Draw the cases of all groups from one seed."""
        generator = np.random.default_rng(seed)
        return [Case(inputs, group.name) for group in self.groups for inputs in group.draw(generator)]

    @property
    def visible_cases(self):
        """The cases that `check` shows, the same each time."""
        return self.cases(crc32(self.id.encode()))

    def given(self, seed):
        """The constants that belong to a student's seed."""
        return self.constants(np.random.default_rng(seed))

    def personal(self, given):
        """The exercise with constants put in; itself where it has none."""
        if not given:
            return self
        mistakes = tuple(replace(mistake, wrong=partial(mistake.wrong, **given)) for mistake in self.mistakes)
        return replace(self, reference=partial(self.reference, **given), mistakes=mistakes, constants=None)

    def expected(self, case):
        """The reference's answer to a case."""
        return self.reference(**case.inputs)


def solved_by(exercise):
    """The functions whose source answers the exercise, for `reveal`."""
    return exercise.shows or (exercise.reference,)
