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

    from pandas import DataFrame


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
    4
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

    Raises
    ------
    ValueError
        For another name, naming the choices.

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

    Raises
    ------
    ValueError
        As `kind`.

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
        Also those that a number was read off; ``point.row.fitted`` tells them.

    Raises
    ------
    ValueError
        As `kind`.

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


def points(kind: str | None = None) -> DataFrame:
    """Return one row a measurement: predicted, measured, and the factor between them.

    Parameters
    ----------
    kind : str, optional
        As `kind`; left out, all kinds.

    Returns
    -------
    pandas.DataFrame
        Indexed by kind and id. ``measured`` and ``predicted`` are in the column ``unit``;
        ``factor`` is at least 1; ``counts`` is False where a number was fitted to the row.

    Raises
    ------
    ValueError
        As `kind`.

    Notes
    -----
    As `kinds`.

    Examples
    --------
    >>> bool(points("mfu")["factor"].max() < 1.1)
    True
    """
    import pandas  # here, because the models do not need it

    rows = [
        {
            "kind": point.kind.name,
            "id": point.row.id,
            "measured on": point.row.system,
            "what": point.row.label,
            "measured": point.row.measured / point.kind.scale,
            "predicted": point.predicted / point.kind.scale,
            "unit": point.kind.unit,
            "factor": point.factor,
            "counts": not point.row.fitted,
            "source": point.row.publication.title,
            "date": point.row.publication.date,
            "licence": point.row.publication.licence,
        }
        for point in records(kind)
    ]
    return pandas.DataFrame(rows).set_index(["kind", "id"])


def errors(kind: str | None = None) -> dict[str, Any]:
    """How far off the predictions are, over the rows that nothing was fitted to.

    Parameters
    ----------
    kind : str, optional
        As `kind`; left out, all kinds together.

    Returns
    -------
    dict
        ``count``; ``median_factor``; ``share_within``, of the kind's own band (1.5 for all
        kinds together); ``worst_factor``; ``nine_in_ten``, the factor that nine in ten
        do not exceed.

    Raises
    ------
    ValueError
        As `kind`.

    Notes
    -----
    Ignores the rows that a number was read off.

    Examples
    --------
    >>> errors("mfu")["share_within"]
    1.0
    """
    held_out = [point for point in records(kind) if not point.row.fitted]
    factors = sorted(point.factor for point in held_out)
    return {
        "count": len(factors),
        "median_factor": median(factors),
        "share_within": sum(point.factor <= point.kind.band.within for point in held_out) / len(factors),
        "worst_factor": factors[-1],
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

    Raises
    ------
    ValueError
        As `kind`.

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


def summary() -> DataFrame:
    """Return one row a kind: how many predictions, how far off, and whether that was good enough.

    Returns
    -------
    pandas.DataFrame
        Indexed by the title of the kind; shares in percent.

    Notes
    -----
    As `errors`.

    Examples
    --------
    >>> int(summary()["predictions"].sum()) == errors()["count"]
    True
    """
    import pandas  # here, because the models do not need it

    rows = []
    for one in kinds():
        found = errors(one.name)
        rows.append(
            {
                "kind": one.title,
                "how": one.how,
                "predictions": found["count"],
                "fitted rows": sum(row.fitted for row in one.rows),
                "median factor": found["median_factor"],
                "asked": one.band.median_factor,
                "within 1.5 (%)": 100 * found["share_within"],
                "worst factor": found["worst_factor"],
                "in its band": "yes" if one.meets else "no",
            }
        )
    return pandas.DataFrame(rows).set_index("kind")


def worst(count: int = 10, kind: str | None = None) -> tuple[Point, ...]:
    """The predictions that miss by the largest factors.

    Parameters
    ----------
    count : int
        How many.
    kind : str, optional
        As `kind`; left out, of all kinds.

    Returns
    -------
    tuple of Point
        The worst first, without rows that a number was read off.

    Raises
    ------
    ValueError, TypeError
        As `kind`, and for a count that is not whole.

    Notes
    -----
    As `errors`.

    Examples
    --------
    >>> worst(1)[0].factor == errors()["worst_factor"]
    True
    """
    ordered = sorted((point for point in records(kind) if not point.row.fitted), key=lambda point: -point.factor)
    return tuple(ordered[: int(whole("count", count))])


def about() -> DataFrame:
    """Return what a prediction means for each kind, and which of its numbers were fitted.

    Returns
    -------
    pandas.DataFrame
        Indexed by the title of the kind.

    Notes
    -----
    As `kinds`.

    Examples
    --------
    >>> list(about().columns)
    ['what is predicted', 'what was fitted']
    """
    import pandas  # here, because the models do not need it

    rows = {one.title: {"what is predicted": one.predicted, "what was fitted": one.fitted} for one in kinds()}
    return pandas.DataFrame.from_dict(rows, orient="index").rename_axis("kind")


def reasons() -> DataFrame:
    """Return the kinds that miss their band, and why.

    Returns
    -------
    pandas.DataFrame
        Indexed by the title of the kind.

    Notes
    -----
    As `errors`.

    Examples
    --------
    >>> len(reasons()) == sum(not one.meets for one in kinds())
    True
    """
    import pandas  # here, because the models do not need it

    rows = {one.title: {"why it misses its band": one.reason} for one in kinds() if not one.meets}
    return pandas.DataFrame.from_dict(rows, orient="index").rename_axis("kind")


def misses() -> DataFrame:
    """Return the worst prediction of each kind, and why it fails there.

    Returns
    -------
    pandas.DataFrame
        Indexed by the title of the kind.

    Notes
    -----
    As `errors`. The reasons are ours, not the sources', unless they say so.

    Examples
    --------
    >>> len(misses()) == len(kinds())
    True
    """
    import pandas  # here, because the models do not need it

    rows = []
    for one in kinds():
        point = worst(1, one.name)[0]
        rows.append(
            {
                "kind": one.title,
                "the worst": f"{point.row.system}: {point.row.label}",
                "factor": point.factor,
                "too": "high" if point.ratio > 1 else "low",
                "why": point.row.why,
            }
        )
    return pandas.DataFrame(rows).set_index("kind")


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
