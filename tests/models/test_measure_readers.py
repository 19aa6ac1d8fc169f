"""Parsers of tool output, on output recorded here or quoted with its address."""

from math import inf
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import collectives, measure
from tests.tables import every_row

HERE = Path(__file__).parent / "data/measure"

# github.com/NVIDIA/nccl-tests/issues/252, 2024-09-24
RING = """\
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
   536870912     134217728     float     sum      -1    10052   53.41   93.46      0   9676.9   55.48   97.09      0
  1073741824     268435456     float     sum      -1    20079   53.48   93.58      0    19265   55.74   97.54      0
  2147483648     536870912     float     sum      -1    39871   53.86   94.26      0    39357   54.56   95.49      0
  4294967296    1073741824     float     sum      -1    77194   55.64   97.37      0    79688   53.90   94.32      0
  8589934592    2147483648     float     sum      -1   158070   54.34   95.10      0   158561   54.17   94.80      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 95.3009
"""

# github.com/NVIDIA/nccl-tests/issues/82, 2021-05-11: a broadcast has no redop, -c 0 checks nothing; begun and not ended
BROADCAST = """\
# nThread 1 nGpus 1 minBytes 8 maxBytes 2147483648 step: 2(factor) warmup iters: 10 iters: 100 validation: 0
#
# Using devices
#   Rank  0 Pid  14926 on v100-gpu-1 device  0 [0x00] Tesla V100-PCIE-16GB
#   Rank  1 Pid   9210 on v100-gpu-5 device  0 [0x00] Tesla V100-PCIE-16GB

v100-gpu-1:14926:14926 [0] misc/ibvwrap.cc:63 NCCL WARN Failed to open libibverbs.so[.1]
NCCL version 2.9.6+cuda11.2
#
#                                                     out-of-place                       in-place
#       size         count    type    root     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
           8             2   float       0    45.82    0.00    0.00    N/A    38.17    0.00    0.00    N/A
"""

# github.com/aws/aws-k8s-tester/pull/503, 2024-11-05: through mpirun --tag-output
TAGGED = """\
[1,0]<stdout>:#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw  #wrong
[1,0]<stdout>:#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
[1,0]<stdout>:           8             2     float     sum      -1    12.90    0.00    0.00      0    12.87    0.00    0.00      0
[1,0]<stdout>:          16             4     float     sum      -1    12.88    0.00    0.00      0    12.83    0.00    0.00      0
"""

# The public documentation of NeSI (New Zealand), section "Checking completed jobs with sacct"
SACCT = """\
       JobID    JobName  Partition    Account  AllocCPUS      State ExitCode
------------ ---------- ---------- ---------- ---------- ---------- --------
14309        problem.sh       NeSI  nesi99999         80  COMPLETED      0:0
14309.batch       batch             nesi99999         80  COMPLETED      0:0
14309.0         yourapp             nesi99999         80  COMPLETED      0:0
"""

# The form of `nvidia-smi --query-gpu=index,name,memory.total,memory.used,fabric.state --format=csv` on a T4 without a fabric
GPUS = """\
index, name, memory.total [MiB], memory.used [MiB], fabric.state
0, Tesla T4, 15360 MiB, 31 MiB, state  N/A
"""

# The documentation of darshan-util (docs/darshan-util, sections Performance, Files, Totals)
DARSHAN = """\
# darshan log version: 3.41
# nprocs: 4
# run time: 0.2
# agg_perf_by_cumul: 3028.570529
# agg_perf_by_open: 1969.648064
# agg_perf_by_open_lastio: 1970.255248
# agg_perf_by_slowest: 2206.983935
# <file_type> <file_count> <total_bytes> <max_byte_offset>
# total: 5 4371499438884 4364699616485
# read_only: 2 4370100334589 4364699616485
# write_only: 1 1399104295 1399104295
# read_write: 0 0 0
# unique: 0 0 0
# shared: 5 4371499438884 4364699616485
total_POSIX_OPENS: 1024
total_POSIX_READS: 0
total_POSIX_WRITES: 16384
total_POSIX_BYTES_READ: 0
total_POSIX_BYTES_WRITTEN: 68719476736
total_POSIX_MAX_BYTE_WRITTEN: 67108863
"""
TREE = (HERE / "lstopo.txt").read_text()


