"""Runs of words that two texts share, whatever their case, punctuation and layout."""

import re
import unicodedata
from collections.abc import Collection, Hashable, Sequence

RUN = 6  # words; shorter runs are shared by answers that nobody copied
MAX_WORDS = 6_000  # of a text
# Characters that show nothing, which would part a word in two.
_INVISIBLE = "\u00ad\u200b-\u200f\u2060\ufeff"
# Chinese and Japanese put no spaces between words, so there each character counts.
_ALONE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"[{_ALONE}]|\d+(?:[.,]\d+)+|[^\W_{_ALONE}](?:[^\W_{_ALONE}]|[{_INVISIBLE}])*")
_DROPPED = re.compile(f"[{_INVISIBLE}]")
Run = tuple[Hashable, ...]


class WordText:
    """Words of a text and where they are in it.

    Parameters
    ----------
    text : str

    Attributes
    ----------
    text : str
    words : list
        Words in lower case, without punctuation; at most `MAX_WORDS`.
    """

    def __init__(self, text: str) -> None:
        found = [match for _, match in zip(range(MAX_WORDS), _WORD.finditer(text), strict=False)]
        self.text, self._spans = text, [match.span() for match in found]
        self.words: list[Hashable] = [
            _DROPPED.sub("", unicodedata.normalize("NFKC", match[0])).casefold() for match in found
        ]

    def runs(self) -> list[Run]:
        """Return the run of `RUN` words that begins at each word, as far as there are so many."""
        return word_runs(self.words, RUN)

    def passage(self, start: int, count: int) -> str:
        """Return ``count`` words from word ``start`` on, as typed."""
        return self.text[self._spans[start][0] : self._spans[start + count - 1][1]]


def word_runs(words: Sequence[Hashable], length: int) -> list[Run]:
    """Return all runs of ``length`` words, in order."""
    return [tuple(words[start : start + length]) for start in range(len(words) - length + 1)]


def covered(starts: Collection[int]) -> set[int]:
    """Return the places of all words in runs of `RUN` words with these starts.

    Examples
    --------
    >>> sorted(covered([0, 1, 20]))
    [0, 1, 2, 3, 4, 5, 6, 20, 21, 22, 23, 24, 25]
    """
    return {place for start in starts for place in range(start, start + RUN)}


def longest_common_run(first: Sequence[Hashable], second: Sequence[Hashable]) -> tuple[int, int, int]:
    """Return where the longest run of words that two texts share begins in each, and its number of words.

    Notes
    -----
    If two texts share a run, they share every shorter part of it, so bisection finds the largest length; the time is
    bounded also for texts that repeat one word.

    Examples
    --------
    >>> longest_common_run("so the ridge is at 206".split(), "he says the ridge is high".split())
    (1, 2, 3)
    """
    best, low, high = (0, 0, 0), 1, min(len(first), len(second))
    while low <= high:
        length = (low + high) // 2
        theirs = {run: start for start, run in reversed([*enumerate(word_runs(second, length))])}
        found = next(((start, run) for start, run in enumerate(word_runs(first, length)) if run in theirs), None)
        if found is None:
            high = length - 1
        else:
            best, low = (found[0], theirs[found[1]], length), length + 1
    return best
