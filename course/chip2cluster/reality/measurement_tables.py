"""Loader of the measurements: one file of ``data/measured`` per kind; every row needs a source."""

from __future__ import annotations

import json
from functools import cache
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..units import GB, GIB
from .validation_model import CONFIDENCE, HOW, Band, Kind, LeftOut, Publication, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).resolve().parent.parent / "data" / "measured"
FAMILIES = ("wires", "memory", "arithmetic", "training", "serving")
UNITS = {
    "GB/s": GB,
    "GB": GB,
    "GiB": GIB,
    "TFLOP/s": 1e12,
    "%": 0.01,
    "s": 1.0,
    "min": 60.0,
    "h": 3600.0,
    "µs": 1e-6,
    "tokens/s": 1.0,
    "t": 1e3,  # kg
}
_PUBLISHED = ("title", "measured_by", "date", "address", "licence", "confidence")


@cache
def names() -> tuple[str, ...]:
    """Return the names of the kinds, one per file, sorted by family and name."""
    found = {file.stem: json.loads(file.read_text(encoding="utf-8"))["family"] for file in FOLDER.glob("*.json")}
    return tuple(sorted(found, key=lambda name: (FAMILIES.index(found[name]), name)))


@cache
def load(name: str) -> Kind:
    """Load one kind with its rows; cached."""
    return read(name, json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")))


def read(name: str, text: dict[str, Any]) -> Kind:
    """Convert and validate the content of a file.

    Parameters
    ----------
    name : str
        Name of the file.
    text : dict
        Content of the file.

    Returns
    -------
    Kind
        Kind with its rows.

    Raises
    ------
    ValueError
        A row lacks its source, licence, date or confidence (A or B); a counted row has no public address; a
        measurement is not positive; a reason does not belong to a miss "high" or "low"; a quantity meets its
        band and has a reason, or misses it and has none.

    Notes
    -----
    Does not check the figures themselves.

    Examples
    --------
    >>> from chip2cluster.reality import kind
    >>> kind("triad").rows[0].publication.measured_by
    'D. Ernst (NHR@FAU)'
    """
    if text["family"] not in FAMILIES or text["how"] not in HOW or text["unit"] not in UNITS:
        raise ValueError(
            f"{name}: family must be one of {', '.join(FAMILIES)}, how one of {', '.join(HOW)} and unit one of "
            f"{', '.join(UNITS)}; got {text['family']!r}, {text['how']!r} and {text['unit']!r}"
        )
    if text["meets"] == bool(text["reason"]):
        raise ValueError(f"{name}: a kind that misses its band says why, and no other does; got {text['reason']!r}")
    rows = tuple(row for table in text["tables"] for row in _rows(name, table, text["sources"], text["unit"]))
    plain = {key: text[key] for key in ("title", "short", "family", "quantity", "unit", "how", "predicted", "fitted")}
    return Kind(
        name,
        **plain,
        scale=UNITS[text["unit"]],
        models=tuple(text["models"]),
        band=Band(**text["band"]),
        meets=text["meets"],
        reason=text["reason"],
        rows=rows,
        left_out=tuple(LeftOut(**one) for one in text["left_out"]),
    )


def _rows(name: str, table: dict[str, Any], sources: dict[str, Any], unit: str) -> Iterator[Row]:
    """Yield the rows of one table."""
    where = f"{name}, table {table.get('id')!r}"
    publication = _publication(where, sources.get(table.get("source", "")))
    fitted = set(table.get("fit", ()))
    aside = set(table.get("uncounted_rows", range(len(table["rows"])))) if "uncounted" in table else set()
    if not aside and not publication.address.startswith("https://"):
        raise ValueError(f"{where}: a row that counts has a public address, got {publication.address!r}")
    why = table.get("why", {})
    if not set(why) <= {"high", "low"}:
        raise ValueError(f"{where}: why must be by 'high' and 'low', got {', '.join(map(repr, why))}")
    for place, values in enumerate(table["rows"]):
        given = {**table["given"], **dict(zip(table["columns"], values, strict=True))}
        measured = given.pop("measured", None)
        if not (isinstance(measured, (int, float)) and isfinite(measured) and measured > 0):
            raise ValueError(f"{where}: measured must be above zero, got {measured!r} in row {place}")
        measured *= UNITS[given.pop("unit", unit)]
        label = given.pop("label", None) or table.get("label", "").format(**_shown(given))
        yield Row(
            f"{table['id']}-{place}",
            label or table["system"],
            table["system"],
            table["software"],
            measured,
            given,
            place in fitted,
            publication,
            table.get("note", ""),
            table["uncounted"] if place in aside else "",
            why,
        )


def _publication(where: str, source: dict[str, str] | None) -> Publication:
    """Return the source of a table; raise ValueError if it is incomplete."""
    if not source:
        raise ValueError(f"{where}: a measurement without its source is not taken")
    if missing := [key for key in _PUBLISHED if not source.get(key)]:
        raise ValueError(f"{where}: the source says nothing of {', '.join(missing)}")
    if source["confidence"] not in CONFIDENCE:
        raise ValueError(f"{where}: confidence must be one of {', '.join(CONFIDENCE)}, got {source['confidence']!r}")
    return Publication(**source)


def _shown(given: dict[str, Any]) -> dict[str, Any]:
    """Format the inputs of a row for its label."""
    shown = {key: f"{value:,}" if isinstance(value, int) else value for key, value in given.items()}
    if "message_bytes" in given:
        shown["message"] = _binary(given["message_bytes"])
    if "collective" in given:
        shown["name"] = given["collective"].replace("_", "-")
    return shown


def _binary(size: int) -> str:
    """Format a size in powers of 1,024.

    >>> _binary(1024), _binary(24 * 2**20), _binary(8)
    ('1 KiB', '24 MiB', '8 B')
    """
    for unit, step in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= step:
            return f"{size / step:g} {unit}"
    return f"{size} B"
