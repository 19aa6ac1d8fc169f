"""Exit codes of the command line: met or not met, invalid usage, interrupted, or closed output."""

import argparse
import json
import os
import shlex
import signal
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import shell
from chip2cluster.shell import command
from chip2cluster.shell.text_format import answer_text
from tests.shell.lines import H100, LLAMA, MODULES, PLAN, run, said


@pytest.mark.parametrize(
    "line, words",
    [
        (f'{PLAN} --chips 1024 --deadline "100 days"', "expected time"),
        (f"{PLAN} --chips 1024 --budget 1e5", "cost of the training run"),
        (f'{PLAN} --chips 1024 --power "1 MW"', "power"),
        (f"{PLAN} --chips 8", "no layout of 8 chips"),
        (f'size {LLAMA} --tokens 15T --deadline "30 days" {H100} --chips 1024', "1,024 chips take"),
        (f'size {LLAMA} --tokens 1e9 --deadline "300 days" {H100} --chips 2', "its training needs"),
        (f"serve {LLAMA} {H100} --chips 1", "at least 2 are needed"),
        (f"serve {LLAMA} {H100} --chips 8 --users 100000", "concurrent users fit"),
        (f'serve {LLAMA} {H100} --chips 8 --token-within "1 ms"', "the time per output token is"),
        (f'serve {LLAMA} {H100} --chips 8 --prompt 100k --first-token-within "100 ms"', "the time to first token is"),
        (f'checkpoint {LLAMA} --chips 16384 --storage "10 GB/s" --goodput 99%', "% of the time is work"),
        (f'checkpoint {LLAMA} --chips 131072 --storage "1 MB/s"', "never ends"),
        (f'cost {H100} --chips 1024 --time "30 days" --budget 1e5', "the cheaper option"),
        (f"mfu --parameters 7B {H100} --chips 8 --tokens-per-second 1e9", "above the peak"),
        (f"mfu --parameters 7B {H100} --chips 8 --tokens-per-second 10e3 --at-least 40%", "is less than 40 %"),
        (f'allreduce {H100} --bytes "2 GB" --nodes 32 --within "1 ms"', "the fastest takes"),
        (f"network {H100} --nodes 64 --nodes-per-group 32 --oversubscription 2", "50 % of full bisection"),
        (f"kernel {H100} --threads 256 --registers 80 --at-least 50%", "by registers"),
    ],
)
def test_unmet_requirement_exits_with_1(line, words, capsys):
    code, out, err = said(capsys, line)
    assert code == 1 and not err and words in out and "Not met: " in out
    assert any(words in problem for problem in shell.ask(line).problems)


