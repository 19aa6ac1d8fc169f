"""Sanitize text and PNG pictures from a student: no control codes, no hidden content, no huge pictures."""

import base64
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any

MAX_SIDE = 4096  # pixels; a small file can contain a picture that exhausts a browser's memory
MAX_ACCENTS = 8  # combining marks of one letter; more of them cover neighbouring lines
PNG = b"\x89PNG\r\n\x1a\n"
# Chunks of a still picture. Other chunks can contain compressed text, animations or another file.
CHUNKS = {b"PLTE", b"tRNS", b"IDAT", b"pHYs", b"gAMA", b"cHRM", b"sRGB"}

# Baseline and progressive frames, tables that they need, and the start of their data.
FRAMES, JPEG_TABLES, START_OF_SCAN = {0xC0, 0xC1, 0xC2}, {0xC4, 0xDB, 0xDD}, 0xDA

ANSI_CODES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# Marks that change the direction of text: with them code can look different from what it does.
BIDI_MARKS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def clean_text(text: str, limit: int | None = None) -> str:
    """Remove terminal codes, control characters, lone surrogates and stacks of combining marks; show direction marks.

    Parameters
    ----------
    text : str
    limit : int, optional
        Number of characters to keep; all if omitted.
    """
    text = text[:limit].encode("utf-8", "replace").decode()
    text = CONTROL_CHARACTERS.sub("", ANSI_CODES.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    text = BIDI_MARKS.sub(lambda mark: f"⟨U+{ord(mark[0]):04X}⟩", text)
    return text if text.isascii() else _stacked_accents().sub(r"\1", text)


@cache
def _stacked_accents() -> re.Pattern[str]:
    marks = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code)) in ("Mn", "Me"))
    return re.compile(f"([{marks}]{{{MAX_ACCENTS}}})[{marks}]+")


def clean_png(data: Any, limit: int = 2_000_000) -> str | None:
    """Check a PNG picture and copy the chunks of a still picture.

    Parameters
    ----------
    data : object
        Value of ``image/png`` in a notebook: base64, as a string or a list of lines.
    limit : int
        Maximum number of base64 characters.

    Returns
    -------
    str or None
        The picture in base64; None for anything but a PNG of at most ``limit`` characters
        and `MAX_SIDE` pixels in width and height.
    """
    try:
        joined = "".join(data)
        if len(joined) > limit:
            return None
        raw = base64.b64decode(re.sub(r"\s", "", joined), validate=True)
    except (TypeError, ValueError):
        return None
    picture = still_image(raw)
    return base64.b64encode(picture).decode() if picture is not None else None


def still_image(raw: bytes) -> bytes | None:
    """Return only the still picture of a PNG file; None if there is none."""
    if not raw.startswith(PNG + b"\0\0\0\rIHDR") or pixel_area(raw) is None:
        return None
    place = len(PNG) + 25
    parts = [raw[:place]]
    while place + 12 <= len(raw):
        end, kind = place + 12 + int.from_bytes(raw[place : place + 4], "big"), raw[place + 4 : place + 8]
        if end > len(raw):
            return None
        if kind in CHUNKS:
            parts.append(raw[place:end])
        elif kind == b"IEND":
            return b"".join([*parts, raw[place:end]])
        place = end
    return None


def clean_jpeg(data: Any, limit: int = 2_000_000) -> str | None:
    """Check a JPEG picture and copy the segments that a browser needs; see `clean_png`."""
    try:
        joined = "".join(data)
        if len(joined) > limit:
            return None
        raw = base64.b64decode(re.sub(r"\s", "", joined), validate=True)
    except (TypeError, ValueError):
        return None
    picture = _jpeg_segments(raw)
    return base64.b64encode(picture).decode() if picture is not None else None


def jpeg_area(raw: bytes) -> int | None:
    """Return the number of pixels of a JPEG picture; None if a side exceeds `MAX_SIDE` or there is no picture."""
    for kind, place, _ in _segments(raw):
        if kind in FRAMES:
            height, width = (int.from_bytes(raw[at : at + 2], "big") for at in (place + 5, place + 7))
            return width * height if 0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE else None
    return None


def _jpeg_segments(raw: bytes) -> bytes | None:
    """Return a JPEG file without metadata, which may hold other files, places and names; None if it is not complete."""
    if not raw.startswith(b"\xff\xd8\xff") or jpeg_area(raw) is None:
        return None
    parts = [raw[:2]]
    for kind, place, end in _segments(raw):
        if kind in FRAMES or kind in JPEG_TABLES:
            parts.append(raw[place:end])
        if kind == START_OF_SCAN:
            last = raw.rfind(b"\xff\xd9")
            return b"".join([*parts, raw[place : last + 2]]) if last > end else None
    return None


def _segments(raw: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield kind, first and end of each segment of a JPEG file up to its first scan."""
    place = 2
    while place + 4 <= len(raw) and raw[place] == 0xFF:
        kind, end = raw[place + 1], place + 2 + int.from_bytes(raw[place + 2 : place + 4], "big")
        if end > len(raw) or end < place + 4:
            return
        yield kind, place, end
        if kind == START_OF_SCAN:
            return
        place = end


def pixel_area(raw: bytes) -> int | None:
    """Return the number of pixels by the header of a PNG file; None if a side exceeds `MAX_SIDE`."""
    width, height = (int.from_bytes(raw[place : place + 4], "big") for place in (16, 20))
    return width * height if 0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE else None
