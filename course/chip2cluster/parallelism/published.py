"""Layouts of published trainings, each with where it was read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from ..provenance import Source
from .layout import Layout


@dataclass(frozen=True)
class PublishedLayout:
    """One training as it was printed.

    ``devices`` is the number that stands beside the layout, ``sequence`` tokens and
    ``global_batch`` sequences of a step. What a source does not say is as `Layout` leaves it.
    """

    name: str
    model: str
    device: str
    devices: int
    sequence: int
    global_batch: int
    layout: Layout
    sources: Mapping[str, Source] = field(repr=False, compare=False)

    @property
    def multiplies_out(self) -> bool:
        """Whether the degrees give the number of devices."""
        return self.layout.devices == self.devices

    def source(self, value: str) -> Source:
        """Say where a value was read.

        Parameters
        ----------
        value : str
            A field of this record.

        Returns
        -------
        Source

        Raises
        ------
        ValueError
            For a name that does not exist.

        Examples
        --------
        >>> published_layouts()[-1].source("layout").as_of
        '2024-12'
        """
        known = [name for name in self.__dataclass_fields__ if name != "sources"]
        if value not in known:
            raise ValueError(f"value must be one of {', '.join(known)}, got {value!r}")
        return self.sources.get(value, self.sources["*"])


@cache
def published_layouts() -> tuple[PublishedLayout, ...]:
    """Layouts of large trainings as their makers print them, by year.

    Returns
    -------
    tuple of PublishedLayout

    Notes
    -----
    A choice, not a census; one of them does not multiply out, as printed. Source: see `PublishedLayout.source`.

    Examples
    --------
    >>> [one.name for one in published_layouts() if not one.multiplies_out]
    ['Llama 3 405B, 128K, first printing']
    """
    stored = json.loads(files("chip2cluster").joinpath("data/layouts.json").read_text(encoding="utf-8"))
    sources = {key: Source(**entry) for key, entry in stored["sources"].items()}
    return tuple(
        PublishedLayout(
            **{name: row[name] for name in ("name", "model", "device", "devices", "sequence", "global_batch")},
            layout=Layout(**row["layout"]),
            sources={value: sources[key] for value, key in row["sources"].items()},
        )
        for row in stored["layouts"]
    )
