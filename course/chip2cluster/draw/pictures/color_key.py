"""Key to the colors of all pictures: what each of them means."""

from .. import style
from ..heading import ROOM, heading
from ..palette import EDGES, MEANINGS
from ..picture import Picture, of_shapes, two_widths
from ..shapes import Text
from .multiprocessor import Box

ROW, SWATCH = 28, 18  # px: a line of the key, and the side of its square


@two_widths
def color_key(*, width: int = style.WIDTH) -> Picture:
    """Draw what each color means in the pictures of the course.

    Parameters
    ----------
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        A square and its meaning a line.

    Examples
    --------
    >>> color_key().title
    'A color has one meaning in all chapters'
    """
    title = "A color has one meaning in all chapters"
    subtitle = "Shape, dash or label says it, too."
    height = ROOM[width] + ROW * len(MEANINGS) + 8
    shapes = [*heading(title, subtitle, width, height)]
    for place, (color, words) in enumerate(MEANINGS.items()):
        y = height - ROOM[width] - ROW * (place + 0.5)
        shapes += [Box(10, y - SWATCH / 2, SWATCH, SWATCH, color, EDGES.get(color, color)), Text(42, y, words)]
    return of_shapes(shapes, title, f"{title}. {'; '.join(MEANINGS.values())}.", width, height)
