"""Answers of the command line: numbers, bounds, assumptions and chapters."""

import argparse
import json
import math
from dataclasses import replace

import pytest

from chip2cluster import _pages, capstone, economics, reality, serving, shell, specs, transformer, utilization
from chip2cluster.shell import command
from chip2cluster.shell.answer import KINDS
from tests.shell.lines import H100, LLAMA, MODULES, PLAN, said
from tests.tables import every_row

# --- every command ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", command.COMMANDS)
def test_command_help_has_its_question(name, capsys):
    assert MODULES[name].QUESTION.endswith("?")
    assert shell.main([name, "--help"]) == 0
    shown = capsys.readouterr().out
    assert MODULES[name].QUESTION in shown and "exit codes" in shown and "for example" in shown
    assert shell.main(["--help"]) == 0
    assert MODULES[name].QUESTION in " ".join(capsys.readouterr().out.split())


@every_row("name", command.COMMANDS)
def test_every_option_has_help(name):
    parser = argparse.ArgumentParser()
    MODULES[name].options(parser)
    assert all(action.help for action in parser._actions)


@pytest.mark.parametrize("name", command.COMMANDS)
def test_help_example_is_answered(name, capsys):
    code, out, err = said(capsys, MODULES[name].EXAMPLE)
    assert code in (0, 1) and not err
    answer = shell.ask(MODULES[name].EXAMPLE)
    for number in answer.numbers:
        assert number.says in out
        room, function = number.function.split(".")
        assert function in _public(room), number
        assert number.topic in _pages.chapters(), number
        assert _pages.chapters()[number.topic].stem in out
        assert number.low is None or number.low <= number.value * (1 + 1e-9), number
        assert number.high is None or number.value <= number.high * (1 + 1e-9), number
    _, every, _ = said(capsys, f"{MODULES[name].EXAMPLE} --assumptions all")
    for taken in answer.assumptions:
        assert taken.kind in KINDS and (taken.source or taken.option), taken
        assert taken.says in every and taken.kind in every
    assert code == answer.exit_code == (not answer.met)
    assert len(answer.table()) == len(answer.numbers)
    assert f"{answer!r}\n" == out


def _public(room):
    from importlib import import_module

    return import_module(f"chip2cluster.{room}").__all__


@pytest.mark.parametrize("name", command.COMMANDS)
def test_json_matches_answer(name, capsys):
    code, out, _ = said(capsys, f"{MODULES[name].EXAMPLE} --json")
    found, answer = json.loads(out), shell.ask(MODULES[name].EXAMPLE)
    assert set(found) == {"command", "question", "met", "problems", "numbers", "assumptions", "remarks", "options"}
    assert found["command"] == name and found["met"] is (code == 0)
    assert {row["name"]: row["value"] for row in found["numbers"]} == {one.name: one.value for one in answer.numbers}
    keys = {"name", "says", "value", "unit", "low", "high", "function", "topic", "group"}
    assert all(set(row) == keys for row in found["numbers"])
    assert all(
        set(row) == {"name", "says", "value", "unit", "kind", "source", "option"} for row in found["assumptions"]
    )


# --- what is right ------------------------------------------------------------------------------


def test_size_is_inverse_of_training_time():
    answer = shell.ask(f'size {LLAMA} --tokens 15T --deadline "30 days" {H100} --mfu 40%')
    work = transformer.training_flops_per_token("Llama 3 70B", 8192) * 15e12
    peak = specs.accelerator("H100 SXM").peak_flops_dense("bf16")
    assert utilization.training_time_at(work, answer["chips"], peak, 0.4) <= 30 * utilization.DAY
    assert utilization.training_time_at(work, answer["chips"] - 1, peak, 0.4) > 30 * utilization.DAY
    by_hand = shell.ask(f'size --parameters 70B --tokens 15e12 --deadline "30 days" {H100} --mfu 0.4')
    assert by_hand["chips"] == 6142 and by_hand["chips_to_train"] == math.ceil(16 * 70e9 / (0.9 * 85.5e9))


