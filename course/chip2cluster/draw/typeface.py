"""Typeface of all pictures: text is measured and shown with the same font files.

matplotlib measures and draws with the files in ``data/typeface``, and a reader's page gets the same ones:
with a live view once, inside every picture that stands alone, or as files of the book. The name is ours alone,
so no font of the system replaces it. The other families are for programs that drop the face: they are as wide.
"""

import json
from base64 import b64encode
from functools import cache
from pathlib import Path

from . import palette

FAMILY = "Chip2Cluster Sans"
FAMILIES = (FAMILY, "Arial", "Liberation Sans", "Helvetica", "DejaVu Sans")
_STACK = ",".join(f"'{name}'" for name in FAMILIES) + ",sans-serif"
# Geometric precision: no letter is moved to whole pixels, so a line is as long as its letters.
CSS = f"font-family:{_STACK};text-rendering:geometricPrecision"
LOOK = f'font-family="{_STACK}" text-rendering="geometricPrecision" style="max-width:100%;height:auto"'
_WEIGHTS = {"normal": ("400", "Regular"), "bold": ("700", "Bold")}  # as matplotlib, CSS and the files call them
FOLDER = Path(__file__).parents[1] / "data" / "typeface"


def _file(name, kind):
    return FOLDER / f"Chip2ClusterSans-{name}.{kind}"


@cache
def packed() -> dict[str, bytes]:
    """The bytes of each face as a browser takes them (WOFF2), by CSS weight."""
    return {weight: _file(name, "woff2").read_bytes() for weight, name in _WEIGHTS.values()}


def alone(svg: str) -> str:
    """An SVG document with the faces in it, and its dark twin: for an ``<img>``, a file, or a page without them."""
    return svg.removesuffix("</svg>") + _rules() + "</svg>"


@cache
def _rules():
    rules = [
        f"@font-face{{font-family:'{FAMILY}';font-weight:{weight};"
        f"src:url(data:font/woff2;base64,{b64encode(face).decode()})format('woff2')}}"
        for weight, face in packed().items()
    ]
    return f"<style>{''.join(rules)}{palette.ALONE}</style>"


@cache
def register() -> None:
    """Make the faces known to matplotlib, once."""
    from matplotlib.font_manager import fontManager

    for _, name in _WEIGHTS.values():
        fontManager.addfont(_file(name, "ttf"))


@cache
def _advances():
    return json.loads((FOLDER / "advances.json").read_text(encoding="utf-8"))


def advance(character: str, weight: str = "normal") -> float:
    """How far a character moves the pen, in em; one that the face does not have is taken to be as wide as it is high."""
    return _advances()[weight].get(character, 1.0)
