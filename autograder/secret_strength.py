"""Strength of a course secret: whether someone who has values that follow from it could find it by trying.

Students hold such values: the key in ``class.json``, the numbers of an exam paper, the second question of a lab. A
computer tries 10**9 secrets a second against them. Only a secret of random letters and digits withstands that.
"""

import math
import re
import secrets
from itertools import pairwise

PREFIX = "scrypt:"  # of a secret that is stretched before anything follows from it
COMMAND = "autograder secret"
MIN_BITS = 70.0
_HEX = re.compile(r"(?=.*\d)(?=.*[a-fA-F])[0-9a-fA-F]{32,}")
# A word, an acronym or a number such as a year is one symbol of a phrase, whatever its length.
_SYMBOL = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}|\d{3,}|[^\W_]")
_BITS_OF_A_LETTER, _BITS_OF_A_WORD = 5.0, 3.0
# Digits that replace letters in words, as in "c0ur5e".
_DIGIT_IN_WORD, _LETTERS = re.compile(r"(?<=[A-Za-z])[013457](?=[A-Za-z])"), str.maketrans("013457", "oieast")


def new_secret() -> str:
    """Return a new secret of 32 random bytes, with the prefix of stretched secrets."""
    while not is_strong(secret := PREFIX + secrets.token_hex(32)):  # one in millions looks like a phrase
        pass
    return secret


def is_strong(secret: str) -> bool:
    """Return whether a secret looks random; words, dates and repetitions do not.

    >>> is_strong("gpu-course-2027"), is_strong("correct horse battery staple"), is_strong("0123456789abcdef" * 4)
    (False, False, False)
    >>> is_strong("8fd1a70c3be94d25a6c0fe1b72d9843e")
    True
    """
    text = secret.removeprefix(PREFIX).strip()
    text = text[: _period(text)]
    if re.search(r"\s", text):
        return False
    if _HEX.fullmatch(text):
        return _entropy(text.lower()) >= MIN_BITS
    words, letters = set(), []
    for symbol in _SYMBOL.findall(_DIGIT_IN_WORD.sub(lambda digit: digit[0].translate(_LETTERS), text)):
        if len(symbol) > 1:
            words.add(symbol.lower())
        else:
            letters.append(symbol)
    bits = _BITS_OF_A_WORD * len(words) + min(_BITS_OF_A_LETTER * len(letters), _entropy("".join(letters)))
    return bits >= MIN_BITS


def require_strong(secret: str, purpose: str, instead: str) -> None:
    """Raise a ValueError if a secret can be guessed.

    Parameters
    ----------
    secret : str
        Secret of the course.
    purpose : str
        Material that students would get, such as "an exam", for the message.
    instead : str
        Sentence on what a course can do whose students have values of this secret already.
    """
    if not is_strong(secret):
        raise ValueError(
            f"the secret of this course can be guessed from {purpose}, because it is short or made of words; with it, "
            f"everybody's numbers, exams and hidden inputs can be computed. `{COMMAND}` prints a new one. {instead}"
        )


def _period(text: str) -> int:
    """Return the length of the shortest beginning that the text repeats, or of all of it."""
    lengths = range(1, len(text) // 2 + 1)
    return next((n for n in lengths if all(a == b for a, b in zip(text, text[n:], strict=False))), len(text))


def _entropy(text: str) -> float:
    """Return the bits of a text by the frequencies of its characters and of the steps between them; the smaller counts."""
    steps = [ord(b) - ord(a) for a, b in pairwise(text)]
    return min(_shannon(list(map(ord, text))), _shannon(steps))


def _shannon(values: list[int]) -> float:
    counts = [values.count(value) for value in set(values)]
    return -sum(count * math.log2(count / len(values)) for count in counts)
