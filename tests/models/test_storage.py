"""Striping byte by byte, against the Lustre client, with every byte placed once."""

import json
from math import ceil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import storage
from chip2cluster.storage import Component, ProgressiveLayout, StripeLayout
from tests.tables import every_row

CASES = json.loads((Path(__file__).parent / "data/striping.json").read_text(encoding="utf-8"))["cases"]
MIB = 2**20


def each(system):
    return pytest.mark.parametrize("case", [case for case in CASES if case["system"] == system], ids=lambda c: c["id"])


@each("lustre_raid0")
def test_locate_matches_lustre_client(case):
    given = dict(case["inputs"])
    size = given.pop("file_size")
    layout = StripeLayout(**given)
    assert layout.osts.tolist() == case["osts"]
    found = layout.bytes_per_object(size)
    assert found.tolist() == case["bytes_per_object"] and np.count_nonzero(found) == case["objects_with_data"]
    for place in case["offsets"]:
        assert layout.locate(place["offset"]) == (place["stripe"], place["ost"], place["object_offset"])


@each("lustre_raid0_request")
def test_requests_touch_expected_stripes(case):
    given = case["inputs"]
    layout = StripeLayout(given["stripe_size"], given["stripe_count"])
    pieces = layout.extents(given["offset"], given["length"])
    assert len(pieces) == case["rpc_extents"]
    assert np.unique(pieces.stripe).tolist() == case["stripes_touched"]
    by_stripe = {str(stripe): int(pieces.length[pieces.stripe == stripe].sum()) for stripe in np.unique(pieces.stripe)}
    assert by_stripe == case["bytes_per_stripe"]
    counted = layout.bytes_per_object(given["offset"] + given["length"], given["offset"])
    assert {str(stripe): size for stripe, size in enumerate(counted.tolist()) if size} == by_stripe


@each("lustre_pfl")
def test_progressive_layouts_grow_with_the_file(case):
    given = case["inputs"]
    parts = [Component(part["end"], part["stripe_count"], given["stripe_size"]) for part in given["components"]]
    layout = ProgressiveLayout(parts, given["ost_count"])
    names = ("extent_start", "extent_end", "stripe_count", "instantiated", "bytes")
    used = layout.use(given["file_size"])
    assert [dict(zip(names, part, strict=True)) for part in used] == case["components"]
    assert layout.objects(given["file_size"]) == case["objects"]
    assert [part.sum() for part in layout.bytes_per_object(given["file_size"])] == [part.bytes for part in used]


@each("hdfs")
def test_hdfs(case):
    given, found = case["inputs"], storage.hdfs_blocks(**case["inputs"])
    assert found.blocks == case["blocks"] and found.last_block_bytes == case["last_block_bytes"]
    assert found.stored_bytes == case["stored_bytes"] and found.namenode_objects == case["namenode_objects"]
    assert found.namenode_bytes == case["namenode_bytes_rule_of_thumb"]
    assert (found.blocks - 1) * given["block_size"] + found.last_block_bytes == given["file_size"]


@each("gfs")
def test_gfs(case):
    found = storage.gfs_chunks(case["inputs"]["file_size"])
    assert found == (case["chunks"], case["checksum_blocks"], case["checksum_bytes"], case["raw_bytes_3_replicas"])


@each("beegfs_raid0")
def test_beegfs(case):
    given = case["inputs"]
    layout = storage.beegfs_layout(given["chunk_size"], given["targets"])
    assert layout.bytes_per_object(given["file_size"]).tolist() == case["bytes_per_target"]
    for place in case["offsets"]:
        found = layout.locate(place["offset"])
        assert (found.stripe, found.object_offset) == (place["target_index"], place["chunk_file_offset"])


def test_hdfs_dead_after_default_is_630_seconds():
    assert storage.hdfs_dead_after() == 630.0
    assert storage.hdfs_blocks(0) == (0, 0, 0, 1, 150)


# --- properties -----------------------------------------------------------------------------
layouts = st.builds(StripeLayout, st.integers(1, 9), st.integers(1, 7), st.integers(0, 7), st.just(8))


