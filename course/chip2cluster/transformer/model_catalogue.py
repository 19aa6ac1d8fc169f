"""Published models: their shapes, each with its source."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

from ..provenance import Source
from .config import PARTS, Config


class UnknownModel(ValueError):
    """No published model has that name; the message lists similar names."""


@dataclass(frozen=True)
class Model:
    """A published model.

    Attributes
    ----------
    name : str
        Name of the model.
    year : int
        Year of publication.
    config : Config
        Shape of the model.
    sequence : int
        Training context, tokens.
    published_parameters : int or None
        Number of parameters given by its authors or its checkpoint (exact or rounded), if known.
    sources : dict of str to Source
        Citation of each value.
    """

    name: str
    year: int
    config: Config
    sequence: int
    published_parameters: int | None
    sources: dict = field(repr=False, compare=False)

    def source(self, value: str) -> Source:
        """Return the source of a value.

        Parameters
        ----------
        value : str
            A field of ``config``, ``"sequence"``, ``"year"`` or ``"published_parameters"``.

        Returns
        -------
        Source
            Citation of the value.

        Examples
        --------
        >>> model("PaLM 540B").source("layers").citation
        'Chowdhery et al. 2022, PaLM, arXiv:2204.02311, table 1 and section 2'
        """
        known = (*self.config.__dataclass_fields__, "sequence", "year", "published_parameters")
        if value not in known:
            raise ValueError(f"value must be one of {', '.join(known)}, got {value!r}")
        return self.sources.get(value, self.sources["*"])


def models() -> tuple[Model, ...]:
    """List the published models.

    Returns
    -------
    tuple of Model
        A selection, not a census.

    Notes
    -----
    Source: see `Model.source`.

    Examples
    --------
    >>> [one.name for one in models() if "Llama 2" in one.name]
    ['Llama 2 7B', 'Llama 2 13B', 'Llama 2 70B']
    """
    return tuple(_load().values())


def model(name: str) -> Model:
    """Look up a published model by name.

    Parameters
    ----------
    name : str
        Name as in `models`; case, spaces and dashes do not matter.

    Returns
    -------
    Model
        The published model.

    Raises
    ------
    UnknownModel
        If no model has that name (a ValueError).

    Notes
    -----
    Source: see `Model.source`.

    Examples
    --------
    >>> model("llama3-8b").config.kv_heads
    8
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be a string, got {name!r}")
    known = _load().get(_key(name))
    if known:
        return known
    names = {key: model.name for key, model in _load().items()}
    near = [names[key] for key in get_close_matches(_key(name), names, n=5, cutoff=0.4)] or names.values()
    raise UnknownModel(f"name {name!r} is not a published model here; similar names: {', '.join(near)}")


def _key(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum() or letter == ".")


@cache
def _load() -> dict[str, Model]:
    text = files("chip2cluster").joinpath("data/models.json").read_text(encoding="utf-8")
    data = json.loads(text)
    sources = {key: Source(**entry) for key, entry in data["sources"].items()}
    return {_key(entry["name"]): _read(entry, sources) for entry in data["models"]}


def _read(entry: dict[str, Any], sources: dict[str, Source]) -> Model:
    shape = dict(entry["config"])
    for name, part in PARTS.items():
        if name in shape:
            shape[name] = part(**shape[name])
    if "mixers" in shape:
        shape["mixers"] = tuple(shape["mixers"])
    if "feed_forwards" in shape:
        shape["feed_forwards"] = tuple(shape["feed_forwards"])
    return Model(
        entry["name"],
        entry["year"],
        Config(**shape),
        entry["sequence"],
        entry["published_parameters"],
        {value: sources[key] for value, key in entry["sources"].items()},
    )
