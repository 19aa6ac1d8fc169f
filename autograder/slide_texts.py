"""Texts that a notebook's cells have for the slides of a lecture, and what is wrong with them.

A cell's metadata holds them: ``"slide": {"title": …, "text": …}``, or a list of such entries for several slides. A slide
has one statement as its title and few words, because nobody reads and listens at once.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

MOST = 40  # words on a slide; formulas, tables and pictures are not counted
BOXES = ("takeaway", "spot-the-error", "watch-out")
KEYS = {
    "title": str,  # the statement
    "text": str,  # Markdown below the title; of a prediction, its question in fewer words
    "box": str,  # one of BOXES, whose frame the text has
    "shows": list,  # of the cell's formulas and tables those that this slide shows, numbered from 1
    "answer": str,  # of a prediction: its reason in few words
}
ASKED = re.compile(r'predict\.ask\("([\w.]+)"\)')
_FORMULA = re.compile(r"\$\$.*?\$\$", re.S)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def entries(cell: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the slide texts of a cell, none if it has none."""
    said = cell["metadata"].get("slide", [])
    return [dict(said)] if isinstance(said, Mapping) else [dict(one) for one in said]


def words(markdown: str) -> int:
    """Count the words that an audience reads; a formula inside a line is one word.

    >>> words("The *ridge* of [chapter 3](03_roofline.ipynb) is $P/b$.")
    6
    """
    text = re.sub(r"^\|.*$", "", _FORMULA.sub("", markdown), flags=re.M)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"\$[^$]+\$", "x", text))
    return len([word for word in text.split() if re.search(r"\w", word)])


def missing(cells: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the id of each cell that begins a section in the slides and has no slide text."""
    for cell in cells:
        shown = cell["metadata"].get("slideshow", {}).get("slide_type") in ("slide", "subslide")
        section = cell["cell_type"] == "markdown" and "".join(cell["source"]).startswith("## ")
        if shown and section and "slide" not in cell["metadata"]:
            yield cell["id"]


def problems(cells: Iterable[Mapping[str, Any]], questions: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each slide text that a class cannot be shown.

    Parameters
    ----------
    cells : iterable of mapping
        Cells of a notebook.
    questions : mapping
        Text of each prediction, by its id.
    """
    cells, titles = list(cells), set()
    page = " ".join("".join(cell["source"]) for cell in cells)
    for cell in cells:
        where = f"the slide of cell {cell['id']}"
        asked = ASKED.match("".join(cell["source"]))
        try:
            texts = entries(cell)
        except (TypeError, ValueError):
            yield f'{where} must be {{"title": …, "text": …}} or a list of these'
            continue
        for entry in texts or [{}]:
            wrong = [key for key, value in entry.items() if not isinstance(value, KEYS.get(key, ()))]
            if wrong:
                yield f"{where} has {wrong[0]}={entry[wrong[0]]!r}; it may have {', '.join(KEYS)}"
                continue
            if asked:
                entry = {**entry, "text": entry.get("text") or questions.get(asked[1], "")}
            elif not entry and not texts:
                continue
            source = questions.get(asked[1], "") if asked else page
            yield from (f"{where} {line}" for line in _problems(entry, asked is None, titles, source))


def _problems(entry, titled, titles, source):
    title, text, answer = (entry.get(key, "") for key in ("title", "text", "answer"))
    if titled and not title.strip():
        yield "has no title: state in one sentence what it shows"
    for part in filter(None, (title, text, answer)):
        if part.rstrip().rstrip("*").endswith(":"):
            yield f"ends in a colon, {part[-30:]!r}: what comes next is on another slide, so make it a sentence"
    if (name := " ".join(title.casefold().split())) and name in titles:
        yield f"has a title that stood before, {title!r}: state what is new"
    titles.add(name)
    for part in (f"{title} {text}", answer):
        if (count := words(part)) > MOST:
            yield f"has {count} words, and an audience reads at most {MOST}: leave the rest to the notes"
    if (box := entry.get("box", BOXES[0])) not in BOXES:
        yield f"has the box {box!r}; there are {', '.join(BOXES)}"
    for number in _NUMBER.findall(f"{title} {text}"):
        if (number := number.rstrip(",")) not in source:
            yield f"says {number}, which the page does not: numbers are proved there"
