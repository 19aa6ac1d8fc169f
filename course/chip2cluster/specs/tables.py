"""Tables of the catalogue: accelerators side by side, and one accelerator with its sources."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

from ..html import INLINE, Head
from ..html import table as html_table
from .accelerator import Accelerator, register_formatter
from .fields import GROUPS, PLAIN, label, unit
from .lookup import accelerator, accelerators

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pandas import DataFrame

IDENTITY = ("id", "vendor", "kind", "compute_unit")
DEFAULT = (
    "vendor",
    "year",
    "peak_flops_dense:fp16",
    "peak_flops_dense:bf16",
    "peak_flops_dense:fp8",
    "memory_bytes",
    "memory_bandwidth",
    "scale_up_bandwidth_one_way",
    "tdp_watts",
)


def table(
    names: str | Accelerator | Iterable[str | Accelerator] | None = None, fields: str | Iterable[str] | None = None
) -> DataFrame:
    """Tabulate accelerators side by side, in customary units.

    Parameters
    ----------
    names : str, Accelerator or iterable of them, optional
        Accelerators, as `accelerator` takes them; all of the catalogue by default.
    fields : str or iterable of str, optional
        Columns: an attribute such as ``"memory_bytes"``, or, for one of several values, with the value's name
        after a colon: ``"peak_flops_dense:bf16"``, ``"peak_flops_sparse:fp8"``,
        ``"compute_unit_counts:XCD"``.

    Returns
    -------
    pandas.DataFrame
        Indexed by name, with units in the headers; NaN
        if a part has no such value. The last column, ``"low confidence"``, names
        the shown values of the row whose confidence is ``"low"``.

    Raises
    ------
    UnknownAccelerator
        If a name fits no accelerator or several.
    ValueError
        If a field is unknown; the message names the choices.

    Examples
    --------
    >>> table(["H100 SXM", "B300"], ["peak_flops_dense:fp4", "tdp_watts"])
                 fp4 dense (TFLOP/s)  TDP (W)  low confidence
    accelerator
    H100 SXM                     NaN    700.0
    B300                     13500.0   1100.0  fp4 dense, TDP
    """
    import pandas  # imported here because the catalogue itself does not need it

    rows = accelerators() if names is None else [accelerator(name) for name in _words("names", names)]
    keys = [_key(field) for field in (DEFAULT if fields is None else _words("fields", fields))]
    columns = {_header(*key): [_shown(row, *key) for row in rows] for key in keys}
    columns["low confidence"] = [", ".join(label(*key) for key in keys if key in row.low_confidence) for row in rows]
    return pandas.DataFrame(columns, index=pandas.Index([row.name for row in rows], name="accelerator"))


def card(row: Accelerator) -> str:
    """Return one accelerator as an HTML table of value, confidence and source."""
    heads = [Head(text) for text in ("field", "value", "confidence", "source", "note")]
    rows = []
    for key, source in row._sources.items():
        symbol, size = unit(*key)
        symbol = row.compute_unit if key[0] == "compute_units" else symbol
        figure = _shown(row, *key)
        number = f"{figure:g} {symbol}".rstrip() if size else figure
        cited = f"{source.citation} ({source.as_of})" if source.as_of else source.citation
        rows.append((label(*key), number, source.confidence, cited, source.note))
    rows += [(label(*key), "not known", "", "", reason) for key, reason in row._gaps.items()]
    return html_table(
        heads,
        rows,
        caption=", ".join([f"{row.vendor} {row.name}"] + [str(row.year)] * (row.year is not None)),
        look=INLINE,
    )


register_formatter("text/html", card)


def _words(argument: str, given: Any) -> list[Any]:
    if isinstance(given, (str, Accelerator)):
        return [given]
    try:
        return list(given)
    except TypeError:
        raise TypeError(f"{argument} must be a name or several, got {given!r}") from None


def _key(field: str) -> tuple[str, str | None]:
    if not isinstance(field, str):
        raise TypeError(f"a field must be a string, got {field!r}")
    group, colon, name = field.partition(":")
    if not colon and (field in PLAIN or field in IDENTITY):
        return field, None
    if group not in GROUPS:
        several = (f"{known}:name" for known in GROUPS)
        raise ValueError(f"no field {field!r}; there are {', '.join([*IDENTITY, *PLAIN, *several])}")
    name = name.strip().lower() if group.startswith("peak") else name
    choices = dict.fromkeys(key for row in accelerators() for key in row._groups[group])
    if name not in choices:
        raise ValueError(f"no accelerator has {field!r}; write {group}:name with one of {', '.join(choices)}")
    return group, name


def _header(field: str, name: str | None) -> str:
    if field in IDENTITY:
        return field.replace("_", " ")
    symbol, _ = unit(field, name)
    return label(field, name) + (f" ({symbol})" if symbol else "")


def _shown(row: Accelerator, field: str, name: str | None) -> Any:
    value = getattr(row, field) if name is None else row._groups[field].get(name)
    size = None if field in IDENTITY else unit(field, name)[1]
    if size is None:
        return value or ""
    if value is None:
        return nan
    return value if size == 1 else value / size