def test_read_nccl_tests_complete_log():
    log = measure.read_nccl_tests(RING)
    assert log.message_bytes.tolist() == [2.0**k for k in range(29, 34)] and log.ranks is None
    both = np.concatenate([log.bus_bandwidth, log.in_place_bus_bandwidth])
    assert log.average_bus_bandwidth == pytest.approx(both.mean(), abs=2e6) == 95.3009e9
    assert log.wrong.tolist() == [0] * 5
    for seconds, algorithm, bus in (
        (log.seconds, log.algorithm_bandwidth, log.bus_bandwidth),
        (log.in_place_seconds, log.in_place_algorithm_bandwidth, log.in_place_bus_bandwidth),
    ):
        assert collectives.algorithm_bandwidth(log.message_bytes, seconds) == pytest.approx(algorithm, abs=6e6)
        # 8 ranks, from the ratio of the two columns
        assert collectives.bus_bandwidth("all_reduce", log.message_bytes, seconds, 8) == pytest.approx(bus, abs=1e7)


def test_read_nccl_tests_partial_log():
    with pytest.raises(ValueError, match="line 13 of text .*up to '# Avg bus bandwidth', or partial=True"):
        measure.read_nccl_tests(BROADCAST)
    log = measure.read_nccl_tests(BROADCAST, partial=True)
    assert log.ranks == 2 and np.isnan(log.wrong).all() and log.average_bus_bandwidth is None
    assert (log.seconds[0], log.in_place_seconds[0]) == pytest.approx((45.82e-6, 38.17e-6))
    assert measure.read_nccl_tests(TAGGED, partial=True).seconds.tolist() == pytest.approx([12.90e-6, 12.88e-6])


@given(st.integers(0, len(RING) - 2))
def test_read_nccl_tests_any_truncation(length):
    """After any truncation: an error that names a line, or the complete lines."""
    if length <= RING.index("# Avg"):
        with pytest.raises(ValueError, match="expected|got nothing"):
            measure.read_nccl_tests(RING[:length])
    if length < RING.index("9676.9   55.48   97.09      0") + 29:
        with pytest.raises(ValueError, match="line [0-9]+ of text|got nothing"):
            measure.read_nccl_tests(RING[:length], partial=True)
        return
    log, whole = measure.read_nccl_tests(RING[:length], partial=True), measure.read_nccl_tests(RING)
    assert np.array_equal(log.seconds, whole.seconds[: len(log.seconds)])
    assert np.array_equal(log.bus_bandwidth, whole.bus_bandwidth[: len(log.seconds)])


def test_read_gpu_query_values():
    (gpu,) = measure.read_gpu_query(GPUS)
    assert gpu["memory.total"] == 15 * 2**30 and gpu["memory.used"] == 31 * 2**20
    assert gpu["index"] == 0 and gpu["name"] == "Tesla T4" and gpu["fabric.state"] == "state  N/A"
    bare = "name, power.draw [W], clocks.sm [MHz], temperature.gpu, mig.mode.current\nA, 61.5, 1410, 35, [N/A]"
    assert measure.read_gpu_query(bare) == (
        {"name": "A", "power.draw": 61.5, "clocks.sm": 1.41e9, "temperature.gpu": 35.0, "mig.mode.current": None},
    )


