"""Fit of the constants: few rows a chip, the mean absolute logarithm of measured over expected, and a frozen file."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import constants
from .chips import accelerator, family
from .keys import KEYS, TEXT
from .laws import LAWS

ROWS = 12  # rows of a chip that a fit may see
MORE_ROWS = {"serving_step": 24, "first_token": 24, "attention_decode": 18}  # many models or heads on one chip
ANSWERS = {"serving_step": "tpot_s", "first_token": "ttft_s", "training_step": "step_seconds"}
ALIKE = 0.02  # pull of a chip towards the mean of its family
TABLES = {"first_token": "serving_step"}
INDEPENDENT = "InferenceX"  # services that their maintainers ran themselves: the method is not published
ROUNDS = 30  # of the coordinate search
Row = dict[str, Any]


def read(path: Path, kind: str) -> list[Row]:
    """Read a table of measurements: inputs of the kind, and the measured seconds.

    Lines that begin with ``#`` are comments.
    """
    answer = ANSWERS.get(kind, "seconds")
    with path.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(line for line in file if not line.startswith("#")))
    rows = []
    for entry in table:
        if answer not in entry:
            raise ValueError(f"{path} has no column {answer!r}; a table of {kind} needs it beside the inputs")
        row: Row = {"seconds": float(entry[answer])}
        for key in KEYS[kind]:
            value = entry.get(key.name)
            if value in (None, ""):
                if key.default is None:
                    raise ValueError(f"{path} has no value of {key.name!r} in {entry}")
                row[key.name] = key.default
            else:
                row[key.name] = value if key.unit == TEXT else float(value)
        row["cycled_over_l2"] = float(entry.get("cycled_over_l2") or "inf")
        if entry.get("origin", INDEPENDENT) == INDEPENDENT:
            rows.append(row)
    return rows


def configuration(row: Row, kind: str) -> str:
    """Return the name of the configuration of a row: all but the size that its table sweeps."""
    swept = LAWS[kind].SWEPT
    return " ".join(str(row[key.name]) for key in KEYS[kind] if key.name not in swept)


def usable(row: Row, kind: str) -> bool:
    """Return whether a row measures memory, not a cache: five copies of the weights must exceed the L2 twice.

    Decode rows of an A100 beyond eight times its L2 read faster than its memory can; their cause is unknown.
    """
    if kind not in ("gemm", "attention_decode", "experts"):
        return True
    large_cache = family(row["chip"]) in ("Ada", "Blackwell RTX")
    if large_cache and row["cycled_over_l2"] < 2:
        return False
    return not (kind == "attention_decode" and family(row["chip"]) == "Ampere" and np.isfinite(row["cycled_over_l2"]) and row["cycled_over_l2"] > 8)  # fmt: skip


def select(rows: Sequence[Row], kind: str) -> list[Row]:
    """Choose few rows of each chip for a fit, by the SHA-256 of their inputs, spread over the texts of the kind."""
    chosen: list[Row] = []
    count = MORE_ROWS.get(kind, ROWS)
    for chip in sorted({row["chip"] for row in rows}):
        groups: dict[str, list[Row]] = {}
        for row in rows:
            if row["chip"] == chip:
                text = " ".join(str(row[key.name]) for key in KEYS[kind] if key.unit == TEXT)
                groups.setdefault(text, []).append(row)
        for group in groups.values():
            group.sort(key=lambda row: hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest())
        queue = sorted(groups)
        picked: list[Row] = []
        while len(picked) < count and any(groups.values()):
            for name in queue:
                if groups[name] and len(picked) < count:
                    picked.append(groups[name].pop())
        chosen += picked
    return chosen


class Problem:
    """Fit of one kind: rows as arrays, and constants as one vector of logarithms."""

    def __init__(self, kind: str, rows: Sequence[Row]) -> None:
        """Collect the rows and the chips."""
        self.kind, self.law, self.rows = kind, LAWS[kind], list(rows)
        self.chips = sorted({accelerator(row["chip"]).name for row in rows})
        texts = [key.name for key in KEYS[kind] if key.unit == TEXT]
        self.texts = [tuple(row[name] for name in texts) for row in rows]
        self.numbers = {
            key.name: np.array([row[key.name] for row in rows], float) for key in KEYS[kind] if key.unit != TEXT
        }
        self.measured = np.array([row["seconds"] for row in rows])
        unique = sorted(set(self.texts), key=str)
        self.unique = unique
        self.index = np.array([unique.index(text) for text in self.texts])
        self.chip_names, self.shared_names = list(self.law.CHIP), list(self.law.SHARED)
        self.first = np.log(
            [self.law.SHARED[name] for name in self.shared_names]
            + [self.law.CHIP[name] for _ in self.chips for name in self.chip_names]
        )

        names = self.shared_names + self.chip_names * len(self.chips)
        self.most = np.array([0.0 if name.startswith(("efficiency", "relative")) else np.inf for name in names])
        families = np.array([family(chip) for chip in self.chips])
        same = (families[:, None] == families).astype(float)
        self.kin = same / same.sum(axis=1, keepdims=True)

    def unpack(self, vector: np.ndarray) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
        """Return shared constants, and the constants of each chip."""
        values = np.exp(vector)
        many, each = len(self.shared_names), len(self.chip_names)
        shared = dict(zip(self.shared_names, map(float, values[:many]), strict=True))
        chips = {
            chip: dict(zip(self.chip_names, map(float, values[many + place * each :][:each]), strict=True))
            for place, chip in enumerate(self.chips)
        }
        return shared, chips

    def predict(self, shared: dict[str, float], constants_of: Callable[[Any], dict[str, float]]) -> np.ndarray:
        """Return the expected seconds of all rows."""
        found = [self.law.figures(text, constants_of(text[0]), shared) for text in self.unique]
        values = {name: np.array([one[name] for one in found])[self.index] for name in found[0]}
        seconds, bound = self.law.law({**self.numbers, **values}, np)
        return np.maximum(seconds, bound)

    def loss(self, vector: np.ndarray) -> float:
        """Return the mean absolute logarithm of measured over expected, with a pull towards the first guess."""
        shared, chips = self.unpack(vector)
        error = np.log(self.predict(shared, lambda chip: chips[accelerator(chip).name]) / self.measured)
        own = vector[len(self.shared_names) :].reshape(len(self.chips), -1)
        apart = own - self.kin @ own
        return float(np.mean(np.abs(error)) + 0.002 * np.sum((vector - self.first) ** 2) + ALIKE * np.sum(apart**2))

    def solve(self) -> np.ndarray:
        """Return the best vector by a coordinate search whose steps shrink."""
        best, steps = self.first.copy(), np.full(len(self.first), 0.3)
        least = self.loss(best)
        for _ in range(ROUNDS):
            for place in range(len(best)):
                for sign in (1, -1):
                    trial = best.copy()
                    trial[place] = min(trial[place] + sign * steps[place], self.most[place])
                    if (value := self.loss(trial)) < least - 1e-7:
                        best, least = trial, value
                        steps[place] *= 1.3
                        break
                else:
                    steps[place] *= 0.5
            if steps.max() < 0.002:
                break
        return best


def fit(kind: str, rows: Sequence[Row]) -> dict[str, Any]:
    """Fit the constants of a kind to the rows given."""
    problem = Problem(kind, rows)
    shared, chips = problem.unpack(problem.solve())
    for chip, own in chips.items():
        seen = {row["precision"] for row in rows if "precision" in row and accelerator(row["chip"]).name == chip}
        for name in problem.chip_names:
            if name.startswith("efficiency_") and name.removeprefix("efficiency_") not in seen:
                del own[name]  # never compared with a row: the other chips lend it
        if kind == "training_step" and not seen & {"bf16", "fp16"}:
            del own["efficiency"]
    rounded = {chip: {name: _round(value) for name, value in own.items()} for chip, own in chips.items()}
    return {"shared": {name: _round(value) for name, value in shared.items()}, "chips": rounded}


def ratios(kind: str, stored: dict[str, Any], rows: Sequence[Row]) -> np.ndarray:
    """Return measured over expected of rows, with constants that may lack their chip."""
    problem = Problem(kind, rows)
    stored = {"interval": {constants.CHIP: (1.0, 1.0)}, **stored}
    chosen: dict[Any, dict[str, float]] = {}

    def own(chip: Any) -> dict[str, float]:
        if chip not in chosen:
            chosen[chip] = constants.pick(stored, accelerator(chip).name, family(chip)).own
        return chosen[chip]

    return problem.measured / problem.predict(stored["shared"], own)


def left_out(kind: str, rows: Sequence[Row], folds: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Cross-validate: measured over expected with each configuration left out, and with each chip left out.

    Each fit sees `ROWS` rows a chip of those that remain.
    """
    by_configuration, by_chip = labels(rows, kind, folds)[:2]
    return left_out_by(kind, rows, by_configuration), left_out_by(kind, rows, by_chip)


