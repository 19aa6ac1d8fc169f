"""Every exercise of the course, by id.

A folder here is the topic of a chapter (``roofline``) or its lab (``roofline_lab``), and
every `Exercise` in its files is one of its exercises. Their order is that of the pages.
"""

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from chip2cluster.renamed import CUT, EXERCISES, current

from .model import Case, Exercise, Group, Mistake, Mutant, Unfair

__all__ = [
    "Case",
    "Exercise",
    "Group",
    "Mistake",
    "Mutant",
    "NoLongerAsked",
    "Unfair",
    "UnknownExercise",
    "exercise",
    "exercises",
    "topics",
]


class UnknownExercise(LookupError, ValueError):
    """No exercise has this id; the message lists near ones."""

    def _render_traceback_(self) -> list[str]:
        """Show one line in a notebook, and not where it was raised."""
        return [str(self)]


class NoLongerAsked(UnknownExercise):
    """The exercise was part of the course once."""

    def __init__(self, exercise_id: str) -> None:
        super().__init__(f"{exercise_id} is no longer part of the course")
        self.exercise_id = exercise_id


@cache
def exercises():
    """Return all exercises as a dict from id to `Exercise`, in the order in which the pages check them.

    What stands on no page comes last, by topic. So does everything where an installed
    package finds no pages: the alphabet is the order then.
    """
    from ..pages import checks, pages

    by_id = {exercise.id: exercise for members in topics().values() for exercise in members}
    on_pages = [name for page in pages() for name in checks(page) if name in by_id]
    return {name: by_id[name] for name in [*dict.fromkeys(on_pages), *by_id]}


@cache
def topics():
    """Return the exercises of each topic: a dict from the name of a folder here to a tuple."""
    found: dict[str, tuple[Exercise, ...]] = {}
    homes: dict[str, tuple[str, Exercise]] = {}
    for folder in iter_modules(__path__):
        if folder.ispkg:
            found[folder.name] = tuple(_members(folder.name, homes))
    return found


def _members(topic, homes):
    """The exercises of a folder; ``homes`` knows the module of each id."""
    package = import_module(f"{__name__}.{topic}")
    for file in iter_modules(package.__path__):
        module = import_module(f"{package.__name__}.{file.name}")
        for exercise in (thing for thing in vars(module).values() if isinstance(thing, Exercise)):
            home = homes.setdefault(exercise.id, (module.__name__, exercise))
            if home[1] is not exercise:
                raise ValueError(f"two exercises are called {exercise.id!r}: in {home[0]} and in {module.__name__}")
            if home[0] == module.__name__:
                yield exercise


def exercise(name):
    """Return the exercise with this id, also a former one, or raise `UnknownExercise` naming near ones."""
    known = exercises()
    if not isinstance(name, str):
        raise TypeError(f'give the id of the exercise as text, such as "{next(iter(known))}", got {name!r}')
    if (today := current(name, EXERCISES)) in known:
        return known[today]
    if today in CUT:
        raise NoLongerAsked(today)
    short = [one for one in known if one.rpartition(".")[2] == name]
    near = short or get_close_matches(name, known, n=3, cutoff=0.5)
    which = f"did you mean {', '.join(map(repr, near))}?" if near else 'progress("all") lists them all.'
    raise UnknownExercise(f"no exercise is called {name!r}; {which}")