def test_read_squeue_output():
    jobs = measure.read_squeue((HERE / "squeue.txt").read_text())
    assert [(job["jobid"], job["st"], job["nodes"]) for job in jobs] == [
        ("2", "PD", 4), ("4", "PD", 2), ("1", "R", 3), ("3", "R", 1),
    ]  # fmt: skip
    assert [job["nodelist(reason)"] for job in jobs] == ["(Resources)", "(Priority)", "n[1-3]", "n4"]
    assert [job["time"] for job in jobs] == [0, 0, 5, 5]
    long = measure.read_squeue((HERE / "squeue_long.txt").read_text())
    assert [job["time_limi"] for job in long] == [60, 60, 180, 120] and long[0]["state"] == "PENDING"
    start = measure.read_squeue((HERE / "squeue_start.txt").read_text())
    assert start[0]["start_time"] == "2026-11-22T16:22:41" and start[1]["schednodes"] == "n[1-2]"
    assert measure.read_squeue("JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)") == ()


def test_read_sinfo_output():
    (line,) = measure.read_sinfo((HERE / "sinfo.txt").read_text())
    assert (line["partition"], line["timelimit"], line["nodes"], line["nodelist"]) == ("all*", inf, 4, "n[1-4]")
    nodes = measure.read_sinfo((HERE / "sinfo_nodes.txt").read_text())
    assert [node["nodelist"] for node in nodes] == ["n1", "n2", "n3", "n4"]
    assert {(node["nodes"], node["cpus"], node["state"]) for node in nodes} == {(1, 1, "allocated")}


def test_read_sacct_output():
    job, batch, step = measure.read_sacct(SACCT)
    assert job == {
        "jobid": "14309", "jobname": "problem.sh", "partition": "NeSI", "account": "nesi99999",
        "alloccpus": 80, "state": "COMPLETED", "exitcode": "0:0",
    }  # fmt: skip
    assert batch["partition"] is None and step["jobid"] == "14309.0"
    bars = measure.read_sacct(
        "JobID|MaxRSS|Elapsed|Timelimit|\n7|1180K|02-00:00:01|UNLIMITED|\n7.0||00:00:02.5|01:00|\n"
    )
    assert bars[0] == {"jobid": "7", "maxrss": 1180 * 1024.0, "elapsed": 172801.0, "timelimit": inf}
    assert bars[1] == {"jobid": "7.0", "maxrss": None, "elapsed": 2.5, "timelimit": 60.0}


def test_read_lstopo_output():
    machine = measure.read_lstopo(TREE)
    assert machine == measure.HostTopology(
        17 * 2**30, 1, 1, 2, 2, {"L3": (1, 480 * 2**20), "L2": (2, 2**21), "L1d": (2, 48 * 1024), "L1i": (2, 2**16)}
    )


@given(st.integers(0, 300))
def test_read_lstopo_any_truncation(length):
    try:
        machine = measure.read_lstopo(TREE[:length])
    except ValueError as refused:
        message = str(refused)
    else:
        message, cores = "", TREE[: length + 1].count("PU L#")
        assert machine.cores == machine.processing_units == cores
    assert not message or "line " in message or "got nothing" in message


def test_read_darshan_summary():
    summary = measure.read_darshan(DARSHAN)
    assert (summary.version, summary.processes, summary.run_time_seconds) == ("3.41", 4, 0.2)
    written = summary.counters["POSIX_BYTES_WRITTEN"]
    assert written == 64 * 2**30 == 1024 * (summary.counters["POSIX_MAX_BYTE_WRITTEN"] + 1)  # 1,024 equal files
    kinds = [summary.files[kind] for kind in ("read_only", "write_only", "read_write")]
    assert sum(kind[1] for kind in kinds) == summary.files["total"][1] == 4371499438884
    assert summary.rates["agg_perf_by_slowest"] == pytest.approx(2206.983935 * 2**20) and summary.total_bytes is None
    assert measure.read_darshan("# total_bytes: 12\n# agg_perf_by_slowest: 1.5 # MiB/s").total_bytes == 12