def test_default_mfu_is_that_of_published_runs():
    shares = reality.training_shares("H100 SXM", "bf16")
    answer = shell.ask(f'size {LLAMA} --tokens 15T --deadline "30 days" {H100}')
    taken = next(one for one in answer.assumptions if one.name == "mfu")
    assert taken.kind == "measured" and taken.value == shares.median and str(shares.runs) in taken.source
    number = answer.numbers[0]
    assert number.low < number.value < number.high
    unknown = reality.training_shares("MI300X", "bf16")
    assert unknown.chip == "" and unknown.runs > shares.runs and "other chips" in unknown.says


def test_training_shares_fallback_for_other_chips():
    assert reality.training_shares("H800", "fp8") == reality.training_shares("H100 SXM", "fp8")
    others = reality.training_shares("MI300X", "fp8")
    assert (
        others == reality.training_shares(None, "fp8") and others.median < reality.training_shares(None, "bf16").median
    )
    assert reality.training_shares("MI300X", "int8").runs == reality.training_shares().runs


def test_size_matches_deepseek_v3():
    size = shell.ask('size --model "DeepSeek-V3" --tokens 14.8T --deadline "60 days" --chip H800 --precision fp8')
    sequence = next(one for one in size.assumptions if one.name == "sequence")
    assert sequence.value == 4096 == transformer.model("DeepSeek-V3").sequence
    chips = economics.published_run("cost-dsv3-pre").claim.device_seconds / (60 * 86400)
    assert size.numbers[0].low < chips < size.numbers[0].high


def test_plan_explains_its_interval():
    for chip, words in (("H100 SXM", "four of five published"), ("MI300X", "no training run on this chip is known")):
        searched = shell.ask(f'plan {LLAMA} --tokens 1T --chip "{chip}" --chips 1024')
        assert words in searched.remarks[0] and "--layout" in searched.remarks[1]
        given = shell.ask(f'plan {LLAMA} --tokens 1T --chip "{chip}" --chips 1024 --layout "{searched["layout"]}"')
        assert given.remarks == (searched.remarks[0], *searched.remarks[2:]) and given["seconds"] == searched["seconds"]
    experts = shell.ask('plan --model "Mixtral 8x7B" --tokens 1T --chip "H100 SXM" --chips 128')
    assert any(one.startswith("Experts:") for one in experts.remarks)


@pytest.mark.parametrize("kernels, capped", [("", True), ("--kernel-share 40%", False)])
def test_kernel_share_is_at_most_that_of_the_best_product(kernels, capped):
    answer = shell.ask(f"plan {LLAMA} --tokens 1T --chip MI300X --chips 1024 {kernels}")
    share = next(one for one in answer.assumptions if one.name == "kernel_share")
    assert ("at most that of the best measured matrix product" in share.source) == capped
    assert (abs(share.value - 0.511) < 1e-3) == capped


@pytest.mark.parametrize(
    "chip, kernels, doubted",
    [
        ("MI300X", "", False),  # the default is at most the share of the best product
        ("MI300X", "--kernel-share 61%", True),
        ("MI300X", "--kernel-share 40%", False),
        ("B200", "", False),
    ],
)
def test_doubtful_kernel_share_is_reported(chip, kernels, doubted):
    answer = shell.ask(f'plan {LLAMA} --tokens 1T --chip "{chip}" --chips 1024 {kernels}')
    assert any("best matrix product of the MI300X found 51 %" in one for one in answer.remarks) == doubted


def test_serve_matches_serving_model():
    answer = shell.ask(f"serve {LLAMA} {H100} --chips 8 --prompt 4000 --output 96 --memory-share 1 --price 2")
    # What fits is decided by the bytes that the driver reports, not by the 80 GB of the datasheet.
    memory = specs.accelerator("H100 SXM").driver_memory_bytes
    deployment = replace(serving.deploy("Llama 3 70B", "H100 SXM", 8), memory_bytes=memory)
    token = next(one for one in answer.numbers if one.name == "alone_seconds")
    assert token.low == serving.time_between_tokens(deployment, 4096) < token.value
    assert answer["users"] == serving.largest_batch(deployment, 4096)
    rate = answer["tokens_per_second"]
    assert answer["dollars_per_million_tokens"] == pytest.approx(8 * 2 / 3600 / rate * 1e6)
    twice = shell.ask(f"serve {LLAMA} {H100} --chips 16 --prompt 4000 --output 96 --memory-share 1 --price 2")
    assert twice["tokens_per_second"] == pytest.approx(2 * rate) and twice["users"] == 2 * answer["users"]


