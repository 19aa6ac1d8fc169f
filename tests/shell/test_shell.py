"""The command line of the models: what it answers, how it ends, what it says to whoever mistypes."""

import argparse
import json
import math
import os
import signal
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import _pages, capstone, economics, reality, serving, shell, specs, transformer, utilization
from chip2cluster.shell import command
from chip2cluster.shell.answer import KINDS
from chip2cluster.shell.shown import text

H100 = '--chip "H100 SXM"'
LLAMA = '--model "Llama 3 70B"'
MODULES = {name: command._module(name) for name in command.COMMANDS}


def run(*words, **more):
    return subprocess.run([sys.executable, "-m", "chip2cluster", *words], capture_output=True, text=True, **more)


def said(capsys, line):
    """Exit code, output and complaint of a command, in this process."""
    import shlex

    code = shell.main(shlex.split(line))
    return code, *capsys.readouterr()


# --- every command ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", command.COMMANDS)
def test_a_command_says_which_question_it_answers(name, capsys):
    assert MODULES[name].QUESTION.endswith("?")
    assert shell.main([name, "--help"]) == 0
    shown = capsys.readouterr().out
    assert MODULES[name].QUESTION in shown and "exit codes" in shown and "for example" in shown
    assert shell.main(["--help"]) == 0
    assert MODULES[name].QUESTION in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", command.COMMANDS)
def test_an_option_says_what_it_is(name):
    parser = argparse.ArgumentParser()
    MODULES[name].options(parser)
    assert all(action.help for action in parser._actions)


@pytest.mark.parametrize("name", command.COMMANDS)
def test_the_example_in_the_help_is_answered(name, capsys):
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
    for taken in answer.assumptions:
        assert taken.kind in KINDS and (taken.source or taken.option), taken
        assert taken.says in out and taken.kind in out
    assert code == answer.exit_code == (not answer.met)
    assert len(answer.table()) == len(answer.numbers)


def _public(room):
    from importlib import import_module

    return import_module(f"chip2cluster.{room}").__all__


@pytest.mark.parametrize("name", command.COMMANDS)
def test_json_says_the_same(name, capsys):
    code, out, _ = said(capsys, f"{MODULES[name].EXAMPLE} --json")
    found, answer = json.loads(out), shell.ask(MODULES[name].EXAMPLE)
    assert set(found) == {"command", "question", "met", "problems", "numbers", "assumptions", "remarks"}
    assert found["command"] == name and found["met"] is (code == 0)
    assert {row["name"]: row["value"] for row in found["numbers"]} == {one.name: one.value for one in answer.numbers}
    keys = {"name", "says", "value", "unit", "low", "high", "function", "topic", "group"}
    assert all(set(row) == keys for row in found["numbers"])
    assert all(
        set(row) == {"name", "says", "value", "unit", "kind", "source", "option"} for row in found["assumptions"]
    )


# --- what is right ------------------------------------------------------------------------------


def test_size_is_the_time_the_other_way_round():
    answer = shell.ask(f'size {LLAMA} --tokens 15T --deadline "30 days" {H100} --mfu 40%')
    work = transformer.training_flops_per_token("Llama 3 70B", 8192) * 15e12
    peak = specs.accelerator("H100 SXM").peak_flops_dense("bf16")
    assert utilization.training_time_at(work, answer["chips"], peak, 0.4) <= 30 * utilization.DAY
    assert utilization.training_time_at(work, answer["chips"] - 1, peak, 0.4) > 30 * utilization.DAY
    by_hand = shell.ask(f'size --parameters 70B --tokens 15e12 --deadline "30 days" {H100} --mfu 0.4')
    assert by_hand["chips"] == 6142 and by_hand["chips_to_train"] == math.ceil(16 * 70e9 / (0.9 * 80e9))


def test_the_share_of_the_peak_is_that_of_published_runs():
    shares = reality.training_shares("H100 SXM", "bf16")
    answer = shell.ask(f'size {LLAMA} --tokens 15T --deadline "30 days" {H100}')
    taken = next(one for one in answer.assumptions if one.name == "mfu")
    assert taken.kind == "measured" and taken.value == shares.median and str(shares.runs) in taken.source
    number = answer.numbers[0]
    assert number.low < number.value < number.high
    unknown = reality.training_shares("MI300X", "bf16")
    assert unknown.chip == "" and unknown.runs > shares.runs and "other chips" in unknown.says


