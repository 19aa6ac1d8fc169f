"""Fit of the constants: few rows a chip, and the mean absolute logarithm of measured over expected."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import constants
from .chips import accelerator, family
from .keys import KEYS, TEXT
from .laws import LAWS
from .rows import Row

ROWS = 12  # rows of a chip that a fit may see
# Many models or heads on one chip; few rows over several nodes.
ROWS_OF = {"serving_step": 24, "first_token": 24, "attention_decode": 18, "nccl_nodes": 4}
ALIKE = 0.02  # pull of a chip towards the mean of its family
TABLES = {"first_token": "serving_step"}
ROUNDS = 30  # of the coordinate search


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
    count = ROWS_OF.get(kind, ROWS)
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
    few = {chip: {name: rounded(value) for name, value in own.items()} for chip, own in chips.items()}
    return {"shared": {name: rounded(value) for name, value in shared.items()}, "chips": few}


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


def fingerprint(row: Row, kind: str) -> str:
    """Return a short SHA-256 of the inputs and the measurement of a row."""
    values = [row[key.name] for key in KEYS[kind]] + [row["seconds"]]
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:10]


def rounded(value: float) -> float:
    """Return a constant with three digits."""
    return float(f"{value:.3g}")