def test_plan_converts_memory_of_a_chip_only_once():
    """288 GB of a B300 are at most 288 GiB, 309 GB; no layout may take more."""
    answer = shell.ask('plan --model "Llama 3.1 405B" --tokens 1T --chip B300 --chips 8')
    assert "8 chips of 309 GB" in answer.problems[0]


def test_serve_uses_moe_measurements_for_moe():
    """TensorRT-LLM published 13,016 tokens/s for 8 H200 with data-parallel attention, which fits more users."""
    answer = shell.ask(
        'serve --model DeepSeek-V3 --chip "H200 SXM" --chips 8 --precision fp8 --prompt 1000 --output 1000'
    )
    rate = next(one for one in answer.numbers if one.name == "tokens_per_second")
    assert rate.low < rate.value < rate.high < 13_016
    spread = next(one for one in answer.assumptions if one.name == "spread")
    assert "mixtures of experts" in spread.source
    dense = shell.ask(f"serve {LLAMA} {H100} --chips 8")
    assert "dense models" in next(one for one in dense.assumptions if one.name == "spread").source


@pytest.mark.parametrize("line", [
    'plan --model "Llama 3 8B" --tokens 1T --chips 64 --chip-price 15e3 --watts "400 W"',
    'serve --model "Llama 3 8B" --chips 2 --price 1',
    'cost --chips 2 --time "1 h" --price 1 --watts "300 W"',
    "network --nodes 4",
    'allreduce --bytes "1 GB" --nodes 4',
    'size --model "Llama 3 8B" --tokens 1T --deadline "30 days"',
])  # fmt: skip
def test_custom_chip_works_in_every_command(line):
    given = '--peak "400 TFLOP/s" --memory "96 GB" --memory-bandwidth "3 TB/s" --link "200 GB/s"'
    answer = shell.ask(f"{line} {given}")
    assert answer.met and answer.numbers
    assert any(one.kind == "given" for one in answer.assumptions)


def test_request_rate_increases_latency():
    line = f"serve {LLAMA} {H100} --chips 8 --price 3 --output 100 --rate"
    calm, busy = shell.ask(f"{line} 1"), shell.ask(f"{line} 20")
    assert calm["first_token_p50_seconds"] <= calm["first_token_p95_seconds"] < busy["first_token_p95_seconds"]
    assert calm["first_token_p50_seconds"] >= 0.99 * calm["first_token_seconds"]
    assert calm.met and "the queue grows without bound" in shell.ask(f"{line} 1000").problems[0]


@every_row("users", [1, 7, 64])
@every_row("model", ["Llama 3 70B", "DeepSeek-V3"])
def test_devices_needed_is_minimal(model, users):
    needed = serving.devices_needed(model, "H200 SXM", 8192, users, precision="fp8")
    assert serving.largest_batch(serving.deploy(model, "H200 SXM", needed, "fp8"), 8192) >= users
    weights = transformer.parameters(model)
    if weights < (needed - 1) * specs.accelerator("H200 SXM").memory_bytes:  # otherwise not even these fit
        assert serving.largest_batch(serving.deploy(model, "H200 SXM", needed - 1, "fp8"), 8192) < users


def test_checkpoint_over_a_month():
    often = shell.ask(f'checkpoint {LLAMA} --chips 16384 --storage "2 TB/s" --work "54 days"')
    seldom = shell.ask(f'checkpoint {LLAMA} --chips 16 --storage "2 TB/s" --work "54 days"')
    assert often["interval_seconds"] < seldom["interval_seconds"] and often["goodput"] < seldom["goodput"]
    assert often["failures"] == pytest.approx(419, rel=0.1)  # Llama 3 405B in 54 days on the same number of nodes
    dump = shell.ask(f'checkpoint {LLAMA} --chips 16384 --storage "2 TB/s" --work "54 days" --synchronous')
    assert dump["goodput"] < often["goodput"] and dump["checkpoint_bytes"] == pytest.approx(14 * 70.55e9, rel=1e-3)


