"""Progressive file layouts: few objects for the first bytes of a file, many for the following ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._validate import one_byte_count, one_whole, shortened
from .striping import Location, StripeLayout

if TYPE_CHECKING:
    from .._typing import NDArray

MIB = 2**20


@dataclass(frozen=True)
class Component:
    """Component of a progressive layout, up to the byte ``end``; None is unbounded.

    Examples
    --------
    >>> Component(end=4 * 2**20, stripe_count=1).stripe_size
    1048576
    """

    end: int | None
    stripe_count: int
    stripe_size: int = MIB
    first_ost: int = 0


class ComponentUse(NamedTuple):
    """Use of a component by one file: its extent, its objects, whether it is instantiated, and its bytes."""

    start: int
    end: int | None
    stripe_count: int
    instantiated: bool
    bytes: int


@dataclass(frozen=True)
class ProgressiveLayout:
    """Progressive file layout (PFL): consecutive components, each with its own striping.

    Attributes
    ----------
    components : sequence of Component
        Components in the order of the file. A stripe count of -1 means all targets.
    ost_count : int
        Targets (OSTs) of the file system.
    layouts : tuple of StripeLayout
        Striping of each component, derived from the other fields.

    Raises
    ------
    ValueError
        If there are no components, their ends do not grow, or one follows an unbounded component.

    Notes
    -----
    A component gets all its objects when the file first reaches its extent (the first
    one when the file is created), and earlier bytes are never moved. Within a component bytes are
    placed as in a file with its striping from the start, so its objects begin with
    a hole. Source: Lustre software manual, chapter 19.5; the client's lov_offset.c.

    Examples
    --------
    >>> layout = ProgressiveLayout([Component(4 * MIB, 1), Component(256 * MIB, 4), Component(None, -1)], ost_count=8)
    >>> [part.bytes // 2**20 for part in layout.use(2**30)], layout.objects(2**30)
    ([4, 252, 768], 13)
    """

    components: Sequence[Component]
    ost_count: int
    layouts: tuple[StripeLayout, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Validate the fields."""
        object.__setattr__(self, "components", tuple(self.components))
        object.__setattr__(self, "ost_count", one_whole("ost_count", self.ost_count, 1))
        if not self.components:
            raise ValueError("components must hold at least one component, got none")
        for part in self.components:
            if not isinstance(part, Component):
                raise TypeError(f"components must be Components, got {shortened(part)}")
        ends = [0, *(part.end if part.end is None else one_byte_count("end", part.end, 1) for part in self.components)]
        for before, end in pairwise(ends):
            if before is None or (end is not None and end <= before):
                raise ValueError(f"the ends of components must increase, got ends {ends[1:]}")
        layouts = (
            StripeLayout(part.stripe_size, part.stripe_count, part.first_ost, self.ost_count)
            for part in self.components
        )
        object.__setattr__(self, "layouts", tuple(layouts))

    def use(self, file_size: int) -> tuple[ComponentUse, ...]:
        """Return the use of each component by a file of this size.

        Parameters
        ----------
        file_size : int
            Size of the file, bytes; at most the end of the last component.

        Returns
        -------
        tuple of ComponentUse
            Use of each component.
        """
        size = self._size(file_size)
        return tuple(
            ComponentUse(start, end, layout.stripe_count, size > start or not start, min(max(size - start, 0), room))
            for start, end, room, layout in self._parts(size)
        )

    def objects(self, file_size: int) -> int:
        """Number of objects of a file of this size, empty ones included.

        Parameters
        ----------
        file_size : int
            Size of the file, bytes; at most the end of the last component.

        Returns
        -------
        int
            Number of objects.
        """
        return sum(part.stripe_count for part in self.use(file_size) if part.instantiated)

    def bytes_per_object(self, file_size: int) -> tuple[NDArray, ...]:
        """Bytes in each object of each component.

        Parameters
        ----------
        file_size : int
            Size of the file, bytes; at most the end of the last component.

        Returns
        -------
        tuple of array of int
            One array a component, zeros for a component that the file does not reach.

        Examples
        --------
        >>> layout = ProgressiveLayout([Component(100, 1, 50), Component(None, 2, 50)], ost_count=4)
        >>> [part.tolist() for part in layout.bytes_per_object(320)]
        [[100], [120, 100]]
        """
        size = self._size(file_size)
        return tuple(
            layout.bytes_per_object(start + min(max(size - start, 0), room), start)
            for start, _, room, layout in self._parts(size)
        )

    def bytes_per_target(self, file_size: int, start: int = 0) -> NDArray:
        """Bytes on each target, all components together, empty targets included.

        Parameters
        ----------
        file_size : int
            Size of the file, bytes; at most the end of the last component.
        start : int
            First byte that counts.

        Returns
        -------
        array of int, shape (ost_count,)
            Bytes on each target.

        Examples
        --------
        >>> ProgressiveLayout([Component(100, 1, 50), Component(None, 2, 50)], ost_count=4).bytes_per_target(320).tolist()
        [220, 100, 0, 0]
        """
        end, begin = self._size(file_size), one_whole("start", start, 0)
        if begin > end:
            raise ValueError(f"start must be at most file_size {end}, got {begin}")
        bytes_held = np.zeros(self.ost_count, dtype=np.int64)
        for layout, after, before in zip(
            self.layouts, self.bytes_per_object(end), self.bytes_per_object(begin), strict=True
        ):
            bytes_held[layout.osts] += after - before
        return bytes_held

    def locate(self, offset: int) -> tuple[int, Location]:
        """Locate a byte of the file.

        Parameters
        ----------
        offset : int
            Offset from the start of the file, bytes.

        Returns
        -------
        int, Location
            Number of the component from 0 on, and the location within it.
        """
        place = one_byte_count("offset", offset)
        for number, part in enumerate(self.components):
            if part.end is None or place < part.end:
                return number, self.layouts[number].locate(place)
        raise ValueError(f"offset must be below {part.end}, where the last component ends, got {place}")

    def _size(self, file_size: int) -> int:
        size, last = one_byte_count("file_size", file_size), self.components[-1].end
        if last is not None and size > last:
            raise ValueError(f"file_size must be at most {last}, where the last component ends, got {size}")
        return size

    def _parts(self, size: int) -> Iterator[tuple[int, int | None, int, StripeLayout]]:
        """Return start, end, capacity for a file of this size, and striping of each component."""
        start = 0
        for part, layout in zip(self.components, self.layouts, strict=True):
            yield start, part.end, max(size if part.end is None else part.end, start) - start, layout
            start = part.end or 0
