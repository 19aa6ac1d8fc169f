"""`chip2cluster read`: every kind of capture, in any wrapping, is read whole or refused."""

import gzip
import io
import json
from pathlib import Path

import pytest

from chip2cluster import shell
from chip2cluster.shell.captures import TOOLS
from tests.shell.lines import said

DATA = Path(__file__).resolve().parents[1] / "models/data"
EXAMPLES = [tool for tool in TOOLS if tool.example]
RECORDED = {
    "gpu/ncu.csv": "Nsight Compute (ncu --csv)",
    "gpu/nvidia-smi-topo-m.txt": "nvidia-smi topo -m",
    "gpu/nvidia-smi-query.csv": "nvidia-smi --query-gpu",
    "gpu/nvidia-smi-query-wide.csv": "nvidia-smi --query-gpu",
    "gpu/nvidia-smi-dmon-busy.txt": "nvidia-smi dmon",
    "gpu/nvidia-smi-q.txt": "nvidia-smi -q",
    "gpu/nvidia-smi.txt": "nvidia-smi",
    "measure/darshan_dd.txt": "darshan-parser",
    "measure/darshan_vpicio.txt": "darshan-parser",
    "measure/squeue.txt": "squeue",
    "measure/squeue_long.txt": "squeue",
    "measure/sinfo.txt": "sinfo",
    "measure/lstopo.txt": "lstopo",
    "measure/rocm_smi.txt": "rocm-smi",
    "measure/rocm_smi_memory.txt": "rocm-smi",
    "measure/dcgmi_dmon.txt": "dcgmi dmon",
    "measure/dcgmi_diag_4.txt": "dcgmi diag",
    "measure/dcgmi_stats.txt": "dcgmi stats",
    "measure/sprio.txt": "sprio",
    "measure/sprio_long.txt": "sprio",
    "measure/sprio_weights.txt": "sprio",
    "measure/sshare.txt": "sshare",
    "measure/scontrol_job.txt": "scontrol show",
    "measure/scontrol_node.txt": "scontrol show",
    "measure/scontrol_node_oneline.txt": "scontrol show",
}


def read(path, *options):
    return shell.ask(f"read '{path}' {' '.join(options)}")


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_prints_are_recognized(name):
    answer = read(DATA / name)
    assert answer.question.endswith(f"({RECORDED[name]})") and answer.numbers and answer.met


def test_trace_comes_through_the_standard_input(monkeypatch, tmp_path):
    packed = DATA / "gpu/train_trace.json.gz"
    monkeypatch.setattr("sys.stdin", io.StringIO(gzip.decompress(packed.read_bytes()).decode()))
    answer = read("-")
    assert answer.question.endswith("(PyTorch trace)") and 0.06 < answer["busy_seconds"] < 0.07
    with pytest.raises(shell.UsageError, match="is compressed: unpack it first, as in `gunzip -c FILE"):
        read(packed)


# A quote or a time is known as a prefix if several lines have it; the beginning of a line of getstripe counts.
WRAPPED = [
    pytest.param(tool, wrap, id=f"{tool.name}-{wrap}")
    for tool in EXAMPLES
    for wrap in ("plain", "CRLF", "UTF-16", "quote", "time")
    if wrap not in ("quote", "time") or (tool.example.count("\n") > 1 and tool.name != "lfs getstripe")
]


@pytest.mark.parametrize(("tool", "wrap"), WRAPPED)
def test_examples_in_any_wrapping_say_the_same(tool, wrap, tmp_path):
    lines = tool.example.splitlines()
    text = {
        "plain": tool.example,
        "CRLF": tool.example.replace("\n", "\r\n"),
        "quote": "".join(f"> {line}\n" for line in lines),
        "time": "".join(f"2025-05-22T07:36:{n:02d}.123Z {line}\n" for n, line in enumerate(lines)),
        "UTF-16": tool.example,
    }[wrap]
    file = tmp_path / "capture.txt"
    file.write_bytes(text.encode("utf-16" if wrap == "UTF-16" else "utf-8"))
    answer, plain = read(file), shell.ask(f'read --example "{tool.name}"')
    assert answer.question.endswith(f"({tool.name})")
    assert [(one.name, one.value) for one in answer.numbers] == [(one.name, one.value) for one in plain.numbers]


@pytest.mark.parametrize("tool", EXAMPLES, ids=lambda tool: tool.name)
def test_no_example_is_taken_for_another_tool(tool):
    first = next(one for one in TOOLS if one.recognizes(tool.example))
    assert first.name == tool.name


