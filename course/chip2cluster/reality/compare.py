"""Predictions beside measurements: every kind asks its own predictor, which asks the course's models."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from statistics import median
from typing import TYPE_CHECKING, Any

from .._validate import choice, whole
from . import data
from .model import Kind, Point

if TYPE_CHECKING:
    from types import ModuleType


def kinds() -> tuple[Kind, ...]:
    """The kinds of measurements, those of the same family side by side.

    Returns
    -------
    tuple of Kind

    Notes
    -----
    A file in ``data/measured`` and a file of the same name in ``reality/predictors`` are a kind.
    Ignores what nobody has published. Source: see each row.

    Examples
    --------
    >>> len({one.family for one in kinds()})
    5
    """
    return tuple(map(data.load, data.names()))


def kind(name: str) -> Kind:
    """One of `kinds` by its name.

    Parameters
    ----------
    name : str

    Returns
    -------
    Kind

    Notes
    -----
    As `kinds`.

    Examples
    --------
    >>> kind("triad").band.median_factor
    1.15
    """
    return data.load(choice("kind", name, data.names()))


def fitted(kind: str) -> dict[str, float]:
    """The numbers of a kind's predictions that were read off measurements.

    Parameters
    ----------
    kind : str
        As `kind`.

    Returns
    -------
    dict of str to float
        SI base units; empty where nothing is fitted.

    Notes
    -----
    They follow from the rows marked as fitted and from nothing else, each time anew.

    Examples
    --------
    >>> round(fitted("triad")["share"], 2)
    0.89
    """
    return dict(_fitted(choice("kind", kind, data.names())))


def records(kind: str | None = None) -> tuple[Point, ...]:
    """Every measurement beside its prediction.

    Parameters
    ----------
    kind : str, optional
        As `kind`; left out, all kinds.

    Returns
    -------
    tuple of Point
        Also those that do not count; ``point.row.counts`` tells them.

    Notes
    -----
    As `kinds`.

    Examples
    --------
    >>> records("triad")[0].row.fitted
    True
    """
    chosen = data.names() if kind is None else (choice("kind", kind, data.names()),)
    return tuple(point for one in chosen for point in _points(one))


def counted(kind: str | None = None) -> tuple[Point, ...]:
    """Predictions that count: of one kind, or all forecasts.

    Parameters
    ----------
    kind : str, optional
        As `kind`; left out, all forecasts, without the accounting.

    Returns
    -------
    tuple of Point

    Notes
    -----
    Accounting is given the speed that it predicts, so it would make the forecasts look better.

    Examples
    --------
    >>> all(point.kind.forecasts for point in counted())
    True
    """
    found = (point for point in records(kind) if point.row.counts)
    return tuple(point for point in found if kind is not None or point.kind.forecasts)


def errors(kind: str | None = None) -> dict[str, Any]:
    """How far off the predictions are, over the rows that count.

    Parameters
    ----------
    kind : str, optional
        As `kind`; left out, all forecasts together, without the accounting.

    Returns
    -------
    dict
        ``count``; ``median_factor``; ``share_within``, of the kind's own band (1.5 for all
        kinds together); ``worst_factor``; ``nine_in_ten``, the factor that nine in ten
        do not exceed; ``share_by_table``, the share within where every table has the same
        weight, however many rows its sweep has.

    Notes
    -----
    Ignores the rows that a number was read off, and those that are no measurement.

    Examples
    --------
    >>> errors("mfu")["share_within"]
    1.0
    """
    held_out = counted(kind)
    factors = sorted(point.factor for point in held_out)
    tables: dict[tuple[str, str], list[bool]] = {}
    for point in held_out:
        tables.setdefault((point.kind.name, point.row.table), []).append(point.factor <= point.kind.band.within)
    return {
        "count": len(factors),
        "median_factor": median(factors),
        "share_within": sum(point.factor <= point.kind.band.within for point in held_out) / len(factors),
        "worst_factor": factors[-1],
        "share_by_table": sum(sum(hits) / len(hits) for hits in tables.values()) / len(tables),
        "nine_in_ten": factors[-(-9 * len(factors) // 10) - 1],
    }


def in_band(kind: str) -> bool:
    """Whether the predictions of a kind lie in the band that was fixed for it.

    Parameters
    ----------
    kind : str
        As `kind`.

    Returns
    -------
    bool
        True where both the median and the share are met.

    Notes
    -----
    As `errors`. The data declare the same, `Kind.meets`; a test compares the two.

    Examples
    --------
    >>> in_band("mfu")
    True
    """
    band, found = data.load(choice("kind", kind, data.names())).band, errors(kind)
    return found["median_factor"] <= band.median_factor and found["share_within"] >= band.share


def worst(count: int = 10, kind: str | None = None) -> tuple[Point, ...]:
    """The predictions that miss by the largest factors.

    Parameters
    ----------
    count : int
        How many.
    kind : str, optional
        As `kind`; left out, of all forecasts.

    Returns
    -------
    tuple of Point
        The worst first, without rows that do not count.

    Notes
    -----
    As `errors`.

    Examples
    --------
    >>> worst(1)[0].factor == errors()["worst_factor"]
    True
    """
    ordered = sorted(counted(kind), key=lambda point: -point.factor)
    return tuple(ordered[: int(whole("count", count))])


@cache
def _predictor(name: str) -> ModuleType:
    return import_module(f"{__package__}.predictors.{name}")


@cache
def _fitted(name: str) -> dict[str, float]:
    fit = getattr(_predictor(name), "fit", None)
    return fit([row for row in data.load(name).rows if row.fitted]) if fit else {}


@cache
def _points(name: str) -> tuple[Point, ...]:
    predict, numbers, one = _predictor(name).predict, _fitted(name), data.load(name)
    return tuple(Point(one, row, predict(row, numbers)) for row in one.rows)
