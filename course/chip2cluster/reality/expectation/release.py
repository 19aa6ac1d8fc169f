"""New version of the constants: every kind fitted, its intervals from rows that a fit has not seen, one frozen file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import constants
from .fitting import TABLES, fingerprint, fit, select, usable
from .intervals import intervals, residuals, seen_models
from .laws import LAWS
from .rows import read

ABOUT = (
    "Constants of the laws of reality/expectation/laws: seconds and fractions; frozen. Fitted with "
    "`python -m chip2cluster.reality fit` to the rows in tests/models/data/expected_rows; seen has their fingerprints, models one "
    "name for each shape among them. interval: 10th and 90th percentile of measured over expected on rows left out, a configuration "
    "(chip), a chip (family), a family (all chips) or a model (model) at a time; the last three add the spread between groups to the "
    "spread inside one. coverage: fraction of the rows left out inside an interval that is made from the other groups alone."
)


def fit_all(folder: Path, version: str, output: Path, keep: Sequence[str] = ()) -> None:
    """Fit every kind that has a table in a folder, and freeze the constants.

    The constants come from the rows that `select` chooses; the intervals from rows that each fit has not seen. Kinds to
    keep have the constants of the frozen file, and new intervals.
    """
    kinds: dict[str, dict[str, Any]] = {}
    for kind in LAWS:
        path = folder / f"{TABLES.get(kind, kind)}.csv"
        if not path.exists():
            continue
        rows = [row for row in read(path, kind) if usable(row, kind)]
        if kind in keep:
            earlier = constants.load()["kinds"][kind]
            chosen = [row for row in rows if fingerprint(row, kind) in earlier["seen"]]
            stored = {name: earlier[name] for name in ("shared", "chips")}
        else:
            chosen = select(rows, kind)
            stored = fit(kind, chosen)
        factors, covered = intervals(*residuals(kind, rows))
        seen = sorted(fingerprint(row, kind) for row in chosen)
        kinds[kind] = {
            **stored, "interval": factors, "coverage": covered, "models": seen_models(kind, chosen), "seen": seen,
        }  # fmt: skip
    if not kinds:
        raise ValueError(f"{folder} has no table of a kind; tables are called KIND.csv, such as gemm.csv")
    freeze(kinds, version, output)


def freeze(kinds: dict[str, dict[str, Any]], version: str, path: Path | None = None) -> None:
    """Write the constants with their version and checksum."""
    content = {"about": ABOUT, "version": version, "sha256": "", "kinds": kinds}
    content["sha256"] = constants.checksum(content)
    (path or constants.FILE).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
