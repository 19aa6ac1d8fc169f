"""Render untrusted text as HTML without the student's own markup, scripts, frames or requests."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from html import escape
from typing import Any
from urllib.parse import unquote

import mistune
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from .outputs import clean_png, clean_text

MAX_CHARACTERS = 20_000  # of one source or output
CUT_NOTE = "\n… cut here; your notebook has the full text."


def field_text(value: Any, limit: int = 4 * MAX_CHARACTERS) -> str:
    """Return the sanitized text of a notebook field, a string or a list of lines; "" for anything else."""
    if isinstance(value, list):
        value = "".join(line for line in value if isinstance(line, str))
    return clean_text(value, limit) if isinstance(value, str) else ""


def shorten(text: str, limit: int = MAX_CHARACTERS) -> str:
    """Shorten a text to ``limit`` characters and add a note that says so."""
    return text if len(text) <= limit else text[:limit] + CUT_NOTE


def escaped_text(text: str) -> str:
    """Return escaped text in a ``<pre>`` element."""
    return f"<pre>{escape(text)}</pre>"


def output_html(text: str) -> str:
    """Return printed output in a scrollable ``<pre>`` element with its line breaks."""
    return f'<pre class="printed" tabindex="0">{escape(text)}</pre>'


def code_html(text: str) -> str:
    """Return Python code with syntax highlighting by Pygments' class names."""
    return f'<pre class="code">{highlight(text, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True))}</pre>'


class _SafeRenderer(mistune.HTMLRenderer):
    """Markdown renderer without raw HTML, pictures and unsafe URL schemes; headings fit below those of the page."""

    def __init__(self, below: int | None, pictures: Mapping[str, str]) -> None:
        super().__init__(escape=True)
        self._below, self._pictures = below, pictures

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
        address = (
            self._pictures.get(unquote(url.removeprefix("attachment:"))) if url.startswith("attachment:") else None
        )
        return f'<img src="{address}" alt="{escape(text) or "Picture"}">' if address else f"[picture: {text}]"

    def block_code(self, code: str, info: str | None = None) -> str:
        return escaped_text(code)


@cache
def _renderer(below: int | None) -> mistune.Markdown:
    return _new_renderer(below, {})


def _new_renderer(below: int | None, pictures: Mapping[str, str]) -> mistune.Markdown:
    renderer = _SafeRenderer(below, pictures)
    markdown = mistune.create_markdown(renderer=renderer, plugins=["table", "strikethrough", "math"])
    # Formulas stay as they were typed, because the page has no script to typeset them.
    renderer.register("inline_math", lambda _, text: f'<span class="math">${escape(text)}$</span>')
    renderer.register("block_math", lambda _, text: f'<div class="math">$${escape(text)}$$</div>\n')
    return markdown


def markdown_html(text: str, below: int | None = None, pictures: Mapping[str, str] | None = None) -> str:
    """Render untrusted Markdown.

    Parameters
    ----------
    text : str
    below : int, optional
        Number of levels that headings move down; if omitted, headings become bold lines.
    pictures : mapping, optional
        ``data:`` addresses of attached pictures, by name; every other picture is shown as a word.

    Returns
    -------
    str
        HTML; text that the parser cannot handle comes back escaped.
    """
    try:
        return str((_new_renderer(below, pictures) if pictures else _renderer(below))(text))
    except (RecursionError, ValueError, IndexError, KeyError, AttributeError):
        return escaped_text(text)


def png_data_url(data: Any, limit: int = 2_000_000) -> str | None:
    """Return the ``data:`` URL of a PNG picture of at most ``limit`` base64 characters, or None for anything else."""
    picture = clean_png(data, limit)
    return f"data:image/png;base64,{picture}" if picture else None


class ByteBudget:
    """Remaining bytes of a page for a student's text; text that does not fit is cut, with a note."""

    def __init__(self, size: int) -> None:
        self.left = size

    def fit(self, text: str, render: Callable[[str], str]) -> str:
        """Render ``text`` and count its bytes; text that does not fit is shortened and escaped instead."""
        if self.left <= 0:
            return escaped_text(CUT_NOTE.strip()) if text else ""
        text = shorten(text)
        # Rendering never shortens a text.
        html = render(text) if len(text) <= self.left else None
        if html is None or len(html.encode()) > self.left:
            # An escaped character takes at most six bytes.
            html = escaped_text(shorten(text, self.left // 6))
        self.left -= len(html.encode())
        return html

    def take(self, size: int) -> bool:
        """Take ``size`` bytes if they are available, and return whether they were."""
        fits = size <= self.left
        self.left -= size if fits else 0
        return fits
