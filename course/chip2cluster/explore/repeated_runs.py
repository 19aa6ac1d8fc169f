"""Comparison of choices by repeated simulations: which one is best in every run, if any."""

from collections.abc import Mapping, Sequence

RUNS = 5  # if two choices were equal, one of them would be ahead in all five by luck in 6 of 100 comparisons


def best_in_every_run(values: Mapping[str, Sequence[float]]) -> str | None:
    """Return the name whose value is the lowest in every run, or None if none is.

    Parameters
    ----------
    values : mapping of str to sequence of float
        A value for each run, such as a percentile in seconds; run number i has the same requests for every name.

    Returns
    -------
    str or None
        The name; None also if there is only one name or no run.

    Raises
    ------
    ValueError
        If the names have different numbers of runs.

    Examples
    --------
    >>> best_in_every_run({"round-robin": [0.10, 0.12], "least-loaded": [0.09, 0.08]})
    'least-loaded'
    >>> best_in_every_run({"round-robin": [0.10, 0.07], "least-loaded": [0.09, 0.08]}) is None
    True
    """
    runs = list(zip(*values.values(), strict=True))
    if len(values) < 2 or not runs:
        return None
    for place, name in enumerate(values):
        if all(run[place] < min(run[:place] + run[place + 1 :]) for run in runs):
            return name
    return None
