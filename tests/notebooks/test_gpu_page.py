"""The page on measuring runs to its end on a machine with an NVIDIA GPU, replayed by a stand-in nvidia-smi."""

import subprocess
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from chip2cluster import links, measure
from chip2cluster.measure.host_measurements import GPU_FIELDS
from tests import nvidia_smi

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def gpu_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", nvidia_smi.install(tmp_path))
    return tmp_path


def test_own_gpus_reads_the_recorded_print(gpu_machine):
    (gpu,), said = measure.own_gpus()
    assert said == "Queried here: 1 GPU." and tuple(gpu) == GPU_FIELDS
    assert (gpu["name"], gpu["clocks.sm"], gpu["power.limit"]) == ("NVIDIA H100 80GB HBM3", 1.98e9, 700)


def test_replayed_topology_has_one_gpu(gpu_machine):
    text = subprocess.run(["nvidia-smi", "topo", "-m"], capture_output=True, text=True, check=True).stdout
    assert "\x1b[4m" in text and links.node_matrix(text).devices == ("GPU0",)


def test_page_runs_to_its_end_with_a_gpu(gpu_machine, monkeypatch):
    for name, folder in (("CHIP2CLUSTER_HOME", "record"), ("IPYTHONDIR", "ipython")):
        monkeypatch.setenv(name, str(gpu_machine / folder))
    page = nbformat.read(ROOT / "course/15_measure.ipynb", 4)
    NotebookClient(page, timeout=120, resources={"metadata": {"path": str(gpu_machine)}}).execute()
    (cell,) = [cell for cell in page.cells if cell.id == "gpu-run"]
    shown = "".join(output.get("text", "") + output.get("data", {}).get("text/html", "") for output in cell.outputs)
    assert "Queried here: 1 GPU." in shown and "700" in shown and "121" in shown
