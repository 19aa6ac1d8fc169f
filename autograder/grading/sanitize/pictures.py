"""Pictures that a student pasted into a Markdown cell: attachments of a notebook, PNG and JPEG only.

A picture counts only if its bytes are those of its kind. Everything else that a notebook attaches is dropped.
"""

import base64
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias
from urllib.parse import quote, unquote

from .outputs import clean_jpeg, clean_png, jpeg_area, pixel_area

# Base64 by MIME type, by name.
Attachments: TypeAlias = dict[str, dict[str, str]]

MAX_PICTURES, MAX_NAME = 12, 200  # pictures of a cell, and characters of a name
MAX_BASE64 = 2_000_000  # characters of a picture
REFERENCE = re.compile(r"!\[([^\]\n]{0,300})\]\(attachment:([^()\s]{1,600})(?:[ \t]+\"[^\"\n]{0,300}\")?\)")
KINDS: tuple[tuple[str, Callable[[Any, int], str | None], Callable[[bytes], int | None]], ...] = (
    ("image/png", clean_png, pixel_area),
    ("image/jpeg", clean_jpeg, jpeg_area),
)


def clean_attachments(attachments: Any, source: str) -> Attachments:
    """Return the pictures of a cell that its source shows, by name; untrusted data of any shape."""
    if not isinstance(attachments, dict):
        return {}
    clean: Attachments = {}
    names = dict.fromkeys(unquote(name) for _, name in REFERENCE.findall(source))
    for name in names:
        bundle = attachments.get(name)
        if len(name) > MAX_NAME or not isinstance(bundle, dict) or len(clean) == MAX_PICTURES:
            continue
        for kind, check, _ in KINDS:
            if picture := check(bundle.get(kind), MAX_BASE64):
                clean[name] = {kind: picture}
                break
    return clean


def picture_area(bundle: Mapping[str, str]) -> int | None:
    """Return the number of pixels of a cleaned picture."""
    for kind, _, area in KINDS:
        if kind in bundle:
            return area(base64.b64decode(bundle[kind]))
    return None


def data_url(bundle: Mapping[str, str]) -> str:
    """Return the ``data:`` address of a cleaned picture."""
    ((kind, picture),) = bundle.items()
    return f"data:{kind};base64,{picture}"


def renamed_references(source: str, names: Mapping[str, str]) -> str:
    """Return Markdown with other names of its attachments."""

    def rename(found: re.Match[str]) -> str:
        name = names.get(unquote(found[2]))
        return f"![{found[1]}](attachment:{quote(name)})" if name else found[0]

    return REFERENCE.sub(rename, source)


def join_attachments(attachments: Attachments, more: Attachments, source: str) -> str:
    """Add the pictures of a second text to those of a first; return the second text with names that are still free."""
    names = {}
    for name, bundle in more.items():
        free, number = name, 1
        while attachments.get(free, bundle) != bundle:
            number += 1
            free = f"{number}-{name}"
        attachments[free] = bundle
        if free != name:
            names[name] = free
    return renamed_references(source, names) if names else source
