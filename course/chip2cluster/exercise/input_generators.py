"""Draw inputs that distinguish right answers from named mistakes."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from .answers import normalize
from .model import Exercise

TRIES = 20_000
T = TypeVar("T")


def draw_until(accept: Callable[..., object], draw: Callable[..., T]) -> T:
    """Draw inputs until ``accept`` is true, and return them, a dict of named arguments."""
    for _ in range(TRIES):
        inputs = draw()
        if accept(inputs):
            return inputs
    raise ValueError(f"none of {TRIES} inputs drawn was accepted; the draw must offer more of them")


def tells_apart(exercise: Exercise, inputs: Mapping, *mistakes: str) -> bool:
    """Return whether these named mistakes give wrong answers to the inputs, each a different one."""
    answers = _answers(exercise, inputs, mistakes)
    return len(set(answers)) == len(answers)


def forgives(exercise: Exercise, inputs: Mapping, *mistakes: str) -> bool:
    """Return whether these named mistakes give the right answer to the inputs."""
    return len(set(_answers(exercise, inputs, mistakes))) == 1


def _answers(exercise, inputs, mistakes):
    wrong = {mistake.name: mistake.wrong for mistake in exercise.mistakes}
    answers = [exercise.reference(**inputs), *(wrong[name](**inputs) for name in mistakes)]
    return [repr(normalize(answer)) for answer in answers]
