"""An exercise as data: its visible cases with the right answers and those of every named mistake.

A page of the book is built with the recorded exercises of its chapter, so that the judge can work in a browser without
the models that computed the answers. Graded exercises are never recorded.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from chip2cluster.exercise.answers import Array, build_array, normalize
from chip2cluster.exercise.critique import Critique, WorkedAnswer
from chip2cluster.exercise.model import Case, Exercise, Group, Mistake, Together

TEXTS = ("id", "title", "signature", "unit", "points", "tolerance", "explanation", "close")


class RecordedExercise(Exercise):
    """Exercise whose reference and mistakes know the recorded cases only."""

    def cases(self, seed: int) -> list[Case]:
        """Return the recorded cases, whatever the seed, because other ones have no recorded answers."""
        return super().cases(seed) if self.critique else self.visible_cases


class NotRecordable(TypeError):
    """An exercise that cannot be recorded; the message says why."""


def record(exercise: Exercise) -> dict[str, Any]:
    """Return an exercise of a chapter as a dict that JSON can hold.

    Raises
    ------
    NotRecordable
        If the exercise is graded, scored or personal, or an input has a type that JSON cannot bring back.
    """
    if exercise.graded or exercise.rate or exercise.constants:
        raise NotRecordable(f"{exercise.id} is graded, scored or personal: its answers must not leave the course")
    cases = exercise.visible_cases

    def answers(function: Callable[..., Any]) -> list[Any]:
        return [_encode(normalize(function(**case.inputs))) for case in cases]

    return {
        **{name: getattr(exercise, name) for name in TEXTS},
        "hints": exercise.hints,
        "allowed": exercise.allowed,
        "former_words": exercise.former_words,
        "meaning": exercise.meaning() if exercise.meaning else "",
        "groups": [[group.name, group.share, group.verdict, group.advice] for group in exercise.groups],
        "cases": [
            {
                "group": case.group,
                "inputs": _encode(dict(case.inputs)),
                "digest": _encode(dict(exercise.digest(**case.inputs))) if exercise.digest else None,
            }
            for case in cases
        ],
        "expected": answers(exercise.reference),
        "mistakes": [
            [mistake.name, mistake.message, mistake.verdict, mistake.share, answers(mistake.wrong)]
            for mistake in exercise.mistakes
        ],
        "together": [[pair.first, pair.second, answers(pair.wrong)] for pair in exercise.together],
        "critique": asdict(exercise.critique) if exercise.critique else None,
    }


def restore(recorded: Mapping[str, Any], **fields: Any) -> RecordedExercise:
    """Return the exercise of a record, with other attributes that a record does not hold, such as ``solution``."""
    cases = [Case(_decode(case["inputs"]), case["group"]) for case in recorded["cases"]]
    places = {_key(case.inputs): place for place, case in enumerate(cases)}

    def look_up(values: list[Any], /, **inputs: Any) -> Any:
        return _decode(values[places[_key(inputs)]])

    digests = [case["digest"] for case in recorded["cases"]]
    exercise = RecordedExercise(
        **{name: recorded[name] for name in TEXTS},
        hints=tuple(recorded["hints"]),
        allowed=tuple(recorded["allowed"]),
        former_words=tuple(map(tuple, recorded["former_words"])),
        meaning=partial(str, recorded["meaning"]) if recorded["meaning"] else None,
        groups=tuple(
            Group(name, share, _no_draw, verdict, advice) for name, share, verdict, advice in recorded["groups"]
        ),
        reference=partial(look_up, recorded["expected"]),
        mistakes=tuple(
            Mistake(name, partial(look_up, wrong), message, verdict, share)
            for name, message, verdict, share, wrong in recorded["mistakes"]
        ),
        together=tuple(
            Together(first, second, partial(look_up, wrong)) for first, second, wrong in recorded["together"]
        ),
        digest=partial(look_up, digests) if any(digests) else None,
        critique=_critique(recorded["critique"]),
        **fields,
    )
    exercise.__dict__["_visible"] = cases  # the place of the cached property, so that nothing is drawn
    return exercise


def _critique(recorded: Mapping[str, Any] | None) -> Critique | None:
    if recorded is None:
        return None
    return Critique(
        recorded["task"],
        tuple(WorkedAnswer(**answer) for answer in recorded["answers"]),
        tuple(recorded["statements"]),
        tuple(map(tuple, recorded["messages"])),
    )


def _no_draw(_: Any) -> list[dict[str, Any]]:
    raise NotRecordable("a recorded exercise draws no new cases")


def _key(inputs: Mapping[str, Any]) -> str:
    return json.dumps(_encode(dict(inputs)), sort_keys=True)


_SIMPLE = (bool, int, float, str)


def _encode(value: Any) -> Any:
    """Return a value as JSON can hold it; what JSON has no type for becomes a list after the name of its type."""
    kind = type(value)
    if value is None or kind in _SIMPLE:
        return value
    if kind is list:
        nested = any(type(item) not in _SIMPLE for item in value)
        return {"list": [_encode(item) for item in value]} if nested else value
    if kind is tuple:
        return {"tuple": [_encode(item) for item in value]}
    if kind is dict:
        return {"dict": [[_encode(key), _encode(item)] for key, item in value.items()]}
    if isinstance(value, Array):
        dtype = getattr(value, "dtype", None)
        if dtype is not None and dtype.kind not in "iuf":
            raise NotRecordable(f"an array of {dtype} cannot be recorded")
        return {
            "array": value.ravel().tolist(),
            "shape": [*value.shape],
            "dtype": "float64" if dtype is None else str(dtype),
        }
    if hasattr(value, "item") and not getattr(value, "shape", ()):  # a number of NumPy's
        return value.item()
    raise NotRecordable(f"an input of type {kind.__name__} cannot be recorded: {value!r}")


def _decode(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    match [*value]:
        case ["list"]:
            return [_decode(item) for item in value["list"]]
        case ["tuple"]:
            return tuple(_decode(item) for item in value["tuple"])
        case ["dict"]:
            return {_decode(key): _decode(item) for key, item in value["dict"]}
    return build_array(value["array"], tuple(value["shape"]), value["dtype"])
