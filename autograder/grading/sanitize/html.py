"""What a student wrote, as HTML that can do nothing: no markup, script, frame or request of theirs."""

import re
from collections.abc import Callable
from functools import cache
from html import escape
from typing import Any

import mistune
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from .outputs import clean_png, clean_text

MAX_CHARACTERS = 20_000  # characters of one source or output that are looked at
CUT_NOTE = "\n… cut here; the whole is in your notebook."


def field_text(value: Any, limit: int = 4 * MAX_CHARACTERS) -> str:
    """The text of a notebook field, which is a string or a list of lines; anything else is empty."""
    if isinstance(value, list):
        value = "".join(line for line in value if isinstance(line, str))
    return clean_text(value, limit) if isinstance(value, str) else ""


def shorten(text: str, limit: int = MAX_CHARACTERS) -> str:
    """Shorten a text to ``limit`` characters, and say so."""
    return text if len(text) <= limit else text[:limit] + CUT_NOTE


def escaped_text(text: str) -> str:
    """Escaped text in a box."""
    return f"<pre>{escape(text)}</pre>"


def output_html(text: str) -> str:
    """What a cell printed, in lines as they were: a wide table is scrolled."""
    return f'<pre class="printed" tabindex="0">{escape(text)}</pre>'


def code_html(text: str) -> str:
    """Python code with coloured syntax, as spans with pygments' class names."""
    return f'<pre class="code">{highlight(text, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True))}</pre>'


class _Safe(mistune.HTMLRenderer):
    """Markdown without raw HTML, pictures or schemes that run; headings fit below those of the page."""

    def __init__(self, below: int | None) -> None:
        super().__init__(escape=True)
        self._below = below

    def heading(self, text: str, level: int, **_: Any) -> str:
        if self._below is None:
            return f'<p class="heading">{text}</p>\n'
        tag = f"h{min(6, level + self._below)}"
        return f"<{tag}>{text}</{tag}>\n"

    def link(self, text: str, url: str, title: str | None = None) -> str:
        if not re.match(r"(https?://|mailto:)", url, re.IGNORECASE):
            return text
        return f'<a href="{escape(url)}" rel="noopener noreferrer nofollow">{text}</a>'

    def image(self, text: str, url: str, title: str | None = None) -> str:
        return f"[picture: {text}]"

    def block_code(self, code: str, info: str | None = None) -> str:
        return escaped_text(code)


@cache
def _renderer(below: int | None) -> mistune.Markdown:
    renderer = _Safe(below)
    markdown = mistune.create_markdown(renderer=renderer, plugins=["table", "strikethrough", "math"])
    # Mathematics stays as it was typed, dollars included: the page has no script to typeset it.
    renderer.register("inline_math", lambda _, text: f'<span class="math">${escape(text)}$</span>')
    renderer.register("block_math", lambda _, text: f'<div class="math">$${escape(text)}$$</div>\n')
    return markdown


def markdown_html(text: str, below: int | None = None) -> str:
    """Render Markdown.

    Parameters
    ----------
    text : str
    below : int, optional
        How many levels its headings go down; left out, they are bold lines and
        no headings, which is right for text that may hold any.

    Returns
    -------
    str
        HTML; text that no parser can digest comes back escaped.
    """
    try:
        return str(_renderer(below)(text))
    except (RecursionError, ValueError, IndexError, KeyError, AttributeError):
        return escaped_text(text)


def png_data_url(data: Any, most: int = 2_000_000) -> str | None:
    """The ``data:`` address of a PNG of at most ``most`` characters, or None for anything else."""
    found = clean_png(data, most)
    return f"data:image/png;base64,{found}" if found else None


class ByteBudget:
    """Bytes of a page that are left for a student's text; what does not fit is cut and says so."""

    def __init__(self, size: int) -> None:
        self.left = size

    def fit(self, text: str, render: Callable[[str], str]) -> str:
        """Render ``text``; as plain text, and shortened, where the room gets short."""
        if self.left <= 0:
            return escaped_text(CUT_NOTE.strip()) if text else ""
        text = shorten(text)
        # Markup only adds, so there is no use in trying with a text that is too long already.
        html = render(text) if len(text) <= self.left else None
        if html is None or len(html.encode()) > self.left:
            # Escaping makes a character six bytes at most.
            html = escaped_text(shorten(text, self.left // 6))
        self.left -= len(html.encode())
        return html

    def take(self, size: int) -> bool:
        """Take ``size`` bytes if there are as many."""
        fits = size <= self.left
        self.left -= size if fits else 0
        return fits
