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
