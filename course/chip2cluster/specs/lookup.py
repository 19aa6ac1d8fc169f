"""Lookup in the catalogue by any name that fits one accelerator only."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import Any

from ..provenance import Source
from .accelerator import Accelerator
from .catalogue import load
from .fields import GROUPS, PLAIN


class UnknownAccelerator(LookupError, ValueError):
    """No accelerator, or more than one, has this name; the message lists the candidates."""


def accelerators() -> tuple[Accelerator, ...]:
    """Return every accelerator of the catalogue, in the order of its file.

    Returns
    -------
    tuple of Accelerator
        All accelerators.

    Examples
    --------
    >>> accelerators()[0].name
    'V100 SXM2'
    """
    return tuple(_catalogue().values())


def accelerator(name: str | Accelerator) -> Accelerator:
    """Look up an accelerator by name.

    Parameters
    ----------
    name : str or Accelerator
        Id or product name, with any qualifiers that apply: vendor, form,
        memory. Case, spaces and punctuation do not matter: ``"H100 SXM"``,
        ``"h100-sxm5"``, ``"NVIDIA H100 80GB HBM3"`` (the output of nvidia-smi).
        An accelerator, such as a custom one (`own`), is returned unchanged.

    Returns
    -------
    Accelerator
        The accelerator of that name.

    Raises
    ------
    UnknownAccelerator
        If no accelerator or more than one fits; the message lists similar names. Part
        of a name is never completed: L40 is not the L40S.

    Examples
    --------
    >>> accelerator("tpu-v5p").name, accelerator("Trillium").name
    ('TPU v5p', 'TPU v6e')
    >>> accelerator("A100")
    Traceback (most recent call last):
    chip2cluster.specs.lookup.UnknownAccelerator: 'A100' fits A100 SXM 40GB, A100 SXM 80GB, A100 PCIe 40GB, A100 PCIe 80GB; say which
    """
    if isinstance(name, Accelerator):
        return name
    if not isinstance(name, str):
        raise TypeError(f"an accelerator's name must be a string, got {name!r}")
    fitting = _fitting(name)
    if len(fitting) == 1:
        return _catalogue()[fitting[0]]
    wanted = _squeezed(name)
    # A common beginning of several names, as in "MI300", is as ambiguous as a whole name.
    started = [key for key, names in _names().items() if wanted and any(n.startswith(wanted) for n in names)]
    candidates = list(dict.fromkeys([*fitting, *started]))
    if len(candidates) > 1:
        raise UnknownAccelerator(f"{name!r} fits {_listed(candidates)}; say which")
    near = _near(wanted, started)
    choices = f"did you mean {_listed(near)}?" if near else f"there are {_listed(_catalogue())}"
    raise UnknownAccelerator(f"no accelerator is called {name!r}; {choices}")


def data_version() -> str:
    """Return the version of the catalogue, which changes with every figure.

    Returns
    -------
    str
        Year and month, and a number if a month has several: ``"2026.11"``, ``"2026.11.2"``.

    Examples
    --------
    >>> data_version() >= "2026.11"
    True
    """
    return next(reversed(load()["versions"]))


# Loops over chips look the same few names up repeatedly.
@lru_cache(maxsize=512)
def _fitting(name: str) -> list[str]:
    wanted = _squeezed(name)
    return [key for key, pattern in _patterns().items() if pattern.fullmatch(wanted)]


def _squeezed(name):
    return re.sub(r"[\W_]+", "", name.casefold())


def _listed(keys: Iterable[str]) -> str:
    return ", ".join(_catalogue()[key].name for key in keys)


def _near(wanted: str, started: list[str]) -> list[str]:
    # Best guess first: names that begin like it, names that it contains ("H100 NVL"), similar names.
    owners = {name: key for key, names in _names().items() for name in names}
    contained = [key for key, names in _names().items() if any(name in wanted for name in names)]
    alike = [owners[name] for name in get_close_matches(wanted, owners, n=4)]
    return list(dict.fromkeys([*started, *contained, *alike]))


@cache
def _catalogue() -> dict[str, Accelerator]:
    return {record["id"]: _accelerator(record) for record in load()["accelerators"]}


@cache
def _names() -> dict[str, list[str]]:
    # For each accelerator all spellings of its name without qualifiers.
    return {
        record["id"]: list(dict.fromkeys(map(_squeezed, (record["name"], record["id"], *record["known_as"]))))
        for record in load()["accelerators"]
    }


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    # A name is one spelling with matching qualifiers before and after it. Squeezed text
    # needs no word boundaries: "L40S" is not "L4", because "0s" is not a qualifier.
    patterns = {}
    for record in load()["accelerators"]:
        capacity = f"{record['memory_bytes']['value'] / 1e9:g}GB"
        memory = record["memory_type"]["value"]
        qualifiers = [record["vendor"], record["kind"], capacity, memory, *record["qualifiers"]]
        names = "|".join(_names()[record["id"]])
        extras = "|".join(dict.fromkeys(map(_squeezed, qualifiers)))
        patterns[record["id"]] = re.compile(f"(?:{extras})*(?:{names})(?:{extras})*")
    return patterns


def _accelerator(record: dict[str, Any]) -> Accelerator:
    sources: dict[tuple[str, str | None], Source] = {}
    gaps: dict[tuple[str, str | None], str] = {}
    groups: dict[str, dict[str, float]] = {}

    def value(entry: dict[str, Any], field: str, name: str | None = None) -> Any:
        if entry["value"] is None:
            gaps[field, name] = entry["note"]
            return None
        citation = load()["sources"][entry["source"]]
        sources[field, name] = Source(**citation, confidence=entry["confidence"], note=entry.get("note", ""))
        return entry["value"]

    plain: dict[str, Any] = {field: value(record[field], field) if field in record else None for field in PLAIN}
    for group in GROUPS:
        read = {name: value(entry, group, name) for name, entry in record[group].items()}
        groups[group] = {name: number for name, number in read.items() if number is not None}
    identity = {key: record[key] for key in ("id", "name", "vendor", "kind", "compute_unit")}
    announced = (
        Source(**load()["sources"][record["announced"]["source"]], confidence="low") if "announced" in record else None
    )
    return Accelerator(**identity, **plain, announced=announced, _groups=groups, _sources=sources, _gaps=gaps)
