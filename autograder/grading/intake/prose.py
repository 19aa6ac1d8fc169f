"""Find prose in a student's cell: text of a Markdown cell, and comments and strings of a code cell.

Untrusted source is scanned once, in time proportional to its length, and never parsed.
"""

import html
import keyword
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

MIN_WORDS = 20  # words of a text that may be a written answer
MIN_STRING_WORDS = 8  # words of a string; labels of axes have fewer
MIN_DENSITY = 0.4  # pairs of words for each word of a string; the output of a program has fewer
GRAM_LENGTH = 4  # words; a passage of this length, or a shorter text, that the course wrote is not the student's
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?(?:"""|\Z)|\'\'\'(?:\\.|[^\\])*?(?:\'\'\'|\Z)'
    r'|"(?:\\.|[^"\\\n])*+"?|\'(?:\\.|[^\'\\\n])*+\'?|#[^\n]*|\n|[^"\'#\n]+',
    re.DOTALL,
)
_DEF = re.compile(r"(?:async[ \t]+)?def[ \t]")
# What is left of a line that prints sentences or gives them a name.
_PRINTED = re.compile(
    r'(?:[A-Za-z_]\w*[ \t]*=[ \t]*)?(?:print|display|Markdown|\b[frbuFRBU]{1,2}(?=[),+ \t]|$)|[()",+ \t])*'
)
# Scripts without blanks between words.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
# Scripts in which a word has several letters and no blank follows it: Thai, Lao, Tibetan, Burmese, Khmer.
_JOINED = re.compile(r"[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff]")
JOINED_LENGTH = 5  # letters and vowel signs of a word in these scripts, on average
_CODE = re.compile(r"[=\[\](){}]|^\s*(?:import|from|def|return|@|%|!)")
_MARKS = re.compile(r"[\W_]+")


class KnownText:
    """Text that the course wrote, by its passages of a few words."""

    def __init__(self, sources: Iterable[str]) -> None:
        self._grams: set[tuple[str, ...]] = set()
        for source in sources:
            words = _normalized(source.split())
            for length in range(1, GRAM_LENGTH + 1):
                self._grams.update(zip(*(words[start:] for start in range(length)), strict=False))

    def own_words(self, text: str) -> int:
        """Return the number of words of a text that are not part of a known passage."""
        # Editors of formatted text write a blank as an entity.
        words = [word for word in html.unescape(text).split() if _letters(word)]
        normalized = _normalized(words)
        known = [False] * len(words)
        length = min(GRAM_LENGTH, len(words)) or 1
        for start in range(len(words) - length + 1):
            if tuple(normalized[start : start + length]) in self._grams:
                known[start : start + length] = [True] * length
        return sum(_letters(word) for word, is_known in zip(words, known, strict=True) if not is_known)


def code_prose(source: str) -> Iterator[str]:
    """Yield the prose of a code cell: runs of comments and long strings outside every ``def``, or a cell of plain text.

    A run is made of lines without code, blank lines included. A comment behind code is a run of its own. Lines that
    look like code which was commented out are left out.
    """
    if _is_plain_text(source):
        yield source
        return
    run: list[str] = []
    for text, alone in _pieces(source):
        if alone and text is not None:
            run.append(text)
            continue
        if run:
            yield "\n".join(run)
            run = []
        if text is not None:
            yield text
    if run:
        yield "\n".join(run)


def is_only_prose(source: str) -> bool:
    """Return whether a code cell consists of comments and sentences alone, printed or not.

    >>> is_only_prose("# I would buy the second one,"), is_only_prose("batch = 8  # I would buy the second one,")
    (True, False)
    """
    return not any(code and not _PRINTED.fullmatch(code) for _, code, _ in _lines(source))


def _pieces(source: str) -> Iterator[tuple[str | None, bool]]:
    """Yield comments and long strings outside every ``def``, and whether they stand without code; None for other code.

    A comment that is indented no further than a ``def`` belongs to its body if more of the body follows.
    """
    inside: int | None = None  # indentation of the def around the line
    doubtful: list[tuple[str | None, bool]] = []
    for indent, code, texts in _lines(source):
        if code and inside is not None:
            if indent > inside or code.startswith((")", "]", "}")):
                doubtful.clear()
                continue
            inside = None
        if inside is None:
            yield from doubtful
            doubtful.clear()
        if inside is None and code and _DEF.match(code):
            yield None, False
            inside = indent
            continue
        is_printed = bool(texts) and _PRINTED.fullmatch(code) is not None
        found: list[tuple[str | None, bool]] = [(text, not code or is_printed) for text in texts]
        if inside is None:
            yield from found
            if code and not found:
                yield None, False
        elif texts and indent <= inside:
            doubtful += found
    yield from doubtful


def _lines(source: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield indentation, code without comments and prose strings, and the texts of each logical line."""
    line, code = "", ""
    texts: list[str] = []
    for token in _TOKEN.findall(source):
        if token == "\n":
            yield len(line) - len(line.lstrip()), code.strip(), texts
            line, code, texts = "", "", []
            continue
        line += token if not line.strip() else ""
        if token[0] == "#":
            comment = token.lstrip("#! ").rstrip()
            if _is_remark(comment):
                texts.append(comment)
        elif token[0] in "\"'":
            text = token.strip("\"'").replace("\\n", "\n").strip()
            if _is_sentence(text):
                texts.append(text)
            else:
                code += '""'
        else:
            code += token
    yield len(line) - len(line.lstrip()), code.strip(), texts


def _is_plain_text(source: str) -> bool:
    """Return whether a code cell contains a text, because somebody did not change the type of the cell."""
    magic, _, body = source.lstrip().partition("\n")
    if magic.rstrip() in ("%%markdown", "%%latex", "%%html"):
        return sum(map(_letters, body.split())) >= MIN_WORDS
    plain = "".join(token for token in _TOKEN.findall(source) if token[0] not in "\"'#")
    lines = [line for line in plain.splitlines() if not line.lstrip().startswith(("%", "!"))]
    return sum(_pairs(line) + len(_UNSPACED.findall(line)) for line in lines) >= MIN_WORDS // 2


def _is_remark(comment: str) -> bool:
    """Return whether a comment is text, and not code that was commented out."""
    return _pairs(comment) > 0 or bool(_UNSPACED.search(comment)) or not _CODE.search(comment)


def is_prose(text: str) -> bool:
    """Return whether a text is long enough for a written answer and mostly sentences, unlike the output of a program."""
    return sum(map(_letters, text.split())) >= MIN_WORDS and _is_sentence(text)


def _is_sentence(string: str) -> bool:
    """Return whether a string is prose, and not a label or the output of a program."""
    count = sum(map(_letters, string.split()))
    return count >= MIN_STRING_WORDS and _pairs(string) + len(_UNSPACED.findall(string)) >= MIN_DENSITY * count


def _pairs(line: str) -> int:
    """Return how often two words follow each other, which never happens in Python but for its keywords."""
    plain = [word.rstrip(".,;:!?") for word in line.split(" ")]
    words = [bare if bare.isalpha() and not keyword.iskeyword(bare) else "" for bare in plain]
    given = line.split(" ")
    return sum(
        bool(first and second and first == typed)
        for (first, second), typed in zip(pairwise(words), given, strict=False)
    )


def _letters(word: str) -> int:
    """Return as how many words a sequence of characters without blanks counts."""
    if not any(map(str.isalpha, word)):
        return 0
    return max(1, len(_UNSPACED.findall(word)) + len(_JOINED.findall(word)) // JOINED_LENGTH)


def _normalized(words: Iterable[str]) -> list[str]:
    """Return words in lower case without punctuation and Markdown's marks, which editors change."""
    return [bare for word in words if _letters(word) and (bare := _MARKS.sub("", word).casefold())]
