"""Registry of the exercises of the course, by id.

A topic is a chapter (``roofline``) or its lab (``roofline_lab``), and every `Exercise` in the folder ``exercises`` or
``lab`` of the chapter is one of its exercises. They have the order of the notebooks. An instructor's own exercises are in
the folder ``exercises`` of a course, see `also_in`, and are imported as modules of this package.
"""

import os
import sys
import traceback
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from chip2cluster import chapters
from chip2cluster.exercise import Case, Exercise, Group, Mistake, Mutant, Unfair
from chip2cluster.renamed import CUT, EXERCISES, current

from . import recorded

__all__ = [
    "Case",
    "Exercise",
    "Group",
    "Mistake",
    "Mutant",
    "RemovedExercise",
    "Unfair",
    "UnknownExercise",
    "also_in",
    "exercise",
    "exercises",
    "own_exercise_ids",
    "topic_folder",
    "topics",
]

# Environment variable with folders of an instructor's own exercises, in the format of PATH; child processes inherit it.
FOLDERS_VARIABLE = "CHIP2CLUSTER_EXERCISES"
_HERE = __path__[0]


class UnknownExercise(LookupError, ValueError):
    """No exercise has this id; the message lists near ones."""

    def _render_traceback_(self) -> list[str]:
        """Show one line in a notebook, and not where it was raised."""
        return [str(self)]


class RemovedExercise(UnknownExercise):
    """The exercise was part of an earlier version of the course."""

    def __init__(self, exercise_id: str) -> None:
        super().__init__(f"{exercise_id} is no longer part of the course")
        self.exercise_id = exercise_id


@cache
def exercises():
    """Return all exercises as a dict from id to `Exercise`, in the order in which the notebooks check them.

    Exercises that no notebook checks come last, by topic, and so do all exercises if the package has no notebooks.
    """
    from ..course_pages import checked_exercises, pages

    by_id = {exercise.id: exercise for members in topics().values() for exercise in members}
    on_pages = [name for page in pages() for name in checked_exercises(page) if name in by_id]
    return {name: by_id[name] for name in [*dict.fromkeys(on_pages), *by_id]}


@cache
def topics():
    """Return the exercises of each topic, a dict from the topic's name to a tuple."""
    homes: dict[str, tuple[str, Exercise]] = {}
    found = {topic: _course_members(topic, homes) for topic in _course_topics()}
    for place in __path__[1:]:
        for folder in iter_modules([place]):
            if not folder.ispkg or not folder.name.endswith("_lab"):
                continue  # a folder with another name may contain anything
            if folder.name in found:
                raise ValueError(
                    f"{Path(place, folder.name)} has the name of a folder of the course: rename it, for example our_{folder.name}"
                )
            found[folder.name] = tuple(_read_members(f"{__name__}.{folder.name}", homes, Path(place, folder.name)))
    return found


@cache
def _course_topics():
    """Return the topics of the course: those of chapters, and those of labs."""
    return tuple(
        topic + ending
        for topic in chapters.topics()
        for ending, folder in (("", "exercises"), ("_lab", "lab"))
        if chapters.files(topic, folder)
    )


def _package(topic):
    """Return the name of the package that holds the exercises of a topic of the course."""
    chapter = topic.removesuffix("_lab")
    return f"{chapters.__name__}.{chapter}.{'exercises' if chapter == topic else 'lab'}"


def also_in(course):
    """Also find the exercises in ``exercises/*_lab/`` of a course from now on; without that folder nothing changes."""
    folder = str(Path(course).resolve() / "exercises")
    named = [place for place in os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep) if place]
    if Path(folder).is_dir() and Path(folder) != Path(_HERE) and folder not in named:
        os.environ[FOLDERS_VARIABLE] = os.pathsep.join([folder, *named])
    _update_path()


def own_exercise_ids():
    """Return the ids of an instructor's own exercises."""
    members = (members for topic, members in topics().items() if topic not in _course_topics())
    return frozenset(exercise.id for some in members for exercise in some)


