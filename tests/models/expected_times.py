"""Questions of each kind, the rows that were measured, and the targets that the expected times must reach."""

from pathlib import Path

import numpy as np
import pytest

from chip2cluster.reality.expectation import constants, fitting, keys
from chip2cluster.reality.expectation import rows as tables

ROWS = Path(__file__).parent / "data" / "expected_rows"
KINDS = list(keys.KEYS)
QUESTIONS = {
    "gemm": {"chip": "H100 SXM", "precision": "bf16", "m": 64, "n": 4096, "k": 4096},
    "attention_prefill": {"chip": "B200", "batch": 4, "queries": 1024, "heads": 32, "kv_heads": 8},
    "attention_decode": {"chip": "B200", "batch": 8, "cached": 4096, "heads": 32, "kv_heads": 8},
    "nccl": {"chip": "H100 SXM", "collective": "all_reduce", "ranks": 8, "bytes": 2**20},
    "nccl_nodes": {"chip": "H100 SXM", "ranks": 32, "nodes": 4, "network_per_node": 4e11, "bytes": 2**28},
    "custom_all_reduce": {"chip": "H100 SXM", "ranks": 8, "bytes": 2**14},
    "experts": {
        "chip": "H100 SXM", "precision": "fp8", "tokens": 64, "d_model": 7168, "expert_hidden": 2048, "top_k": 8,
        "experts": 256, "expert_parallel": 8,
    },
    "expert_all_to_all": {"chip": "H100 SXM", "tokens_per_rank": 64, "d_model": 7168, "top_k": 8, "experts": 256},
    "serving_step": {
        "chip": "H100 SXM", "model": "Llama 3.1 70B", "precision": "fp8", "chips": 4, "prompt_tokens": 1024,
        "output_tokens": 1024, "users": 16,
    },
    "training_step": {
        "chip": "H100 SXM", "model": "Llama 3.1 70B", "precision": "fp8", "chips": 64, "global_batch": 128,
        "sequence": 8192,
    },
}  # fmt: skip
QUESTIONS["first_token"] = QUESTIONS["serving_step"]
# Sizes that add work, and so never shorten a time.
GROWING = {
    "gemm": ("m", "n", "k"), "attention_prefill": ("batch", "queries", "cached"),
    "attention_decode": ("batch", "cached", "heads"), "nccl": ("bytes",), "nccl_nodes": ("bytes",),
    "custom_all_reduce": ("bytes",),
    "experts": ("tokens", "d_model", "expert_hidden"), "expert_all_to_all": ("tokens_per_rank", "d_model", "top_k"),
    "serving_step": ("prompt_tokens",), "first_token": ("prompt_tokens", "users"),
    "training_step": ("global_batch", "sequence"),
}  # fmt: skip
# Median factor and fraction within 1.5 that a kind must reach on rows that the fit has not seen.
TARGETS = {
    "gemm": (1.2, 0.8), "attention_prefill": (1.25, 0.8), "attention_decode": (1.25, 0.8), "nccl": (1.2, 0.85),
    "nccl_nodes": (1.2, 0.85), "custom_all_reduce": (1.25, 0.7), "experts": (1.2, 0.8), "expert_all_to_all": (1.2, 0.85),
    "serving_step": (1.2, 0.85), "first_token": (1.8, 0.4), "training_step": (1.2, 0.9),
}  # fmt: skip
every = pytest.mark.parametrize("kind", KINDS)


def rows_of(kind):
    """Return the usable rows of a kind, and which of them the fit has seen."""
    rows = tables.read(ROWS / f"{fitting.TABLES.get(kind, kind)}.csv", kind)
    rows = [row for row in rows if fitting.usable(row, kind)]
    seen = set(constants.load()["kinds"][kind]["seen"])
    return rows, np.array([fitting.fingerprint(row, kind) in seen for row in rows])


def factors(ratios):
    return np.exp(np.abs(np.log(ratios)))
