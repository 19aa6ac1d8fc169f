"""A student's cells as formgrader and nbconvert may show them: nothing in them runs, loads, or reaches out of its cell.

Markdown is full of ways to write HTML that no filter of its source foresees, and a filter of HTML
would spoil what is written. So single characters are kept apart: whoever reads the page sees what
was typed, and no renderer finds a tag, a link, a picture or a command of MathJax in it.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .outputs import CONTROL_CHARACTERS, clean_png, clean_text, pixel_area

WORD_JOINER = "\u2060"  # takes no room and breaks no line; it belongs to no tag, link or name
# A page is made while formgrader's server waits, in a time that grows with the square of a text's or a line's length.
MAX_TEXT, MAX_CODE, MAX_LINE = 12_000, 30_000, 500  # characters of a text, of a cell's code, of a line of code
TOTAL_TEXT, TOTAL_CODE, TOTAL_PRINTED = 60_000, 150_000, 500_000  # characters of all cells of a notebook
TOTAL_PIXELS = 100_000_000
SHOWN_TYPES = ("text/plain", "image/png")  # of an output, besides the verdict
NO_PICTURE = "A picture is left out here: it is too large, no PNG, or one of too many."

# A tag that does nothing may stay, where its end is in sight.
_TAG = re.compile(r"(<br ?/?>|<(sub|sup|kbd|mark)>[^<\n]*</\2>)|<(?=[a-zA-Z/!?]|\Z)")
_APART = re.compile(
    r"""
      (?<=!)(?=\[)                          # a picture, which tells its server who reads
    | (?<=\])(?=[(:])                       # a link, or the address of one
    | (?<=\#)(?![\#\u2060])                  # a heading: its anchor may have the name of a field for points
    | (?<=[mM][eE][rR])(?=[mM][aA][iI][dD]) # a drawing made by a script
    | (?<=\\)(?=(?:href|style|class|cssId|data|require|unicode|bbox|mml[A-Z]|[egx]?def|let|global|long|futurelet
        |(?:re)?new|Declare|load|texttip|toggle|mathtip|enclose|input|include))
    """,
    re.VERBOSE,
)
_CUT = re.compile(r"\n\n(?:# )?… cut here; the whole, [0-9a-f]{12}, is in what was handed in\.\Z")
_UNDERLINES = frozenset("-= \t>*+.)0123456789")


def sanitize_notebook(notebook: Any, released: Mapping[str, str], code: bool = True) -> None:
    """Make a notebook harmless to look at, in place. Doing it twice changes nothing more.

    Parameters
    ----------
    notebook : dict
        Nothing in it is believed.
    released : mapping
        From `released_sources`. A cell that says what it was released with is left alone.
    code : bool
        Also shorten code cells and look at their outputs; not before they have run.
    """
    room = _Room()
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        own = released.get(cell.get("id")) != source
        if cell["cell_type"] == "code":
            if not code:
                continue
            # nbgrader has yet to read the points of a check cell there, and takes what is no number for full marks.
            space = _Room() if _is_check(cell) else room
            cell["outputs"] = [output for output in cell.get("outputs", ()) if _is_kept(output, space)]
            if own:
                cell["source"] = _shortened(_folded(_visible(source)), min(MAX_CODE, room.code), "# ")
                room.code -= len(cell["source"])
        elif own:
            cell.pop("attachments", None)
            text = _shortened(_visible(source.replace(WORD_JOINER, "")), min(MAX_TEXT, room.text))
            room.text -= len(text)
            cell["source"] = neutralize_markdown(text)


def released_sources(released: Mapping[str, Any]) -> dict[str, str]:
    """The sources of a released notebook's cells by id, for `sanitize_notebook`."""
    return {cell["id"]: "".join(cell["source"]) for cell in released["cells"] if "id" in cell}


def neutralize_markdown(markdown: str) -> str:
    """Markdown that reads the same and holds no HTML, link, picture, anchor or command that defines.

    Doing it twice changes nothing more.
    """
    text = _APART.sub(WORD_JOINER, _TAG.sub(lambda found: found[1] or "<" + WORD_JOINER, markdown))
    return "\n".join(map(_not_underlined, text.split("\n")))


def _not_underlined(line: str) -> str:
    """Keep a line of ``---`` or ``===``, in lists and quotations too, from making a heading of the one above."""
    stripped = line.rstrip(" \t")
    if not stripped.endswith(("-", "=")) or not _UNDERLINES.issuperset(stripped):
        return line
    before = stripped.rstrip("-=")
    return before + WORD_JOINER + line[len(before) :]


def _is_check(cell: Any) -> bool:
    marks = cell["metadata"].get("nbgrader")
    return isinstance(marks, dict) and bool(marks.get("grade")) and not marks.get("solution")


def _visible(source: str) -> str:
    """Control characters seen, not obeyed: what hides a line in a terminal hides it from a reader."""
    return clean_text(CONTROL_CHARACTERS.sub("\ufffd", source.replace("\r\n", "\n").replace("\r", "\n")))


def _folded(code: str) -> str:
    """Break lines that nobody reads to their end."""
    pieces = (line[at : at + MAX_LINE] for line in code.split("\n") for at in range(0, len(line) or 1, MAX_LINE))
    return "\n".join(pieces)


def _shortened(text: str, most: int, comment: str = "") -> str:
    if len(text) <= most or ((done := _CUT.search(text)) and done.start() <= max(most, 0)):
        return text
    # The digest tells two long texts with the same beginning apart.
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"{text[: max(most, 0)]}\n\n{comment}… cut here; the whole, {digest}, is in what was handed in."


def _is_kept(output: Any, room: "_Room") -> bool:
    """Take from an output what nobody needs to see; whether anything is left of it."""
    if isinstance(data := output.get("data"), dict):
        for kind in [kind for kind in data if kind not in SHOWN_TYPES and not kind.endswith("verdict+json")]:
            del data[kind]
        if "text/plain" in data and data["text/plain"] != NO_PICTURE:
            data["text/plain"] = room.printed(data["text/plain"])
        if "image/png" in data and not room.has_place_for(clean_png(data["image/png"])):
            data["text/plain"] = NO_PICTURE
            del data["image/png"]
        output["metadata"] = {}
        return bool(data)
    for part in ("text", "traceback"):
        if part in output:
            text = room.printed("\n".join(output[part]) if part == "traceback" else output[part])
            output[part] = text.split("\n") if part == "traceback" else text
    return True


@dataclass
class _Room:
    """What is left of a page for one student."""

    text: int = TOTAL_TEXT
    code: int = TOTAL_CODE
    output: int = TOTAL_PRINTED
    pixels: int = TOTAL_PIXELS

    def printed(self, text: str | list[str]) -> str:
        whole = clean_text("".join(text))
        shown = whole[: max(self.output, 0)]
        self.output -= len(shown)
        return shown if shown == whole else f"{shown}\n… cut here"

    def has_place_for(self, picture: str | None) -> bool:
        size = pixel_area(base64.b64decode(picture[:32])) if picture else None
        fits = size is not None and size <= self.pixels
        self.pixels -= size if fits and size else 0
        return fits
