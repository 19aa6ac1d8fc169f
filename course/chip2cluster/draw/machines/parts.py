"""Parts of machines from ``data/machines.json``: areas, counts and their sources."""

import json
from functools import cache
from importlib import resources
from typing import Any

from ...provenance import Source


@cache
def machines() -> dict[str, Any]:
    """Return all stored parts by machine, without their sources."""
    return {name: part for name, part in _file().items() if name not in ("about", "sources")}


def source(name: str) -> Source:
    """Return a source by its short name.

    >>> source("gh100").confidence
    'confirmed'
    """
    return Source(**_file()["sources"][name])


@cache
def _file():
    return json.loads(resources.files("chip2cluster").joinpath("data/machines.json").read_text("utf-8"))
