"""File of the catalogue, ``data/accelerators.json``: loaded once, and formatted in one canonical way."""

from __future__ import annotations

import json
from decimal import Decimal
from functools import cache
from importlib.resources import files
from math import floor, log10
from pathlib import Path
from typing import Any

ONE_LINE_FROM = 2  # depth of nesting from which small objects take one line


@cache
def load() -> dict[str, Any]:
    """Return the contents of the catalogue's file."""
    return json.loads((files("chip2cluster") / "data" / "accelerators.json").read_text(encoding="utf-8"))


def canonical_text(data: dict[str, Any]) -> str:
    """Return the catalogue in its canonical form: one line per value, large numbers with an exponent of 3, 6, 9, ...

    Parameters
    ----------
    data : dict
        Contents of the file.

    Returns
    -------
    str
        JSON text that `json.loads` turns back into ``data``.

    Examples
    --------
    >>> print(canonical_text({"chips": [{"id": "x", "memory_bytes": {"value": 80e9, "source": "sheet"}}]}), end="")
    {
     "chips": [
      {
       "id": "x",
       "memory_bytes": {"value": 80e9, "source": "sheet"}
      }
     ]
    }
    """
    return _expanded(data, 0) + "\n"


def format_file(path: Path, *, check: bool = False) -> bool:
    """Rewrite a catalogue in its canonical form, or only check it.

    Parameters
    ----------
    path : Path
        File of the catalogue.
    check : bool
        Whether to leave the file unchanged.

    Returns
    -------
    bool
        Whether the file was in canonical form before.
    """
    text = path.read_text(encoding="utf-8")
    canonical = canonical_text(json.loads(text))
    if not check and text != canonical:
        path.write_text(canonical, encoding="utf-8")
    return text == canonical


def _expanded(value: Any, depth: int) -> str:
    if not isinstance(value, (dict, list)) or not value or (depth > ONE_LINE_FROM - 1 and _is_leaf(value, depth)):
        return _line(value)
    pad = "\n" + " " * (depth + 1)
    if isinstance(value, dict):
        members = [f"{json.dumps(key, ensure_ascii=False)}: {_expanded(one, depth + 1)}" for key, one in value.items()]
    else:
        members = [_expanded(one, depth + 1) for one in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + pad + ("," + pad).join(members) + "\n" + " " * depth + closing


def _is_leaf(value: Any, depth: int) -> bool:
    """Whether a container takes one line: a value with its sources, or one that holds no other object."""
    if isinstance(value, list):
        return not any(isinstance(one, dict) for one in value)
    return "value" in value or not any(isinstance(one, dict) for one in value.values())


def _line(value: Any) -> str:
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {_line(one)}" for key, one in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(_line, value)) + "]"
    return _number(value) if type(value) is float else json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    if abs(value) < 1e6:
        return repr(value)
    exponent = 3 * floor(log10(abs(value)) / 3)
    mantissa = Decimal(repr(value)).scaleb(-exponent).normalize()
    return f"{mantissa:f}e{exponent}"
