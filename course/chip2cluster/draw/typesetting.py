"""Width of text in the course's typeface, and line breaking."""

import re
from collections.abc import Iterable
from functools import lru_cache

from . import style, typeface

_AMOUNT = re.compile(r"(\d) (?=[%×]|[^\W\d_]{1,2}\b|\w+/\w+\b)")  # no line ends between a number and its unit


@lru_cache(maxsize=4096)
def text_size(text: str, size: float, weight: str = "normal") -> tuple[float, float]:
    """Width and height in pixels of one line of text in the course's typeface."""
    return size * sum(typeface.advance(character, weight) for character in text), 1.15 * size


def lines(text: str, width: float, size: float = style.TEXT, weight: str = "normal") -> list[str]:
    """A text in lines of so many pixels, broken between words.

    >>> lines("8 links join the halves", 80)
    ['8 links join', 'the halves']
    """
    done = [""]
    for word in _AMOUNT.sub("\\1\N{NO-BREAK SPACE}", text).split(" "):
        longer = f"{done[-1]} {word}".strip()
        if done[-1] and text_size(longer, size, weight)[0] > width:
            done.append(word)
        else:
            done[-1] = longer
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in done]


def flow(words: Iterable[str], left: float, right: float, mark: float = 20, gap: float = 14) -> list[tuple[float, int]]:
    """Where the entries of a key begin that stand one behind the other, in as many rows as they need.

    >>> flow(("half A", "half B"), 8, 340), flow(("half A", "half B"), 8, 90)
    ([(8, 0), (75.2, 0)], [(8, 0), (8, 1)])
    """
    places, x, row = [], left, 0
    for word in words:
        wide = mark + text_size(word, style.TEXT)[0]
        if x > left and x + wide > right:
            x, row = left, row + 1
        places.append((round(x, 1), row))
        x += wide + gap
    return places