def labels(rows: Sequence[Row], kind: str, folds: int = 4) -> tuple[np.ndarray, ...]:
    """Return the group of each row by configuration, by chip, and, if the kind has models, by model."""
    configurations = np.array([str(_hash(configuration(row, kind)) % folds) for row in rows])
    names = ["chip"] + ["model"] * any(key.name == "model" for key in KEYS[kind])
    return configurations, *(np.array([row[name] for row in rows]) for name in names)


def left_out_by(kind: str, rows: Sequence[Row], groups: np.ndarray) -> np.ndarray:
    """Return measured over expected, each group of rows with the constants that the other groups give."""
    result = np.ones(len(rows))
    for group in sorted(set(groups)):
        out = groups == group
        seen = [row for row, left in zip(rows, out, strict=True) if not left]
        stored = fit(kind, select(seen, kind))
        result[out] = ratios(kind, stored, [row for row, left in zip(rows, out, strict=True) if left])
    return result


def coverage(found: np.ndarray, groups: np.ndarray, tail: float = 10.0) -> float:
    """Return the fraction of rows inside an interval that is made from the rows of the other groups."""
    inside = np.zeros(len(found), bool)
    for group in set(groups):
        out = groups == group
        low, high = np.percentile(found[~out], (tail, 100.0 - tail))
        inside[out] = (found[out] >= low) & (found[out] <= high)
    return float(inside.mean())


