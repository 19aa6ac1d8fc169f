"""Find the exercise that a learner means: by its id, by the learner's function, or the one checked last."""

from difflib import get_close_matches
from pathlib import Path

from chip2cluster import renamed

from ..exercises import RemovedExercise, UnknownExercise, also_in, exercise, exercises
from . import current_page


class AllExercisesSolved(Exception):
    """All exercises of the notebook are solved; ``exercise_id`` is the one that was checked last."""

    def __init__(self, exercise_id: str) -> None:
        super().__init__(exercise_id)
        self.exercise_id = exercise_id


class UnclearExercise(TypeError):
    """It is unclear which exercise or function is meant; the message says how to write it."""

    def _render_traceback_(self) -> list[str]:
        """Show one line in a notebook, and not where it was raised."""
        return [str(self)]


def find_exercise(which, verb):
    """Return the exercise that an id or a function names.

    Parameters
    ----------
    which : str or callable
    verb : str
        Name of the function that the learner called, for messages.

    Raises
    ------
    UnknownExercise, UnclearExercise
        If no exercise, or more than one, fits; the message says what to write instead.
    """
    also_in(Path.cwd())  # the notebook's folder
    if isinstance(which, str):
        return exercise(which)
    if not callable(which):
        raise UnclearExercise(
            f'{verb} needs your function itself, without brackets, or the id of the exercise: {verb}("roofline.ridge"); '
            f"got {_short(which)}"
        )
    return exercise(_by_function(which, verb))


def _by_function(function, verb):
    name = getattr(function, "__name__", "")
    known: dict[str, list[str]] = {}
    for one in exercises().values():
        known.setdefault(one.function_name, []).append(one.id)
    candidates = known.get(name, [])
    if len(candidates) > 1 and (
        here_ := [one for one in candidates if one.startswith(current_page.page_prefix() or "-")]
    ):
        candidates = here_
    if len(candidates) == 1:
        return candidates[0]
    if not name.isidentifier():
        raise UnclearExercise(
            f'{verb} cannot tell which exercise this is for: write {verb}("roofline.ridge"{", ..." * (verb == "check")}) with its id'
        )
    more = f", {name}" if verb == "check" else ""
    if candidates:
        forms = " or ".join(f'{verb}("{one}"{more})' for one in candidates)
        raise UnclearExercise(f"several exercises ask for a function called {name}. Write {forms}")
    if gone := next((one for one in sorted(renamed.CUT) if one.endswith(f".{name}")), None):
        raise RemovedExercise(gone)
    near = get_close_matches(name, known, n=3, cutoff=0.6)
    perhaps = f"Did you mean {' or '.join(near)}? Or name" if near else "Name"
    raise UnknownExercise(
        f"no exercise asks for a function called {name}. {perhaps} the exercise by its id: "
        f'{verb}("roofline.ridge"{more})'
    )


def find_exercise_or_current(which, verb, *, solved):
    """Return the exercise that is meant; if none is named, the one that was checked last.

    If ``solved`` is false and that one is solved, and was not found wrong just now, return the next unsolved one.

    Raises
    ------
    AllExercisesSolved
        If there is no unsolved one.
    """
    if which is not None:
        return find_exercise(which, verb)
    last = current_page.last_checked()
    if last and (solved or current_page.was_wrong(last) or not _is_solved(last)):
        return exercise(last)
    if not solved and (unsolved := current_page.next_unsolved()):
        return exercise(unsolved)
    if last:
        raise AllExercisesSolved(last)
    raise UnclearExercise(
        f'say which exercise: {verb}(ridge) with your own function, or {verb}("roofline.ridge") with its id'
    )


def _is_solved(exercise_id):
    return current_page.journal.read()["exercises"].get(exercise_id, {}).get("solved", False)


def _short(value):
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
