"""A published model and a chip of the catalogue are named wherever a function asks for their shape or figures."""

import pytest

from chip2cluster import collectives, parallelism, serving, specs, transformer
from chip2cluster.parallelism import Layout, Tier
from tests.tables import every_row

LLAMA = transformer.model("Llama 3 70B").config
CLUSTER = Tier("node", 8, 450e9), Tier("network", 1024, 50e9)
LAYOUT = Layout(tensor=8, pipeline=4, data=4)
STEP = dict(sequence=8192, global_batch=512)
TAKES_A_MODEL = {
    "parameters": transformer.parameters,
    "active_parameters": transformer.active_parameters,
    "parameter_breakdown": transformer.parameter_breakdown,
    "training_flops_per_token": lambda model: transformer.training_flops_per_token(model, 8192),
    "flops_breakdown": lambda model: transformer.flops_breakdown(model, 8192),
    "recomputed_flops_per_token": lambda model: transformer.recomputed_flops_per_token(model, 8192, "full"),
    "hardware_flops_per_token": lambda model: transformer.hardware_flops_per_token(model, 8192, "full"),
    "activation_memory": lambda model: transformer.activation_memory(model, 8192),
    "activation_memory_per_layer": lambda model: transformer.activation_memory_per_layer(model, 8192),
    "training_memory": lambda model: transformer.training_memory(model, 8192),
    "kv_cache_per_token": transformer.kv_cache_per_token,
    "kv_cache_memory": lambda model: transformer.kv_cache_memory(model, 8192),
    "memory": lambda model: parallelism.memory(model, LAYOUT, 8192, 16),
    "memory_by_stage": lambda model: parallelism.memory_by_stage(model, LAYOUT, 8192, 16),
    "volumes": lambda model: parallelism.volumes(model, LAYOUT, 8192, 16),
    "problems": lambda model: Layout(tensor=3).problems(model),
    "step_time": lambda model: parallelism.step_time(model, LAYOUT, "H100 SXM", CLUSTER, **STEP),
    "axis_times": lambda model: parallelism.axis_times(model, LAYOUT, "H100 SXM", CLUSTER, **STEP),
    "layouts": lambda model: parallelism.layouts(model, 16, 16, "H100 SXM", CLUSTER, sequence=8192, contexts=[1])[:3],
    "parameters_read": serving.parameters_read,
    "cache_copies": lambda model: serving.cache_copies(model, 16),
    "kind_of_heads": serving.kind_of_heads,
    "with_heads": lambda model: serving.with_heads(model, "latent"),
}


@every_row("name", TAKES_A_MODEL)
def test_a_name_is_as_good_as_the_shape(name):
    function = TAKES_A_MODEL[name]
    assert function("llama-3-70b") == function(LLAMA)
    with pytest.raises(
        transformer.UnknownModel, match="'Llama 3 71B' is not a published model here; similar names: Llama 3 70B"
    ):
        function("Llama 3 71B")
    with pytest.raises(TypeError, match="config must be a transformer.Config or the name of a published model, got 70"):
        function(70)


@pytest.mark.parametrize("function", [parallelism.step_time, parallelism.axis_times])
def test_a_chip_is_named_too(function):
    assert function(LLAMA, LAYOUT, "h100-sxm", CLUSTER, **STEP) == function(
        LLAMA, LAYOUT, specs.accelerator("H100 SXM"), CLUSTER, **STEP
    )
    with pytest.raises(specs.UnknownAccelerator, match="'H100' fits H100 SXM, H100 PCIe, H100 64GB; say which"):
        function(LLAMA, LAYOUT, "H100", CLUSTER, **STEP)


def test_text_with_a_unit_is_told_who_reads_it():
    with pytest.raises(TypeError, match=r"message_bytes must be a number .* got '2 GB'; units.parse reads text"):
        collectives.ring_all_reduce_time("2 GB", 8, 50e9)
