"""Terms of the field, found by search in the docstring of the function or class that models them."""

import inspect
from importlib import import_module

from tests.tables import every_row

TERMS = {
    "TTFT": "serving.time_to_first_token",
    "TPOT": "serving.time_between_tokens",
    "ITL": "serving.time_between_tokens",
    "SLO": "serving.pool_sizes",
    "goodput": "serving.ServingRun.share_within",
    "speculative decoding": "serving.simulate",
    "continuous batching": "serving.Replica",
    "chunked prefill": "serving.Replica",
    "paged attention": "serving.tokens_held",
    "KV cache": "transformer.LatentAttention",
    "GQA": "transformer.kv_cache_per_token",
    "MQA": "transformer.kv_cache_per_token",
    "MLA": "transformer.LatentAttention",
    "MoE": "transformer.Experts",
    "quantization": "transformer.weight_memory",
    "NVFP4": "specs.precisions",
    "MXFP4": "specs.precisions",
    "Chinchilla scaling": "transformer.training_flops",
    "activation checkpointing": "transformer.activation_memory_per_layer",
    "HFU": "utilization.hfu",
    "MFU": "utilization.mfu",
    "gradient accumulation": "utilization.exchanged_bytes",
    "straggler": "utilization.ranks_step",
    "DP": "utilization.exchange_step",
    "FSDP": "utilization.exchange_step",
    "ZeRO": "transformer.state_memory",
    "HSDP": "parallelism.Layout",
    "TP": "parallelism.Layout",
    "PP": "parallelism.Layout",
    "CP": "parallelism.Layout",
    "EP": "parallelism.Layout",
    "SP": "parallelism.Layout",
    "GPUDirect": "serving.cache_transfer_seconds",
    "tiling": "roofline.blocked_gemm",
    "GEMM": "roofline.gemm",
    "MTTDL": "storage.mean_time_to_loss",
    "LRU": "storage.lru_hit_rate",
    "head-of-line blocking": "loading.prefetch_run",
}


@every_row(("term", "name"), TERMS.items())
def test_term_stands_in_the_docstring_of_its_model(term, name):
    package, *parts = name.split(".")
    found = import_module(f"chip2cluster.{package}")
    for part in parts:
        found = getattr(found, part)
    text = " ".join(inspect.getdoc(found).split()).casefold()
    assert term.casefold() in text
