"""Sanitize a student's notebook for formgrader and nbconvert: nothing in it runs, loads or leaves its cell.

Markdown has more ways to write HTML than a filter of its source can foresee, and a filter of the
rendered HTML would change what students wrote. So an invisible character separates the first characters
of each construct: readers see the text as typed, and no renderer finds a tag, a link, a picture or a
defining command of MathJax in it.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from .outputs import CONTROL_CHARACTERS, clean_png, clean_text, pixel_area
from .pictures import REFERENCE, Attachments, clean_attachments, picture_area

WORD_JOINER = "\u2060"  # invisible, breaks no line, and is part of no tag, link or name
# Formgrader's server waits for nbconvert, whose time grows with the square of the length of a text or line.
MAX_TEXT, MAX_CODE, MAX_LINE = 12_000, 30_000, 500  # characters of a text, of a cell's code, of a line of code
TOTAL_TEXT, TOTAL_CODE, TOTAL_PRINTED = 60_000, 150_000, 500_000  # characters of all cells of a notebook
TOTAL_PIXELS = 100_000_000
SHOWN_TYPES = ("text/plain", "image/png")  # MIME types of outputs, besides the verdict
NO_PICTURE = "A picture is left out here: it is too large, not a PNG, or one of too many."

# A harmless tag may stay if it is closed on the same line.
_TAG = re.compile(r"(<br ?/?>|<(sub|sup|kbd|mark)>[^<\n]*</\2>)|<(?=[a-zA-Z/!?]|\Z)")
_SEPARATED = re.compile(
    r"""
      (?<=!)(?=\[)                          # a picture: its server would learn who reads the page
    | (?<=\])(?=[(:])                       # a link or its address
    | (?<=\#)(?![\#\u2060])                  # a heading: its anchor could have the name of a points field
    | (?<=[mM][eE][rR])(?=[mM][aA][iI][dD]) # a Mermaid diagram
    | (?<=\\)(?=(?:href|style|class|cssId|data|require|unicode|bbox|mml[A-Z]|[egx]?def|let|global|long|futurelet
        |(?:re)?new|Declare|load|texttip|toggle|mathtip|enclose|input|include))
    """,
    re.VERBOSE,
)
# Notes of this version and of earlier ones.
_CUT = re.compile(
    r"\n\n(?:# )?… cut here; the (?:submission has the full text \([0-9a-f]{12}\)|whole, [0-9a-f]{12}, is in what was handed in)\.\Z"
)
_UNDERLINES = frozenset("-= \t>*+.)0123456789")


def sanitize_notebook(notebook: Any, released: Mapping[str, str]) -> None:
    """Sanitize a notebook in place; the operation is idempotent.

    Parameters
    ----------
    notebook : dict
        The untrusted notebook.
    released : mapping
        Sources of the release by cell id, see `released_sources`; a cell with its released source stays as it is.
    """
    budget = _PageBudget()
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        own = released.get(cell.get("id")) != source
        if cell["cell_type"] == "code":
            # nbgrader reads the points of a check cell from its outputs, and gives full points for anything but a number.
            space = _PageBudget() if _is_check(cell) else budget
            cell["outputs"] = [output for output in cell.get("outputs", ()) if _filter_output(output, space)]
            if own:
                cell["source"] = _shortened(_with_broken_lines(_visible(source)), min(MAX_CODE, budget.code), "# ")
                budget.code -= len(cell["source"])
        elif own:
            pictures = budget.pictures(clean_attachments(cell.pop("attachments", None), source))
            text = _shortened(_visible(source.replace(WORD_JOINER, "")), min(MAX_TEXT, budget.text))
            budget.text -= len(text)
            cell["source"], attachments = _with_pictures(text, pictures)
            cell.update({"attachments": attachments} if attachments else {})


def released_sources(released: Mapping[str, Any]) -> dict[str, str]:
    """Return the sources of a released notebook's cells by id, for `sanitize_notebook`."""
    return {cell["id"]: "".join(cell["source"]) for cell in released["cells"] if "id" in cell}


def _with_pictures(text: str, pictures: Attachments) -> tuple[str, Attachments]:
    """Neutralize Markdown but for attached pictures, which get names that need no escaping; also return these."""
    parts, done = [], 0
    shown: Attachments = {}
    names: dict[str, str] = {}
    for found in REFERENCE.finditer(text):
        if bundle := pictures.get(old := unquote(found[2])):
            kind = next(iter(bundle)).rpartition("/")[2]
            name = names.setdefault(old, f"picture-{len(names) + 1}.{kind}")
            shown[name] = bundle
            parts += [neutralize_markdown(text[done : found.start()]), f"![picture](attachment:{name})"]
            done = found.end()
    return "".join([*parts, neutralize_markdown(text[done:])]), shown


def neutralize_markdown(markdown: str) -> str:
    """Return Markdown that reads the same without HTML, links, pictures, anchors and defining commands; idempotent."""
    text = _SEPARATED.sub(WORD_JOINER, _TAG.sub(lambda found: found[1] or "<" + WORD_JOINER, markdown))
    return "\n".join(map(_not_underlined, text.split("\n")))


def _not_underlined(line: str) -> str:
    """Keep a line of ``---`` or ``===``, also in lists and quotations, from turning the line above into a heading."""
    stripped = line.rstrip(" \t")
    if not stripped.endswith(("-", "=")) or not _UNDERLINES.issuperset(stripped):
        return line
    before = stripped.rstrip("-=")
    return before + WORD_JOINER + line[len(before) :]


def _is_check(cell: Any) -> bool:
    marks = cell["metadata"].get("nbgrader")
    return isinstance(marks, dict) and bool(marks.get("grade")) and not marks.get("solution")


def _visible(source: str) -> str:
    """Replace control characters by a visible mark, because they could hide lines from a reader."""
    return clean_text(CONTROL_CHARACTERS.sub("\ufffd", source.replace("\r\n", "\n").replace("\r", "\n")))


def _with_broken_lines(code: str) -> str:
    """Break lines longer than `MAX_LINE`."""
    pieces = (line[at : at + MAX_LINE] for line in code.split("\n") for at in range(0, len(line) or 1, MAX_LINE))
    return "\n".join(pieces)


def _shortened(text: str, limit: int, comment: str = "") -> str:
    if len(text) <= limit or ((done := _CUT.search(text)) and done.start() <= max(limit, 0)):
        return text
    # The checksum distinguishes two long texts with the same beginning.
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"{text[: max(limit, 0)]}\n\n{comment}… cut here; the submission has the full text ({digest})."


def _filter_output(output: Any, budget: "_PageBudget") -> bool:
    """Remove everything but text and pictures from an output, and return whether anything is left."""
    if isinstance(data := output.get("data"), dict):
        for kind in [kind for kind in data if kind not in SHOWN_TYPES and not kind.endswith("verdict+json")]:
            del data[kind]
        if "text/plain" in data and data["text/plain"] != NO_PICTURE:
            data["text/plain"] = budget.take_output(data["text/plain"])
        if "image/png" in data and not budget.has_room_for(clean_png(data["image/png"])):
            data["text/plain"] = NO_PICTURE
            del data["image/png"]
        output["metadata"] = {}
        return bool(data)
    for part in ("text", "traceback"):
        if part in output:
            text = budget.take_output("\n".join(output[part]) if part == "traceback" else output[part])
            output[part] = text.split("\n") if part == "traceback" else text
    return True


@dataclass
class _PageBudget:
    """Remaining size of the page of one notebook: characters of text, code and output, and pixels."""

    text: int = TOTAL_TEXT
    code: int = TOTAL_CODE
    output: int = TOTAL_PRINTED
    pixels: int = TOTAL_PIXELS

    def take_output(self, text: str | list[str]) -> str:
        whole = clean_text("".join(text))
        shown = whole[: max(self.output, 0)]
        self.output -= len(shown)
        return shown if shown == whole else f"{shown}\n… cut here"

    def pictures(self, attachments: Attachments) -> Attachments:
        """Return the attached pictures that fit the page."""
        kept = {}
        for name, bundle in attachments.items():
            area = picture_area(bundle)
            if area is not None and area <= self.pixels:
                self.pixels -= area
                kept[name] = bundle
        return kept

    def has_room_for(self, picture: str | None) -> bool:
        size = pixel_area(base64.b64decode(picture[:32])) if picture else None
        fits = size is not None and size <= self.pixels
        self.pixels -= size if fits and size else 0
        return fits
