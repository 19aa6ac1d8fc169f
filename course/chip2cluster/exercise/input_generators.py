"""Ways to draw inputs that leave no doubt about who is right."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from .answers import plain

if TYPE_CHECKING:
    from .model import Exercise

TRIES = 20_000


def draw_until(accept: Callable[[dict], bool], draw: Callable[[], dict]) -> dict:
    """Return the first of the inputs drawn that are accepted, a dict of named arguments."""
    for _ in range(TRIES):
        inputs = draw()
        if accept(inputs):
            return inputs
    raise ValueError(f"none of {TRIES} inputs drawn was accepted; the draw must offer more of them")


def tells_apart(exercise: "Exercise", inputs: Mapping, *mistakes: str) -> bool:
    """Whether these named mistakes are wrong on the inputs, each in its own way."""
    answers = _answers(exercise, inputs, mistakes)
    return len(set(answers)) == len(answers)


def forgives(exercise: "Exercise", inputs: Mapping, *mistakes: str) -> bool:
    """Whether these named mistakes give the right answer on the inputs all the same."""
    return len(set(_answers(exercise, inputs, mistakes))) == 1


def _answers(exercise, inputs, mistakes):
    wrong = {mistake.name: mistake.wrong for mistake in exercise.mistakes}
    answers = [exercise.reference(**inputs), *(wrong[name](**inputs) for name in mistakes)]
    return [repr(plain(answer)) for answer in answers]
