"""Measured kernels of ``data/kernels.json``, loaded on first use."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from .provenance import Source


@cache
def stored() -> dict[str, Any]:
    """Return the whole file; rates are in SI units, each row names its source."""
    return json.loads((files("chip2cluster") / "data" / "kernels.json").read_text(encoding="utf-8"))


@cache
def source(name: str) -> Source:
    """Return a source of the file by its name there."""
    cited = stored()["sources"][name]
    return Source(cited["citation"], cited["as_of"], cited["confidence"], cited.get("note", ""))
