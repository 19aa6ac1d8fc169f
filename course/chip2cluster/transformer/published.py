"""Published models: their shapes, each with where it was read."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

from ..provenance import Source
from .config import Config
from .parts import Experts, LatentAttention


class UnknownModel(ValueError):
    """No published model has that name; the message lists the near ones."""


@dataclass(frozen=True)
class Model:
    """A published model.

    ``sequence`` is the training context in tokens, ``published_parameters`` the count
    that its makers or its checkpoint give (exact or rounded), None where none is known.
    """

    name: str
    year: int
    config: Config
    sequence: int
    published_parameters: int | None
    sources: dict = field(repr=False, compare=False)

    def source(self, value: str) -> Source:
        """Say where a value was read.

        Parameters
        ----------
        value : str
            A field of ``config``, ``"sequence"``, ``"year"`` or ``"published_parameters"``.

        Returns
        -------
        Source

        Raises
        ------
        ValueError
            For a name that does not exist.

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

    Notes
    -----
    A choice, not a census. Source: see `Model.source`.

    Examples
    --------
    >>> [one.name for one in models() if "Llama 2" in one.name]
    ['Llama 2 7B', 'Llama 2 13B', 'Llama 2 70B']
    """
    return tuple(_load().values())


def model(name: str) -> Model:
    """Find a published model by name.

    Parameters
    ----------
    name : str
        As printed by `models`; case, blanks and dashes do not matter.

    Returns
    -------
    Model

    Raises
    ------
    UnknownModel
        A ValueError, for a name that is not there.
    TypeError
        For anything but text.

    Notes
    -----
    Source: see `Model.source`.

    Examples
    --------
    >>> model("llama3-8b").config.kv_heads
    8
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be text, got {name!r}")
    known = _load().get(_key(name))
    if known:
        return known
    names = {key: model.name for key, model in _load().items()}
    near = [names[key] for key in get_close_matches(_key(name), names, n=5, cutoff=0.4)] or names.values()
    raise UnknownModel(f"name {name!r} is not a published model here; near ones: {', '.join(near)}")


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
    if "latent" in shape:
        shape["latent"] = LatentAttention(**shape["latent"])
    if "experts" in shape:
        shape["experts"] = Experts(**shape["experts"])
    return Model(
        entry["name"],
        entry["year"],
        Config(**shape),
        entry["sequence"],
        entry["published_parameters"],
        {value: sources[key] for value, key in entry["sources"].items()},
    )
