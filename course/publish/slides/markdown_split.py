"""Split a Markdown cell by its structure: blocks that a slide shows, and blocks for the speaker notes.

A heading is the slide's title. The first paragraph, every formula with the words that lead to it, lists and boxes are
shown; the rest goes to the notes. A paragraph is split between two sentences, a list between two points.
"""

import re
from dataclasses import dataclass, field
from math import ceil

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from ..book import mathml
from ..book.extension import BOXES

LINES, WIDTH = 10.5, 70  # of a slide at its usual size: lines below the title, characters in each
PARAGRAPH = 400  # characters of a paragraph that an audience reads while somebody speaks
FORMULA = 3.2  # lines
ERROR = "spot-the-error"
SENTENCE = re.compile(r"(?<=[.?!])(?:\s+)(?=[A-Z*\"$(\[`])")
SUMMARY = re.compile(r"<details>\s*<summary>(.*?)</summary>", re.S)
HEADING = re.compile(r"^#+\s+(.*)$", re.S)
POINT = re.compile(r"^(?=(?:\d+\.|[-*])\s)", re.M)
LOCAL = re.compile(r"\[([^\]]*)\]\((?!https?:)[^)\s]*(?: \"[^\"\n]*\")?\)")


@dataclass
class Piece:
    """One slide of a cell: Markdown by the block, as shown and as noted."""

    title: str = ""
    shown: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    box: str = ""

    @property
    def lines(self):
        """Approximate number of lines of the blocks shown."""
        return sum(map(_lines, self.shown))


def split_cell(source, title="", limit=PARAGRAPH):
    """Return the slides of a Markdown cell; ``title`` is the heading above it on the page."""
    made, blocks = [Piece(title)], _blocks(source)
    for place, (kind, text) in enumerate(blocks):
        following = blocks[place + 1][0] if place + 1 < len(blocks) else ""
        if kind == "heading":
            title = HEADING.match(text)[1]
            made.append(Piece(title))
        elif kind == "fold" and (len(blocks) == 1 or made[-1].box == ERROR):
            heading, inside = _open_fold(text)
            made += split_cell(inside, heading)
        elif kind == "blockquote":
            _add_box(made, text, title)
        elif kind == "math_block":
            _show_block(made, text, title)
        elif kind == "paragraph" and following == "math_block":
            words, rest = split_paragraph(text, from_end=True)
            made[-1].notes += rest
            if made[-1].shown and made[-1].lines + _lines(words) + FORMULA > LINES:
                made.append(Piece(title))
            _show_block(made, words, title)
        elif kind == "paragraph" and _has_room(made[-1], text):
            words, rest = split_paragraph(text, limit)
            _show_block(made, words, title)
            made[-1].notes += rest
        elif kind in ("bullet_list", "ordered_list"):
            if made[-1].shown and made[-1].lines + _lines(text) > LINES >= _lines(text):
                made.append(Piece(title))
            for point in POINT.split(text)[1:]:
                _show_block(made, point, title)
        else:
            made[-1].notes.append(text)
    return _without_empty(made)


def _has_room(piece, text):
    """Whether a paragraph is shown: it is the first of a slide, or both together are short."""
    if not piece.shown:
        return True
    short = len(plain_text("".join(piece.shown))) + len(plain_text(text)) <= PARAGRAPH
    return short and not piece.box and not piece.notes and piece.lines + _lines(text) <= LINES


def _show_block(made, text, title):
    """Show a block on the last slide, or on a new one if it is full."""
    last = made[-1]
    if last.shown and (last.box or last.lines + _lines(text) > LINES):
        last = Piece(title)
        made.append(last)
    last.shown.append(text)


def _add_box(made, text, title):
    """Add a slide for a box; the rest of a long box goes to the notes."""
    inside = re.sub(r"^>\s?", "", text, flags=re.M)
    name = re.match(r"\*\*(.+?)[.:]?\*\*", inside)
    box = Piece(title, box=name[1].lower().replace(" ", "-") if name and name[1].rstrip(".:") in BOXES else "quote")
    for place, (_, block) in enumerate(_blocks(inside)):
        room = LINES - box.lines
        if place and _lines(block) > room:
            box.notes.append(block)
            continue
        shown, rest = split_paragraph(block, limit=int(room * WIDTH * 0.85)) if _lines(block) > room else (block, [])
        box.shown.append(shown)
        box.notes += rest
    made.append(box)


