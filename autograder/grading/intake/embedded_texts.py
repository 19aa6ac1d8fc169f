"""Texts of a student in parts of a notebook that are no cell: HTML that was shown, text fields of widgets, attachments.

All of it is untrusted data of any shape, and is read in time proportional to its length.
"""

import base64
import binascii
import html
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from ..sanitize.terminal_text import printable
from .prose import is_prose

MAX_TEXT = 20_000  # characters of one text
MAX_MODELS, MAX_TEXTS = 5_000, 20  # widgets that are searched, and texts of a notebook or of a cell
# Widgets that a person types into. Those that only show text got it from code, which is searched by itself.
TEXT_FIELDS = ("TextModel", "TextareaModel", "ComboboxModel")
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp")  # shown by a reference in the source
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,30})\b[^<>]*>")
# Of these elements, tables hold data, and the others nothing that a person reads.
_HIDDEN = frozenset(("style", "script", "table", "svg", "select", "button", "title", "template"))
_BLOCKS = frozenset(
    ("p", "div", "br", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "section")
)
# Cards, forms and explorers of the course.
_COURSE = re.compile(r"""class=["']?[^"'<>]{0,200}\bc2c""")


def html_text(source: str) -> str:
    r"""Return the text of a page or a part of one, a line for each block; empty for output of the course's own functions.

    >>> html_text("<style>p {}</style><p>I would <b>buy</b> it.</p><table><td>7</table>&lt;br&gt;")
    'I would buy it.\n<br>'
    >>> html_text('<div class="c2c c2c-form">Predict.</div>')
    ''
    """
    if is_course_page(source):
        return ""
    parts: list[str] = []
    hidden, end = 0, 0
    for tag in _TAG.finditer(source):
        name = tag[2].lower()
        if not hidden:
            parts.append(" ".join(source[end : tag.start()].split("\n")))
            if name in _BLOCKS:
                parts.append("\n")
        if name in _HIDDEN:
            hidden = max(0, hidden + (-1 if tag[1] else 1))
        end = tag.end()
    if not hidden:
        parts.append(source[end:])
    lines = (" ".join(line.split()) for line in html.unescape("".join(parts)).splitlines())
    return "\n".join(filter(None, lines))


def is_course_page(source: str) -> bool:
    """Return whether HTML is a card, a form or an explorer of the course."""
    return _COURSE.search(source) is not None


def typed_texts(metadata: dict[str, Any]) -> list[str]:
    """Return the sentences in text fields of widgets, as the notebook's metadata have saved them.

    Parameters
    ----------
    metadata : dict
        Metadata of a notebook.
    """
    return list(dict.fromkeys(islice(_fields(metadata), MAX_TEXTS)))


def _fields(metadata: dict[str, Any]) -> Iterator[str]:
    match metadata.get("widgets"):
        case {"application/vnd.jupyter.widget-state+json": {"state": dict(models)}}:
            for model in islice(models.values(), MAX_MODELS):
                match model:
                    case {"model_name": str(name), "state": {"value": str(text)}} if name in TEXT_FIELDS:
                        if is_prose(text[:MAX_TEXT]):
                            yield text[:MAX_TEXT]


def attached_texts(attachments: Any) -> dict[str, str]:
    """Return the texts that are attached to a cell, by name; other documents with an empty text, pictures not at all.

    Parameters
    ----------
    attachments : object
        Attachments of a cell.
    """
    if not isinstance(attachments, dict):
        return {}
    found: dict[str, str] = {}
    for name, bundle in islice(attachments.items(), MAX_TEXTS):
        if isinstance(bundle, dict) and bundle and not any(kind in bundle for kind in PICTURES):
            kind, content = next(iter(bundle.items()))
            lines = content if isinstance(content, list) else [content]
            if text := "".join(line for line in lines if isinstance(line, str)):
                found[printable(str(name), 100).replace("`", "'")] = _attached(str(kind), text[: 4 * MAX_TEXT])
    return found


def _attached(kind: str, text: str) -> str:
    if not kind.startswith("text/") and kind != "image/svg+xml":
        return ""
    if not re.search(r"\s\S", text.strip()):
        # Frontends attach files in base64.
        try:
            text = base64.b64decode(text[: len(text) // 4 * 4]).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            return ""
    if kind == "text/html":
        text = html_text(text)
    elif kind == "image/svg+xml":
        text = html_text(re.sub(r"(?i)</?(?:svg|title)\b", "<g", text))
    return text[:MAX_TEXT]
