"""Laws of the expected times, one module for each kind: fixed time, bound, and what lies between.

A module has ``CHIP`` and ``SHARED``, the constants fitted for each chip and for all chips with their first guesses;
``SWEPT``, the sizes that a table of measurements sweeps; ``figures``, which turns the text of a question (chip,
precision) into numbers; and ``law``, which turns numbers into seconds and their bound. ``law`` is written once for
scalars and arrays: ``op`` has the functions of either.
"""

from __future__ import annotations

from . import (
    attention_decode,
    attention_prefill,
    custom_all_reduce,
    expert_all_to_all,
    experts,
    first_token,
    gemm,
    nccl,
    nccl_nodes,
    serving_step,
    training_step,
)

_MODULES = (
    gemm, attention_prefill, attention_decode, nccl, nccl_nodes, custom_all_reduce, serving_step, first_token,
    experts, expert_all_to_all, training_step,
)  # fmt: skip
LAWS = {module.__name__.rpartition(".")[2]: module for module in _MODULES}
