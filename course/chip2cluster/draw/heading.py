"""Title and subtitle of a picture: one line each, on a phone as many as needed."""

from . import style, typesetting
from .shapes import Shape, Text

TITLE, LINE, SMALL_LINE = (
    15,
    19,
    17,
)  # px, of a narrow picture: size of the title, height of its lines and of the others
ROOM = {style.WIDTH: 54, style.NARROW: 88}  # px that both take at the top, however long they are


def opening(title: str, subtitle: str | None) -> str:
    """Both as the beginning of an alternative text."""
    return f"{title}. {subtitle}." if subtitle else f"{title}."


def heading(title: str, subtitle: str, width: int = style.WIDTH, height: int | None = None) -> list[Shape]:
    """The two at the top of a picture, as shapes."""
    height = height or style.HEIGHTS[width]
    if width == style.WIDTH:
        size = min(style.TITLE, style.TITLE * (width - 16) / typesetting.text_size(title, style.TITLE, "bold")[0])
        if not subtitle:
            return [Text(8, height - 34, title, size=size, bold=True)]
        return [
            Text(8, height - 20, title, size=size, bold=True),
            Text(8, height - 43, subtitle, color=style.MUTED),
        ]
    size = TITLE
    while len(lines := typesetting.lines(title, width - 14, size, "bold")) > 2 and size > style.TEXT:
        size -= 1
    drawn: list[Shape] = []
    # What is not needed of the room is left above, so that the words stand at their picture.
    below = typesetting.lines(subtitle, width - 14) if subtitle else []
    y = height - 14 - max(0, ROOM[width] - 16 - LINE * len(lines) - SMALL_LINE * len(below))
    for line in lines:
        drawn.append(Text(8, y, line, size=size, bold=True))
        y -= LINE
    for line in below:
        drawn.append(Text(8, y, line, color=style.MUTED))
        y -= SMALL_LINE
    return drawn
