"""Frozen constants, the fit that reproduces them, and the intervals around an expected time."""

import json
from dataclasses import replace

import numpy as np
import pytest

from chip2cluster import reality, transformer
from chip2cluster.reality.expectation import constants, fitting, intervals
from tests.models.expected_times import QUESTIONS, TARGETS, every, factors, rows_of


def test_constants_are_frozen_and_few():
    version, digest = reality.expected_version()
    assert version and digest == constants.checksum(constants.load())
    for kind, one in constants.load()["kinds"].items():
        for chip, own in one["chips"].items():
            precisions = {"efficiency_fp8", "efficiency_fp4"} if kind == "training_step" else {"efficiency_fp4"}
            # NCCL has a start and an efficiency with NVLink, an efficiency and a sharing with PCIe.
            assert len(set(own) - precisions) <= (3 if kind == "nccl" else 2), (kind, chip)
            assert all(0 < value <= 1 for name, value in own.items() if name.startswith("efficiency"))
        few = max(fitting.ROWS, fitting.ROWS_OF.get(kind, 0))
        assert len(one["seen"]) <= few * len(one["chips"])


def test_constants_changed_by_hand_are_refused(tmp_path, monkeypatch):
    content = json.loads(constants.FILE.read_text(encoding="utf-8"))
    content["kinds"]["gemm"]["chips"]["H100 SXM"]["start"] *= 2
    changed = tmp_path / "expected_times.json"
    changed.write_text(json.dumps(content), encoding="utf-8")
    monkeypatch.setattr(constants, "FILE", changed)
    constants.load.cache_clear()
    with pytest.raises(ValueError, match="reality fit"):
        constants.load()
    constants.load.cache_clear()


@pytest.mark.parametrize("kind", ["gemm", "attention_prefill"])
def test_fit_reproduces_the_frozen_constants(kind):
    rows, seen = rows_of(kind)
    chosen = [row for row, one in zip(rows, seen, strict=True) if one]
    names = {fitting.fingerprint(row, kind) for row in fitting.select(rows, kind)}
    # Products keep the rows of version 1, which forecasts rows that no version has seen better than version 2.
    assert kind == "gemm" or names == set(constants.load()["kinds"][kind]["seen"])
    assert len(chosen) == len(constants.load()["kinds"][kind]["seen"])
    again, frozen = fitting.fit(kind, chosen), constants.load()["kinds"][kind]
    for chip, own in again["chips"].items():
        assert own == pytest.approx(frozen["chips"][chip], rel=0.05)
    assert 0 < seen.sum() < len(rows) / 2


@every
def test_interval_holds_four_fifths_of_rows_left_out(kind):
    """Each configuration, chip, model or cluster is held against an interval that the others give."""
    rows, _ = rows_of(kind)
    groups, found = intervals.residuals(kind, rows)
    factors_found, covered = intervals.intervals(groups, found)
    for left, share in covered.items():
        assert 0.75 <= share <= 0.85, left
    for basis, stored in constants.load()["kinds"][kind]["interval"].items():
        assert stored == pytest.approx(factors_found[basis], rel=0.03)
    left = factors(found["cluster" if kind == "nccl_nodes" else "configuration"])
    median, share = TARGETS[kind]
    assert np.median(left) <= median
    assert np.mean(left <= 1.5) >= share


def test_predictive_interval_holds_a_new_group():
    """Groups drawn from a known law: the interval of six of them holds four fifths of the rows of the next ones."""
    generator = np.random.default_rng(39)
    inside = []
    for _ in range(300):
        offsets = generator.normal(0, 0.3, 16)
        logs = offsets[:, None] + generator.normal(0, 0.2, (16, 40))
        groups = np.repeat([f"{place}" for place in range(6)], 40)
        low, high = intervals.predictive(np.exp(logs[:6].ravel()), groups)
        inside.append(np.mean((logs[6:] >= np.log(low)) & (logs[6:] <= np.log(high))))
    assert 0.75 <= np.mean(inside) <= 0.85


def test_predictive_interval_of_alike_groups_is_theirs():
    """Without a spread between groups the interval is that of the rows."""
    found = np.exp(np.tile(np.linspace(-0.5, 0.5, 101), 5))
    low, high = intervals.predictive(found, np.repeat(list("abcde"), 101))
    assert (low, high) == pytest.approx((np.exp(-0.4), np.exp(0.4)), rel=1e-6)


@every
def test_less_knowledge_never_narrows_an_interval(kind):
    width = {name: high / low for name, (low, high) in constants.load()["kinds"][kind]["interval"].items()}
    assert width["chip"] <= width["family"] <= width["all chips"]
    if "model" in width:
        assert width["model"] >= width["chip"]
        new = replace(transformer.model("Llama 3.1 70B").config, layers=79)
        known, other = (reality.expected(kind, {**QUESTIONS[kind], "model": model}) for model in ("Llama 3.1 70B", new))
        assert known.known_model and not other.known_model
        assert other.high / other.seconds > known.high / known.seconds
        # A model of the catalogue is known by its shape, whatever its name.
        same = transformer.model("Llama 3.1 70B").config
        assert reality.expected(kind, {**QUESTIONS[kind], "model": same}).known_model
