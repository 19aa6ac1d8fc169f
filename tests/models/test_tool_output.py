"""Captured output in the forms in which people hand it on: each must be read as the tool printed it."""

import json
from pathlib import Path

import pytest

from chip2cluster import links, measure
from chip2cluster._tool_output import normalize
from chip2cluster.chapters.links.exercises.topology_matrices import DGX_1V, FOUR_H100, LEGEND, SUMMIT

PRINTS = Path(__file__).parent / "data/gpu"
REAL = (PRINTS / "nvidia-smi-topo-m.txt").read_text()


def prefixed(prefix):
    return lambda text: "".join(f"{prefix}{line}\n" for line in text.splitlines())


CAPTURES = {
    "as printed": lambda text: text,
    "escape codes": lambda text: text.replace("GPU0", "\x1b[4mGPU0", 1).replace("\n", "\x1b[0m\n", 1),
    "cat -v": lambda text: text.replace("GPU0", "^[[4mGPU0", 1).replace("\n", "^[[0m\n", 1),
    "ESC lost in a copy": lambda text: text.replace("GPU0", "[4mGPU0", 1).replace("\n", "[0m\n", 1),
    "window title": lambda text: "\x1b]0;root@gpu: ~\x07" + text,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "byte order mark": lambda text: "\ufeff" + text,
    "no-break spaces": lambda text: text.replace("  ", "\xa0\xa0"),
    "pdsh": prefixed("node01: "),
    "pdsh, trimmed": lambda text: "".join(f"node01: {line}".rstrip() + "\n" for line in text.splitlines()),
    "clush": prefixed("gpu[01-02]: "),
    "srun --label": prefixed("0: "),
    "mpirun --tag-output": prefixed("[1,0]<stdout>:"),
    "bracketed host": prefixed("[node01] "),
    "kubectl --timestamps": prefixed("2026-11-26T11:53:36.612345678Z "),
    "log": prefixed("2026-11-26 11:53:36,612 INFO "),
    "journalctl": prefixed("Nov 26 11:53:36 gpu1 run.sh[123]: "),
    "docker compose": prefixed("worker-1  | "),
    "Ray": prefixed("(worker pid=12, ip=10.0.0.4) "),
    "quote": prefixed("> "),
    "quote of a quote": prefixed(">> "),
    "quoted log of a host": prefixed("> 2026-11-26T11:53:36Z node01: "),
    "indented": prefixed("    "),
    "cat -n": lambda text: "".join(f"{n:6}\t{line}\n" for n, line in enumerate(text.splitlines(), 1)),
    "grep -n": lambda text: "".join(f"{n}:{line}\n" for n, line in enumerate(text.splitlines(), 1)),
    "code fence": lambda text: f"```text\n{text}```\n",
    "prompt": lambda text: f"user@host:~/a$ nvidia-smi\n{text}user@host:~/a$ \n",
    "root's prompt": lambda text: f"(base) [root@gpu-1 ~]# nvidia-smi\n{text}",
    "bare prompt": lambda text: f"$ nvidia-smi topo -m\n{text}",
    "set -x": lambda text: f"+ nvidia-smi topo -m\n{text}",
    "notebook": lambda text: f"In [3]: !nvidia-smi topo -m\n{text}",
    "PowerShell": lambda text: f"PS C:\\Users\\a b> nvidia-smi\n{text}",
    "repr": repr,
    "repr of bytes": lambda text: repr(text.encode()),
    "JSON": json.dumps,
}


@pytest.mark.parametrize("capture", CAPTURES.values(), ids=CAPTURES)
@pytest.mark.parametrize("text", [REAL, DGX_1V, SUMMIT, FOUR_H100 + LEGEND], ids=["real", "dgx", "summit", "four"])
def test_node_matrix_of_captured_text(text, capture):
    assert links.node_matrix(capture(text)) == links.node_matrix(text)


