"""nccl-tests and NCCL's log as launchers, terminals, logs and people hand them on."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster.measure import read_nccl_info, read_nccl_tables, read_nccl_tests

PREAMBLE = """# nccl-tests version 2.17.8 nccl-headers=23004 nccl-library=23004
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 1048576 maxBytes 4194304 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid    101 on      gpu23 device  0 [0000:31:00] NVIDIA A40
#  Rank  1 Group  0 Pid    102 on      gpu24 device  0 [0000:31:00] NVIDIA A40
#
"""
HEADER = """#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
"""
ROWS = """     1048576        262144     float     sum      -1    101.9   10.29   18.00       0    101.0   10.38   18.17       0
     4194304       1048576     float     sum      -1    343.8   12.20   21.35       0    341.2   12.29   21.51       0
"""
END = """# Out of bounds values : 0 OK
# Avg bus bandwidth    : 19.7575
#
"""
CLEAN = PREAMBLE + HEADER + ROWS + END
# Prefixes of the line n, by who writes them.
PREFIXES = {
    "srun -l": lambda n: " 0: ",
    "srun -l, two digits": lambda n: "12: ",
    "mpirun --tag-output": lambda n: "[1,0]<stdout>:",
    "mpirun, blank": lambda n: "[1,0]<stdout> ",
    "prterun": lambda n: "[prterun-host-123@1,0]<stdout>: ",
    "Hydra": lambda n: "[0] ",
    "pdsh": lambda n: "gpu23: ",
    "pod": lambda n: "[pod/nccl-launcher-x7k2p/main] ",
    "time": lambda n: f"2025-05-22T07:36:{n % 60:02d}.123Z ",
    "quote": lambda n: "> ",
    "indent": lambda n: "    ",
}


def wrapped(text, prefix):
    return "".join(PREFIXES[prefix](n) + line + "\n" for n, line in enumerate(text.splitlines()))


def content(log):
    return (
        log.message_bytes.tolist(),
        log.seconds.tolist(),
        log.bus_bandwidth.tolist(),
        log.in_place_bus_bandwidth.tolist(),
        log.ranks,
        log.average_bus_bandwidth,
        log.collective,
        log.version,
    )


RIGHT = content(read_nccl_tests(CLEAN))


def test_clean_output_is_read():
    assert RIGHT == (
        [2**20, 2**22], [101.9e-6, 343.8e-6], [18e9, 21.35e9], [18.17e9, 21.51e9], 2, 19.7575e9, "all_reduce", "2.17.8",
    )  # fmt: skip


@given(
    st.lists(st.sampled_from(sorted(PREFIXES)), max_size=2, unique=True),
    st.sampled_from(["plain", "color", "CRLF", "fence", "prompt"]),
)
def test_any_prefix_and_any_capture_gives_the_same(prefixes, capture):
    text = CLEAN
    if capture == "color":
        text = re.sub(r"(\d+\.\d+)", "\x1b[32m\\1\x1b[0m", text)
    for prefix in prefixes:
        text = wrapped(text, prefix)
    if capture == "CRLF":
        text = text.replace("\n", "\r\n")
    if capture == "fence":
        text = f"```\n{text}```\n"
    if capture == "prompt":
        text = f"user@gpu23:~$ ./build/all_reduce_perf -b 1M -e 4M -f 4\n{text}"
    assert content(read_nccl_tests(text)) == RIGHT


@given(st.integers(0, len(CLEAN) - 1), st.booleans())
def test_a_cut_text_is_right_or_refused(end, partial):
    cut = CLEAN[:end]
    try:
        found = content(read_nccl_tests(cut, partial=partial))
    except ValueError:
        return
    rows = len(found[0])
    assert rows and all(found[column] == RIGHT[column][:rows] for column in range(4))
    assert found[4:] in (RIGHT[4:], (*RIGHT[4:5], None, *RIGHT[6:]))
    assert partial or found == RIGHT


def test_lines_of_nccls_log_between_and_within_rows():
    info = "gpu23:101:205 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/IB/0"
    lines = CLEAN.splitlines()
    between = "\n".join(f"{line}\n{info}" for line in lines)
    assert content(read_nccl_tests(between)) == RIGHT
    row = next(line for line in lines if line.strip().startswith("1048576"))
    gap = row.index("101.9") - 1
    within = CLEAN.replace(row, f"{row[:gap]}{info}\n{row[gap:]}")
    assert content(read_nccl_tests(within)) == RIGHT
    number = CLEAN.replace(row, f"{row[: gap + 3]}{info}\n{row[gap + 3 :]}")
    with pytest.raises(ValueError, match="a line with 13 columns"):
        read_nccl_tests(number)


def test_documented_options_change_only_the_header():
    processor = CLEAN.replace("    time   algbw", " cputime   algbw")
    assert content(read_nccl_tests(processor)) == RIGHT
    stamped = re.sub(r"^( +\d.*)$", r"\1  2025-05-22 07:36:17", CLEAN, flags=re.MULTILINE)
    stamped = stamped.replace("busbw #wrong\n", "busbw #wrong           timestamp\n")
    assert content(read_nccl_tests(stamped)) == RIGHT
    eaten = re.sub(r"^#", "", CLEAN, flags=re.MULTILINE)  # a web page takes it for a heading
    assert content(read_nccl_tests(eaten))[:4] == RIGHT[:4]
    nothing = CLEAN.replace("19.7575", "-nan")
    assert np.isnan(read_nccl_tests(nothing).average_bus_bandwidth)


def test_an_average_keeps_its_exponent():
    assert read_nccl_tests(CLEAN.replace("19.7575", "7.85e-05")).average_bus_bandwidth == pytest.approx(7.85e4)


def test_several_tables_stay_several():
    other = CLEAN.replace("all_reduce_perf", "alltoall_perf").replace("19.7575", "42.4")
    first, second = read_nccl_tables(CLEAN + "srun: job done\n" + other)
    assert content(first) == RIGHT and second.collective == "alltoall" and second.average_bus_bandwidth == 42.4e9
    with pytest.raises(ValueError, match=r"2 tables \(2 lines of all_reduce, 2 lines of alltoall\): read them with"):
        read_nccl_tests(CLEAN + other)


@pytest.mark.parametrize("order", ["mixed", "one after another"])
def test_processes_without_mpi_are_named_first(order):
    alone = PREAMBLE.replace("#  Rank  1 Group  0 Pid    102 on      gpu24 device  0 [0000:31:00] NVIDIA A40\n", "")
    text = (alone + HEADER) * 2 + ROWS * 2 + END * 2 if order == "mixed" else (alone + HEADER + ROWS + END) * 2
    with pytest.raises(ValueError, match=r"each process ran alone.*built without MPI.*make MPI=1"):
        read_nccl_tests(text)


def test_machine_readable_forms():
    side = {"time": 101.9, "alg_bw": 10.29, "bus_bw": 18.0, "nwrong": 0}
    report = {
        "version": 2,
        "config": {"devices": [{"rank": 0}, {"rank": 1}]},
        "results": [
            {"size": 2**20, "count": 2**18, "type": "float", "redop": "sum", "root": "-1", "out_of_place": side,
             "in_place": {**side, "bus_bw": 18.17, "nwrong": None}, "experiment_name": "all_reduce_perf"}
        ],
        "average_bus_bandwidth": {"bandwidth": 18.085, "okay": "unchecked"},
    }  # fmt: skip
    log = read_nccl_tests(json.dumps(report))
    assert content(log)[:6] == ([2**20], [101.9e-6], [18e9], [18.17e9], 2, 18.085e9) and log.collective == "all_reduce"
    with pytest.raises(ValueError, match="ends too early"):
        read_nccl_tests(json.dumps(report)[:-30])
    row = {"#wrong": "0", "algBw": 0.0534, "busBw": 0.0801, "gpus": 4, "inPlace": 0, "name": "AllReduce", "redop": "sum",
           "size": 1024, "time": 19.18, "type": "float"}  # fmt: skip
    rccl = read_nccl_tests("\n".join(json.dumps(one) for one in (row, {**row, "inPlace": 1, "busBw": 0.09})))
    assert rccl.bus_bandwidth.tolist() == pytest.approx([0.0801e9]) and rccl.in_place_bus_bandwidth.tolist() == [0.09e9]
    assert (rccl.ranks, rccl.collective, rccl.average_bus_bandwidth) == (4, "all_reduce", None)
    table = ",".join(row) + "\n" + ",".join(str(value) for value in row.values()) + "\n"
    assert read_nccl_tests(table).bus_bandwidth.tolist() == pytest.approx([0.0801e9])


LOG = """gpu23:101:205 [0] NCCL INFO NCCL version 2.21.5+cuda12.4
gpu23:101:205 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>
gpu23:101:205 [0] NCCL INFO Using network IB
gpu23:101:205 [0] NCCL INFO comm 0x55cd rank 0 nRanks 16 nNodes 2 localRanks 8 localRank 0 MNNVL 0
gpu23:101:205 [0] NCCL INFO Channel 00/16 :    0   1   2   3   4   5   6   7
gpu23:101:205 [0] NCCL INFO Channel 00/0 : 15[7] -> 0[0] [receive] via NET/IB/0/GDRDMA
gpu23:101:205 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read
gpu23:101:205 [0] NCCL INFO 16 coll channels, 16 nvls channels, 16 p2p channels, 2 p2p channels per peer
"""


def test_nccls_log_says_what_it_chose():
    found = read_nccl_info(wrapped(LOG, "srun -l"))
    assert (found.version, found.ranks, found.nodes, found.channels) == ("2.21.5+cuda12.4", 16, 2, 16)
    assert dict(found.transports) == {"NET/IB": 1, "P2P/CUMEM": 1}
    assert (found.network, found.devices, found.direct, found.nvls) == ("IB", ("mlx5_0:1", "mlx5_1:1"), True, True)
    assert not found.fallbacks and not found.warnings


def test_nccls_log_says_what_fell_back():
    slow = LOG.replace("NET/IB : Using", "NET/IB : No device found. Not using").replace("network IB", "network Socket")
    slow = (
        slow.replace("NET/IB/0/GDRDMA", "NET/Socket/0") + "gpu23:101:205 [0] NCCL WARN Call to ibv_create_qp failed\n"
    )
    found = read_nccl_info(slow)
    assert found.network == "Socket" and found.direct is False and "sockets" in found.fallbacks[0]
    assert found.warnings == ("Call to ibv_create_qp failed",)
    with pytest.raises(ValueError, match=r"expected: lines of NCCL such as"):
        read_nccl_info(CLEAN)
    with pytest.raises(ValueError, match="read_nccl_info reads that"):
        read_nccl_tests(LOG)


def test_settings_of_zero_are_no_fallback():
    kept = "gpu23:101:205 [0] NCCL INFO NCCL_IB_DISABLE set by environment to 0.\n"
    off = "gpu23:101:205 [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 1.\n"
    assert not read_nccl_info(kept + LOG).fallbacks
    assert read_nccl_info(off + LOG).fallbacks == ("peer-to-peer copies are off, so GPUs of a node use host memory",)


def test_names_of_networks_have_blanks():
    """As the plug-in of AWS writes them."""
    text = LOG.replace("network IB", "network AWS Libfabric").replace("NET/IB/0/GDRDMA", "NET/AWS Libfabric/0/GDRDMA")
    found = read_nccl_info(text)
    assert (found.network, found.direct) == ("AWS Libfabric", True)
    assert dict(found.transports) == {"NET/AWS Libfabric": 1, "P2P/CUMEM": 1}


def test_nodes_are_not_guessed_from_a_part_of_the_ranks():
    old = "a:1:2 [0] NCCL INFO comm 0x7f rank {} nranks 2 cudaDev 0 nvmlDev 0 - Init COMPLETE\n"
    assert read_nccl_info(old.format(0)).nodes is None
    assert read_nccl_info(old.format(0) + old.format(1).replace("a:1", "b:1")).nodes == 2


def test_forms_of_early_versions():
    """2.4 printed rings; 2.10 printed bus addresses in the brackets."""
    old = "h:1:2 [0] NCCL INFO Ring 00 : 34 -> 33 [send] via NET/Socket/0\n"
    middle = "h:1:2 [3] NCCL INFO Channel 01 : 3[4a000] -> 6[44000] [send] via NET/IB/0/GDRDMA\n"
    last = "h:1:2 [2] NCCL INFO Channel 04 : 2[a000] -> 3[b000] via P2P/direct pointer\n"
    assert dict(read_nccl_info(old + middle + last).transports) == {
        "NET/Socket": 1,
        "NET/IB": 1,
        "P2P/direct pointer": 1,
    }


HEADER = "#       size   count  type  redop  root   time  algbw  busbw #wrong   time  algbw  busbw #wrong\n"
ROW = " 8589934592 2147483648 float sum -1 20299 423.16 834.57 0 20006 429.37 846.82 0\n# Avg bus bandwidth    : 840.695\n"


def test_a_part_of_the_list_of_ranks_is_no_count():
    """After an excerpt of 72 ranks with only the last, coreweave/nccl-tests#43."""
    rank = "#  Rank {} Group  {} Pid  14840 on slurm-gb200-207-171 device  3 [0x01] NVIDIA Graphics Device\n"
    assert read_nccl_tests(rank.format(71, 0) + HEADER + ROW).ranks is None
    assert read_nccl_tests("".join(rank.format(one, 0) for one in range(72)) + HEADER + ROW).ranks == 72
    # Split by NCCL_TESTS_SPLIT=MOD4, each group of 18 ranks is a communicator.
    split = "".join(rank.format(one, one % 4) for one in range(72))
    assert read_nccl_tests(split + HEADER + ROW).ranks == 18
    report = {
        "results": [{"size": 8, "out_of_place": {"time": 5.0, "alg_bw": 1.0, "bus_bw": 1.0, "nwrong": 0}}],
        "devices": [{"rank": one, "group": one % 4} for one in range(8)],
    }
    assert read_nccl_tests(json.dumps(report)).ranks == 2


def test_channels_of_an_early_version():
    """NCCL 2.4 does not print how many there are; after NVIDIA/nccl#229."""
    ring = "ip-192-168-16-255:35480:35545 [0] NCCL INFO Channel {} :    0   1   3   2   6   4   5   7\n"
    assert read_nccl_info(ring.format("00") + ring.format("01")).channels == 2
