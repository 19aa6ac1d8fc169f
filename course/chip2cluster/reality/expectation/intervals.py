"""Intervals of the expected times: the spread of rows that their fit has not seen, by what the fit lacked.

A configuration left out has its chip and its model in the fit: the interval is the 10th and 90th percentile of measured
over expected. A chip, a family or a model left out is the first of its kind, so `predictive` adds the spread between such
groups to the spread inside one. ``coverage`` is honest: each group is held against an interval of the other groups alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from math import exp, pi, sqrt

import numpy as np

from . import constants
from .chips import family
from .fitting import configuration, fit, ratios, rounded, select
from .keys import KEYS
from .laws import LAWS
from .models import shape
from .rows import Row

FOLDS = 4  # of the configurations
TAIL = 10.0  # per cent outside on each side
LEAST = 3  # groups that show a spread between groups
DEVIATIONS = 2.563  # standard deviations from the 10th to the 90th percentile of a normal distribution
Rule = Callable[[np.ndarray, np.ndarray], "tuple[float, float]"]


def groups_of(kind: str, rows: Sequence[Row]) -> dict[str, np.ndarray]:
    """Return the group of each row by what is left out of a fit: a configuration, a chip, a family, a model."""
    found = {
        "configuration": [str(_hash(configuration(row, kind)) % FOLDS) for row in rows],
        "chip": [row["chip"] for row in rows],
        "family": [family(row["chip"]) for row in rows],
    }
    if any(key.name == "model" for key in KEYS[kind]):
        found["model"] = [row["model"] for row in rows]
    if "cluster" in rows[0]:
        found["cluster"] = [row["cluster"] for row in rows]
    return {name: np.array(labels) for name, labels in found.items()}


def left_out(kind: str, rows: Sequence[Row], groups: np.ndarray) -> np.ndarray:
    """Return measured over expected, each group of rows with the constants that the other groups give.

    Each fit sees the rows a chip that `fitting.select` chooses. A row is NaN if its precision has a constant of its own
    and no other group has that precision.
    """
    result, own = np.full(len(rows), np.nan), LAWS[kind].CHIP
    for group in sorted(set(groups)):
        seen = [row for row, one in zip(rows, groups, strict=True) if one != group]
        fitted = {row.get("precision") for row in seen}
        places = [
            place for place in np.flatnonzero(groups == group).tolist()
            if f"efficiency_{rows[place].get('precision')}" not in own or rows[place]["precision"] in fitted
        ]  # fmt: skip
        if places:
            result[places] = ratios(kind, fit(kind, select(seen, kind)), [rows[place] for place in places])
    return result


def percentiles(found: np.ndarray, groups: np.ndarray) -> tuple[float, float]:
    """Return the 10th and 90th percentile of all rows."""
    low, high = np.percentile(found, (TAIL, 100.0 - TAIL))
    return float(low), float(high)


def predictive(found: np.ndarray, groups: np.ndarray) -> tuple[float, float]:
    """Return the 10th and 90th percentile of the rows of the next group.

    Parameters
    ----------
    found : array, shape (rows,)
        Measured over expected, each group with the constants of the others.
    groups : array of str, shape (rows,)
        Group of each row, at least two groups.

    Returns
    -------
    tuple of float
        Low and high factor.

    Notes
    -----
    The logarithm of a row is the median of its group plus a rest. Each median is combined with each rest. The medians
    lie sqrt((n + 1) / (n - 1)) times further apart than those of n groups, which is the variance of a new group
    about a mean of n. A median of few rows is drawn to their mean by its own variance (random effects).
    """
    logs = np.log(found)
    names, index, counts = np.unique(groups, return_inverse=True, return_counts=True)
    medians = np.array([np.median(logs[groups == name]) for name in names])
    rest, mean, n = logs - medians[index], medians.mean(), len(names)
    noise = pi / 2 * (np.subtract(*np.percentile(rest, (100.0 - TAIL, TAIL))) / DEVIATIONS) ** 2 / counts
    between = max(0.0, float(medians.var(ddof=1) - noise.mean()))
    drawn = between / (between + noise) if between else 0.0
    spread = mean + drawn * sqrt((n + 1) / (n - 1)) * (medians - mean)
    low, high = np.percentile(np.add.outer(spread, rest), (TAIL, 100.0 - TAIL))
    return exp(low), exp(high)


def coverage(found: np.ndarray, groups: np.ndarray, rule: Rule) -> np.ndarray:
    """Return whether each row is inside an interval that a rule makes from the rows of the other groups."""
    inside = np.zeros(len(found), bool)
    for group in set(groups):
        out = groups == group
        low, high = rule(found[~out], groups[~out])
        inside[out] = (found[out] >= low) & (found[out] <= high)
    return inside


def with_relatives(groups: dict[str, np.ndarray]) -> np.ndarray:
    """Return the rows whose chip has a relative among the rows, which would lend its constants.

    All rows if fewer than three chips have one, because two medians show no spread.
    """
    chips, families = groups["chip"], groups["family"]
    chosen = np.array([len(set(chips[families == name])) > 1 for name in families])
    return chosen if len(set(chips[chosen])) >= LEAST else np.ones(len(chips), bool)


def residuals(kind: str, rows: Sequence[Row]) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the groups of rows and measured over expected, by what is left out; over several nodes that is a cluster."""
    groups = groups_of(kind, rows)
    if "cluster" in groups:  # no constant belongs to a chip: what is new is the cluster
        groups = {"cluster": groups["cluster"]}
    return groups, {name: left_out(kind, rows, labels) for name, labels in groups.items()}


