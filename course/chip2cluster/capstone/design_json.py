"""JSON form of a design with its claimed numbers, for storage and exchange."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from .._validate import one_positive, shortened
from ..parallelism import Layout
from ..specs import UnknownAccelerator, accelerator
from .design import Design, check_design

MOST_CHARACTERS = 4096
DESIGN = tuple(field.name for field in fields(Design))
LAYOUT = tuple(field.name for field in fields(Layout))


def to_text(design: Design, **promised: float) -> str:
    """Serialize a design and the numbers claimed for it.

    Parameters
    ----------
    design : Design
        Design with a chip of the catalogue.
    **promised : float
        Claimed numbers by name, such as ``mfu=0.4``.

    Returns
    -------
    str
        JSON for `from_text`.

    Raises
    ------
    ValueError
        The chip is not in the catalogue, so others cannot look it up by name.

    Examples
    --------
    >>> print(to_text(Design(chip="H100 SXM", nodes=16, spares=1), days=30))
    {"chip": "H100 SXM", "nodes": 16, "spares": 1, "promised": {"days": 30.0}}
    """
    check_design(design)
    try:
        listed = accelerator(design.accelerator.name) == design.accelerator
    except UnknownAccelerator:
        listed = False
    if not listed:
        raise ValueError(f"chip must be in the catalogue to be written as text, got {design.accelerator.name!r}")
    written = _changed(design) | {"chip": design.accelerator.name}
    if design.layout is not None:
        written["layout"] = _changed(design.layout)
    if promised:
        written["promised"] = {name: one_positive(name, value, allow_zero=True) for name, value in promised.items()}
    return json.dumps(written)


def from_text(text: str) -> tuple[Design, dict[str, float]]:
    """Parse a design and the numbers claimed for it.

    Parameters
    ----------
    text : str
        JSON from `to_text`.

    Returns
    -------
    design : Design
        The design.
    promised : dict of str to float
        Claimed numbers by name.

    Raises
    ------
    ValueError, TypeError
        The text is not a valid design; the message names the field or the position of the JSON error.

    Examples
    --------
    >>> design, promised = from_text('{"chip": "A100 SXM 80GB", "nodes": 4, "promised": {"mfu": 0.5}}')
    >>> design.devices, promised["mfu"]
    (32, 0.5)
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, as to_text writes it, got {type(text).__name__}")
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"text must have at most {MOST_CHARACTERS} characters, got {len(text)}")
    try:
        written = json.loads(text)
    except json.JSONDecodeError as error:
        near = shortened(text[max(0, error.pos - 30) : error.pos + 10])
        wrong = f"syntax error at character {error.pos + 1} of {len(text)}, near {near}"
        raise ValueError(f"text must be JSON, as to_text writes it; {wrong}") from None
    except (ValueError, RecursionError):
        raise ValueError(f"text must be JSON, as to_text writes it, got {shortened(text)}") from None
    given = _object("text", written, (*DESIGN, "promised"))
    promised = given.pop("promised", {})
    if not isinstance(promised, dict):
        raise TypeError(f"promised must be names and numbers, got {shortened(promised)}")
    if given.get("layout") is not None:
        given["layout"] = Layout(**_object("layout", given["layout"], LAYOUT))
    if not isinstance(given.get("chip"), str):
        raise TypeError(f"chip must be the name of a chip, got {shortened(given.get('chip'))}")
    if "nodes" not in given:
        raise ValueError("nodes must be given, got none")
    return Design(**given), {name: one_positive(name, value, allow_zero=True) for name, value in promised.items()}


def _changed(some: Design | Layout) -> dict[str, Any]:
    """Return the fields that differ from their defaults."""
    values = ((field, getattr(some, field.name)) for field in fields(some))
    return {field.name: value for field, value in values if value != field.default and field.name != "layout"}


def _object(name: str, value: Any, known: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"{name} must be names and values in braces, got {shortened(value)}")
    if odd := [one for one in value if one not in known]:
        raise ValueError(f"{name} must hold only {', '.join(known)}, got {shortened(odd[0])}")
    return value
