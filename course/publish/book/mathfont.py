"""The font of the formulas: STIX Two Math, cut down to what the book's formulas use."""

import logging
import re
from html import unescape
from importlib.resources import files
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

LICENCE = Path(__file__).with_name("static") / "STIXTwoMath-licence.txt"  # it travels with the font, as it asks
logging.getLogger("fontTools").setLevel(logging.WARNING)  # it tells each glyph

MATH = re.compile(r"<math.*?</math>", re.S)
LETTER = re.compile(r"<mi[^>]*>(.)</mi>")
ROOT = re.compile(r"<m(?:sqrt|root)\b")


def characters(html):
    r"""Every character that the formulas of a page need, single letters also in italics, as browsers set them.

    >>> sorted(characters('<math alttext="h"><mi>h</mi><mo>=</mo><mi>\u03b1</mi></math>'))
    ['=', 'h', 'α', 'ℎ', '𝛼']
    >>> sorted(characters('<math alttext="r"><msqrt><mn>2</mn></msqrt></math>'))
    ['2', '√']
    """
    wanted = set()
    for formula in map(unescape, MATH.findall(html)):
        wanted |= set(re.sub(r"<[^>]*>", "", formula))
        wanted |= {_italic(letter) for letter in LETTER.findall(formula)}
        if ROOT.search(formula):
            wanted.add("√")  # the browser draws it; no text of the formula holds it
    return wanted


def _italic(letter):
    if letter == "h":
        return "ℎ"  # the one that Unicode had before the block of italics
    for first, italics, count in (("A", 0x1D434, 26), ("a", 0x1D44E, 26), ("α", 0x1D6FC, 25), ("Α", 0x1D6E2, 25)):
        if 0 <= ord(letter) - ord(first) < count:
            return chr(italics + ord(letter) - ord(first))
    return letter


def write(wanted, folder):
    """Write ``math.woff`` with these characters into a folder."""
    options = Options(flavor="woff", desubroutinize=True, notdef_outline=True)
    options.layout_features += ["ssty", "flac", "dtls"]  # small forms in scripts, flat accents
    with TTFont(str(files("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf")) as font:
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=map(ord, wanted | {" ", "\u00a0"}))
        subsetter.subset(font)
        font.flavor = "woff"
        folder.mkdir(parents=True, exist_ok=True)
        font.save(folder / "math.woff")