def freeze(kinds: dict[str, dict[str, Any]], version: str, path: Path | None = None) -> None:
    """Write the constants with their version and checksum."""
    content = {
        "about": "Constants of the laws of reality/expectation/laws: seconds and fractions; frozen. Fitted with "
        "`python -m chip2cluster.reality fit` to the rows in tests/models/data/expected_rows; seen has their fingerprints. interval: 10th and 90th percentile of "
        "measured over expected on rows left out, a configuration or a model at a time (chip) or a chip at a time (family), the square of it for a chip without a family. "
        "coverage: fraction of the rows left out inside an interval that is made from the other groups alone.",
        "version": version,
        "sha256": "",
        "kinds": kinds,
    }
    content["sha256"] = constants.checksum(content)
    (path or constants.FILE).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def interval(found: np.ndarray, groups: np.ndarray) -> tuple[float, float]:
    """Return the 10th and 90th percentile of measured over expected.

    Percentiles of few groups are too narrow for the next one: they go to the 7.5th and 92.5th while less than 77.5 % of
    a group is inside an interval of the others.
    """
    tail = 10.0
    while tail > 7.5 and coverage(found, groups, tail) < 0.775:
        tail -= 0.5
    low, high = np.percentile(found, (tail, 100.0 - tail))
    return _round(float(low)), _round(float(high))


def _intervals(own: tuple[float, float], family: tuple[float, float]) -> dict[str, tuple[float, float]]:
    """Return the interval of each basis: a lender's is never narrower, and without a family twice as wide."""
    if family[1] / family[0] < own[1] / own[0]:
        family = own
    return {
        constants.CHIP: own,
        constants.FAMILY: family,
        constants.ALL: (_round(family[0] ** 2), _round(family[1] ** 2)),
    }


def fingerprint(row: Row, kind: str) -> str:
    """Return a short SHA-256 of the inputs and the measurement of a row."""
    values = [row[key.name] for key in KEYS[kind]] + [row["seconds"]]
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:10]


def _round(value: float) -> float:
    return float(f"{value:.3g}")


def _hash(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def fit_all(folder: Path, version: str, output: Path, keep: Sequence[str] = ()) -> None:
    """Fit every kind that has a table in a folder, and freeze the constants.

    The constants come from the rows that `select` chooses; the interval from rows that each fit has not seen. Kinds to
    keep are fitted to the rows that the constants of the output file have seen.
    """
    kinds: dict[str, dict[str, Any]] = {}
    earlier = {kind: set(constants.load()["kinds"][kind]["seen"]) for kind in keep}
    for kind in LAWS:
        path = folder / f"{TABLES.get(kind, kind)}.csv"
        if not path.exists():
            continue
        rows = [row for row in read(path, kind) if usable(row, kind)]
        chosen = select(rows, kind)
        if kind in earlier:
            chosen = [row for row in rows if fingerprint(row, kind) in earlier[kind]]
        groups = dict(zip(("configuration", "chip", "model"), labels(rows, kind), strict=False))
        found = {name: left_out_by(kind, rows, one) for name, one in groups.items()}
        here = [name for name in groups if name != "chip"]
        own = interval(np.concatenate([found[name] for name in here]), np.concatenate([groups[name] for name in here]))
        kinds[kind] = {
            **fit(kind, chosen),
            "interval": _intervals(own, interval(found["chip"], groups["chip"])),
            "coverage": {name: round(coverage(found[name], one), 2) for name, one in groups.items()},
            "seen": sorted(fingerprint(row, kind) for row in chosen),
        }
    if not kinds:
        raise ValueError(f"{folder} has no table of a kind; tables are called KIND.csv, such as gemm.csv")
    freeze(kinds, version, output)
