"""Layouts of published training runs, each with its source."""

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
    """Layout of a training run as published.

    Attributes
    ----------
    name, model, device : str
        Names of the run, the model and the chip.
    devices : int
        Number of devices printed with the layout.
    sequence : int
        Tokens of a sequence.
    global_batch : int
        Sequences of a step.
    layout : Layout
        Degrees of parallelism; fields that the source does not give have the defaults of `Layout`.
    sources : dict of str to Source
        Citation of each value.
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
        """Whether the product of the degrees is the number of devices."""
        return self.layout.devices == self.devices

    def source(self, value: str) -> Source:
        """Return the source of a value.

        Parameters
        ----------
        value : str
            Name of a field of this record.

        Returns
        -------
        Source
            Citation of the value.

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
    """Return the layouts of large training runs as published, by year.

    Returns
    -------
    tuple of PublishedLayout
        A selection, not a census.

    Notes
    -----
    In one of them the product of the printed degrees is not the number of devices. Source: see
    `PublishedLayout.source`.

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