def test_cost_adds_up():
    answer = shell.ask(
        f'cost {H100} --chips 1000 --time "10 h" --price 2.5 --watts "700 W" --node-over-chips 1.5 --pue 1.2'
    )
    assert answer["rent_dollars"] == 25000 and answer["chip_hours"] == 10000
    assert answer["facility_joules"] / 3.6e6 == pytest.approx(700 * 1.5 * 1.2 * 10)
    assert answer["kg_by_location"] == pytest.approx(12600 * economics.grid_intensity("USA").grams_per_kwh / 1e3)


def test_custom_model_and_chip():
    card = '--peak "71 TFLOP/s" --memory "24 GB" --memory-bandwidth "936 GB/s"'
    shape = '--shape "layers=24 d_model=2048, heads=16 vocab_size=50304 gated=0"'
    answer = shell.ask(f"mfu {shape} {card} --chips 8 --tokens-per-second 24e3 --sequence 2048")
    mine = transformer.Config(layers=24, d_model=2048, heads=16, vocab_size=50304)
    work = transformer.training_flops_per_token(mine, 2048)
    assert answer["mfu"] == pytest.approx(24e3 * work / (8 * 71e12))
    named = shell.ask(f"mfu {LLAMA} {H100} --chips 8 --tokens-per-second 8e3")
    assert named["flops_per_token"] == transformer.training_flops_per_token(
        transformer.model("Llama 3 70B").config, 8192
    )
    assert any(one.kind == "given" for one in answer.assumptions)


def test_plan_matches_capstone_evaluate():
    answer = shell.ask(f"{PLAN} --chips 1024 --country France --spares 4")
    asked = capstone.Scenario(
        model="Llama 3 70B",
        tokens=15e12,
        global_batch=2048,
        grams_per_kwh=economics.grid_intensity("France").grams_per_kwh,
    )
    out = capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=128, spares=4), asked)
    for name in ("seconds", "dollars", "joules", "mfu", "goodput", "kg_by_location", "memory_bytes"):
        assert answer[name] == pytest.approx(getattr(out, name)), name
    rows = {group: sum(one.value for one in answer.numbers if one.group == group) for group in ("a step", "the run")}
    assert rows["a step"] == pytest.approx(answer["step_seconds"]) and rows["the run"] == pytest.approx(
        answer["seconds"]
    )
    number = next(one for one in answer.numbers if one.name == "mfu")
    assert (number.low, number.high) == out.interval("mfu") and number.low < number.value < number.high


@pytest.mark.parametrize("given", ["", '--layout "tensor=8 pipeline=4 data=32 sequence_parallel=0 recompute=full"'])
def test_printed_layout_is_accepted(given):
    found = shell.ask(f"{PLAN} --chips 1024 {given}")
    again = shell.ask(f'{PLAN} --chips 1024 --layout "{found["layout"]}"')
    assert again["layout"] == found["layout"] and again["seconds"] == pytest.approx(found["seconds"])


@pytest.mark.parametrize("line", [
    'plan --model "Llama 3.1 405B" --tokens 15T --chip "H100 SXM" --chips 16',
    'plan --model "Llama 3.1 405B" --tokens 15T --chip "H100 SXM" --chips 1024 --layout "tensor=8 pipeline=4 data=32"',
    f'{PLAN} --chips 1024 --layout "tensor=3 pipeline=4 data=32"',
])  # fmt: skip
def test_nearest_feasible_plan_can_run(line):
    problem = shell.ask(line).problems[0]
    options = problem.partition("; nearest feasible: ")[2]
    assert options
    kept = line.partition(" --layout")[0]
    assert shell.ask(f"{kept} {options}").met


def test_suggested_chips_meet_the_deadline():
    problem = shell.ask(f'{PLAN} --chips 1024 --deadline "100 days"').problems[0]
    chips = problem.partition("--chips ")[2].split()[0]
    assert shell.ask(f'{PLAN} --chips {chips} --deadline "100 days"').met
    assert not shell.ask(f'{PLAN} --chips {int(chips) // 2} --deadline "100 days"').met
