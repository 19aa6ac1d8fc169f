"""How much is compared: forecasts and checks, tables and addresses, and the kinds that keep their band."""

from __future__ import annotations

from .compare import counted, errors, kinds


def extent() -> dict[str, int]:
    """Return how many of what is compared, forecasts and accounting apart.

    Returns
    -------
    dict of str to int
        ``forecasts``, ``checks`` (of the books), ``tables`` and ``addresses`` that they come from,
        ``kinds`` of forecasts, and how many of them lie ``in_band``; rows ``fitted`` and ``set_aside``,
        which are none of these.

    Notes
    -----
    A row that was fitted and is no measurement either is among the fitted.

    Examples
    --------
    >>> extent()["kinds"] == sum(kind.forecasts for kind in kinds())
    True
    """
    of_forecasts = [one for one in kinds() if one.forecasts]
    of_books = [one for one in kinds() if not one.forecasts]
    points = [*counted(), *(point for one in of_books for point in counted(one.name))]
    return {
        "forecasts": errors()["count"],
        "checks": sum(errors(one.name)["count"] for one in of_books),
        "tables": len({(point.kind.name, point.row.table) for point in points}),
        "addresses": len({point.row.publication.address for point in points}),
        "kinds": len(of_forecasts),
        "in_band": sum(one.meets for one in of_forecasts),
        "fitted": sum(row.fitted for one in kinds() for row in one.rows),
        "set_aside": sum(not row.counts and not row.fitted for one in kinds() for row in one.rows),
    }
