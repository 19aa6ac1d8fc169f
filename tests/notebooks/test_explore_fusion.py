"""The explorer of fusion against the models."""

import pytest

from chip2cluster import explore, roofline, specs

CHAINS = {
    "bias, activation": roofline.bias_chain,
    "product, activation": roofline.activation_chain,
    "two products": roofline.feed_forward_chain,
    "attention": lambda tokens, width: roofline.attention_chain(tokens, width // 128, 128),
}


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize(
    "tokens, device, width", [(8, "A100 SXM 80GB", 8192), (2048, "H100 SXM", 1024), (65536, "B200", 16384)]
)
def test_table_and_sentence_say_what_the_models_say(chain, tokens, device, width):
    view = explore.fusion(chain, tokens=tokens, device=device, width=width)
    chip = specs.accelerator(device)
    roofs = chip.peak_flops_dense("bf16"), chip.memory_bandwidth
    known = CHAINS[chain](tokens, width)
    *parts, apart, fused = view.table
    for row, part in zip(parts, known.parts.values(), strict=True):
        assert row["intensity (FLOP/byte)"] == part.intensity
        assert row["at least (µs)"] == pytest.approx(1e6 * part.time(*roofs))
    assert apart["at least (µs)"] == pytest.approx(sum(row["at least (µs)"] for row in parts))
    assert apart["moved (MB)"] == pytest.approx(sum(row["moved (MB)"] for row in parts))
    assert fused["moved (MB)"] * 1e6 == pytest.approx(apart["moved (MB)"] * 1e6 - 2 * known.intermediate_bytes)
    gain = apart["at least (µs)"] / fused["at least (µs)"]
    told = f"{gain:.2f} times as fast" if gain >= 1.005 else "next to nothing is gained"
    assert told in view.sentence and told in view.current.picture.title and "fused" in view.alt


def test_two_passes_gain_two_and_two_full_products_nothing():
    assert "2.00 times as fast" in explore.fusion("bias, activation", tokens=4096).sentence
    assert "each operation was held by its arithmetic already" in explore.fusion("two products", tokens=4096).sentence
    assert "few compared with the weights" in explore.fusion("two products", tokens=8).sentence


@pytest.mark.parametrize("control", explore.Fusion.controls, ids=lambda control: control.name)
def test_every_value_of_a_control_draws(control):
    view = explore.fusion()
    for value in control.choices(view.values):
        assert view.reset().set(**{control.name: value}).current.picture.title.startswith("Fused: ")


def test_a_device_without_bf16_is_not_offered():
    with pytest.raises(ValueError, match="device must be one of"):
        explore.fusion(device="V100 SXM2")


def test_a_chip_of_ones_own_takes_part():
    mine = specs.own("My card", dense={"bf16": "400 TFLOP/s"}, memory="48 GB", memory_bandwidth="0.9 TB/s")
    view = explore.fusion("bias, activation", tokens=1024, device=mine)
    assert "My card" in view.current.table.caption
    assert view.table[-1]["at least (µs)"] == pytest.approx(
        2 * 2 * 1024 * 8192 / 0.9e12 * 1e6
    )  # read once, written once
    menu = view.content()["controls"][2]
    assert menu["texts"][menu["value"]] == "My card"
    assert view.set(device="H100 SXM").set(device=mine).values["device"] is mine
    narrow = specs.own("Narrow", dense={"fp8": "400 TFLOP/s"}, memory="48 GB", memory_bandwidth="0.9 TB/s")
    with pytest.raises(specs.PrecisionNotSupported, match="bf16"):
        assert not explore.fusion(device=narrow).table