def test_expected_time_stands_beside_the_measured_one(tmp_path):
    text = next(tool.example for tool in TOOLS if tool.name == "nccl-tests")
    file = tmp_path / "run.txt"
    for row in (
        "  8589934592    2147483648     float     sum      -1    32150  267.18  467.57       0    32160  267.10  467.43",
        "  8589934592    2147483648     float     sum      -1   321500   26.72   46.76       0   321600   26.71   46.74",
    ):
        ranks = "".join(
            f"#  Rank  {n} Group  0 Pid    101 on      gpu23 device  {n} [0000:31:00] NVIDIA H100\n" for n in range(8)
        )
        header = next(line for line in text.splitlines() if "algbw" in line)
        average = row.split()[7]
        file.write_text(
            f"# Collective test starting: all_reduce_perf\n{ranks}{header}\n{row}       0\n# Avg bus bandwidth    : {average}\n"
        )
        answer = read(file, '--chip "H100 SXM"')
        expected = next(one for one in answer.numbers if one.name == "expected_seconds")
        assert expected.low < expected.value < expected.high and 0.02 < expected.value < 0.05
        slow = answer["seconds"] > 0.1
        assert any("times the expected time" in one for one in answer.remarks) == slow


@pytest.mark.parametrize(
    ("tool", "old", "new", "says"),
    [
        ("ibstat", "State: Active", "State: Down", "mlx5_0 port 1 is Down"),
        ("NCCL_DEBUG=INFO", "network IB", "network Socket", "go through TCP sockets"),
        ("NCCL_DEBUG=INFO", "/GDRDMA", "", "Not every connection over the network uses GPUDirect RDMA"),
        ("nccl-tests", "10.29       0", "10.29       3", "wrong for 1 message size:"),
        ("nvidia-smi", "                   0 |", "                   4 |", "GPU 0 has 4 uncorrectable memory errors"),
        ("nvidia-smi", "119W", "ERR!", "GPU 0: the driver answers ERR! for power"),
        ("dcgmi diag", "Pass - All  ", "Fail - GPU 3", "Hardware, GPU Memory: Fail - GPU 3."),
        ("scontrol show", "Reason=Resources", "Reason=JobHeldUser", "job 2 does not start by itself: JobHeldUser."),
    ],
)
def test_what_is_wrong_ends_with_code_1(tool, old, new, says, tmp_path, capsys):
    text = next(one.example for one in TOOLS if one.name == tool)
    assert old in text
    file = tmp_path / "capture.txt"
    file.write_text(text.replace(old, new))
    code, out, _ = said(capsys, f"read {file} --json")
    assert code == 1 and any(says in one for one in json.loads(out)["problems"])


def test_a_drained_node_ends_with_code_1_and_its_reason():
    answer = read(DATA / "measure/scontrol_node_drained.txt")
    assert not answer.met and "gpu1 is UNKNOWN+DRAIN+INVALID_REG: gres/gpu count reported" in answer.problems[0]


def test_a_slow_link_is_named(tmp_path):
    answer = shell.ask('read --example perftest --rate "400 Gb/s"')
    assert answer.met and 0.97 < answer["share"] < 0.99
    assert not shell.ask('read --example perftest --rate "800 Gb/s"').met


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the capture is empty"),
        ("Hello, world.\n", "no known tool prints this; known are nccl-tests"),
        (
            "#  size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n",
            "at least one line of numbers",
        ),
        ("#bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n", "was the text cut off"),
        ("CA 'mlx5_0'\n\tCA type: MT4129\n", "was the text cut off"),
        ("lmm_stripe_count:  2\n", "lmm_stripe_count and then lmm_stripe_size"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_is_missing(text, says, tmp_path):
    file = tmp_path / "capture.txt"
    file.write_text(text)
    with pytest.raises(shell.UsageError, match=says):
        read(file)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(shell.UsageError, match="cannot be read: No such file"):
        read(tmp_path / "nothing.txt")
    with pytest.raises(shell.UsageError, match="is a folder"):
        read(tmp_path)
    with pytest.raises(shell.UsageError, match="name a FILE"):
        shell.ask("read")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('read --example nccl-tests --chip "H1000"', "argument --chip"),
        ('read --example fio --chip "H100 SXM"', "only nccl-tests can use it, and this is the output of fio"),
        ('read --example nccl-tests --rate "400 Gb/s"', "only perftest, ibstat can use it"),
    ],
)
def test_options_that_would_be_ignored_are_refused(line, says):
    with pytest.raises(shell.UsageError, match=says):
        shell.ask(line)


def test_a_bidirectional_test_is_held_against_both_directions(tmp_path):
    text = next(tool.example for tool in TOOLS if tool.name == "perftest")
    file = tmp_path / "both.txt"
    file.write_text(text.replace("RDMA_Write BW", "RDMA_Write Bidirectional BW").replace("391.90", "783.80"))
    assert 0.97 < read(file, '--rate "400 Gb/s"')["share"] < 0.99