def intervals(
    groups: dict[str, np.ndarray], found: dict[str, np.ndarray]
) -> tuple[dict[str, tuple[float, float]], dict[str, float]]:
    """Return the interval of each basis, and the coverage of rows left out.

    Parameters
    ----------
    groups : dict of str to array, shape (rows,)
        Groups of `residuals`.
    found : dict of str to array, shape (rows,)
        Measured over expected, each group with the constants of the others.

    Returns
    -------
    tuple of dict
        Low and high factor by basis, ``"model"`` for a model without rows; fraction inside by what was left out.

    Notes
    -----
    Less knowledge never narrows an interval: a family's is at least as wide as a chip's, and so on. Chips without a
    relative count as families. Fewer than three families show no spread: then the interval of all chips is twice a
    family's, in the logarithm.
    """
    if "cluster" in groups:
        cluster = found["cluster"], groups["cluster"]
        low, high = predictive(*cluster)
        share = coverage(*cluster, predictive).mean()
        return dict.fromkeys(constants.BASES, (rounded(low), rounded(high))), {"cluster": round(float(share), 2)}
    kin, known = with_relatives(groups), np.isfinite(found["family"])
    chips = found["chip"][kin], groups["chip"][kin]
    families = found["family"][known], groups["family"][known]
    own = percentiles(found["configuration"], groups["configuration"])
    lent = _wider(own, predictive(*chips))
    enough = len(set(families[1])) >= LEAST
    strange = _hull(own, lent, predictive(*families) if enough else (lent[0] ** 2, lent[1] ** 2))
    result = {constants.CHIP: own, constants.FAMILY: lent, constants.ALL: strange}
    inside = {
        "configuration": coverage(found["configuration"], groups["configuration"], percentiles),
        "chip": coverage(*chips, lambda *others: _wider(own, predictive(*others))),
    }
    if not kin.all() and len(set(families[1])) > LEAST:
        alone = coverage(*families, lambda *others: _hull(own, lent, predictive(*others)))
        inside["chip"] = np.concatenate([inside["chip"], alone[~kin[known]]])
    if "model" in groups:
        models = found["model"], groups["model"]
        result[constants.MODEL] = _wider(own, predictive(*models))
        inside["model"] = coverage(*models, lambda *others: _wider(own, predictive(*others)))
    factors = {name: (rounded(low), rounded(high)) for name, (low, high) in result.items()}
    return factors, {name: round(float(rows.mean()), 2) for name, rows in inside.items()}


def seen_models(kind: str, rows: Sequence[Row]) -> list[str]:
    """Return one name for each shape of model among the rows; empty for a kind without models."""
    if not any(key.name == "model" for key in KEYS[kind]):
        return []
    return sorted({shape(name): name for name in sorted({row["model"] for row in rows}, reverse=True)}.values())


def _wider(known: tuple[float, float], less: tuple[float, float]) -> tuple[float, float]:
    """Return the wider of two intervals."""
    return less if less[1] / less[0] >= known[1] / known[0] else known


def _hull(*some: tuple[float, float]) -> tuple[float, float]:
    """Return the interval that holds others."""
    return min(low for low, _ in some), max(high for _, high in some)


def _hash(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)