@pytest.mark.parametrize("capture", CAPTURES.values(), ids=CAPTURES)
@pytest.mark.parametrize("name", ["query", "query-wide", "query-nounits", "query-after-work"])
def test_read_gpu_query_of_captured_text(name, capture):
    text = (PRINTS / f"nvidia-smi-{name}.csv").read_text()
    assert measure.read_gpu_query(capture(text)) == measure.read_gpu_query(text)


def test_node_matrix_of_the_real_print_has_its_devices():
    assert links.node_matrix(REAL).devices == ("GPU0",)
    assert links.node_matrix("Here it is:\n\n" + FOUR_H100).gpus == ("GPU0", "GPU1", "GPU2", "GPU3")
    assert links.node_matrix(FOUR_H100.replace("\n", "\n\n")) == links.node_matrix(FOUR_H100)


@pytest.mark.parametrize("number", range(1, 9))
def test_node_matrix_refuses_a_missing_line(number):
    lines = FOUR_H100.splitlines()
    with pytest.raises(ValueError, match=lines[number].split()[0]):
        links.node_matrix("\n".join(lines[:number] + lines[number + 1 :]))


def test_node_matrix_refuses_a_shifted_line():
    with pytest.raises(ValueError, match="GPU2.*X in column 3"):
        links.node_matrix(FOUR_H100.replace("GPU2    NV6     NV6      X ", "GPU2    NV6      X "))


def test_node_matrix_of_several_hosts():
    hosts = [f"{host}: {line}" for line in FOUR_H100.splitlines() for host in ("n1", "n2")]
    assert links.node_matrix("\n".join(hosts)) == links.node_matrix(FOUR_H100)
    other = [line.replace("NV6", "NV5") if line.startswith("n2") else line for line in hosts]
    with pytest.raises(ValueError, match="2 different matrices.*n1.*n2.*one node"):
        links.node_matrix("\n".join(other))


def test_normalize_keeps_the_number_of_lines():
    text = "$ nvidia-smi\n```\n" + prefixed("n1: ")(REAL)
    output = normalize(text)
    assert len(output.lines) == len(text.splitlines()) and output.labels == ("n1",)


@pytest.mark.parametrize("name", ["q.txt", "dmon-busy.txt", "dmon-idle.txt", "clocks.txt", "query.csv", "L.txt"])
def test_normalize_leaves_output_as_printed(name):
    text = (PRINTS / f"nvidia-smi-{name}").read_text()
    assert normalize(text).lines == tuple(text.splitlines()) and not normalize(text).labels


# The bottom of a table of nvidia-smi without its list of processes, after microsoft/WSL#9099 on GitHub
BOX = """\
+-----------------------------------------------------------------------------+
|===============================+======================+======================|
|   0  NVIDIA GeForce ... WDDM  | 00000000:0B:00.0 Off |                  N/A |
|  0%   37C    P8    17W / 350W |   1619MiB / 12288MiB |      8%      Default |
+-------------------------------+----------------------+----------------------+
"""


def test_normalize_keeps_bars_of_a_box_and_percent_of_a_fan():
    assert normalize(BOX).text + "\n" == BOX
    assert normalize("0%   37C\n12%   40C\n").lines == ("0%   37C", "12%   40C")


def test_normalize_removes_shell_times_and_log_levels():
    """After aristocratos/bpytop#26 and avocado-framework-tests/avocado-misc-tests#1675."""
    text = "~ $  time nvidia-smi --query-gpu=name,power.draw --format=csv\nname, power.draw [W]\nT4, 9.5 W\n\nreal\t0m0,022s\n"
    assert [line for line in normalize(text).lines if line] == ["name, power.draw [W]", "T4, 9.5 W"]
    text = "12:06:53 DEBUG| [stdout] job: (groupid=7, jobs=1)\n12:06:53 DEBUG| [stdout]   read: IOPS=84, BW=42.4MiB/s\n"
    assert normalize(text).lines == ("job: (groupid=7, jobs=1)", "  read: IOPS=84, BW=42.4MiB/s")
