"""`chip2cluster read` on excerpts of prints that people have pasted in public; each names its place."""

import pytest

from chip2cluster import shell


@pytest.fixture
def read(tmp_path):
    def read_text(text, *options):
        path = tmp_path / "capture.txt"
        path.write_text(text)
        return shell.ask(f"read '{path}' {' '.join(options)}")

    return read_text


def test_steps_that_several_ranks_log_count_once(read):
    """After pytorch/torchtitan#2389, where eight ranks write into one file."""
    line = "[titan] 2026-02-24 19:46:17,508 - root - INFO - step:  {}  loss:  7.62585  memory: 66.91GiB(37.51%)  tps: {}  mfu: 13.99%\n"
    answer = read("".join(line.format(step, tps) for step in (4, 5) for tps in ("10,050", "10,049", "10,048")))
    assert answer["steps"] == 2 and answer["tokens_per_second"] == 10049.0
    assert any("6 lines are about 2 steps" in remark for remark in answer.remarks)


def test_sinfo_counts_nodes_and_says_reasons(read):
    """After geodesymiami/rsmas_insar#581 and clusterinthecloud/terraform#11."""
    answer = read("PARTITION AVAIL NODES(A/I/O/T)\nskx-dev* up 69/3/0/72\nskx up 981/178/1/1160\n")
    assert (answer["nodes_idle_0"], answer["nodes_other_1"], answer["nodes_all_1"]) == (3, 1, 1160)
    answer = read(
        "REASON                                  NODELIST            \nLow RealMemory      compute[001-003]    \n"
    )
    assert "compute[001-003]: Low RealMemory." in answer.remarks


OLD_DETAILS = """\
==============NVSMI LOG==============

Driver Version                      : 375.66
GPU 0000:01:00.0
    FB Memory Usage
        Total                       : 1995 MiB
        Used                        : 1934 MiB
    Ecc Mode
        Current                     : Enabled
    ECC Errors
        Volatile
            Single Bit
                Total               : 3
            Double Bit
                Total               : 1
    Power Readings
        Power Draw                  : 21.05 W
        Power Limit                 : 38.50 W
"""


def test_details_of_an_old_driver_have_power_and_errors(read):
    """After paradoxxxzero/gnome-shell-system-monitor-applet#356; the errors in the form of nvidia-smi before 450."""
    answer = read(OLD_DETAILS)
    assert (answer["power_0"], answer["power_limit_0"], answer["memory_0"]) == (21.05, 38.5, 1995 * 2.0**20)
    assert len(answer.problems) == 1 and "1 uncorrectable" in answer.problems[0]


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("INFO 01-30 03:19:14 kv_cache_utils.py:395] # GPU blocks: 1381\n", "vLLM or SGLang server"),
        ("  write: io=1040.3MB, bw=106500KB/s, iops=26625, runt= 10002msec\n", "fio"),
        ("Infiniband device 'rxe0' port 1 status:\n\trate:\t 2.5 Gb/sec (1X SDR)\n", "ibstat"),
    ],
)
def test_forms_of_other_versions_are_recognized(read, text, tool):
    answer = read(text)
    assert answer.question.endswith(f"({tool})") and answer.numbers


def test_dmon_with_the_date_is_recognized(read):
    """The form of `nvidia-smi dmon -o DT`."""
    answer = read(
        "#Date       Time        gpu    pwr     sm   pclk\n#YYYYMMDD   HH:MM:SS    Idx      W      %    MHz\n"
        " 20240321   10:00:00      0    119      0   1980\n 20240321   10:00:01      0    690     99   1755\n"
    )
    assert answer.question.endswith("(nvidia-smi dmon)")
    assert (answer["samples"], answer["pwr"], answer["pclk"]) == (2, 404.5, 1867.5e6)
    with pytest.raises(shell.UsageError, match="no known tool prints this"):  # pmon
        read(
            "# gpu         pid   type     sm    mem\n# Idx           #    C/G      %      %\n    0      12345     C     45    20\n"
        )


def test_colored_tables_are_recognized(read):
    lines = (
        "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST",
        "compute*     up   infinite      3  drain compute[001-003]",
    )
    answer = read("".join(f"\x1b[32m{line}\x1b[0m\n" for line in lines))
    assert answer.question.endswith("(sinfo)") and answer["state_drain"] == 1


def test_a_mark_at_the_start_of_a_file_is_no_content(read):
    trace = '{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "a", "ts": 10, "dur": 5, "args": {"device": 0, "stream": 7}}]}'
    assert read("\ufeff" + trace)["busy_seconds"] == read(trace)["busy_seconds"]
