"""Training runs as designs: `capstone.evaluate` with one fraction of peak for each chip and precision."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from ... import capstone, parallelism, specs, transformer
from ..validation_model import Row

STEPS = 30  # steps of a bisection
FIRST = 0.4  # fraction of peak for the layout search of a fitted row
LAYOUT = ("tensor", "pipeline", "context", "expert", "chunks", "zero_stage", "sequence_parallel", "recompute", "micro_batch", "schedule")  # fmt: skip
SHAPE = ("layers", "d_model", "heads", "vocab_size", "tied_embeddings")
ALIKE = {"fp16": "bf16"}
SAME = {"H200 SXM": "H100 SXM", "H800": "H100 SXM"}  # chips with the same compute units


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Fit the fraction of peak for each chip and precision that reproduces the measurement."""
    shares = defaultdict(list)
    for row in rows:
        shares[_key(row)].append(_share(row))
    return {key: float(median(found)) for key, found in shares.items()}


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Predict FLOP/s of one chip, including recomputation or failures if the source includes them."""
    share = fitted[_key(row)]
    return _rate(row, share) if "global_batch" in row.given else share * _peak(row)


def outcome(row: Row, share: float) -> capstone.Outcome:
    """Return the evaluated design of a row."""
    return capstone.evaluate(_design(row.given), _scenario(row, share), nearest=False, usual=False)


def _rate(row: Row, share: float, design: capstone.Design | None = None) -> float:
    out = capstone.evaluate(design or _design(row.given), _scenario(row, share), nearest=False, usual=False)
    done = out.terms[0].seconds + (out.terms[1].seconds if row.given.get("hardware") else 0.0)
    kept = out.goodput if row.given.get("whole") else 1.0
    return float(_peak(row) * done / out.step_seconds * kept)


def _share(row: Row) -> float:
    """Return the fraction of peak that reproduces a row, by bisection."""
    if "global_batch" not in row.given:  # unpublished shape: all losses count as kernel inefficiency
        return row.measured / _peak(row)
    design = replace(_design(row.given), layout=outcome(row, FIRST).layout)
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _rate(row, middle, design) < row.measured else (low, middle)
    return high


def _design(given: Mapping[str, Any]) -> capstone.Design:
    devices, each = given["devices"], given.get("chips_per_node", 8)
    layout = None
    if any(name in given for name in LAYOUT):
        degrees = {name: given[name] for name in LAYOUT if name in given}
        shared = degrees.get("tensor", 1) * degrees.get("pipeline", 1) * degrees.get("context", 1)
        layout = parallelism.Layout(data=devices // shared, **degrees)
    return capstone.Design(
        chip=given["chip"], nodes=devices // each, chips_per_node=each, domain=given.get("domain", 8),
        nic_bytes_per_second_one_way=given["nic"], layout=layout, spares=None,
    )  # fmt: skip


def _scenario(row: Row, share: float) -> capstone.Scenario:
    given = row.given
    model = given.get("model") or transformer.Config(
        **{name: given[name] for name in SHAPE if name in given}, d_hidden=4 * given["d_model"],
        positions=0 if "tied_embeddings" in given else given["sequence"],
    )  # fmt: skip
    return capstone.Scenario(
        model=model, tokens=given.get("tokens", 1e12), global_batch=given["global_batch"], sequence=given["sequence"],
        precision=given["precision"], kernel_share=share, watts_per_chip=400.0,
    )  # fmt: skip


def _key(row: Row) -> str:
    chip, precision = row.given["chip"], row.given["precision"]
    return f"{SAME.get(chip, chip)} {ALIKE.get(precision, precision)}"


def _peak(row: Row) -> float:
    return specs.accelerator(row.given["chip"]).peak_flops_dense(row.given["precision"])
