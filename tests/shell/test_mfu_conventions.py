"""MFU by the convention of the log, and remarks about precisions without a published training run."""

import pytest

from chip2cluster import shell
from tests.shell.lines import LLAMA


@pytest.mark.parametrize(
    "line, convention, published",
    [
        # NVIDIA, Megatron-Bridge performance tables: 744 of 1,979 TFLOP/s, and 961 of 2,500.
        (
            'mfu --model "Llama 3 8B" --chip "H100 SXM" --chips 8 --tokens-per-second 115608 --sequence 8192 --precision fp8',
            "megatron-causal",
            0.37595,
        ),
        (
            "mfu --model DeepSeek-V3 --chip GB300 --chips 256 --tokens-per-second 985088 --sequence 4096",
            "megatron-causal",
            0.3844,
        ),
        # The log of nanochat d20 prints 74.1 %.
        (
            'mfu --shape "layers=20 d_model=1280 heads=10 vocab_size=65536 d_hidden=5120" --chip "A100 SXM 80GB" --chips 8 '
            "--tokens-per-second 529882 --sequence 2048",
            "torchtitan",
            0.741,
        ),
        # foundation-model-stack/fms-fsdp: Llama 2 7B, 9,600 tokens/s on an H100, 46 %.
        (
            'mfu --model "Llama 2 7B" --chip "H100 SXM" --chips 128 --tokens-per-second 1228800 --sequence 4096',
            "palm",
            0.46,
        ),
    ],
)
def test_mfu_matches_log_by_its_convention(line, convention, published):
    answer = shell.ask(f"{line} --convention {convention}")
    assert answer["mfu"] == pytest.approx(published, rel=0.012)
    assert next(one.value for one in answer.assumptions if one.name == "convention") == convention
    default = shell.ask(line)
    if convention != "palm":  # the answer by default has the log's value among the other conventions
        assert default[f"mfu_{convention}"] == answer["mfu"] != default["mfu"]
        assert answer["mfu_palm"] == default["mfu"]


def test_mfu_of_parameters_counts_6n():
    line = 'mfu --parameters 7B --chip "H100 SXM" --chips 8 --tokens-per-second 80e3'
    assert shell.ask(f"{line} --convention 6n")["mfu"] == shell.ask(line)["mfu"]
    with pytest.raises(shell.UsageError, match="megatron counts attention, which needs a shape; give --model"):
        shell.ask(f"{line} --convention megatron")
    with pytest.raises(shell.UsageError, match="did you mean torchtitan"):
        shell.ask(f"{line} --convention torchtitn")


@pytest.mark.parametrize("precision, told", [("fp6", True), ("fp4", True), ("fp8", False), ("bf16", False)])
def test_plan_says_if_no_run_has_the_precision(precision, told):
    line = f"plan {LLAMA} --tokens 1T --chip B200 --chips 1024 --precision {precision}"
    remark = f"No training run in {precision} is published"
    assert any(one.startswith(remark) for one in shell.ask(line).remarks) is told
    assert not any(one.startswith(remark) for one in shell.ask(f"{line} --kernel-share 40%").remarks)
