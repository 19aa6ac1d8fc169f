"""Where the texts of a picture lie, read from its SVG, and whether they can be read there."""

import re
from dataclasses import dataclass
from functools import cache
from xml.etree import ElementTree

import numpy as np
from fontTools.ttLib import TTFont

from chip2cluster.draw import typeface, typesetting

SVG = "{http://www.w3.org/2000/svg}"
SMALLEST = 11  # px as displayed
TOUCH = 0.5  # px by which two boxes may share a rim
ASCENT, DESCENT = 0.73, 0.21  # em, of the letters that reach highest and lowest
_PLACE = {"start": 0, "middle": 0.5, "end": 1}
_STYLE = re.compile("<style.*?</style>", re.DOTALL)
_COLOUR = re.compile(r"""[" ;](?:fill|stroke|color|stop-color)(?:="|: ?)([^";]+)[";]""")
_SIGN = re.compile(r"(?:^|[\s(±])-\.?\d")
_TURN = re.compile(r"rotate\((\S+) (\S+) (\S+)\)")


@dataclass(frozen=True)
class Text:
    """One line of text: its words, its size in px, whether it is bold, and the corners of its box, y downwards."""

    words: str
    size: float
    bold: bool
    corners: np.ndarray


def texts(svg):
    """Every text of an SVG document, hand-written or matplotlib's."""
    root = ElementTree.fromstring(svg)
    assert not [group for group in root.iter(f"{SVG}g") if "transform" in group.attrib], "a group that moves its texts"
    return [_text(element) for element in root.iter(f"{SVG}text") if (element.text or "").strip()]


def _text(element):
    look = dict(part.split(":", 1) for part in element.get("style", "").replace("; ", ";").split(";") if part)
    look = {name: value.strip() for name, value in look.items()} | element.attrib
    size, bold = float(look["font-size"].removesuffix("px")), look.get("font-weight") in ("700", "bold")
    x, y = float(look["x"]), float(look["y"])
    width = typesetting.text_size(element.text, size, "bold" if bold else "normal")[0]
    left = x - _PLACE[look.get("text-anchor", "start")] * width
    top, bottom = y - ASCENT * size, y + DESCENT * size
    corners = np.array([(left, top), (left + width, top), (left + width, bottom), (left, bottom)])
    if "transform" in look:
        angle, *centre = map(float, _TURN.fullmatch(look["transform"]).groups())
        turn = np.radians(angle)
        matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        corners = (corners - centre) @ matrix.T + centre
    return Text(element.text, size, bold, corners)


def problems(lines, width, height, scale=1):
    """What keeps a reader from reading: letters that the face lacks, small print as shown at a scale, a text cut off,
    one text on another."""
    if not lines:
        return ["no text at all"]
    lacking = [f"{text.words!r} has letters of another face" for text in lines if not set(text.words) <= letters()]
    small = [f"{text.words!r} is {text.size * scale:.1f} px high" for text in lines if text.size * scale < SMALLEST]
    corners = np.stack([text.corners for text in lines])
    low, high = corners.min(axis=1), corners.max(axis=1)
    outside = (low < -TOUCH).any(axis=1) | (high > np.array([width, height]) + TOUCH).any(axis=1)
    cut = [f"{lines[number].words!r} is cut off" for number in np.flatnonzero(outside)]
    near = ((low[:, None] < high[None] - TOUCH) & (low[None] < high[:, None] - TOUCH)).all(axis=2)
    depths = {pair: overlap(*corners[[*pair]]) for pair in map(tuple, np.argwhere(np.triu(near, 1)))}
    hyphens = [f"{text.words!r} has a hyphen for a minus" for text in lines if _SIGN.search(text.words)]
    covered = [
        f"{lines[first].words!r} and {lines[second].words!r} overlap by {depth:.1f} px"
        for (first, second), depth in depths.items()
        if depth > TOUCH
    ]
    return lacking + small + cut + hyphens + covered


@cache
def letters():
    """Every character that both faces have."""
    return set.intersection(*(set(map(chr, TTFont(file).getBestCmap())) for file in typeface.FOLDER.glob("*.ttf")))


def overlap(first, second):
    """Depth in pixels by which two convex quadrilaterals overlap; 0 where they are apart."""
    depth = np.inf
    for corners in (first, second):
        edges = np.roll(corners, -1, axis=0) - corners
        normals = np.stack([-edges[:, 1], edges[:, 0]]) / np.hypot(*edges.T)
        here, there = first @ normals, second @ normals
        depth = min(depth, (np.minimum(here.max(0), there.max(0)) - np.maximum(here.min(0), there.min(0))).min())
    return max(0.0, depth)


def colours(svg):
    """Every colour that an element of a document names, as it is written."""
    return {colour for colour in _COLOUR.findall(_STYLE.sub("", svg)) if colour != "none"}


def bare(svg, pale):
    """Those of the pale colours that fill an element without an edge."""
    elements = re.findall(r"<(?:rect|path|circle|polygon)[^>]*>", _STYLE.sub("", svg))
    return {hue for hue in pale for one in elements if f'fill="{hue}"' in one and not re.search(r'stroke="#', one)}


def unreadable(svg):
    """The problems of a whole document."""
    root = ElementTree.fromstring(svg)
    return problems(texts(svg), float(root.get("width")), float(root.get("height")))
