"""Numbers in equal rows where NumPy is not installed: the part of an array that answers and their judge use."""

from collections.abc import Iterator, Sequence
from typing import Any


class PlainArray:
    """Floats with a shape.

    Parameters
    ----------
    numbers : list of float
        All numbers, the last axis first, as NumPy orders them.
    shape : tuple of int
    """

    __slots__ = ("numbers", "shape")

    def __init__(self, numbers: list[float], shape: tuple[int, ...]) -> None:
        self.numbers, self.shape = numbers, shape

    @classmethod
    def stack(cls, items: Sequence["float | PlainArray"]) -> "PlainArray":
        """Return an array whose items are these numbers, or these arrays of one shape."""
        first = items[0] if items else 0.0
        if not isinstance(first, PlainArray):
            return cls([*items], (len(items),))  # type: ignore[list-item]
        return cls([number for item in items for number in item.numbers], (len(items), *first.shape))  # type: ignore[union-attr]

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of items."""
        return len(self.numbers)

    def __len__(self) -> int:
        """Return the length of the first axis."""
        return self.shape[0]

    def __iter__(self) -> Iterator["float | PlainArray"]:
        """Yield the items along the first axis."""
        inner = self.shape[1:]
        if not inner:
            yield from self.numbers
            return
        step = self.size // len(self) if len(self) else 0
        for row in range(len(self)):
            yield PlainArray(self.numbers[row * step : (row + 1) * step], inner)

    def __getitem__(self, place: slice) -> list[Any]:
        """Return items along the first axis."""
        return [*self][place]

    def ravel(self) -> "PlainArray":
        """Return the same numbers in one axis."""
        return PlainArray(self.numbers, (self.size,))

    def tolist(self) -> list[Any]:
        """Return the items as nested lists."""
        return [item.tolist() if isinstance(item, PlainArray) else item for item in self]
