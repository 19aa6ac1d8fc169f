"""Timings of `chip2cluster.topology` beside the same arithmetic in bare NumPy."""

import networkx as nx
import numpy as np

from chip2cluster import topology

POINTS = 10**6


def rows():
    """(name, ours, bare NumPy or None, note) for `make bench`."""
    sizes = np.linspace(1.0, 1e10, POINTS)
    counts = np.arange(1, POINTS + 1)
    bandwidths = np.linspace(1e9, 1e13, POINTS)
    pod = topology.torus((16, 16, 16), link_bandwidth_one_way=50e9)
    topology.bisection(pod)
    width = topology.bisection(pod).bandwidth_one_way
    hosts = pod.terminals

    def bare(size, n, bandwidth):
        half = n // 2
        return half * (n - half) / n * size / bandwidth

    cases = [
        ("crossing_time, scalar", lambda: topology.crossing_time(1e9, 64, 2e11), lambda: bare(1e9, 64, 2e11), ""),
        (
            "crossing_time, 10^6 sizes",
            lambda: topology.crossing_time(sizes, 64, 2e11),
            lambda: bare(sizes, 64, 2e11),
            "",
        ),
        (
            "crossing_time, 10^6 of everything",
            lambda: topology.crossing_time(sizes, counts, bandwidths),
            lambda: bare(sizes, counts, bandwidths),
            "checks every value",
        ),
        (
            "all_to_all_time, scalar",
            lambda: topology.all_to_all_time(pod, 1e9),
            lambda: bare(1e9, hosts, width),
            "bisection known",
        ),
        (
            "all_to_all_time, 10^6 sizes",
            lambda: topology.all_to_all_time(pod, sizes),
            lambda: bare(sizes, hosts, width),
            "bisection known",
        ),
        ("bisection, scalar", lambda: topology.bisection(pod), None, "known"),
        ("hash_time, scalar", lambda: topology.hash_time(1e9, 8, 8, 50e9), None, "budget 10 µs"),
        ("hash_time, 10^6 sizes", lambda: topology.hash_time(sizes, 8, 8, 50e9), lambda: 2.6 * sizes / 50e9, ""),
        ("incast_time, scalar", lambda: topology.incast_time(1e7, 8, 50e9), None, "budget 10 µs"),
    ]
    makers = {
        "torus 16x16x16x16": lambda: topology.torus((16, 16, 16, 16)),
        "mesh 255x257": lambda: topology.mesh((255, 257)),
        "hypercube 16": lambda: topology.hypercube(16),
        "HyperX 256x256, a host a router": lambda: topology.hyperx((256, 256), hosts_per_router=1),
        "fat-tree 64": lambda: topology.fat_tree(64),
        "leaf-spine 1024x64": lambda: topology.leaf_spine(1024, 64, 64, oversubscription=3),
        "dragonfly a=33 h=16 g=128 p=16": lambda: topology.dragonfly(33, 16, 128, 16),
    }
    for name, make in makers.items():
        cases.append((f"make and bisect {name}", lambda make=make: topology.bisection(make()), None, "budget 10 ms"))
    graphs = {
        "3 links each, 64 nodes": nx.random_regular_graph(3, 64, seed=1),
        "12 links each, 24 nodes": nx.random_regular_graph(12, 24, seed=1),
        "4 links each, 64 nodes": nx.random_regular_graph(4, 64, seed=1),
    }
    for name, graph in graphs.items():
        search = lambda graph=graph: topology.bisection(topology.from_graph(graph))
        cases.append((f"search, {name}", search, None, "budget 1 s" if search().exact else "budget 1 s, an interval"))
    return cases