def test_read_darshan_complete_output():
    """`dd bs=64k count=256`: counters match the command, and MiB over seconds is the rate."""
    text = (HERE / "darshan_dd.txt").read_text()
    summary = measure.read_darshan(text)
    assert (summary.version, summary.processes) == ("3.41", 1) and 0 < summary.run_time_seconds < 1
    assert summary.counters["POSIX_BYTES_WRITTEN"] == summary.total_bytes == 256 * 65536
    assert summary.counters["POSIX_WRITES"] == summary.counters["POSIX_SIZE_WRITE_10K_100K"] == 256
    assert summary.files["write_only"] == summary.files["total"] == (1, 2**24, 2**24 - 1)
    seconds = float(text.split("agg_time_by_slowest: ")[1].split()[0])
    assert summary.rates["agg_perf_by_slowest"] == pytest.approx(2**24 / seconds, rel=1e-3)
    assert list(summary.modules) == ["POSIX"] and summary.modules["POSIX"].files == summary.files


def test_read_darshan_uses_lowest_layer():
    """2 TB by MPI-IO through POSIX, and two lines of STDIO, which come last and have no rate."""
    summary = measure.read_darshan((HERE / "darshan_vpicio.txt").read_text())
    assert (summary.processes, summary.run_time_seconds) == (2048, 117.0)
    assert list(summary.modules) == ["POSIX", "MPI-IO", "STDIO"]
    assert summary.total_bytes == summary.modules["MPI-IO"].total_bytes == 2199023259968
    assert summary.modules["STDIO"].total_bytes == 3309
    rate = summary.rates["agg_perf_by_slowest"]
    assert rate == 24535.281934 * 2**20 and rate == pytest.approx(summary.total_bytes / 85.474950, rel=1e-8)
    assert summary.files["total"][2] == 2199023261831 and summary.modules["MPI-IO"].files["total"][2] == -1
    assert summary.counters["MPIIO_BYTES_WRITTEN"] == summary.counters["POSIX_BYTES_WRITTEN"] == 2199023259968


def test_read_gpu_query_complete_output():
    gpus = measure.read_gpu_query((HERE / "gpu_query.txt").read_text())
    assert len(gpus) == 8 and {gpu["name"] for gpu in gpus} == {"NVIDIA A100-SXM4-40GB"}
    assert {gpu["memory.total"] for gpu in gpus} == {40 * 2**30}
    for gpu in gpus:  # some memory is used by the driver
        assert 0.98 < (gpu["memory.free"] + gpu["memory.used"]) / gpu["memory.total"] < 1
    assert gpus[0]["pci.bus_id"] == "00000000:3B:00.0" and gpus[3]["utilization.gpu"] == 0.03
    assert gpus[0]["timestamp"] == "2024/06/01 11:27:05.177" and gpus[0]["temperature.gpu"] == 44
    again = (HERE / "gpu_query.txt").read_text()
    assert measure.read_gpu_query(again + again) == gpus + gpus


