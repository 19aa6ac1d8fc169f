"""The comparison as tables: every prediction, the kinds side by side, what misses and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .baseline import constant
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
        ``factor`` is at least 1; ``counts`` is False where a number was fitted to the row, or where
        ``set aside`` says why it is none of the measurements.

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
    """Return one row a kind of forecasts: how many, how far off, and whether that was good enough.

    Returns
    -------
    pandas.DataFrame
        Indexed by the short title of the kind; shares in percent. Each number stands beside what was asked
        of it, and beside what one constant in the place of the model would give.

    Notes
    -----
    As `errors` and `constant`. Without the accounting, which forecasts nothing.

    Examples
    --------
    >>> int(summary()["forecasts"].sum()) == errors()["count"]
    True
    """
    import pandas  # here, because the models do not need it

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
    """Return one row a kind of accounting: how many checks, and how far the books are off.

    Returns
    -------
    pandas.DataFrame
        Indexed by the title of the kind.

    Notes
    -----
    The speed is an input, and the count of a token's arithmetic follows each source. What is left to
    test is the arithmetic of the counts, and the peaks. Ignores the skill of any model: there is none in it.

    Examples
    --------
    >>> list(accounting().columns)
    ['checks', 'median factor', 'worst factor']
    """
    import pandas  # here, because the models do not need it

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
                "too": point.way,
                "why": point.why or "we do not know",
            }
        )
    return pandas.DataFrame(rows).set_index("kind")


def left_out() -> DataFrame:
    """Return what the sources print and this comparison does not carry, with the reason.

    Returns
    -------
    pandas.DataFrame
        One row a gap; ``rows`` says how many rows of the source it is, "many" where they were not counted.

    Notes
    -----
    Ignores sources of which no row is carried at all.

    Examples
    --------
    >>> len(left_out()) > 20
    True
    """
    import pandas  # here, because the models do not need it

    rows = [
        {"kind": one.title, "what": gap.what, "rows": f"{gap.rows:,}" if gap.rows else "many", "because": gap.because}
        for one in kinds()
        for gap in one.left_out
    ]
    return pandas.DataFrame(rows).set_index("kind")


def set_aside() -> DataFrame:
    """Return the rows that are shown and do not count although nothing was fitted to them, with the reason.

    Returns
    -------
    pandas.DataFrame
        One row for the rows of a system and a reason.

    Notes
    -----
    They have predictions, in `points`, but enter no number of `errors`.

    Examples
    --------
    >>> bool((set_aside()["rows"] > 0).all())
    True
    """
    import pandas  # here, because the models do not need it

    aside = [(one.title, row.system, row.uncounted) for one in kinds() for row in one.rows if row.uncounted]
    rows = [
        {"kind": title, "what": system, "rows": aside.count((title, system, because)), "because": because}
        for title, system, because in dict.fromkeys(aside)
    ]
    return pandas.DataFrame(rows).set_index("kind")


def notes() -> DataFrame:
    """Return what was read into the sources: sizes, chips and ways of counting that they do not print.

    Returns
    -------
    pandas.DataFrame
        One row for each table with a note.

    Notes
    -----
    As `kinds`.

    Examples
    --------
    >>> list(notes().columns)
    ['what', 'note']
    """
    import pandas  # here, because the models do not need it

    found = dict.fromkeys((one.title, row.system, row.note) for one in kinds() for row in one.rows if row.note)
    return pandas.DataFrame([dict(zip(("kind", "what", "note"), each, strict=True)) for each in found]).set_index(
        "kind"
    )
