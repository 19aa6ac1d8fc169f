"""What an explorer says in words is what its table says in numbers.

Every number of a sentence is read back and held against what `sentences.RULES` says that it is.
"""

import re

import pytest

from chip2cluster import units
from tests.notebooks.sentences import BESIDE, RULES


def views(kind):
    """Each option of each control, alone and with another control moved."""
    for beside in ({}, BESIDE[kind]):
        start = kind(**beside)
        for control in start.controls:
            for option in control.choices(start.values) if hasattr(control, "choices") else (False, True):
                yield (view := kind(**beside).set(**{control.name: option}))
            # A control that is moved leads where one begins: to draw all twice would say no more.
            made = kind(**view.values)
            assert (made.current.sentence, made.table) == (view.current.sentence, view.table)


def printed_as(text, value):
    """Whether a printed number, with or without a unit, is the value to half of its last digit."""
    number, _, unit = text.replace(",", "").partition(" ")
    scale = {"byte": 1.0, "bytes": 1.0, "": 1.0}.get(unit) or units.parse(f"1 {unit}")
    half = 0.5 * 10.0 ** -len(number.partition(".")[2])
    return value is not None and abs(float(number) - value / scale) <= half * (1 + 1e-6)


@pytest.mark.parametrize("kind", RULES, ids=lambda kind: kind.__name__)
def test_every_number_of_a_sentence_is_one_of_the_table(kind, unrendered):
    for view in views(kind):
        sentence = left = view.current.sentence
        assert sentence == units.with_minus(sentence), "a hyphen for a minus"
        for pattern, value in RULES[kind](view):
            for match in re.finditer(pattern, sentence):
                place = next(at for at in range(len(match.groups()), 0, -1) if match[at] is not None)
                assert printed_as(match[place], value), f"{view.values}: {match[0]!r}, but the table has {value}"
                start, end = match.span(place)
                left = left[:start] + " " * (end - start) + left[end:]
        names = [name for row in view.table for name in row.values() if isinstance(name, str)]
        for name in [*filter(lambda value: isinstance(value, str), view.values.values()), *names, "p/2", "L2 cache"]:
            left = left.replace(name, "")
        assert not re.search(r"\d", left), f"{view.values}: no rule covers the numbers of {left!r}"