@pytest.mark.parametrize("name", ["darshan_dd.txt", "darshan_vpicio.txt", "gpu_query.txt"])
def test_truncated_output_names_the_line(name):
    """At every position: the rest is complete lines, or the error names the last one."""
    read = measure.read_gpu_query if name.startswith("gpu") else measure.read_darshan
    text = (HERE / name).read_text()
    said = [(_refusal(read, text[:end]), len(text[:end].splitlines())) for end in range(len(text) // 2, len(text), 7)]
    assert all(not words or words.startswith(f"line {last} of text is ") for words, last in said)
    assert sum(bool(words) for words, _ in said) > 10


def _refusal(read, text):
    try:
        read(text)
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", ["sinfo.txt", "lstopo.txt", "squeue.txt", "gpu_query.txt", "darshan_dd.txt"])
def test_output_of_another_tool_names_a_line(name):
    text = (HERE / name).read_text()
    for read in (measure.read_gpu_query, measure.read_darshan):
        if read.__name__.split("_")[1] not in name:
            with pytest.raises(ValueError, match=r"line \d+ of text is "):
                read(text)


QUEUE = (HERE / "squeue.txt").read_text()


@every_row(
    ("call", "error", "message"),
    [
        (lambda: measure.read_nccl_tests(3), TypeError, "text must be the output of nccl-tests, as a string, got int"),
        (lambda: measure.read_nccl_tests(" \n"), ValueError, "text must be the output of nccl-tests, got nothing"),
        (lambda: measure.read_nccl_tests(QUEUE), ValueError, "line 1 of text .* expected: the output of nccl-tests"),
        (lambda: measure.read_nccl_tests(RING, partial=1), TypeError, "partial must be True or False"),
        (lambda: measure.read_nccl_tests(RING.replace("  53.86", "")), ValueError, "line 6 of text .* 13 columns"),
        (lambda: measure.read_nccl_tests(RING.replace("53.86", "fast")), ValueError, "line 6 of text .* not 'fast'"),
        (
            lambda: measure.read_nccl_tests("# size count type time algbw busbw"),
            ValueError,
            "line 1 .* two time columns",
        ),
        (lambda: measure.read_gpu_query(QUEUE), ValueError, "line 1 of text .*not noheader"),
        (lambda: measure.read_gpu_query("name"), ValueError, "line 1 of text is 'name'; expected: the header"),
        (
            lambda: measure.read_gpu_query("0, Tesla T4, 15360 MiB\n1, Tesla T4, 15360 MiB"),
            ValueError,
            "line 1 .*noheader",
        ),
        (
            lambda: measure.read_gpu_query(GPUS[:-12]),
            ValueError,
            "line 2 of text .* a value in the column fabric.state",
        ),
        (lambda: measure.read_gpu_query(GPUS.replace("31 MiB", "31 GB")), ValueError, "line 2 .* not '31 GB'"),
        (lambda: measure.read_gpu_query(GPUS.replace("31 MiB", "much")), ValueError, "line 2 .* a number of MiB"),
        (lambda: measure.read_gpu_query(GPUS.replace("31 MiB", "3.1.2 MiB")), ValueError, "line 2 .* a number in the"),
        (lambda: measure.read_gpu_query(None), TypeError, "text must be the output of nvidia-smi"),
        (lambda: measure.read_squeue(SACCT), ValueError, "line 1 of text .* the output of squeue"),
        (lambda: measure.read_squeue(QUEUE.replace("4 (Resources)", "")), ValueError, "line 2 of text .* 8 columns"),
        (lambda: measure.read_squeue(QUEUE.replace("train-4", "my train")), ValueError, "line 2 .* not 'PD'"),
        (lambda: measure.read_squeue(QUEUE.replace("0:05", "soon")), ValueError, "line 4 .* not 'soon'"),
        (lambda: measure.read_squeue(QUEUE.replace("3 n", "three n")), ValueError, "line 4 .* not 'three'"),
        (lambda: measure.read_squeue(b""), TypeError, "got bytes"),
        (lambda: measure.read_sinfo(QUEUE), ValueError, "line 1 of text .* the output of sinfo"),
        (lambda: measure.read_sinfo("PARTITION AVAIL TIMELIMIT NODES STATE NODELIST\nall up"), ValueError, "line 2"),
        (lambda: measure.read_sacct(QUEUE), ValueError, "line 1 of text .* the output of sacct"),
        (
            lambda: measure.read_sacct((HERE / "sacct_disabled.txt").read_text()),
            ValueError,
            "line 1 of text is 'Slurm accounting storage is disabled'; expected: the output of sacct",
        ),
        (
            lambda: measure.read_sacct(SACCT.replace("-", "")),
            ValueError,
            "line 3 .* 7 groups of dashes below the header",
        ),
        (lambda: measure.read_sacct(SACCT[:-20]), ValueError, "line 5 of text .* cells below the 7 groups"),
        (
            lambda: measure.read_sacct(SACCT.replace("batch  ", "batch_of_many")),
            ValueError,
            "line 4 of text .* sacct -P",
        ),
        (lambda: measure.read_sacct("JobID|State\n7"), ValueError, "line 2 of text is '7'; expected: 2 cells"),
        (lambda: measure.read_sacct("JobID|MaxRSS\n7|big"), ValueError, "line 2 .* a size such as 1180K"),
        (lambda: measure.read_lstopo(QUEUE), ValueError, "line 1 of text .* 'Machine .17GB total.'"),
        (
            lambda: measure.read_lstopo(TREE.replace("Core L#0 + ", "")),
            ValueError,
            "line 6 .* Core L#0 before Core L#1",
        ),
        (lambda: measure.read_lstopo(TREE[: TREE.index(" + PU L#0")]), ValueError, "line 5 .* processing unit"),
        (lambda: measure.read_lstopo(TREE.replace("(480MB)", "(480")), ValueError, "line 4 of text .* cut off"),
        (
            lambda: measure.read_lstopo(TREE.replace(" (480MB)", "")),
            ValueError,
            "line 4 of text .* a cache with its size",
        ),
        (lambda: measure.read_lstopo(None), TypeError, "got NoneType"),
        (lambda: measure.read_darshan(QUEUE), ValueError, "line . of text .* (darshan-parser)"),
        (lambda: measure.read_darshan("# a comment"), ValueError, "line 1 .* the output of darshan-parser --total"),
        (lambda: measure.read_darshan(DARSHAN + "total_POSIX_RE"), ValueError, "line 21 of text is 'total_POSIX_RE'"),
        (
            lambda: measure.read_darshan(DARSHAN + "..."),
            ValueError,
            "line 21 of text is '...'; .* was the text cut off",
        ),
        (lambda: measure.read_darshan(5), TypeError, "got int"),
        (lambda: measure.read_sacct("JobID|Elapsed\n7|12"), ValueError, "line 2 .* a time such as"),
    ],
)
def test_parser_errors_name_the_line(call, error, message):
    with pytest.raises(error, match=message):
        call()


REAL = HERE.parent / "gpu"
H200 = "name, utilization.gpu [%], clocks.current.sm [MHz], power.draw [W]\nNVIDIA H200, 0 %, 1980 MHz, 120.36 W"


def test_read_gpu_query_finds_a_column_by_its_alias():
    (gpu,) = measure.read_gpu_query((REAL / "nvidia-smi-query-wide.csv").read_text())
    assert gpu["clocks.gr"] == gpu["clocks.current.graphics"] == 1.98e9 and gpu["clocks.mem"] == 2.619e9
    assert gpu["gpu_name"] == gpu["name"] and gpu["clocks_throttle_reasons.active"] == "0x0"
    assert gpu["fan.speed"] is None and gpu["memory.total"] == 81559 * 2**20
    assert "clocks.sm" not in gpu and gpu.get("clocks.sm") is None
    with pytest.raises(KeyError, match="clocks.sm.*not queried"):
        gpu["clocks.sm"]


def test_read_gpu_query_takes_the_queried_names():
    fields = ("name", "utilization.gpu", "clocks.sm", "power.draw")
    assert set(fields) < set(measure.GPU_FIELDS)
    (gpu,) = measure.read_gpu_query(H200, fields=fields)
    assert tuple(gpu) == fields and gpu["clocks.sm"] == gpu["clocks.current.sm"] == 1.98e9
    (bare,) = measure.read_gpu_query(H200.splitlines()[1], fields=fields)  # noheader
    assert bare == gpu
    with pytest.raises(ValueError, match="queried fields in their order"):
        measure.read_gpu_query(H200, fields=fields[::-1])


@pytest.mark.parametrize(
    "cell",
    ["[N/A]", "N/A", "[Not Supported]", "[Unknown Error]", "[GPU is lost]", "[Insufficient Permissions]", "ERR!",
     "[GPU requires reset]", "[Not Found]", "[Requested functionality has been deprecated]"],
)  # fmt: skip
def test_read_gpu_query_has_none_for_no_value(cell):
    (gpu,) = measure.read_gpu_query(H200.replace("120.36 W", cell))
    assert gpu["power.draw"] is None
