"""Handles: marks of a picture that a reader can take hold of instead of a slider."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from ..draw import Picture


@dataclass(frozen=True)
class Handle:
    """The mark that stands for a control, and its place for every option of the control.

    Parameters
    ----------
    control : str
        Name of a slider or a list.
    points : tuple of (float, float or None) or None
        Place of each option in the units of the picture's axes, in the order of the options. The height is None where
        the picture has one for all options; a point is None for an option that the picture has no place for.
    along : {"x", "y", "path"}
        Direction that counts when the hand is set down between the points; "path" takes both.
    """

    control: str
    points: tuple[tuple[float, float | None] | None, ...]
    along: Literal["x", "y", "path"] = "x"

    def described(self, picture: Picture, offered: Iterable[int] | None = None) -> dict[str, Any]:
        """Return the handle as the script needs it: places in pixels of ``picture`` from its upper left corner.

        Parameters
        ----------
        picture : Picture
            Picture with a ``place``.
        offered : iterable of int, optional
            Numbers of the options that can be chosen, where these are not all.

        Raises
        ------
        TypeError
            If the picture does not say where its axes lie.
        """
        if picture.place is None:
            raise TypeError(f"a handle for {self.control} needs a picture with a place; this one has none")
        points = self.points if offered is None else [self.points[option] for option in offered]
        return {"control": self.control, "along": self.along, "points": [self._pixel(picture, one) for one in points]}

    def _pixel(self, picture, point):
        if point is None:
            return None
        x, y = picture.place(*point)
        return [round(float(x), 1), round(float(picture.height - y), 1)]
