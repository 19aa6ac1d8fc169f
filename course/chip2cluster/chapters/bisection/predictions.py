"""Questions on bisection."""

from chip2cluster import topology
from chip2cluster.predict.question import Question

_POD = (16, 16)
_SHARE = 0.39  # communication in the packed step


def _torus_links():
    return float(topology.bisection(topology.torus(_POD)).links)


def _why_torus_links(truth):
    pod = topology.torus(_POD)
    return (
        f"One straight line between two rows meets {_POD[0]} links; but each column is a ring, so a second line is needed: "
        f"{truth:.0f} of the {pod.graph.number_of_edges()} links. Half of the chips could send over {pod.terminals // 2 * 4} "
        "links; almost all of these stay inside their half."
    )


def _pod_over_box():
    pod, box = topology.tpu_pod("v5e"), topology.nvswitch_node("DGX-2")
    return topology.bisection(pod).bandwidth_one_way / topology.bisection(box).bandwidth_one_way


def _why_pod_over_box(truth):
    return (
        "NVIDIA adds the two directions of a link, Google prints one. In one direction it is 1.6 TB/s against 1.2 TB/s. "
        f"Dividing the printed numbers gives {1.6 / 2.4:.2f} and the wrong winner."
    )


def _slowdown():
    fabric = topology.leaf_spine(leaves=4, spines=8, hosts_per_leaf=32, link_bandwidth_one_way=50e9)
    packed, scattered = (topology.place(fabric, 32, strategy, shared=True) for strategy in ("packed", "scattered"))
    return topology.all_to_all_time(scattered, 1e9) / topology.all_to_all_time(packed, 1e9)


def _scattered():
    return 100 / (1 - _SHARE + _SHARE * _slowdown())


def _why_scattered(truth):
    return (
        f"Of 31 other nodes 24 are in other racks now, and the way there has a quarter of the rate: the {100 * _SHARE:.0f} % take "
        f"4 × 24/31, so {_slowdown():.1f} times as long, and the step grows to {100 / truth:.2f} of its length. No line of code "
        "changed, and a profiler of one node shows nothing."
    )


def _hash():
    return 100 * topology.hash_share(8, 8)


def _why_hash(truth):
    return f"In nine throws of ten two or three flows share the fullest uplink, {100 / truth:.1f} on average, and the step waits for them while other uplinks are idle."


QUESTIONS = (
    Question(
        "bisection.torus_links",
        "A pod has 256 chips in 16 rows of 16. Rows and columns close to rings, so there are 512 links. You cut "
        "the pod into two halves of 128 wherever you like. How many links must you cut?",
        "links", _torus_links, _why_torus_links,
    ),
    Question(
        "bisection.pod_over_box",
        "The bisection bandwidth of a DGX-2 with 16 GPUs is 2.4 TB/s (NVIDIA), that of a TPU v5e pod with 256 "
        "chips 1.6 TB/s (Google). How many times as many bytes a second can the pod send between its halves?",
        "times", _pod_over_box, _why_pod_over_box,
    ),
    Question(
        "bisection.scattered",
        "Your job fills one rack of 32 nodes and spends 39 % of each step in an all-to-all. Now it gets eight "
        "nodes in each of four racks, oversubscribed 4:1; all nodes send. What percentage of the throughput is "
        "left?",
        "%", _scattered, _why_scattered,
    ),
    Question(
        "bisection.hash",
        "Eight hosts of a leaf switch send one large flow each over its eight uplinks, picked by a hash like a "
        "die. The last flow ends the step. What percentage of an even spread's speed is left on average?",
        "%", _hash, _why_hash,
    ),
)  # fmt: skip
