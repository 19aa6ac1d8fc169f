"""A student's cells as formgrader and nbconvert may show them: nothing in them runs, loads, or reaches out of its cell.

Markdown is full of ways to write HTML that no filter of its source foresees, and a filter of HTML
would spoil what is written. So single characters are kept apart: whoever reads the page sees what
was typed, and no renderer finds a tag, a link, a picture or a command of MathJax in it.
"""

import base64
import hashlib
import re
from collections.abc import Collection
from typing import Any

from ..harmless import CONTROL, area, clean, png
from ..lab import Lab

JOINER = "\u2060"  # takes no room and breaks no line; it belongs to no tag, link or name
LONGEST = 20_000  # characters of a text; Markdown takes a time that grows with their square
WIDEST_CODE = 100_000
MOST_TEXT, MOST_CODE = 100_000, 1_000_000  # characters of all of a student's texts, and of all code
MOST_PIXELS = 100_000_000
KINDS = ("text/plain", "image/png")  # of an output, besides the verdict

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
_UNDERLINES = frozenset("-= \t>*+.)0123456789")


def tame(notebook: Any, released: Collection[str] = (), code: bool = True) -> None:
    """Make a notebook harmless to look at, in place.

    Parameters
    ----------
    notebook : dict
        With the metadata of the release; locked cells are as released.
    released : collection of str
        Texts of the release. A cell that still says one of them is left alone.
    code : bool
        Also shorten code cells and look at their outputs; not before they have run.
    """
    texts, codes, pixels = MOST_TEXT, MOST_CODE, MOST_PIXELS
    for cell in notebook["cells"]:
        cell.pop("attachments", None)
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            if not code:
                continue
            pixels = _outputs(cell, pixels)
            if source not in released:
                cell["source"] = _shortened(_visible(source), min(WIDEST_CODE, codes), "# ")
                codes -= len(cell["source"])
        elif not _locked(cell) and source not in released:
            cell["source"] = apart(_shortened(_visible(source), min(LONGEST, texts), ""))
            texts -= len(cell["source"])


def texts_of(lab: Lab) -> set[str]:
    """The texts of a lab's released cells, for `tame`."""
    return {"".join(cell["source"]) for cell in lab.released["cells"]}


def apart(markdown: str) -> str:
    """Markdown that reads the same and holds no HTML, link, picture, anchor or command that defines.

    Doing it twice changes nothing more.
    """
    text = _APART.sub(JOINER, _TAG.sub(lambda found: found[1] or "<" + JOINER, markdown))
    return "\n".join(map(_not_underlined, text.split("\n")))


def _not_underlined(line: str) -> str:
    """Keep a line of ``---`` or ``===``, in lists and quotations too, from making a heading of the one above."""
    stripped = line.rstrip(" \t")
    if not stripped.endswith(("-", "=")) or not _UNDERLINES.issuperset(stripped):
        return line
    before = stripped.rstrip("-=")
    return before + JOINER + line[len(before) :]


def _locked(cell: Any) -> bool:
    marks = cell["metadata"].get("nbgrader", {})
    return bool(marks.get("locked")) and not marks.get("solution")


def _visible(source: str) -> str:
    """Control characters seen, not obeyed: what hides a line in a terminal hides it from a reader."""
    return clean(CONTROL.sub("\ufffd", source.replace("\r\n", "\n").replace("\r", "\n")))


def _shortened(text: str, most: int, comment: str) -> str:
    if len(text) <= most:
        return text
    # The digest tells two long texts with the same beginning apart.
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"{text[: max(most, 0)]}\n\n{comment}… cut here; the whole, {digest}, is in what was handed in."


def _outputs(cell: Any, pixels: int) -> int:
    """Leave out what no one needs to see of a cell's outputs; return how many pixels are left for other cells."""
    kept = []
    for output in cell.get("outputs", ()):
        if isinstance(data := output.get("data"), dict):
            for kind in [kind for kind in data if kind not in KINDS and not kind.endswith("verdict+json")]:
                del data[kind]
            if "image/png" in data:
                picture = png(data.pop("image/png"))
                size = area(base64.b64decode(picture[:32])) if picture else None
                if picture and size and size <= pixels:
                    data["image/png"], pixels = picture, pixels - size
                else:
                    data["text/plain"] = "A picture is left out here: it is too large, no PNG, or one of too many."
            output["metadata"] = {}
            if not data:
                continue
        kept.append(output)
    cell["outputs"] = kept
    return pixels