def test_what_one_chip_serves_is_the_model_of_serving():
    answer = shell.ask(f"serve {LLAMA} {H100} --chips 8 --prompt 4000 --output 96 --memory-share 1 --price 2")
    deployment = serving.deploy("Llama 3 70B", "H100 SXM", 8)
    token = next(one for one in answer.numbers if one.name == "alone_seconds")
    assert token.low == serving.time_between_tokens(deployment, 4096) < token.value
    assert answer["users"] == serving.largest_batch(deployment, 4096)
    rate = answer["tokens_per_second"]
    assert answer["dollars_per_million_tokens"] == pytest.approx(8 * 2 / 3600 / rate * 1e6)
    twice = shell.ask(f"serve {LLAMA} {H100} --chips 16 --prompt 4000 --output 96 --memory-share 1 --price 2")
    assert twice["tokens_per_second"] == pytest.approx(2 * rate) and twice["users"] == 2 * answer["users"]


def test_a_rate_of_requests_makes_users_wait():
    line = f"serve {LLAMA} {H100} --chips 8 --price 3 --output 100 --rate"
    calm, busy = shell.ask(f"{line} 1"), shell.ask(f"{line} 20")
    assert calm["first_token_p50_seconds"] <= calm["first_token_p95_seconds"] < busy["first_token_p95_seconds"]
    assert calm["first_token_p50_seconds"] >= 0.99 * calm["first_token_seconds"]
    assert calm.met and "the queue grows for ever" in shell.ask(f"{line} 1000").problems[0]


@pytest.mark.parametrize("users", [1, 7, 64])
@pytest.mark.parametrize("model", ["Llama 3 70B", "DeepSeek-V3"])
def test_the_fewest_devices_hold_it_and_one_less_does_not(model, users):
    needed = serving.devices_needed(model, "H200 SXM", 8192, users, precision="fp8")
    assert serving.largest_batch(serving.deploy(model, "H200 SXM", needed, "fp8"), 8192) >= users
    weights = transformer.parameters(model)
    if weights < (needed - 1) * specs.accelerator("H200 SXM").memory_bytes:  # else not even these fit
        assert serving.largest_batch(serving.deploy(model, "H200 SXM", needed - 1, "fp8"), 8192) < users


def test_a_month_of_failures():
    often = shell.ask(f'checkpoint {LLAMA} --chips 16384 --storage "2 TB/s" --work "54 days"')
    seldom = shell.ask(f'checkpoint {LLAMA} --chips 16 --storage "2 TB/s" --work "54 days"')
    assert often["interval_seconds"] < seldom["interval_seconds"] and often["goodput"] < seldom["goodput"]
    assert often["failures"] == pytest.approx(419, rel=0.1)  # Llama 3 405B in 54 days on as many
    dump = shell.ask(f'checkpoint {LLAMA} --chips 16384 --storage "2 TB/s" --work "54 days" --synchronous')
    assert dump["goodput"] < often["goodput"] and dump["checkpoint_bytes"] == pytest.approx(14 * 70.55e9, rel=1e-3)


def test_a_bill_adds_up():
    answer = shell.ask(
        f'cost {H100} --chips 1000 --time "10 h" --price 2.5 --watts "700 W" --node-over-chips 1.5 --pue 1.2'
    )
    assert answer["rent_dollars"] == 25000 and answer["chip_hours"] == 10000
    assert answer["facility_joules"] / 3.6e6 == pytest.approx(700 * 1.5 * 1.2 * 10)
    assert answer["kg_by_location"] == pytest.approx(12600 * economics.grid_intensity("USA").grams_per_kwh / 1e3)


def test_a_reader_brings_model_and_chip():
    card = '--peak "71 TFLOP/s" --memory "24 GB" --memory-bandwidth "936 GB/s"'
    shape = '--shape "layers=24 d_model=2048, heads=16 vocab_size=50304 gated=0"'
    answer = shell.ask(f"mfu {shape} {card} --chips 8 --tokens-per-second 24e3 --sequence 2048")
    mine = transformer.Config(layers=24, d_model=2048, heads=16, vocab_size=50304)
    work = transformer.training_flops_per_token(mine, 2048)
    assert answer["mfu"] == pytest.approx(24e3 * work / (8 * 71e12))
    assert any(one.kind == "given" for one in answer.assumptions)