@given(layouts, st.integers(0, 200))
def test_byte_by_byte(layout, size):
    """Assign bytes one by one to objects in round-robin order."""
    objects = [0] * layout.stripe_count
    for byte in range(size):
        stripe = (byte // layout.stripe_size) % layout.stripe_count
        assert layout.locate(byte) == (stripe, (layout.first_ost + stripe) % 8, objects[stripe])
        objects[stripe] += 1
    assert layout.bytes_per_object(size).tolist() == objects
    places = layout.locate(np.arange(size))
    assert len(set(zip(places.stripe.tolist(), places.object_offset.tolist(), strict=True))) == size


@given(layouts, st.integers(0, 300), st.integers(0, 300))
def test_extents_conserve_bytes(layout, offset, length):
    pieces = layout.extents(offset, length)
    assert pieces.length.sum() == length and (pieces.length > 0).all()
    end = offset
    for start, size, stripe, ost, object_offset in pieces:
        assert start == end and size <= layout.stripe_size
        assert layout.locate(start) == (stripe, ost, object_offset)
        assert layout.locate(start + size - 1).object_offset == object_offset + size - 1
        end = start + size
    by_object = np.bincount(pieces.stripe, pieces.length, layout.stripe_count)
    assert by_object.tolist() == layout.bytes_per_object(offset + length, offset).tolist()
    assert np.ptp(layout.bytes_per_object(offset + length)) <= layout.stripe_size


@given(st.lists(st.integers(1, 60), min_size=1, max_size=4), st.integers(1, 9), st.integers(0, 300), st.booleans())
def test_components_share_out_every_byte_once(widths, stripe_size, size, endless):
    ends = np.cumsum(widths).tolist()
    parts = [Component(end, 1 + number, stripe_size) for number, end in enumerate(ends)]
    if endless:
        parts[-1] = Component(None, -1, stripe_size)
    size = size if endless else min(size, ends[-1])
    layout = ProgressiveLayout(parts, 4)
    held = [part.tolist() for part in layout.bytes_per_object(size)]
    counted = [[0] * len(part) for part in held]
    for byte in range(size):
        number, place = layout.locate(byte)
        counted[number][place.stripe] += 1
        assert place == StripeLayout(stripe_size, len(held[number]), 0, 4).locate(byte)
    assert held == counted and sum(map(sum, held)) == size == sum(part.bytes for part in layout.use(size))
    assert layout.objects(size) >= sum(1 for part in held for one in part if one)
    grown = layout.objects(size + 1) if endless or size < ends[-1] else layout.objects(size)
    assert grown >= layout.objects(size)


@given(layouts, st.integers(2**53, 2**63 - 1), st.integers(0, 200))
def test_extents_are_exact_at_large_offsets(layout, offset, length):
    """Beyond 9 PB a float does not represent single bytes; Python integers do."""
    length = min(length, 2**63 - 1 - offset)
    turn = layout.stripe_size * layout.stripe_count
    stripe, within = (
        offset % turn // layout.stripe_size,
        offset // turn * layout.stripe_size + offset % layout.stripe_size,
    )
    assert layout.locate(offset) == (stripe, (layout.first_ost + stripe) % 8, within)
    assert int(layout.locate(np.array([offset])).object_offset[0]) == within
    assert sum(layout.bytes_per_object(offset + length, offset).tolist()) == length
    assert sum(layout.bytes_per_object(offset).tolist()) == offset
    assert storage.hdfs_blocks(offset, 1, 1).blocks == offset


def test_read_setstripe_parses_options():
    wanted = ProgressiveLayout([Component(4 * MIB, 1), Component(256 * MIB, 4), Component(None, -1)], 8)
    for text in ("-E4M -c1 -E256M -c4 -E-1 -c-1", "lfs setstripe -E 4M -c 1 -E 256M -c 4 -E EOF -c -1"):
        assert storage.read_setstripe(text, 8) == wanted
    part = storage.read_setstripe("-E 1G -S 16M -c 2 -i 3", 8).components[0]
    assert part == Component(2**30, 2, 16 * MIB, 3)


def test_component_inherits_omitted_options():
    """Lustre's client passes stripe count and size to the next component, but not the first target (lfs.c)."""
    parts = storage.read_setstripe("-E 4M -c 2 -S 4M -i 3 -E 1G -i -1 -E EOF -c 4", 8).components
    assert parts == (Component(4 * MIB, 2, 4 * MIB, 3), Component(2**30, 2, 4 * MIB), Component(None, 4, 4 * MIB))


@given(st.integers(0, 10**12), st.integers(1, 10**9), st.integers(1, 4))
def test_blocks_hold_the_file_and_no_more(size, block, copies):
    hdfs, gfs = storage.hdfs_blocks(size, block, copies), storage.gfs_chunks(size, block, copies)
    assert hdfs.stored_bytes == gfs.stored_bytes == size * copies
    assert hdfs.blocks == gfs.chunks == (size + block - 1) // block
    assert 0 <= hdfs.last_block_bytes <= block and (hdfs.blocks == 0 or hdfs.last_block_bytes > 0)
    assert gfs.checksum_blocks == ceil(size / 65536)


def test_striped_time_is_limited_by_bottleneck():
    layout = StripeLayout(MIB, 4)
    assert storage.striped_time(layout, 8 * MIB, MIB, 1e18) == 2.0
    assert storage.striped_time(layout, 8 * MIB, 1e18, 2 * MIB) == 4.0
    assert storage.striped_time(layout, MIB, MIB, 1e18, offset=MIB // 2) == 0.5
    assert storage.striped_time(layout, 0, MIB, MIB) == 0.0


# --- bad input --------------------------------------------------------------------------
@every_row("change, says", [
    ({"stripe_size": 0}, "stripe_size must be at least 1"),
    ({"stripe_size": 1.5}, "stripe_size must be a whole number"),
    ({"stripe_count": 0}, "stripe_count must be at least 1"),
    ({"stripe_count": -2}, "stripe_count must be at least 1"),
    ({"stripe_count": 9}, "stripe_count must be at most the 8 targets, got 9"),
    ({"stripe_count": -1, "ost_count": None}, "stripe_count -1 is all targets"),
    ({"first_ost": 8}, "first_ost must be 0 to 7, got 8"),
    ({"first_ost": -1}, "first_ost must be at least 0"),
    ({"ost_count": 0}, "ost_count must be at least 1"),
])  # fmt: skip
def test_bad_layouts_are_named(change, says):
    with pytest.raises(ValueError, match=f"^{says}"):
        StripeLayout(**({"stripe_size": MIB, "stripe_count": 4, "first_ost": 0, "ost_count": 8} | change))


LAYOUT = StripeLayout(MIB, 4)
GROWING = ProgressiveLayout([Component(MIB, 1), Component(4 * MIB, 2)], 4)


@every_row("call, says", [
    (lambda: StripeLayout(2**62, 4), "stripe_size times 4 stripes must be below 2\\*\\*63"),
    (lambda: LAYOUT.locate(2**63), "offset must be below 2\\*\\*63 bytes"),
    (lambda: LAYOUT.locate([2.0**63]), "offset must be below 2\\*\\*63 bytes"),
    (lambda: LAYOUT.bytes_per_object(2**70), "file_size must be below 2\\*\\*63 bytes"),
    (lambda: LAYOUT.extents(2**63 - 1, 1), "offset and length together must be below"),
    (lambda: LAYOUT.locate(-1), "offset must be at least 0"),
    (lambda: LAYOUT.bytes_per_object(-1), "file_size must be at least 0"),
    (lambda: LAYOUT.bytes_per_object(10, 11), "start must be at most file_size 10, got 11"),
    (lambda: LAYOUT.extents(0, -1), "length must be at least 0"),
    (lambda: LAYOUT.extents(-1, 1), "offset must be at least 0"),
    (lambda: StripeLayout(1, 1).extents(0, 10**9), "length must make at most 100,000,000 extents"),
    (lambda: storage.beegfs_layout(0, 4), "chunk_size must be at least 1"),
    (lambda: storage.beegfs_layout(1, 0), "targets must be at least 1"),
    (lambda: ProgressiveLayout([], 4), "components must hold at least one"),
    (lambda: ProgressiveLayout([Component(5, 1), Component(5, 1)], 4), "the ends of components must increase"),
    (lambda: ProgressiveLayout([Component(None, 1), Component(5, 1)], 4), "the ends of components must increase"),
    (lambda: ProgressiveLayout([Component(5, 5)], 4), "stripe_count must be at most the 4 targets"),
    (lambda: ProgressiveLayout([Component(0, 1)], 4), "end must be at least 1"),
    (lambda: ProgressiveLayout([Component(5, 1)], 0), "ost_count must be at least 1"),
    (lambda: GROWING.use(5 * MIB), f"file_size must be at most {4 * MIB}, where the last component ends"),
    (lambda: GROWING.objects(-1), "file_size must be at least 0"),
    (lambda: GROWING.bytes_per_object(1.5), "file_size must be a whole number"),
    (lambda: GROWING.locate(4 * MIB), f"offset must be below {4 * MIB}, where the last component ends"),
    (lambda: storage.read_setstripe("-E 4M -c 4k", 8), "text must be options"),
    (lambda: storage.read_setstripe("-E 4M -S -1", 8), "text must be options"),
    (lambda: storage.read_setstripe("-c 4 -E 4M", 8), "text must be options"),
    (lambda: storage.read_setstripe("-E 4M -c 1 -p flash", 8), "text must be options.*flash"),
    (lambda: storage.read_setstripe("", 8), "text must be options"),
    (lambda: storage.hdfs_blocks(-1), "file_size must be at least 0"),
    (lambda: storage.hdfs_blocks(1, 0), "block_size must be at least 1"),
    (lambda: storage.hdfs_blocks(1, replication=0), "replication must be at least 1"),
    (lambda: storage.gfs_chunks(-1), "file_size must be at least 0"),
    (lambda: storage.gfs_chunks(1, 0), "chunk_size must be at least 1"),
    (lambda: storage.gfs_chunks(1, replication=0), "replication must be at least 1"),
    (lambda: storage.hdfs_dead_after(0), "heartbeat_seconds must be greater than zero"),
    (lambda: storage.hdfs_dead_after(3, -1), "recheck_seconds must be greater than zero"),
    (lambda: storage.striped_time(LAYOUT, -1, 1, 1), "length must be at least 0"),
    (lambda: storage.striped_time(LAYOUT, 1, 0, 1), "target_bandwidth must be greater than zero"),
    (lambda: storage.striped_time(LAYOUT, 1, 1, 0), "client_bandwidth_one_way must be greater than zero"),
    (lambda: storage.striped_time(LAYOUT, 1, 1, 1, offset=-1), "offset must be at least 0"),
])  # fmt: skip
def test_bad_arguments_are_named(call, says):
    with pytest.raises(ValueError, match=f"^{says}"):
        call()


@every_row("call", [
    lambda: StripeLayout([1, 2], 1),
    lambda: StripeLayout(True, 1),
    lambda: StripeLayout(1, 1).extents([0, 1], 1),
    lambda: ProgressiveLayout([(5, 1)], 4),
    lambda: storage.read_setstripe(None, 8),
    lambda: storage.striped_time("layout", 1, 1, 1),
])  # fmt: skip
def test_striped_time_refuses_bad_arguments(call):
    with pytest.raises(TypeError):
        call()


@given(st.integers(1, 5000), st.integers(0, 5000), st.integers(0, 3))
def test_bytes_per_target_matches_locate(size, start, first):
    parts = [Component(700, 1, 100, first), Component(2000, 2, 50), Component(None, 4, 300, 1)]
    begin = min(start, size)
    for layout in (ProgressiveLayout(parts, 4), StripeLayout(100, 3, first, 4)):
        byte = range(begin, size)
        if isinstance(layout, StripeLayout):
            on = [layout.locate(offset).ost for offset in byte]
        else:
            on = [layout.locate(offset)[1].ost for offset in byte]
        assert layout.bytes_per_target(size, begin).tolist() == np.bincount(on, minlength=4).tolist()


def test_progressive_file_is_limited_by_fullest_target():
    layout = ProgressiveLayout([Component(4 * MIB, 1), Component(256 * MIB, 4), Component(None, -1)], 8)
    fullest = 6 * MIB  # of the first 9: four on target 0, then one each on 1, 2, 3, 0, and the last on 0 again
    held = layout.bytes_per_target(9 * MIB)
    assert held.sum() == 9 * MIB and held.max() == fullest
    assert storage.striped_time(layout, 9 * MIB, 2e9, 1e12) == fullest / 2e9
    assert storage.striped_time(layout, MIB, 2e9, 1e12, offset=8 * MIB) == MIB / 2e9
    with pytest.raises(ValueError, match="start must be at most file_size 5, got 6"):
        layout.bytes_per_target(5, 6)
