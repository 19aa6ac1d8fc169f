"""A Markdown cell cut by its structure: what a slide shows, and what is left for the speaker to say.

A heading is the slide's title. The first paragraph, every formula with the words that lead to it, lists and boxes are
shown; the rest goes to the notes. A paragraph is cut between two sentences, a list between two points.
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
LOCAL = re.compile(r"\[([^\]]*)\]\((?!https?:)[^)\s]*\)")


@dataclass
class Piece:
    """One slide of a cell: Markdown by the block, as shown and as noted."""

    title: str = ""
    shown: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    box: str = ""

    @property
    def lines(self):
        """How many lines the blocks shown take, about."""
        return sum(map(_lines, self.shown))


def pieces(source, title="", limit=PARAGRAPH):
    """The slides of a Markdown cell; ``title`` is the heading that stands above it on the page."""
    made, blocks = [Piece(title)], _blocks(source)
    for place, (kind, text) in enumerate(blocks):
        following = blocks[place + 1][0] if place + 1 < len(blocks) else ""
        if kind == "heading":
            title = HEADING.match(text)[1]
            made.append(Piece(title))
        elif kind == "fold" and (len(blocks) == 1 or made[-1].box == ERROR):
            heading, inside = _fold(text)
            made += pieces(inside, heading)
        elif kind == "blockquote":
            _quote(made, text, title)
        elif kind == "math_block":
            _put(made, text, title)
        elif kind == "paragraph" and following == "math_block":
            words, rest = cut(text, from_end=True)
            made[-1].notes += rest
            if made[-1].shown and made[-1].lines + _lines(words) + FORMULA > LINES:
                made.append(Piece(title))
            _put(made, words, title)
        elif kind == "paragraph" and _has_room(made[-1], text):
            words, rest = cut(text, limit)
            _put(made, words, title)
            made[-1].notes += rest
        elif kind in ("bullet_list", "ordered_list"):
            if made[-1].shown and made[-1].lines + _lines(text) > LINES >= _lines(text):
                made.append(Piece(title))
            for point in POINT.split(text)[1:]:
                _put(made, point, title)
        else:
            made[-1].notes.append(text)
    return _with_something(made)


def _has_room(piece, text):
    """Whether a paragraph is among those that an audience reads: the first of a slide, and what is as short."""
    if not piece.shown:
        return True
    short = len(plain("".join(piece.shown))) + len(plain(text)) <= PARAGRAPH
    return short and not piece.box and not piece.notes and piece.lines + _lines(text) <= LINES


def _put(made, text, title):
    """Show a block on the last slide, or on one more where it is full."""
    last = made[-1]
    if last.shown and (last.box or last.lines + _lines(text) > LINES):
        last = Piece(title)
        made.append(last)
    last.shown.append(text)


def _quote(made, text, title):
    """A box is a slide of its own; of a long one, its first words."""
    inside = re.sub(r"^>\s?", "", text, flags=re.M)
    name = re.match(r"\*\*(.+?)[.:]?\*\*", inside)
    box = Piece(title, box=name[1].lower().replace(" ", "-") if name and name[1].rstrip(".:") in BOXES else "quote")
    for place, (_, block) in enumerate(_blocks(inside)):
        room = LINES - box.lines
        if place and _lines(block) > room:
            box.notes.append(block)
            continue
        said, rest = cut(block, limit=int(room * WIDTH * 0.85)) if _lines(block) > room else (block, [])
        box.shown.append(said)
        box.notes += rest
    made.append(box)


def _with_something(made):
    """Slides without words go; their notes stay with the slide before, or the next."""
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


def cut(text, limit=PARAGRAPH, from_end=False):
    """A paragraph's first sentences, or its last, and a list of the rest.

    >>> cut("One is here. Two is there.", limit=15)
    ('One is here.', ['Two is there.'])
    >>> cut("One is here. Two is there.", limit=15, from_end=True)
    ('Two is there.', ['One is here.'])
    """
    if len(plain(text)) <= limit:
        return text, []
    places = [match for match in SENTENCE.finditer(text) if _whole(text[: match.start()])]
    fitting = [
        match
        for match in places
        if len(plain(text[match.end() :] if from_end else text[: match.start()])) <= limit
    ]  # fmt: skip
    if not fitting:
        fitting = places[-1:] if from_end else places[:1]
    if not fitting:
        return text, []
    at = fitting[0] if from_end else fitting[-1]
    before, after = text[: at.start()], text[at.end() :]
    return (after, [before]) if from_end else (before, [after])


def _whole(text):
    """Whether nothing is open at the end of a piece of Markdown."""
    even = all(text.count(mark) % 2 == 0 for mark in ("$", "`", "*"))
    return even and all(text.count(a) == text.count(b) for a, b in ("()", "[]"))


def plain(text):
    """About what is read of a piece of Markdown.

    >>> plain("The *ridge* of [chapter 3](03_roofline.ipynb)")
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
    return sum(ceil(len(plain(line)) / WIDTH) + 0.4 for line in POINT.split(text) if line)


def _blocks(source):
    """Kind and Markdown of each block at the top level; a fold is one, with all inside it."""
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


def _fold(text):
    return SUMMARY.search(text)[1], SUMMARY.sub("", text).replace("</details>", "").strip()


def html(text):
    """Markdown as HTML: formulas as MathML, and no link to a page that does not lie beside the slides."""
    return SHOWN.render(LOCAL.sub(r"\1", text))


def said(text):
    """Markdown for the notes: a fold is open there."""
    return html(re.sub(r"</?details>", "", re.sub(r"<summary>(.*?)</summary>", r"**\1**\n", text)))


def _formula(content, options):
    return mathml.block(content) if options["display_mode"] else mathml.mathml(content)


def _parser(tags):
    made = MarkdownIt("commonmark", {"html": tags}).enable("table")
    return made.use(dollarmath_plugin, renderer=_formula, double_inline=True, allow_space=True)


# Tags are structure where a cell is cut, and text where it is shown.
MARKDOWN, SHOWN = _parser(tags=True), _parser(tags=False)
