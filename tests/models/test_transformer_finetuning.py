"""Adapters, recipes of states, and states on the host."""

import pytest

from chip2cluster import parallelism, transformer


# PEFT and Unsloth print these numbers as trainable parameters.
@pytest.mark.parametrize(
    "model, rank, targets, printed",
    [
        ("Llama 2 7B", 8, ("q", "v"), 4_194_304),
        ("Llama 2 7B", 64, ("q", "v"), 33_554_432),
        ("Llama 3 8B", 16, ("q", "k", "v", "o", "gate", "up", "down"), 41_943_040),
        ("Mistral 7B", 16, ("q", "k", "v", "o", "gate", "up", "down"), 41_943_040),
        ("Llama 2 13B", 8, ("q", "v"), 6_553_600),
    ],
)
def test_lora_parameters_of_public_logs(model, rank, targets, printed):
    assert transformer.lora_parameters(model, rank, targets) == printed


def test_lora_refuses_what_is_not_modelled():
    with pytest.raises(ValueError, match="latent"):
        transformer.lora_parameters("DeepSeek-V3", 8)
    with pytest.raises(ValueError, match="experts"):
        transformer.lora_parameters("Mixtral 8x7B", 8)
    with pytest.raises(ValueError, match="'gate'"):
        transformer.lora_parameters("GPT-2 124M", 8, ("gate",))
    assert transformer.lora_parameters("Mixtral 8x7B", 8, ("q", "v")) == 3_407_872


def test_qlora_of_65b_fits_48_gigabytes_and_16_bits_do_not():
    llama = transformer.Config(layers=80, d_model=8192, heads=64, d_hidden=22016, vocab_size=32000, gated=True)
    run = dict(rank=64, recompute="full", dropout=False)
    qlora = transformer.finetuning_memory(llama, 512, quantized=True, **run)
    assert 34e9 < qlora.total < 48e9 < transformer.finetuning_memory(llama, 512, **run).total


def test_adapters_train_fewer_states_than_the_model():
    full = transformer.training_memory("Llama 3 8B", 2048)
    lora = transformer.finetuning_memory("Llama 3 8B", 2048, rank=16)
    assert lora.gradients + lora.optimizer < (full.gradients + full.optimizer) / 100
    assert lora.activations == full.activations


@pytest.mark.parametrize(
    "recipe, total", [("zero", 16), ("megatron", 18), ("fsdp2", 16), ("bf16", 8), ("adam_8bit", 6.03125)]
)
def test_recipes_have_the_published_bytes(recipe, total):
    need = transformer.state_memory(1e9, **transformer.state_bytes(recipe).arguments)
    assert need.total / 1e9 == total
    with pytest.raises(ValueError, match="megatron"):
        transformer.state_bytes("adam9")


@pytest.mark.parametrize("stage", range(4))
@pytest.mark.parametrize("offload", [("optimizer",), ("optimizer", "weights")])
@pytest.mark.parametrize("copies", [1, 8, 64])
def test_offload_conserves_bytes(stage, offload, copies):
    run = dict(zero_stage=stage, data_parallel=copies)
    held = transformer.state_memory(7e9, **run)
    if "weights" in offload and stage < 3:
        with pytest.raises(ValueError, match="zero_stage=3"):
            transformer.state_memory(7e9, **run, offload=offload)
        return
    moved = transformer.state_memory(7e9, **run, offload=offload)
    assert moved.states + moved.host == pytest.approx(held.states)
    assert moved.states < held.states and moved.pcie_bytes > 0
    assert held.host == held.pcie_bytes == 0


def test_offload_bytes_over_pcie():
    """ZeRO-Offload: 2 bytes a parameter of gradients out, 2 of weights in."""
    one = transformer.state_memory(13e9, zero_stage=2, offload=("optimizer",))
    assert (one.states, one.host, one.pcie_bytes) == (26e9, 182e9, 52e9)
    stage_3 = dict(zero_stage=3, data_parallel=4, offload=("optimizer", "weights"))
    twice = [transformer.state_memory(13e9, **stage_3, micro_batches=m).pcie_bytes for m in (1, 3)]
    assert twice == pytest.approx([13e9 / 4 * (2 + 4), 13e9 / 4 * (2 + 12)])


@pytest.mark.parametrize("wrong", ["optimizer", ("gradients",), ("weights",)])
def test_offload_names_what_can_be_moved(wrong):
    with pytest.raises((TypeError, ValueError), match="optimizer"):
        transformer.state_memory(1e9, zero_stage=3, offload=wrong)


@pytest.mark.parametrize(
    "stage, offload", [(0, ("optimizer",)), (1, ("optimizer",)), (2, ("optimizer",)), (3, ("optimizer", "weights"))]
)
def test_offload_by_stage_conserves_bytes(stage, offload):
    layout = parallelism.Layout(tensor=2, pipeline=2, data=4, zero_stage=stage)
    held = parallelism.memory_by_stage("Llama 3 8B", layout, 4096, 8, dropout=False)
    moved = parallelism.memory_by_stage("Llama 3 8B", layout, 4096, 8, dropout=False, offload=offload)
    for before, after in zip(held, moved, strict=True):
        assert after.states + after.host == pytest.approx(before.states)
        assert after.total == pytest.approx(before.total - after.host)
        assert isinstance(after, parallelism.OffloadedStageMemory) and after.pcie_bytes > 0
        assert after.activations == before.activations
