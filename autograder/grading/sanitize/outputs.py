"""Text and pictures of a student, made fit to be looked at: nothing in them acts, misleads or fills a memory."""

import base64
import re
import unicodedata
from functools import cache
from typing import Any

MAX_SIDE = 4096  # pixels; a small file can hold a picture that fills a browser's memory
MAX_ACCENTS = 8  # marks above and below one letter; more of them paint over the lines around
PNG = b"\x89PNG\r\n\x1a\n"
# What a still picture needs. Other parts can hold compressed text, films, or a file of another kind.
CHUNKS = {b"PLTE", b"tRNS", b"IDAT", b"pHYs", b"gAMA", b"cHRM", b"sRGB"}

ANSI_CODES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# These turn the direction of text, so that code can read otherwise than it runs.
BIDI_MARKS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def clean_text(text: str, limit: int | None = None) -> str:
    """Take out what cannot be shown or misleads: terminal codes, control characters, half characters, towers of accents.

    Parameters
    ----------
    text : str
    limit : int, optional
        Characters that are looked at; all when left out.
    """
    text = text[:limit].encode("utf-8", "replace").decode()
    text = CONTROL_CHARACTERS.sub("", ANSI_CODES.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    text = BIDI_MARKS.sub(lambda mark: f"⟨U+{ord(mark[0]):04X}⟩", text)
    return text if text.isascii() else _towers().sub(r"\1", text)


@cache
def _towers() -> re.Pattern[str]:
    marks = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code)) in ("Mn", "Me"))
    return re.compile(f"([{marks}]{{{MAX_ACCENTS}}})[{marks}]+")


def clean_png(data: Any, most: int = 2_000_000) -> str | None:
    """Check a picture, and copy what a still one needs.

    Parameters
    ----------
    data : object
        What stands in a notebook under ``image/png``: base64, as text or as a list of lines.
    most : int
        Characters that it may have.

    Returns
    -------
    str or None
        The same picture in base64; None for anything but a PNG of at most ``most``
        characters and `MAX_SIDE` pixels either way.
    """
    try:
        joined = "".join(data)
        if len(joined) > most:
            return None
        raw = base64.b64decode(re.sub(r"\s", "", joined), validate=True)
    except (TypeError, ValueError):
        return None
    copied = still_image(raw)
    return base64.b64encode(copied).decode() if copied is not None else None


def still_image(raw: bytes) -> bytes | None:
    """The still picture in the bytes of a PNG file, and nothing else of the file; None where there is none."""
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


def pixel_area(raw: bytes) -> int | None:
    """How many pixels the head of a PNG file promises; None for more than `MAX_SIDE` either way."""
    width, height = (int.from_bytes(raw[place : place + 4], "big") for place in (16, 20))
    return width * height if 0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE else None