def topic_folder(topic):
    """Return the folder of a topic's exercises."""
    own = next((home for place in __path__[1:] if (home := Path(place, topic)).is_dir()), None)
    chapter = topic.removesuffix("_lab")
    return own or chapters.FOLDER / chapter / ("exercises" if chapter == topic else "lab")


def _update_path():
    """Update `__path__` from the environment variable."""
    named = [place for place in os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep) if place]
    wanted = [_HERE, *dict.fromkeys(place for place in named if Path(place).is_dir())]
    if wanted != list(__path__):
        gone = {folder.name for folder in iter_modules([place for place in __path__ if place not in wanted])}
        gone -= {folder.name for folder in iter_modules([_HERE])}  # folders with such a name were refused
        for name in [name for name in sys.modules if name.startswith(f"{__name__}.")]:
            if name.removeprefix(f"{__name__}.").partition(".")[0] in gone:
                del sys.modules[name]
        __path__[:] = wanted
        topics.cache_clear()
        exercises.cache_clear()


def _course_members(topic, homes):
    """Return the exercises of a topic of the course; an error in a file names the file."""
    if not recorded.has_numpy() and (found := recorded.members(topic)) is not None:
        return found
    return _read_members(_package(topic), homes, topic_folder(topic))


def _read_members(package, homes, folder):
    try:
        return tuple(_members(package, homes))
    except Exception as problem:
        if isinstance(problem, ValueError) and str(problem).startswith("two exercises"):
            raise
        frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if str(folder) in frame.filename]
        place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
        if isinstance(problem, SyntaxError):
            place = f" ({problem.filename})"  # the message has the line
        raise ValueError(
            f"the exercises in {folder} cannot be read: {type(problem).__name__}: {problem}{place}"
        ) from problem


def _members(name, homes):
    """Yield the exercises of a package; ``homes`` maps each id to its module."""
    package = import_module(name)
    for file in iter_modules(package.__path__):
        module = import_module(f"{package.__name__}.{file.name}")
        for exercise in (thing for thing in vars(module).values() if isinstance(thing, Exercise)):
            home = homes.setdefault(exercise.id, (module.__name__, exercise))
            if home[1] is not exercise:
                raise ValueError(f"two exercises are called {exercise.id!r}: in {home[0]} and in {module.__name__}")
            if home[0] == module.__name__:
                yield exercise


def _from_own_folder(name):
    """Return a course exercise from the folder that its id names, because importing all takes a third of a second."""
    first, _, rest = name.partition(".")
    return _topic_exercises(f"{rest.partition('.')[0]}_lab" if first == "lab" else first).get(name)


@cache
def _topic_exercises(topic):
    """Return the exercises of one topic of the course by id; none if there is no such topic."""
    if topic not in _course_topics():
        return {}
    return {exercise.id: exercise for exercise in _course_members(topic, {})}


def exercise(name):
    """Return the exercise with this id, or with this earlier id; raise `UnknownExercise` with similar ids."""
    if isinstance(name, str) and (found := _from_own_folder(current(name, EXERCISES))):
        return found
    known = exercises()
    if not isinstance(name, str):
        raise TypeError(f'give the id of the exercise as text, such as "{next(iter(known))}", got {name!r}')
    if (today := current(name, EXERCISES)) in known:
        return known[today]
    if today in CUT:
        raise RemovedExercise(today)
    if not recorded.has_numpy() and today.startswith("lab."):
        raise UnknownExercise(f"{name!r} needs NumPy, which this browser does not have: open the lab on a computer")
    short = [one for one in known if one.rpartition(".")[2] == name]
    near = short or get_close_matches(name, known, n=3, cutoff=0.5)
    which = f"did you mean {', '.join(map(repr, near))}?" if near else 'progress("all") lists all of them.'
    if name.startswith("lab.") and not short:
        which += " One of your instructor's own is found when its folder `exercises` is next to your notebook."
    raise UnknownExercise(f"no exercise is called {name!r}; {which}")


_update_path()
