"""Find texts for paper that are not whole: words that need the notebook, names of code, numbers without a unit."""

import re
from collections.abc import Collection, Iterator
from string import Formatter

from chip2cluster.exercise.paper_task import Number, PaperTask

from ..exam.eligibility import paper_tasks

# Words that point at something that is not on the paper, or mean a person at a keyboard.
FORBIDDEN = {
    r"\bthe (table|picture|figure|cell|page|plot|explorer|notebook|chapter)\b": "points at a part of the notebook",
    r"\b(above|below)\s*[.,:;)]|\b(as|see|shown|given) (above|below)\b|\b(earlier|previous(ly)?|last time|all this)\b": "points at another place",
    r"\bnow\b": "continues a story that is not on the paper",
    r"\b(return|function|argument|variable|list of|tuple|string)\b": "speaks of code",
    r"`|\b[a-z]+_[a-z_]+\b|\b\w+\.\w+\(|\bTrue\b|\bFalse\b|\bNone\b": "has a name of code",
    r"https?://|\$": "has a link or a formula in source",
}
# A plain number stands before what it counts; a ratio stands behind its name.
_RATIO = re.compile(r"effectiveness \(PUE\)\W*(of|is|between)?[^.;?]*$")
_NOT_COUNTED = {
    "a",
    "an",
    "and",
    "are",
    "at",
    "by",
    "for",
    "from",
    "in",
    "is",
    "of",
    "on",
    "or",
    "over",
    "the",
    "to",
    "with",
}


def paper_problems(exercise_ids: Collection[str]) -> list[str]:
    """Return a line for each text for paper of these exercises that is not whole."""
    return [
        f"{name}: {problem}"
        for name, task in paper_tasks().items()
        if name in exercise_ids
        for problem in text_problems(task)
    ]


def text_problems(task: PaperTask) -> Iterator[str]:
    """Yield what a text for paper lacks."""
    words = " ".join([task.title, task.judgement, *(part for part, *_ in Formatter().parse(task.text))])
    for pattern, why in FORBIDDEN.items():
        if found := re.search(pattern, words, re.I if "True" not in pattern else 0):
            yield f"its text for paper says {found[0]!r}, which {why}"
    if re.search(r"\d", task.title):
        yield "its title for paper has a number, and papers have different ones"
    if "?" not in task.text and not re.search(r"\b(Give|Name|Write|Judge)\b", task.text):
        yield "its text for paper asks nothing"
    yield from _without_unit(task)


def _without_unit(task: PaperTask) -> Iterator[str]:
    """Yield the numbers of a text that have neither a unit nor a noun."""
    parts = list(Formatter().parse(task.text))
    for at, (before, name, *_) in enumerate(parts):
        number = task.given.get(name or "")
        if not isinstance(number, Number) or number.unit:
            continue
        if not _counts_something(task, parts[at + 1 :]) and not _RATIO.search(_text_before(task, parts[: at + 1])):
            yield f"its text for paper has a number without a unit or a noun: …{before[-30:]}{{{name}}}"


def _counts_something(task: PaperTask, rest: list) -> bool:
    """Return whether a noun, or a number with a unit, follows a plain number; a range or a product has one for both."""
    for text, name, *_ in rest:
        word = re.match(r"[\s×−+\-2]*(?:,|and|to|, and)?\s*([A-Za-z-]+)?", text)
        if word and word[1]:
            return word[1].lower() not in _NOT_COUNTED
        following = task.given.get(name or "")
        if not isinstance(following, Number):
            return False
        if following.unit:
            return True
    return False


def _text_before(task: PaperTask, parts: list) -> str:
    return "".join(
        f"{text}{'0' * bool(name) if at < len(parts) - 1 else ''}" for at, (text, name, *_) in enumerate(parts)
    )