@pytest.mark.parametrize(
    "line, words",
    [
        ("", "a command is missing"),
        ("sise", "did you mean size?"),
        (f"size {LLAMA} {H100} --token 15T", "did you mean --tokens?"),
        (f"{PLAN} --chips 1025", "use 1024"),
        (f"{PLAN} --chips 1024 --layout tensr=8", "did you mean tensor?"),
        (f"{PLAN} --chips 1024 --layout tensor=0", "argument --layout"),
        (f"{PLAN} --chips 1024 --layout recompute=most", "argument --layout"),
        (f"plan --parameters 70B --tokens 15T {H100} --chips 8", "no option is called '--parameters', did you mean --shape?"),
        (f"plan --tokens 15T {H100} --chips 8", "is required"),
        (f'plan {LLAMA} --tokens 15T --chip "A40" --chips 8 --budget 1e6', "argument --budget: A40 has no price"),
        (f'plan {LLAMA} --tokens 15T --chip "TPU v5e" --chips 256 --power "1 MW"', "argument --power: no power is published"),
        (f"size {LLAMA} {H100} 70B", "'70B' belongs to no option"),
        ("size", "one of the arguments --model --shape --config --parameters is required"),
        (f'size --model "Llama 3 70" {H100}', "argument --model: name 'Llama 3 70' is not a published model here; similar names: Llama 3 70B"),
        (f"size {LLAMA} --parameters 70B {H100}", "not allowed with"),
        (f"size {LLAMA} --chip H100", "argument --chip: 'H100' fits H100 SXM"),
        (f"size {LLAMA}", "--chip is missing"),
        (f'size {LLAMA} {H100} --memory "24 GB"', "omit --memory"),
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
        (f"size {LLAMA} {H100} --memory-share 120%", "is more than 1"),
        (f'size --shape "layer=3" {H100}', "did you mean layers?"),
        (f'size --shape "layers=x" {H100}', "must be a field with a whole number"),
        (f'size --shape "layers=2 heads=3" {H100}', "argument --shape"),
        (f"serve {LLAMA} {H100} --chips 12", "use 8"),
        (f"serve {LLAMA} {H100} --chips 8 --rate 1 --output 1", "at least 2 tokens"),
        (f"serve {LLAMA} {H100} --chips 8 --rate 1 --output 100k", "answers up to 4,096"),
        (f'serve {LLAMA} --chip "MI300X" --chips 8 --weight-precision int3', "precision must be one of"),
        (f"serve {LLAMA} {H100} --chips 8 --cache-precision fp3", "--cache-precision"),
        (f'serve {LLAMA} --chip "B200" --chips 8 --price 3 --precision fp6', "no serving measurements are published for the width of fp6; use one of bf16, fp16"),
        (f'checkpoint {LLAMA} --chips 64 --storage "400"', "argument --storage"),
        (f'checkpoint {LLAMA} --chips 64 --storage "1 MB/s" --interval "1 s"', "ends before a checkpoint is written"),
        (f'cost {H100} --chips 8 --time "1 h" --country Germny', "argument --country: country 'Germny' is not in the data set; similar names: Germany"),
        (f'cost {H100} --chips 8 --time "1 h" --pue 0.9', "argument --pue"),
        ('cost --chip "TPU v6e" --chips 8 --time "1 h" --budget 5', "argument --budget: neither price nor power of TPU v6e"),
        (f"network {H100} --nodes 100 --nodes-per-group 32", "25 does"),
        (f"network {H100} --nodes 64 --wiring rale", "did you mean rail?"),
        (f'allreduce {H100} --bytes "2 GB" --nodes 1 --chips-per-node 1', "at least 2 chips"),
        ("kernel --capability sm_90 --threads 256", "write '9.0'"),
        ("kernel --capability H100 --threads 256", "the H100 SXM has '9.0'"),
        ("kernel --chip MI300X --threads 256 --cluster 2", "argument --cluster: a property of NVIDIA's kernels"),
        ("kernel --chip MI300X --threads 2000", "argument --threads"),
        ("kernel --capability gfx1030 --threads 256", "gfx1030 is RDNA, and only the limits of CDNA are known"),
        ("kernel --capability 6.1 --threads 256", "compute capability 6.1 is older than 7.0"),
        ('kernel --chip "TPU v4" --threads 256', "runs no CUDA or HIP kernels"),
        ("kernel --chip B200 --threads 256 --cluster 2", "the groups of SMs (GPCs) of compute capability 10.0 are not known"),
        ("inference", "did you mean serve?"),
        (f"serve {LLAMA} {H100} --gpus 8", "did you mean --chips?"),
        (f"serve {LLAMA} {H100} --chips 8 --gpu-memory-utilization 0.8", "did you mean --memory-share?"),
        ("kernel --chip B200 --threads 256 --smem 4", "did you mean --shared?"),
        (f"serve {LLAMA} {H100} --chips 8 --max-model-len 8k", "did you mean --prompt?"),
        (f"plan {LLAMA} --tokens 15T {H100} --gpus 1024", "no option is called '--gpus', did you mean --chips?"),
        (f"allreduce {H100} --size 2GB --nodes 32", "no option is called '--size', did you mean --bytes?"),
        (f"cost {H100} --chips 64 --hours 720", "did you mean --time?"),
        (f"cost {H100} --chips 64 --time 2months", "write days, such as '60 days'"),
        (f"kernel {H100} --threads 256 --shared 48k", "write 48 KB (1,024 bytes each, as CUDA counts)"),
        (f"{PLAN} --chips 1024 --layout tp=8", "no field is called 'tp', did you mean tensor?"),
        ('memory --model "Llama 3 8B" --method sft --chip "RTX 4090"', "did you mean full?"),
        ("network --nodes 64 --topology dragonfly", "did you mean --wiring?"),
        ("network --nodes 64 --wiring rail-optimized", "did you mean rail?"),
        ("list gpus", "did you mean chips?"),
        (f"size {LLAMA} {H100} --json --csv", "not allowed with argument"),
        (f"size {LLAMA} {H100} --assumptions some", "argument --assumptions: 'some' is not known"),
        (f"kernel {H100} --threads 2000", "--threads"),
    ],
)  # fmt: skip
def test_invalid_usage_exits_with_2_and_names_the_argument(line, words, capsys):
    code, out, err = said(capsys, line)
    assert code == 2 and not out
    assert words in err and err.count("\n") == 1 and err.startswith("chip2cluster")
    with pytest.raises(shell.UsageError, match=r"."):
        shell.ask(line)