PLAN = f"plan {LLAMA} --tokens 15T {H100}"


def test_a_plan_is_the_outcome_of_its_design():
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


def test_the_layout_that_is_found_can_be_given():
    found = shell.ask(f"{PLAN} --chips 1024")
    again = shell.ask(f'{PLAN} --chips 1024 --layout "{found["layout"]}"')
    assert again["layout"] == found["layout"] and again["seconds"] == pytest.approx(found["seconds"])


@pytest.mark.parametrize("line", [
    'plan --model "Llama 3.1 405B" --tokens 15T --chip "H100 SXM" --chips 16',
    'plan --model "Llama 3.1 405B" --tokens 15T --chip "H100 SXM" --chips 1024 --layout "tensor=8 pipeline=4 data=32"',
    f'{PLAN} --chips 1024 --layout "tensor=3 pipeline=4 data=32"',
])  # fmt: skip
def test_the_nearest_that_a_plan_names_can_be_run(line):
    problem = shell.ask(line).problems[0]
    told = problem.partition("; the nearest that can: ")[2]
    assert told
    kept = line.partition(" --layout")[0]
    assert shell.ask(f"{kept} {told}").met


def test_more_chips_make_a_deadline_that_fewer_miss():
    problem = shell.ask(f'{PLAN} --chips 1024 --deadline "100 days"').problems[0]
    chips = problem.partition("--chips ")[2].split()[0]
    assert shell.ask(f'{PLAN} --chips {chips} --deadline "100 days"').met
    assert not shell.ask(f'{PLAN} --chips {int(chips) // 2} --deadline "100 days"').met


# --- how it ends ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line, words",
    [
        (f'{PLAN} --chips 1024 --deadline "100 days"', "expected time"),
        (f"{PLAN} --chips 1024 --budget 1e5", "dollars of the training"),
        (f'{PLAN} --chips 1024 --power "1 MW"', "power"),
        (f"{PLAN} --chips 8", "no layout of 8 chips"),
        (f'size {LLAMA} --tokens 15T --deadline "30 days" {H100} --chips 1024', "1,024 chips take"),
        (f'size {LLAMA} --tokens 1e9 --deadline "300 days" {H100} --chips 2', "its training needs"),
        (f"serve {LLAMA} {H100} --chips 1", "at least 2 are needed"),
        (f"serve {LLAMA} {H100} --chips 8 --users 100000", "users fit at once"),
        (f'serve {LLAMA} {H100} --chips 8 --token-within "1 ms"', "a token takes"),
        (f'serve {LLAMA} {H100} --chips 8 --prompt 100k --first-token-within "100 ms"', "the first token takes"),
        (f'checkpoint {LLAMA} --chips 16384 --storage "10 GB/s" --goodput 99%', "% of the time is work"),
        (f'checkpoint {LLAMA} --chips 131072 --storage "1 MB/s"', "never ends"),
        (f'cost {H100} --chips 1024 --time "30 days" --budget 1e5', "the cheaper way"),
        (f"mfu --parameters 7B {H100} --chips 8 --tokens-per-second 1e9", "more than the peak"),
        (f"mfu --parameters 7B {H100} --chips 8 --tokens-per-second 10e3 --at-least 40%", "is less than 40 %"),
        (f'allreduce {H100} --bytes "2 GB" --nodes 32 --within "1 ms"', "the fastest takes"),
        (f"network {H100} --nodes 64 --nodes-per-group 32 --oversubscription 2", "50 % of what half"),
        (f"kernel {H100} --threads 256 --registers 80 --at-least 50%", "by registers"),
    ],
)
def test_what_is_not_met_ends_with_1_and_says_why(line, words, capsys):
    code, out, err = said(capsys, line)
    assert code == 1 and not err and words in out and "Not met: " in out
    assert any(words in problem for problem in shell.ask(line).problems)


