"""Memory of a training step: states as the layout divides them, and the activations kept."""

from __future__ import annotations

from collections.abc import Mapping

from ... import transformer
from ..model import Row


def predict(row: Row, fitted: Mapping[str, float]) -> float:
    """Bytes on the fullest device."""
    given = row.given
    config = transformer.model(given["model"]).config if "model" in given else _config(given)
    tensor, stages = given["tensor_parallel"], given["pipeline_parallel"]
    copies = given.get("context_parallel", 1)  # these devices share a sequence and the states
    # Without a micro-batch of its own a batch is cut into as many as there are stages.
    micro_batch = given["micro_batch"] if "micro_batch" in given else max(1, given["batch"] // stages)
    need = transformer.training_memory(
        config,
        given["sequence"] // copies,
        micro_batch,
        tensor_parallel=tensor,
        pipeline_parallel=stages,
        data_parallel=given.get("data_parallel", given.get("fsdp", 1)) * copies,
        zero_stage=given["zero_stage"],
        weight_bytes=given["weight_bytes"],
        gradient_bytes=given["gradient_bytes"],
        optimizer_bytes=given["optimizer_bytes"],
        recompute=given["recompute"],
        sequence_parallel=given.get("sequence_parallel", False),
        dropout=False,
        include_ends=True,
    )
    return float(need.total)


def _config(given: Mapping) -> transformer.Config:
    """A plain GPT of a printed size and width, with as many layers as make the size."""
    width, billions = given["width"], given["billions"]
    layers = round(1e9 * billions / (12 * width**2))
    return transformer.Config(layers=layers, d_model=width, heads=given["heads"], vocab_size=250_880, bias=True)