def test_ask_needs_text_with_closed_quotes():
    with pytest.raises(TypeError, match="line must be text, got 5"):
        shell.ask(5)
    with pytest.raises(shell.UsageError, match="No closing quotation"):
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


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", command.COMMANDS)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.data())
def test_random_options_never_give_a_traceback(name, data):
    words = shlex.split(MODULES[name].EXAMPLE)
    kept = ("help", "out", "plot")  # an output file of any name would be written here
    actions = [one for one in OPTIONS[name]._actions if one.option_strings and one.nargs != 0 and one.dest not in kept]
    flags = [action.option_strings[-1:] for action in actions] or [[]]
    for _ in range(data.draw(st.integers(1, 3))):
        words += [*data.draw(st.sampled_from(flags)), data.draw(VALUES)]
    try:
        answer = command._answer(*command._read(words))
    except shell.UsageError:  # any other exception fails the test
        return
    assert answer_text(answer)
    json.dumps(answer.as_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("written", "name"), [("bfloat16", "bf16"), ("fp8_e4m3", "fp8"), ("FP-8", "fp8"), ("half", "fp16")]
)
def test_number_formats_of_frameworks_are_understood(written, name):
    line = f"size {LLAMA} {H100} --precision"
    assert shell.ask(f"{line} {written}").numbers == shell.ask(f"{line} {name}").numbers


def test_help_is_shown_in_spite_of_a_mistake(capsys):
    code, out, err = said(capsys, "serve --gpus 8 --help")
    assert code == 0 and "--chips" in out and not err


# --- as a program -----------------------------------------------------------------------------------


def test_program_and_module_agree():
    done = run("size", "--model", "Llama 3 8B", "--chip", "H100 SXM", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["command"] == "size" and not done.stderr
    script = os.path.join(os.path.dirname(sys.executable), "chip2cluster")
    if os.path.exists(script):
        again = subprocess.run([script, "size", "--model", "Llama 3 8B", "--chip", "H100 SXM", "--json"], capture_output=True, text=True)  # fmt: skip
        assert again.stdout == done.stdout


def heavy_modules(code):
    """Return the heavy modules that a program imports."""
    heavy = ("numpy", "pandas", "matplotlib", "networkx", "scipy", "IPython")
    shown = f"import sys; {code}; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    return eval(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("words", [["--help"], ["size", "--help"], ["plna"]])
def test_help_and_mistakes_import_no_numpy(words):
    assert heavy_modules(f"from chip2cluster.shell import main; main({words})") == []


@pytest.mark.parametrize("name", [name for name in command.COMMANDS if name not in ("compare", "measure")])
def test_no_command_imports_more_than_numpy(name):
    code = f"from chip2cluster.shell import ask; ask({MODULES[name].EXAMPLE!r})"
    assert heavy_modules(code) in ([], ["numpy"])


def test_ascii_terminal_gets_a_question_mark():
    done = run("kernel", "--chip", "H100 SXM", "--threads", "256", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end otherwise there")
def test_closed_pipe_is_not_an_error():
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
def test_interrupt_prints_one_line(monkeypatch, capsys):
    def stopped(options):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(MODULES["size"], "answer", stopped)
    # A background job of a shell ignores this signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = shell.main(["size", "--model", "Llama 3 8B", "--chip", "H100 SXM"])
    finally:
        signal.signal(signal.SIGINT, before)
    assert code == 130
    assert capsys.readouterr().err == "\nchip2cluster: interrupted\n"
