"""``allreduce``: the same times as the table of the algorithms, and only links that are used."""

import pytest

from chip2cluster import collectives, shell

ROWS = {
    "leader": "leader_seconds", "sharded": "sharded_seconds",
    "flat ring, one NIC per node": "one_adapter_seconds", "flat ring, all NICs": "flat_seconds",
}  # fmt: skip


@pytest.mark.parametrize(("size", "nodes"), [(2e9, 32), (1e6, 2)])
def test_allreduce_has_the_times_of_the_table(size, nodes):
    answer = shell.ask(f'allreduce --chip "H100 SXM" --bytes {size} --nodes {nodes} --nic "400 Gb/s"')
    table = collectives.hierarchy_table(size, 8, nodes, 450e9, 50e9)["total (ms)"]
    assert {key: answer[name] for key, name in ROWS.items()} == pytest.approx((table / 1e3).to_dict())


def test_one_node_has_no_rows_about_nics(tmp_path):
    file = tmp_path / "curve.svg"
    answer = shell.ask(f'allreduce --chip "H100 SXM" --bytes 4GiB --nodes 1 --plot {file}')
    # nccl-tests on 8 H100: 15.87 ms for 4 GiB, 473.6 GB/s of bus bandwidth (NVIDIA/nccl-tests, 290).
    measured = next(one for one in answer.numbers if one.name == "in_switch_seconds")
    assert measured.low < 15.87e-3 < answer["sharded_seconds"] == pytest.approx(2 * 7 / 8 * 2**32 / 450e9)
    assert measured.value == pytest.approx(15.87e-3, rel=0.05)
    assert not any("NIC" in one.says for one in answer.numbers) and "NIC" not in file.read_text()
