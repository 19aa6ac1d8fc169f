"""Tables of the validation: all predictions, error statistics by kind, failed predictions and reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .baseline import constant
from .comparison import errors, kinds, records, worst

if TYPE_CHECKING:
    from pandas import DataFrame


def points(kind: str | None = None) -> DataFrame:
    """Tabulate predicted and measured value and error factor of each measurement.

    Parameters
    ----------
    kind : str, optional
        Name of a kind; None for all kinds.

    Returns
    -------
    pandas.DataFrame
        Indexed by kind and id. ``measured`` and ``predicted`` are in the column ``unit``;
        ``factor`` is at least 1; ``counts`` is False for fitted rows, and for rows with a reason in
        ``set aside``.

    Notes
    -----
    Same limits as `kinds`.

    Examples
    --------
    >>> bool(points("mfu")["factor"].max() < 1.1)
    True
    """
    import pandas  # imported here because the models do not need it

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
            "counts": point.row.counts,
            "set aside": point.row.uncounted,
            "source": point.row.publication.title,
            "date": point.row.publication.date,
            "licence": point.row.publication.licence,
        }
        for point in records(kind)
    ]
    return pandas.DataFrame(rows).set_index(["kind", "id"])


def summary() -> DataFrame:
    """Tabulate the error statistics of each kind of forecasts.

    Returns
    -------
    pandas.DataFrame
        Indexed by the short title of the kind; shares in percent. Each number is next to its requirement
        and to the result of a constant in place of the model.

    Notes
    -----
    Same limits as `errors` and `constant`. Excludes accounting, which forecasts nothing.

    Examples
    --------
    >>> int(summary()["forecasts"].sum()) == errors()["count"]
    True
    """
    import pandas  # imported here because the models do not need it

    rows = []
    for one in kinds():
        if not one.forecasts:
            continue
        found, rival = errors(one.name), constant(one.name)
        rows.append(
            {
                "kind": one.short,
                "forecasts": found["count"],
                "median factor": found["median_factor"],
                "asked": one.band.median_factor,
                "a constant": rival["median_factor"] if rival else None,
                "within 1.5 (%), asked 90": 100 * found["share_within"],
                "a constant (%)": 100 * rival["share_within"] if rival else None,
                "worst": found["worst_factor"],
                "in its band": "yes" if one.meets else "no",
            }
        )
    return pandas.DataFrame(rows).set_index("kind")


def accounting() -> DataFrame:
    """Tabulate the error statistics of each kind of accounting.

    Returns
    -------
    pandas.DataFrame
        Indexed by the title of the kind.

    Notes
    -----
    The speed is an input, and the FLOP count per token follows each source, so only the arithmetic and the peaks are
    tested. Says nothing about the skill of a model.

    Examples
    --------
    >>> list(accounting().columns)
    ['checks', 'median factor', 'worst factor']
    """
    import pandas  # imported here because the models do not need it

    rows = {}
    for one in kinds():
        if not one.forecasts:
            found = errors(one.name)
            rows[one.title] = {
                "checks": found["count"],
                "median factor": found["median_factor"],
                "worst factor": found["worst_factor"],
            }
    return pandas.DataFrame.from_dict(rows, orient="index").astype({"checks": int}).rename_axis("kind")


def about() -> DataFrame:
    """Tabulate the meaning of a prediction and the fitted parameters of each kind.

    Returns
    -------
    pandas.DataFrame
        Indexed by the title of the kind.

    Notes
    -----
    Same limits as `kinds`.

    Examples
    --------
    >>> list(about().columns)
    ['what is predicted', 'what was fitted']
    """
    import pandas  # imported here because the models do not need it

    rows = {one.title: {"what is predicted": one.predicted, "what was fitted": one.fitted} for one in kinds()}
    return pandas.DataFrame.from_dict(rows, orient="index").rename_axis("kind")


def reasons() -> DataFrame:
    """Tabulate the kinds that miss their band, with the reason.

    Returns
    -------
    pandas.DataFrame
        Indexed by the title of the kind.

    Notes
    -----
    Same limits as `errors`.

    Examples
    --------
    >>> len(reasons()) == sum(not one.meets for one in kinds())
    True
    """
    import pandas  # imported here because the models do not need it

    rows = {one.title: {"why it misses its band": one.reason} for one in kinds() if not one.meets}
    return pandas.DataFrame.from_dict(rows, orient="index").rename_axis("kind")


def misses() -> DataFrame:
    """Tabulate the worst prediction of each kind, with the reason.

    Returns
    -------
    pandas.DataFrame
        Indexed by the title of the kind.

    Notes
    -----
    Same limits as `errors`. The reasons are our own unless they cite the source.

    Examples
    --------
    >>> len(misses()) == len(kinds())
    True
    """
    import pandas  # imported here because the models do not need it

    rows = []
    for one in kinds():
        point = worst(1, one.name)[0]
        rows.append(
            {
                "kind": one.title,
                "the worst": f"{point.row.system}: {point.row.label}",
                "factor": point.factor,
                "too": point.way,
                "why": point.why or "unknown",
            }
        )
    return pandas.DataFrame(rows).set_index("kind")


def left_out() -> DataFrame:
    """Tabulate the rows of the sources that are left out, with the reason.

    Returns
    -------
    pandas.DataFrame
        One row per omission; ``rows`` is the number of omitted rows, "many" if unknown.

    Notes
    -----
    Ignores sources without any included row.

    Examples
    --------
    >>> len(left_out()) > 20
    True
    """
    import pandas  # imported here because the models do not need it

    rows = [
        {"kind": one.title, "what": gap.what, "rows": f"{gap.rows:,}" if gap.rows else "many", "because": gap.because}
        for one in kinds()
        for gap in one.left_out
    ]
    return pandas.DataFrame(rows).set_index("kind")


def set_aside() -> DataFrame:
    """Tabulate the rows that were not fitted and do not count, with the reason.

    Returns
    -------
    pandas.DataFrame
        One row per system and reason.

    Notes
    -----
    These rows have predictions in `points`, but are excluded from `errors`.

    Examples
    --------
    >>> bool((set_aside()["rows"] > 0).all())
    True
    """
    import pandas  # imported here because the models do not need it

    aside = [(one.title, row.system, row.uncounted) for one in kinds() for row in one.rows if row.uncounted]
    rows = [
        {"kind": title, "what": system, "rows": aside.count((title, system, because)), "because": because}
        for title, system, because in dict.fromkeys(aside)
    ]
    return pandas.DataFrame(rows).set_index("kind")


def notes() -> DataFrame:
    """Tabulate our interpretations of the sources: unpublished sizes, chips and counting methods.

    Returns
    -------
    pandas.DataFrame
        One row per table with a note.

    Notes
    -----
    Same limits as `kinds`.

    Examples
    --------
    >>> list(notes().columns)
    ['what', 'note']
    """
    import pandas  # imported here because the models do not need it

    found = dict.fromkeys((one.title, row.system, row.note) for one in kinds() for row in one.rows if row.note)
    return pandas.DataFrame([dict(zip(("kind", "what", "note"), each, strict=True)) for each in found]).set_index(
        "kind"
    )
