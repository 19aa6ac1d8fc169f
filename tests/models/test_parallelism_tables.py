"""Tables of layouts, against the notebook's equation, monotonicity and single layouts."""

import numpy as np
import pytest

from chip2cluster import specs, transformer
from chip2cluster.parallelism import (
    Layout,
    Tier,
    expected_dropped_share,
    order_table,
    room_table,
    router_table,
    step_time,
    tensor_table,
    volumes,
)

H100 = specs.accelerator("H100 SXM")
CLUSTER = Tier("node", 8, 450e9), Tier("network", 64, 50e9)


def test_tensor_messages_follow_the_closed_form():
    # 2/9 r/β (t - 1)/h for 12 h² weights a layer; scores and head of the real model are 9 % more arithmetic.
    gpt = transformer.model("GPT-3 175B").config
    table = tensor_table(gpt, H100, [96], [2, 4, 8, 16, 32], outside_one_way=50e9, sequence=2048)
    ridge = H100.peak_flops_dense("bf16") / 450e9
    closed = [100 * 2 / 9 * ridge * (t - 1) / gpt.d_model for t in table.index]
    assert table["domain of 96 (%)"].to_numpy() == pytest.approx(closed, rel=0.09)
    assert (table["domain of 96 (%)"].to_numpy() < closed).all()


def test_tensor_table_improves_with_domain():
    llama = transformer.model("Llama 3.1 405B").config
    table = tensor_table(llama, H100, [8, 16, 128], [2, 8, 16, 64, 128], outside_one_way=50e9, sequence=8192).to_numpy()
    assert (np.diff(table, axis=1) <= 1e-9).all() and (np.diff(table, axis=0) > 0).all()


def test_tensor_groups_that_do_not_divide_a_domain_are_split():
    # gcd(72, t) is 8 for 16, 32 and 64: eight NICs of 50 GB/s together, as in a node of 8. A domain of 64 splits none.
    llama, degrees = transformer.model("Llama 3.1 405B").config, [2, 8, 16, 32, 64]
    table = tensor_table(llama, H100, [8, 64, 72, 144], degrees, outside_one_way=50e9, sequence=8192)
    assert table["domain of 72 (%)"].tolist() == pytest.approx(table["domain of 8 (%)"].tolist())
    assert table["domain of 144 (%)"].tolist() == pytest.approx(table["domain of 64 (%)"].tolist())
    ratio = (table["domain of 72 (%)"] / table["domain of 64 (%)"]).tolist()
    assert ratio == pytest.approx([1, 1, 450 / 400, 450 / 400, 450 / 400])


def test_order_table_sorts_orders_of_equal_bytes():
    llama, layout = transformer.model("Llama 2 13B").config, Layout(4, 2, 2, 2)
    tiers = Tier("node", 8, 400e9), Tier("network", 32, 25e9)
    table = order_table(llama, layout, H100, tiers, sequence=4096, global_batch=64)
    assert len(set(table.index)) == 24 and table["all"].is_monotonic_increasing
    assert table.drop(columns="all").sum(axis=1).to_numpy() == pytest.approx(table["all"].to_numpy())
    sent = volumes(llama, layout, 4096, 32)["tensor"].bytes_sent_one_way_per_step
    # Innermost: all four in one node; outermost: each in another node.
    assert table.filter(regex="^tensor", axis=0)["tensor"].to_numpy() == pytest.approx(1e3 * sent / 400e9)
    assert table.filter(regex="tensor$", axis=0)["tensor"].to_numpy() == pytest.approx(1e3 * sent / 25e9)


def test_more_memory_never_makes_the_best_layout_slower():
    llama = transformer.model("Llama 3 8B").config
    job = dict(sequence=8192, kernel_efficiency=0.6, zero_stages=(0, 3))
    table = room_table(llama, 8, 64, H100, CLUSTER, [1e9, 20e9, 40e9, 80e9, 500e9], **job)
    assert table.loc[1.0].isna().all()
    assert (table.fillna(0.0).diff().iloc[1:] >= -1e-9).all().all()
    assert table.loc[500.0].is_monotonic_decreasing  # if all fit, less recomputation is faster
    alone = step_time(
        llama, Layout(data=8, recompute="full"), H100, CLUSTER, sequence=8192, global_batch=64, kernel_efficiency=0.6
    )
    assert table.loc[500.0, "full"] >= 100 * alone.mfu > 40


def test_router_table_drops_match_expectation():
    table = router_table(4096, 64, 2, 8, skews=[0.0, 1.0], factors=[1.0])
    assert table.iloc[0, 2] == pytest.approx(100 * expected_dropped_share(4096, 64, 2, 1.0), rel=0.2)
    assert (table["busiest expert"] >= table["busiest device"]).all() and (table.loc[1.0] > table.loc[0.0]).all()


def test_a_device_without_links_is_refused():
    alone = next(chip for chip in specs.accelerators() if chip.scale_up_bandwidth_one_way is None)
    with pytest.raises(ValueError, match="device must have a scale-up link"):
        tensor_table(transformer.model("Llama 3 8B").config, alone, [8], [2], outside_one_way=50e9, sequence=8192)
