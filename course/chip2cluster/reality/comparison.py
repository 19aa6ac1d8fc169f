"""Comparison of predictions with measurements; the predictor of each kind calls the public models."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from statistics import median
from typing import TYPE_CHECKING, Any

from .._validate import choice, whole
from . import measurement_tables
from .validation_model import Kind, Point

if TYPE_CHECKING:
    from types import ModuleType


def kinds() -> tuple[Kind, ...]:
    """List the kinds of measurements, grouped by family.

    Returns
    -------
    tuple of Kind
        Kinds with their rows.

    Notes
    -----
    A file in ``data/measured`` and a file of the same name in ``reality/predictors`` form a kind.
    Ignores unpublished quantities. Source: see each row.

    Examples
    --------
    >>> len({one.family for one in kinds()})
    5
    """
    return tuple(map(measurement_tables.load, measurement_tables.names()))


def kind(name: str) -> Kind:
    """Look up one of `kinds` by its name.

    Parameters
    ----------
    name : str
        Name of the kind.

    Returns
    -------
    Kind
        The kind with its rows.

    Notes
    -----
    Same limits as `kinds`.

    Examples
    --------
    >>> kind("triad").band.median_factor
    1.15
    """
    return measurement_tables.load(choice("kind", name, measurement_tables.names()))


def fitted(kind: str) -> dict[str, float]:
    """Return the fitted parameters of a predictor.

    Parameters
    ----------
    kind : str
        Name of a kind.

    Returns
    -------
    dict of str to float
        Parameters in SI base units; empty if nothing is fitted.

    Notes
    -----
    Recomputed from the rows marked as fitted, and from nothing else.

    Examples
    --------
    >>> round(fitted("triad")["share"], 2)
    0.89
    """
    return dict(_fitted(choice("kind", kind, measurement_tables.names())))


def records(kind: str | None = None) -> tuple[Point, ...]:
    """List every measurement with its prediction.

    Parameters
    ----------
    kind : str, optional
        Name of a kind; None for all kinds.

    Returns
    -------
    tuple of Point
        Points, including those that do not count (``point.row.counts``).

    Notes
    -----
    Same limits as `kinds`.

    Examples
    --------
    >>> records("triad")[0].row.fitted
    True
    """
    chosen = measurement_tables.names() if kind is None else (choice("kind", kind, measurement_tables.names()),)
    return tuple(point for one in chosen for point in _points(one))


def counted(kind: str | None = None) -> tuple[Point, ...]:
    """List the predictions that count, of one kind or of all forecasts.

    Parameters
    ----------
    kind : str, optional
        Name of a kind; None for all forecasts, without accounting.

    Returns
    -------
    tuple of Point
        Points that count.

    Notes
    -----
    Accounting is excluded because its speed is an input, which would make the forecasts look better.

    Examples
    --------
    >>> all(point.kind.forecasts for point in counted())
    True
    """
    found = (point for point in records(kind) if point.row.counts)
    return tuple(point for point in found if kind is not None or point.kind.forecasts)


def errors(kind: str | None = None) -> dict[str, Any]:
    """Compute the error statistics of the predictions that count.

    Parameters
    ----------
    kind : str, optional
        Name of a kind; None for all forecasts together, without accounting.

    Returns
    -------
    dict
        ``count``; ``median_factor``; ``share_within``, the fraction within the band of the kind (1.5 for all
        kinds together); ``worst_factor``; ``nine_in_ten``, the 90th percentile of the error
        factor; ``share_by_table``, the fraction within the band with equal weight for each table.

    Notes
    -----
    Ignores fitted rows, and rows that are not measurements.

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
    """Return whether the predictions of a kind meet their tolerance band.

    Parameters
    ----------
    kind : str
        Name of a kind.

    Returns
    -------
    bool
        True if both the median and the share are met.

    Notes
    -----
    Same limits as `errors`. The data declare the result, too (`Kind.meets`); a test compares the two.

    Examples
    --------
    >>> in_band("mfu")
    True
    """
    band, found = measurement_tables.load(choice("kind", kind, measurement_tables.names())).band, errors(kind)
    return found["median_factor"] <= band.median_factor and found["share_within"] >= band.share


def worst(count: int = 10, kind: str | None = None) -> tuple[Point, ...]:
    """List the predictions with the largest error factors.

    Parameters
    ----------
    count : int
        Number of predictions.
    kind : str, optional
        Name of a kind; None for all forecasts.

    Returns
    -------
    tuple of Point
        Points that count, worst first.

    Notes
    -----
    Same limits as `errors`.

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
    return fit([row for row in measurement_tables.load(name).rows if row.fitted]) if fit else {}


@cache
def _points(name: str) -> tuple[Point, ...]:
    predict, numbers, one = _predictor(name).predict, _fitted(name), measurement_tables.load(name)
    return tuple(Point(one, row, predict(row, numbers)) for row in one.rows)
