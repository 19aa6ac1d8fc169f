"""Search of layouts: one-by-one evaluation, and reasons why a layout is ruled out."""

from itertools import product
from math import comb, prod

import pytest

from chip2cluster import transformer
from chip2cluster.parallelism import Candidate, Layout, layouts, memory_by_stage, step_time
from tests.models.machines import CLUSTER, H100, LLAMA, MIXTRAL
from tests.tables import every_row


@pytest.mark.parametrize("config, n, options", [
    (LLAMA, 64, dict(zero_stages=(0, 1, 3), recomputes=("none", "full"), micro_batches=(1, 2))),
    (MIXTRAL, 48, dict(experts=(1, 8), chunks=(1, 2))),
    (LLAMA, 16, dict(schedules=(None, "gpipe", "zb_h1", "zb_h2", "dualpipe"))),
])  # fmt: skip
def test_layouts_match_one_by_one_evaluation(config, n, options):
    given_ = dict(sequence=4096, kernel_efficiency=0.5)
    found = layouts(config, n, 192, H100, CLUSTER, gradient_bytes=4.0, **given_, **options)
    shapes = [(t, p, d, n // t // p // d) for t, p, d in product(range(1, n + 1), repeat=3) if n % (t * p * d) == 0]
    assert len(found) == len(shapes) * prod(len(choices) for choices in options.values())
    assert len({one.layout for one in found}) == len(found)
    for one in found:
        assert isinstance(one, Candidate)
        problems = one.layout.problems(config, 192, sequence=4096, devices=n)
        if problems:
            assert one.memory_bytes is one.step_seconds is None and one.why_not == "; ".join(problems)
            continue
        stages = memory_by_stage(
            config, one.layout, 4096, one.layout.micro_batches(192), dropout=False, gradient_bytes=4.0
        )
        assert one.memory_bytes == pytest.approx(max(stage.total for stage in stages), rel=1e-12)
        step = step_time(config, one.layout, H100, CLUSTER, global_batch=192, gradient_bytes=4.0, **given_)
        assert one.step_seconds == pytest.approx(step.seconds, rel=1e-9)
        assert one.fits == (not one.why_not) == (one.memory_bytes <= H100.driver_memory_bytes)
    ranks = [0 if one.fits else 1 if one.memory_bytes else 2 for one in found]
    assert ranks == sorted(ranks)
    times = [one.step_seconds for one in found if one.fits]
    assert times == sorted(times) and times


def test_layouts_respect_contexts():
    given_ = dict(sequence=4096, kernel_efficiency=0.5)
    every = layouts(LLAMA, 64, 192, H100, CLUSTER, **given_)
    some = layouts(LLAMA, 64, 192, H100, CLUSTER, contexts=(1, 4, 7), **given_)
    assert some == tuple(one for one in every if one.layout.context in (1, 4))


def test_layouts_say_why_not():
    found = layouts(transformer.model("Llama 3 70B").config, 64, 64, H100, CLUSTER, sequence=8192)
    said = {(one.layout.tensor, one.layout.pipeline, one.layout.data): one.why_not for one in found}
    assert "tensor=64 must divide the 8192 tokens" not in said[64, 1, 1]
    assert said[1, 1, 64].startswith("stage 0 needs 480 GB of 86: activations 180, weights 141, ")
    few = layouts(LLAMA, 64, 96, H100, CLUSTER, sequence=4096)
    assert any("must divide global_batch=96 sequences" in one.why_not for one in few)
    assert any("must be at most the layers, 32" in one.why_not for one in few)


def test_layouts_cover_every_factorization():
    found = layouts(transformer.model("Llama 3.1 405B").config, 16384, 2048, H100, CLUSTER, sequence=8192)
    assert len(found) == comb(14 + 3, 3)  # 2^14 among four
    assert all(one.layout.devices == 16384 for one in found)
    own = next(one for one in found if one.layout == Layout(8, 16, 128, zero_stage=1))
    assert own.fits  # the layout of Llama 3


def test_layouts_respect_memory_share():
    wide, tight = (layouts(LLAMA, 8, 8, H100, CLUSTER, sequence=8192, memory_share=share) for share in (1.0, 0.5))
    assert sum(one.fits for one in tight) < sum(one.fits for one in wide)
    assert "GB of 43" in next(one.why_not for one in tight if one.memory_bytes and not one.fits)


def test_layouts_take_the_memory_that_the_driver_reports():
    """80 GB of an H100 are 81,559 MiB in nvidia-smi: what needs 82 GB fits."""
    found = layouts("Llama 3 70B", 64, 64, H100, CLUSTER, sequence=8192)
    room = 81_559 * 2**20
    needs = [one for one in found if one.memory_bytes]
    assert all(one.fits == (one.memory_bytes <= room) for one in needs)
    assert any(80e9 < one.memory_bytes <= room for one in needs)


SEARCH = dict(config=LLAMA, devices=8, global_batch=64, device=H100, tiers=CLUSTER, sequence=4096)


@every_row("change, words", [
    (dict(config=1), "config must be a transformer.Config"),
    (dict(devices=0), "devices must be at least 1"),
    (dict(devices=10**6), "devices must be at most 16384"),
    (dict(global_batch=0), "global_batch must be at least 1"),
    (dict(device=80e9), "device must be a specs.Accelerator"),
    (dict(tiers=[]), "tiers must hold at least one"),
    (dict(sequence=1.5), "sequence must be a whole number"),
    (dict(chunks=(0,)), "chunks must be at least 1"),
    (dict(zero_stages=(5,)), "zero_stage must be one of"),
    (dict(recomputes=("some",)), "recompute must be one of"),
    (dict(micro_batches=(0,)), "micro_batch must be at least 1"),
    (dict(experts=(0,)), "expert must be at least 1"),
    (dict(schedules=("zb_v",)), "schedule must be one of"),
    (dict(sequence_parallel=1), "sequence_parallel must be True or False"),
    (dict(memory_share=0), "memory_share must be greater than zero"),
    (dict(memory_share=2), "memory_share must be at most 1"),
    (dict(precision="fp3"), "fp3"),
    (dict(kernel_efficiency=0), "kernel_efficiency must be greater than zero"),
    (dict(overlap=("all",)), "overlap must hold axes among"),
    (dict(order=()), "order must hold each of"),
    (dict(causal="yes"), "causal must be True or False"),
    (dict(dropout=0), "dropout must be True or False"),
    (dict(optimizer_bytes=-1), "optimizer_bytes must be greater than zero"),
    (dict(contexts=(0,)), "contexts must be at least 1"),
    (dict(contexts=(1.5,)), "contexts must be a whole number"),
    (dict(size=2), "sizes must be among"),
])  # fmt: skip
def test_bad_input_of_the_search_is_named(change, words):
    with pytest.raises((ValueError, TypeError), match=words):
        layouts(**(SEARCH | change))
