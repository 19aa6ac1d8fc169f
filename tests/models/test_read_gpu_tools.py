"""nvidia-smi's table, rocm-smi and dcgmi, by prints of two machines and in the forms of published prints."""

from pathlib import Path

import pytest

from chip2cluster import measure

DATA = Path(__file__).parent / "data"
TABLE = (DATA / "gpu/nvidia-smi.txt").read_text()
MIB = 2**20
# The form of drivers to 470, as a page of the project NVIDIA/nvidia-docker shows it, with a GPU that has fallen off the bus.
OLD = """\
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 418.39       Driver Version: 418.39       CUDA Version: 10.1     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  Tesla M60           Off  | 00000000:00:1E.0 Off |                    2 |
| N/A   31C    P0    42W / 150W |      0MiB /  7618MiB |     81%      Default |
+-------------------------------+----------------------+----------------------+
|   1  Tesla M60           Off  | 00000000:00:1F.0 Off |                 ERR! |
|ERR!   ERR! ERR!    ERR! / ERR! |      0MiB /  7618MiB |    ERR!      ERR! |
+-------------------------------+----------------------+----------------------+
"""


def text(name):
    return (DATA / f"measure/{name}.txt").read_text()


def test_smi_table_agrees_with_the_query_of_its_card():
    table = measure.read_smi_table(TABLE)
    (card,) = measure.read_gpu_query((DATA / "gpu/nvidia-smi-query-wide.csv").read_text())
    (gpu,) = table.gpus
    assert gpu.memory == card["memory.total"]
    assert table.driver == measure.read_nvidia_smi((DATA / "gpu/nvidia-smi-q.txt").read_text())["Driver Version"]
    assert (gpu.temperature, gpu.power, gpu.power_limit, gpu.utilization) == (41.0, 121.0, 700.0, 0.0)
    assert (gpu.memory_used, gpu.uncorrectable_errors, gpu.failed, table.whole) == (621 * MIB, 0, (), True)


def test_smi_table_of_an_old_driver_with_a_lost_gpu():
    first, second = measure.read_smi_table(OLD).gpus
    assert (first.utilization, first.memory, first.uncorrectable_errors) == (0.81, 7618 * MIB, 2)
    assert second.power is None and second.failed[:2] == ("ECC", "temperature")
    assert not measure.read_smi_table(OLD).whole


def test_smi_table_refuses_two_calls_and_other_tools():
    with pytest.raises(ValueError, match="one table"):
        measure.read_smi_table(TABLE + TABLE)
    with pytest.raises(ValueError, match="Driver Version"):
        measure.read_smi_table("GPU 0: NVIDIA H100 80GB HBM3\n")
    with pytest.raises(ValueError, match="temperature, power, memory and utilization of GPU 0"):
        measure.read_smi_table(TABLE.replace(" 621MiB", "  ?   "))


def test_rocm_smi_in_the_forms_of_three_releases():
    first, second = measure.read_rocm_smi(text("rocm_smi"))
    assert (first["name"], first["Power"], first["PwrCap"], first["SCLK"]) == (
        "AMD Instinct MI300X",
        173.0,
        750.0,
        132e6,
    )
    assert second["gpu"] == 1 and second["VRAM%"] == pytest.approx(0.17)
    old = measure.read_rocm_smi(text("rocm_smi_5"))
    assert [gpu["Temp"] for gpu in old] == [33.0, 32.0] and old[1]["Power"] == 39.0
    (integrated,) = measure.read_rocm_smi(text("rocm_smi_6"))
    assert (integrated["SCLK"], integrated["PwrCap"], integrated["Power"]) == (None, None, 20.054)


def test_rocm_smi_lines_of_an_option():
    (gpu,) = measure.read_rocm_smi(text("rocm_smi_memory"))
    assert gpu["VRAM Total Memory (B)"] - gpu["VRAM Total Used Memory (B)"] == 32195477504 - 30414307328
    with pytest.raises(ValueError, match="one value of VRAM Total Memory"):
        measure.read_rocm_smi(text("rocm_smi_memory") * 2)
    with pytest.raises(ValueError, match="End of ROCm SMI Log"):
        measure.read_rocm_smi(text("rocm_smi_memory").replace("End of", "End"))


def test_dcgmi_dmon_reads_each_entity():
    rows = measure.read_dcgmi_dmon(text("dcgmi_dmon"))
    assert [row["entity"] for row in rows] == ["GPU 0", "GPU 1"] * 2
    assert rows[0]["SMACT"] == 0.367 and rows[1]["POWER"] is None and rows[3]["GPUTL"] == 100.0
    with pytest.raises(ValueError, match="has no line end, so it may be cut"):
        measure.read_dcgmi_dmon(text("dcgmi_dmon").rstrip())


def test_dcgmi_diag_joins_broken_messages():
    diag = measure.read_dcgmi_diag(text("dcgmi_diag"))
    failed = {test.name: test for test in diag.tests if test.result.startswith("Fail")}
    assert [*failed] == ["Persistence Mode", "GPU Memory"] and diag.version == "3.1.8"
    assert (
        failed["Persistence Mode"].messages[0].startswith("Persistence mode for GPU 0 is currently disabled. The DCGM")
    )
    assert failed["GPU Memory"].category == "Hardware"
    newer = measure.read_dcgmi_diag(text("dcgmi_diag_4"))
    assert [(test.name, test.messages) for test in newer.tests] == [
        ("software", ("GPU0: Pass",)), ("memory", ("GPU0: Pass",)),
    ]  # fmt: skip


def test_dcgmi_stats_energy_is_power_times_time():
    (gpu,) = measure.read_dcgmi_stats(text("dcgmi_stats"))
    mean = gpu["Energy Consumed (Joules)"] / gpu["Total Execution Time (sec)"]
    assert mean == pytest.approx(gpu["Power Usage (Watts)"]["Avg"], rel=0.05) and gpu["GPU ID"] == 6
    two = text("dcgmi_stats") + text("dcgmi_stats").split("\n", 1)[1].replace("GPU ID: 6", "GPU ID: 7")
    assert [one["GPU ID"] for one in measure.read_dcgmi_stats(two)] == [6, 7]
