"""Lay out every picture and report, as JSON, where its texts lie: run by `conftest`, as on systems with other fonts.

``python -m tests.pictures.layout WHICH [FONT ...]``: every state or some, and matplotlib finds these fonts and those that
it brings itself.
"""

import hashlib
import json
import sys
from pathlib import Path

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.font_manager import fontManager

from chip2cluster.draw import palette, style
from tests.pictures import geometry, states

WHICH = {"every": lambda named: named, "some": states.sampled}


def main(which, *fonts):
    own = Path(matplotlib.get_data_path())
    fontManager.ttflist[:] = [font for font in fontManager.ttflist if own in Path(font.fname).parents]
    for font in fonts:
        fontManager.addfont(font)
    json.dump({name: laid_out(kind(), WHICH[which]) for name, kind in states.explorers().items()}, sys.stdout)


def laid_out(explorer, chosen):
    """What there is to know of each state chosen, of some of them narrow too, by its name, and the texts of the start as matplotlib draws them."""
    named = chosen(states.states(explorer))
    pictures = {name: written(explorer.set(**values).current) for name, values in named.items()}
    narrow = states.narrowed(named) if chosen is WHICH["every"] else ()
    return {
        "states": {name: report(picture) for name, picture in pictures.items()}
        | {f"{name}, narrow": narrowed(pictures[name]) for name in narrow},
        "figure": widths(explorer.reset().current.picture),
    }


def written(frame):
    """The picture of a state whose table can be written too; where it cannot, nothing is laid out."""
    assert frame.table.html()
    return frame.picture


def narrowed(wide):
    """The same of the picture for a phone, which must say what the wide one says."""
    picture = wide.narrow
    found = report(picture)
    if (picture.width, picture.title, picture.description) != (style.NARROW, wide.title, wide.description):
        found["problems"].append("no narrow form, or another finding")
    return found


def report(picture):
    """What cannot be read, the colours, and one short code for where the texts lie."""
    lines = geometry.texts(picture.svg)
    boxes = [(text.words, text.bold, text.corners.round(2).tolist()) for text in lines]
    return {
        "problems": geometry.problems(
            lines, picture.width, picture.height, style.SMALLEST[picture.width] / picture.width
        ),
        "colours": sorted(geometry.colours(picture.svg)),
        "bare": sorted(geometry.bare(picture.svg, palette.EDGES)),
        "boxes": hashlib.sha256(json.dumps(boxes).encode()).hexdigest(),
    }


def widths(picture):
    """Every level text of the matplotlib figure with its size, its weight and its width in px."""
    with style.applied():
        figure = picture.figure()
        renderer = FigureCanvasAgg(figure).get_renderer()
        figure.draw(renderer)
        artists = figure.findobj(lambda artist: hasattr(artist, "get_text") and artist.get_visible())
        return [
            (artist.get_text(), artist.get_fontsize(), artist.get_weight(), artist.get_window_extent(renderer).width)
            for artist in artists
            if artist.get_text().strip() and not artist.get_rotation()
        ]


if __name__ == "__main__":
    main(*sys.argv[1:])
