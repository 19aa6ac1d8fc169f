"""The comparison as tables: every prediction, the kinds side by side, what misses and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .compare import errors, kinds, records, worst

if TYPE_CHECKING:
    from pandas import DataFrame


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
