"""A Markdown cell by its blocks: headings, formulas, tables and prose; and Markdown as HTML."""

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from ..book import mathml

SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.S)
HEADING = re.compile(r"^#+\s+(.*)$", re.S)
LOCAL = re.compile(r"\[([^\]]*)\]\((?!https?:)[^)\s]*(?: \"[^\"\n]*\")?\)")
TAG = re.compile(r"\\tag\{([\d.]+)\}")
SHOWN_KINDS = {"math_block": "formula", "table": "table"}


@dataclass(frozen=True)
class Block:
    """A block at the top level of a cell: ``heading``, ``formula``, ``table`` or ``prose``, and its Markdown."""

    kind: str
    text: str

    @property
    def is_shown(self):
        """Whether an audience sees it as it is on the page."""
        return self.kind in SHOWN_KINDS.values()

    @property
    def heading(self):
        """Text of a heading."""
        return HEADING.match(self.text)[1]


def blocks(source):
    """Return the blocks of a cell; a fold with its content is prose."""
    lines, made, open_fold = source.splitlines(), [], None
    for token in MARKDOWN.parse(source):
        if token.level or token.nesting < 0 or token.map is None:
            continue
        first, last = token.map
        kind = token.type.removesuffix("_open").removesuffix("_label")
        if kind == "html_block" and token.content.lstrip().startswith("<details"):
            open_fold = first
        if open_fold is None:
            name = "heading" if kind == "heading" else SHOWN_KINDS.get(kind, "prose")
            made.append(Block(name, "\n".join(lines[first:last]).rstrip()))
        if kind == "html_block" and "</details>" in token.content and open_fold is not None:
            made.append(Block("prose", "\n".join(lines[open_fold:last])))
            open_fold = None
    return made


def html(text):
    """Render Markdown as HTML, with formulas as MathML and without links to local pages."""
    return SHOWN.render(LOCAL.sub(r"\1", text))


def inline_html(text):
    """Render one line of Markdown as HTML without a paragraph around it."""
    return html(text).strip().removeprefix("<p>").removesuffix("</p>")


def notes_html(text):
    """Render Markdown as HTML for the notes, with open folds."""
    return html(re.sub(r"</?details>", "", SUMMARY.sub(r"**\1**\n", text)))


def _formula(content, options):
    return mathml.block(content) if options["display_mode"] else mathml.mathml(content)


def _parser(tags):
    made = MarkdownIt("commonmark", {"html": tags}).enable("table")
    return made.use(dollarmath_plugin, renderer=_formula, double_inline=True, allow_space=True)


# Tags are structure when a cell is taken apart, and text when it is shown.
MARKDOWN, SHOWN = _parser(tags=True), _parser(tags=False)