def _without_empty(made):
    """Drop slides without content; their notes move to the previous slide, or to the next."""
    kept, waiting = [], []
    for piece in made:
        if piece.shown:
            piece.notes[:0] = waiting
            waiting = []
            kept.append(piece)
        elif kept:
            kept[-1].notes += piece.notes
        else:
            waiting += piece.notes
    return kept


def split_paragraph(text, limit=PARAGRAPH, from_end=False):
    """Return a paragraph's first sentences, or its last, and a list of the rest.

    >>> split_paragraph("One is here. Two is there.", limit=15)
    ('One is here.', ['Two is there.'])
    >>> split_paragraph("One is here. Two is there.", limit=15, from_end=True)
    ('Two is there.', ['One is here.'])
    """
    if len(plain_text(text)) <= limit:
        return text, []
    places = [match for match in SENTENCE.finditer(text) if _is_balanced(text[: match.start()])]
    fitting = [
        match
        for match in places
        if len(plain_text(text[match.end() :] if from_end else text[: match.start()])) <= limit
    ]  # fmt: skip
    if not fitting:
        fitting = places[-1:] if from_end else places[:1]
    if not fitting:
        return text, []
    at = fitting[0] if from_end else fitting[-1]
    before, after = text[: at.start()], text[at.end() :]
    return (after, [before]) if from_end else (before, [after])


def _is_balanced(text):
    """Whether all markup of a piece of Markdown is closed."""
    even = all(text.count(mark) % 2 == 0 for mark in ("$", "`", "*"))
    return even and all(text.count(a) == text.count(b) for a, b in ("()", "[]"))


def plain_text(text):
    """Return the approximate text of a piece of Markdown without its markup.

    >>> plain_text("The *ridge* of [chapter 3](03_roofline.ipynb)")
    'The ridge of chapter 3'
    """
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\\(?:text|mathrm)\{([^}]*)\}", r"\1", text)
    return re.sub(r"\\[a-zA-Z]+|[*`${}^_]", "", text)


def _lines(text):
    if text.lstrip().startswith("$$"):
        return FORMULA
    if text.lstrip().startswith("|"):
        return 1.4 * len(text.strip().splitlines())
    if text.lstrip().startswith("```"):
        return len(text.strip().splitlines()) * 0.9
    return sum(ceil(len(plain_text(line)) / WIDTH) + 0.4 for line in POINT.split(text) if line)


def _blocks(source):
    """Return kind and Markdown of each block at the top level; a fold with its content is one block."""
    lines, blocks, open_fold = source.splitlines(), [], None
    for token in MARKDOWN.parse(source):
        if token.level or token.nesting < 0 or token.map is None:
            continue
        first, last = token.map
        kind = token.type.removesuffix("_open")
        if kind == "html_block" and token.content.lstrip().startswith("<details"):
            open_fold = first
        if open_fold is None:
            blocks.append((kind, "\n".join(lines[first:last]).rstrip()))
        if kind == "html_block" and "</details>" in token.content:
            blocks.append(("fold", "\n".join(lines[open_fold:last])))
            open_fold = None
    return blocks


def _open_fold(text):
    return SUMMARY.search(text)[1], SUMMARY.sub("", text).replace("</details>", "").strip()


def html(text):
    """Render Markdown as HTML, with formulas as MathML and without links to local pages."""
    return SHOWN.render(LOCAL.sub(r"\1", text))


def notes_html(text):
    """Render Markdown as HTML for the notes, with open folds."""
    return html(re.sub(r"</?details>", "", re.sub(r"<summary>(.*?)</summary>", r"**\1**\n", text)))


def _formula(content, options):
    return mathml.block(content) if options["display_mode"] else mathml.mathml(content)


def _parser(tags):
    made = MarkdownIt("commonmark", {"html": tags}).enable("table")
    return made.use(dollarmath_plugin, renderer=_formula, double_inline=True, allow_space=True)


# Tags are structure when a cell is split, and text when it is shown.
MARKDOWN, SHOWN = _parser(tags=True), _parser(tags=False)
