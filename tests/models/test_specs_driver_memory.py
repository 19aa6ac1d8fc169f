"""Bytes as the driver reports them, and what fits by measured logs."""

import pytest

from chip2cluster import serving, specs


# memory.total of nvidia-smi in MiB; H100 and H200 recorded by the project, the others in public logs.
@pytest.mark.parametrize(
    "name, mib",
    [("H100 SXM", 81_559), ("H200 SXM", 143_771), ("A100 SXM 80GB", 81_920), ("L4", 23_034), ("RTX 4090", 24_564)],
)
def test_driver_memory_of_printed_chips(name, mib):
    assert specs.accelerator(name).driver_memory_bytes == mib * 2**20


@pytest.mark.parametrize("chip", specs.accelerators(), ids=lambda chip: chip.name)
def test_driver_memory_lies_between_gb_and_gib(chip):
    """At least the datasheet's GB, at most its GiB."""
    most = 192e9 if chip.name in ("B200", "GB200") else chip.memory_bytes  # the datasheet prints what is usable
    assert 0.999 * chip.memory_bytes <= chip.driver_memory_bytes <= most * 2**30 / 1e9 * 1.001
    assert chip.driver_memory_source.citation and chip.driver_memory_source.confidence


def test_custom_chip_has_what_was_given():
    own = specs.own("Mine", dense={"bf16": "100 TFLOP/s"}, memory="24 GB", memory_bandwidth="1 TB/s")
    assert own.driver_memory_bytes == 24e9


# Servers printed these numbers of cache tokens; an "at most" may not be below them.
@pytest.mark.parametrize(
    "model, chip, devices, precision, cache, share, printed",
    [
        ("Llama 2 7B", "A100 SXM 80GB", 1, "bf16", "bf16", 0.9, 117_616),  # vLLM, pull request 2031
        ("Qwen3 235B-A22B", "H100 SXM", 4, "fp8", "bf16", 0.93, 367_404),  # SGLang, vLLM issue 21348
    ],
)
def test_most_cache_tokens_are_not_below_logs(model, chip, devices, precision, cache, share, printed):
    room = {"memory_bytes": specs.accelerator(chip).driver_memory_bytes, "memory_share": share}
    most = serving.deploy(model, chip, devices, precision, cache_precision=cache, **room).cache_tokens
    assert printed <= most < 1.2 * printed  # a server reserves buffers too