@pytest.mark.parametrize(
    "line, words",
    [
        ("", "a command is missing"),
        ("sise", "did you mean size?"),
        (f"size {LLAMA} {H100} --token 15T", "did you mean --tokens?"),
        (f"{PLAN} --chips 1025", "1024 are"),
        (f"{PLAN} --chips 1024 --layout tensr=8", "did you mean tensor?"),
        (f"{PLAN} --chips 1024 --layout tensor=0", "argument --layout"),
        (f"{PLAN} --chips 1024 --layout recompute=most", "argument --layout"),
        (f"plan --parameters 70B --tokens 15T {H100} --chips 8", "is required"),
        (f'plan {LLAMA} --tokens 15T --chip "T4" --chips 8', "argument --chip-price: T4 has no price"),
        (f'plan {LLAMA} --tokens 15T --chip "TPU v5e" --chips 256 --chip-price 5e3', "argument --watts: nobody publishes"),
        (f"size {LLAMA} {H100} 70B", "'70B' belongs to no option"),
        ("size", "one of the arguments --model --shape --parameters is required"),
        (f'size --model "Llama 3 70" {H100}', "argument --model: name 'Llama 3 70' is not a published model here; near ones: Llama 3 70B"),
        (f"size {LLAMA} --parameters 70B {H100}", "not allowed with"),
        (f"size {LLAMA} --chip H100", "argument --chip: 'H100' fits H100 SXM"),
        (f"size {LLAMA}", "--chip is missing"),
        (f'size {LLAMA} {H100} --memory "24 GB"', "leave out --memory"),
        (f"size {LLAMA} {H100} --precision fp3", "argument --precision"),
        (f"size {LLAMA} {H100} --tokens 15T", "--tokens and --deadline"),
        (f"size {LLAMA} {H100} --tokens 15q --deadline 30", "argument --tokens: '15q' has an unknown suffix 'q'"),
        (f"size {LLAMA} {H100} --tokens 15T --deadline 30", "argument --deadline: '30' has no unit"),
        (f'size {LLAMA} {H100} --tokens 15T --deadline "30 GB"', "argument --deadline: '30 GB' is in B, but s"),
        (f'size {LLAMA} {H100} --tokens 15,000 --deadline "30 days"', "a comma may group"),
        (f'size {LLAMA} {H100} --tokens 0 --deadline "30 days"', "must be above zero"),
        (f'size {LLAMA} {H100} --tokens nan --deadline "30 days"', "argument --tokens: 'nan' is not a number"),
        (f"size {LLAMA} {H100} --chips 2.5", "argument --chips: '2.5' must be a whole number"),
        (f"size {LLAMA} {H100} --chips -5", "argument --chips: '-5' is not a number"),
        (f"size {LLAMA} {H100} --chips 1e9", "must be between"),
        (f"size {LLAMA} {H100} --memory-share 120%", "more than all of it"),
        (f'size --shape "layer=3" {H100}', "did you mean layers?"),
        (f'size --shape "layers=x" {H100}', "must be a field with a whole number"),
        (f'size --shape "layers=2 heads=3" {H100}', "argument --shape"),
        (f"serve {LLAMA} {H100} --chips 12", "8 is"),
        (f"serve {LLAMA} {H100} --chips 8 --rate 1 --output 100k", "answers up to 4,096"),
        (f'serve {LLAMA} --chip "MI300X" --chips 8', "argument --price: no offer of MI300X"),
        (f"serve {LLAMA} {H100} --chips 8 --cache-precision fp3", "--cache-precision"),
        (f'checkpoint {LLAMA} --chips 64 --storage "400"', "argument --storage"),
        (f'checkpoint {LLAMA} --chips 64 --storage "1 MB/s" --interval "1 s"', "is over before a checkpoint is safe"),
        (f'cost {H100} --chips 8 --time "1 h" --country Germny', "argument --country: country 'Germny' is not known here; near ones: Germany"),
        (f'cost {H100} --chips 8 --time "1 h" --pue 0.9', "argument --pue"),
        ('cost --chip "TPU v5e" --chips 8 --time "1 h"', "argument --watts: nobody publishes the power of TPU v5e"),
        (f"network {H100} --nodes 100 --nodes-per-group 32", "25 does"),
        (f"network {H100} --nodes 64 --wiring rale", "did you mean rail?"),
        (f'allreduce {H100} --bytes "2 GB" --nodes 1 --chips-per-node 1', "at least 2 chips"),
        ("kernel --capability sm_90 --threads 256", "write '9.0'"),
        ("kernel --capability H100 --threads 256", "the H100 SXM has '9.0'"),
        ("kernel --chip MI300X --threads 256", "no compute capability"),
        (f"kernel {H100} --threads 2000", "--threads"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_ends_with_2_and_names_the_argument(line, words, capsys):
    code, out, err = said(capsys, line)
    assert code == 2 and not out
    assert words in err and err.count("\n") == 1 and err.startswith("chip2cluster")
    with pytest.raises(shell.Unusable, match=r"."):
        shell.ask(line)


def test_a_line_is_text_with_whole_quotes():
    with pytest.raises(TypeError, match="line must be text, got 5"):
        shell.ask(5)
    with pytest.raises(shell.Unusable, match="No closing quotation"):
        shell.ask('size --model "Llama')


OPTIONS = {name: argparse.ArgumentParser() for name in command.COMMANDS}
for _name, _parser in OPTIONS.items():
    MODULES[_name].options(_parser)
VALUES = st.one_of(
    st.sampled_from(["0", "1", "8", "-1", "1e30", "1e-30", "1 s", "30 days", "1e300 days", "400 Gb/s", "50 G", "0 B", "1 ns", "1 EB",
                     "40%", "1e24", "1000000", "H100 SXM", "bf16", "fp8", "rack", "Germany", "", "layers=2", "∞", "1e-20", "1e9", "100T"]),
    st.text(max_size=12),
    st.floats().map(str), st.integers().map(str),
)  # fmt: skip


@pytest.mark.parametrize("name", command.COMMANDS)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.data())
def test_whatever_is_typed_there_is_never_a_traceback(name, data):
    import shlex

    words = shlex.split(MODULES[name].EXAMPLE)
    flags = [
        action.option_strings[-1] for action in OPTIONS[name]._actions if action.nargs != 0 and action.dest != "help"
    ]
    for _ in range(data.draw(st.integers(1, 3))):
        words += [data.draw(st.sampled_from(flags)), data.draw(VALUES)]
    try:
        answer = command._answer(*command._read(words))
    except shell.Unusable:  # whatever else is raised fails the test
        return
    assert text(answer)
    json.dumps(answer.as_dict(), allow_nan=False)


# --- as a program -----------------------------------------------------------------------------------


def test_the_program_and_the_module_are_the_same():
    done = run("size", "--model", "Llama 3 8B", "--chip", "H100 SXM", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["command"] == "size" and not done.stderr
    script = os.path.join(os.path.dirname(sys.executable), "chip2cluster")
    if os.path.exists(script):
        again = subprocess.run([script, "size", "--model", "Llama 3 8B", "--chip", "H100 SXM", "--json"], capture_output=True, text=True)  # fmt: skip
        assert again.stdout == done.stdout


def test_help_loads_no_array_and_no_table():
    code = "import sys; from chip2cluster.shell import main; main(['size', '--help']); print([m for m in ('numpy', 'pandas', 'matplotlib', 'networkx') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_terminal_without_letters_gets_a_question_mark():
    done = run("kernel", "--chip", "H100 SXM", "--threads", "256", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise there")
def test_a_closed_pipe_is_no_fault():
    code = "import sys; from chip2cluster.shell import main; sys.exit(main(sys.argv[1:]))"
    words = ["size", "--model", "Llama 3 8B", "--chip", "H100 SXM"]
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run([sys.executable, "-c", code, *words], stdout=writing, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writing)
    assert done.returncode == 141 and not done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_a_stop_says_so_and_nothing_else(monkeypatch, capsys):
    def stopped(options):
        os.kill(os.getpid(), signal.SIGINT)
        signal.pause()

    monkeypatch.setattr(MODULES["size"], "answer", stopped)
    assert shell.main(["size", "--model", "Llama 3 8B", "--chip", "H100 SXM"]) == 130
    assert capsys.readouterr().err == "\nchip2cluster: stopped\n"
