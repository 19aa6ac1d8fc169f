"""An explorer says once how it is set: its controls do where they are shown, a caption where they are not."""

import html
import re
from itertools import combinations

import pytest

from chip2cluster.explore.base import _unbroken
from tests.pictures import states
from tests.sampling import sampled

MOVED = 3  # states a day, besides the first
SUBTITLE = re.compile(r'<text x="8\.0" y="47\.6" font-size="13" [^>]*>(.*?)</text>')
WORD = re.compile(r"[^\W\d_]{2}")  # a number alone may be met by chance

EVERY = pytest.mark.parametrize("name", states.explorers())


def moved(explorer):
    """The first state and some in which one control has moved."""
    start = explorer.reset().values
    wanted = {
        f"{control.name} {control.written(choice)}": {control.name: choice}
        for control in explorer.controls
        for choice in control.choices(start)
    }
    yield explorer
    for name in sampled(wanted, MOVED):
        yield explorer.reset().set(**wanted[name])


def within(words, text):
    """Whether a text has these words, and not only as a part of longer ones; a single word as a clause of its own."""
    if not re.search(r"\W", words):
        return words in clauses(text)
    return re.search(rf"(?<![\w.,]){re.escape(words)}(?![\w]|[.,]\d)", text) is not None


def clauses(text):
    """Return the pieces between the marks of a text that are long enough to be noticed again."""
    return [piece for piece in re.split(r" · |[,;:.] ", text) if WORD.search(piece) and len(piece) > 3]


def subtitle(frame):
    found = SUBTITLE.search(frame.picture.svg)
    return html.unescape(found[1]) if found else ""


def seen(still):
    """Return the words of a still, the alternative texts apart."""
    return html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", still, flags=re.DOTALL))


def repeats(explorer):
    """Return what a reader of this state is told twice."""
    frame = explorer.current
    under, note, caption = subtitle(frame), frame.table.note, frame.table.caption
    values = explorer.values
    found = [
        f"{place} says {control.label}: {text!r}"
        for control in explorer.controls
        for text in [control.written(values[control.name])]
        for place, words in (("subtitle", under), ("note", note))
        if not isinstance(values[control.name], bool) and WORD.search(text) and within(text, words)
    ]
    places = {"title": frame.picture.title, "subtitle": under, "note": note, "caption": caption}
    found += [
        f"{first} and {second} both say {piece!r}"
        for (first, words), (second, others) in combinations(places.items(), 2)
        for piece in {*clauses(words), *clauses(others)}
        if within(piece, words) and within(piece, others)
    ]
    if caption:
        still = seen(explorer.still()).replace(_unbroken(explorer.sentence), "")
        found += [
            f"{caption!r} is {count} times in the {place}"
            for place, text in (("alternative text", frame.alt), ("still", still))
            if (count := text.count(caption)) != 1
        ]
        if len(clauses(caption)) > 1 and caption in explorer.sentence:
            found.append("the sentence says the whole caption")
        if caption in explorer.content()["table"]:
            found.append("the table beside the controls says how they are set")
    return found


@EVERY
def test_state_is_said_once(name):
    explorer = states.explorers()[name]()
    found = {str(explorer.values): told for _ in moved(explorer) if (told := repeats(explorer))}
    assert not found


def test_repeats_are_found():
    class Repeating(states.explorers()["Roofline"]):
        def frame(self, values):
            frame = super().frame(values)
            subtitle = f'<text x="8.0" y="47.6" font-size="13" fill="#5b6270">{frame.table.caption}</text>'
            svg = frame.picture.svg.replace("</svg>", f"{subtitle}</svg>")
            object.__setattr__(frame.picture, "svg", svg)
            return frame

    told = repeats(Repeating())
    assert "subtitle says Device: 'A100 SXM 80GB'" in told and "subtitle and caption both say 'bf16'" in told
