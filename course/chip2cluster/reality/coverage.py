"""Coverage of the validation: number of forecasts, checks, tables, sources, and kinds within their band."""

from __future__ import annotations

from .comparison import counted, errors, kinds


def extent() -> dict[str, int]:
    """Count the comparisons, separately for forecasts and accounting.

    Returns
    -------
    dict of str to int
        Number of ``forecasts``, of ``checks`` (accounting), of their ``tables`` and ``addresses``, of
        ``kinds`` of forecasts, and of those ``in_band``; number of rows ``fitted`` and ``set_aside``,
        which count in none of these.

    Notes
    -----
    A row that was fitted and is not a measurement counts as fitted.

    Examples
    --------
    >>> extent()["kinds"] == sum(kind.forecasts for kind in kinds())
    True
    """
    of_forecasts = [one for one in kinds() if one.forecasts]
    accounts = [one for one in kinds() if not one.forecasts]
    points = [*counted(), *(point for one in accounts for point in counted(one.name))]
    return {
        "forecasts": errors()["count"],
        "checks": sum(errors(one.name)["count"] for one in accounts),
        "tables": len({(point.kind.name, point.row.table) for point in points}),
        "addresses": len({point.row.publication.address for point in points}),
        "kinds": len(of_forecasts),
        "in_band": sum(one.meets for one in of_forecasts),
        "fitted": sum(row.fitted for one in kinds() for row in one.rows),
        "set_aside": sum(not row.counts and not row.fitted for one in kinds() for row in one.rows),
    }
