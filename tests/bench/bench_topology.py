"""Timings of `chip2cluster.topology` and of the same arithmetic in bare NumPy."""

import networkx as nx
import numpy as np

from chip2cluster import topology
from tests.bench.rows import call_row

POINTS = 10**6


def rows():
    """Return the rows of this module."""
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
        call_row(
            "crossing_time, scalar",
            lambda: topology.crossing_time(1e9, 64, 2e11),
            lambda: bare(1e9, 64, 2e11),
            budget=10e-6,
        ),
        call_row(
            "crossing_time, 10^6 sizes",
            lambda: topology.crossing_time(sizes, 64, 2e11),
            lambda: bare(sizes, 64, 2e11),
            max_ratio=2,
        ),
        call_row(
            "crossing_time, 10^6 sizes, ranks and bandwidths",
            lambda: topology.crossing_time(sizes, counts, bandwidths),
            lambda: bare(sizes, counts, bandwidths),
            max_ratio=2,
        ),
        call_row(
            "all_to_all_time, scalar (bisection cached)",
            lambda: topology.all_to_all_time(pod, 1e9),
            lambda: bare(1e9, hosts, width),
            budget=10e-6,
        ),
        call_row(
            "all_to_all_time, 10^6 sizes (bisection cached)",
            lambda: topology.all_to_all_time(pod, sizes),
            lambda: bare(sizes, hosts, width),
            max_ratio=2,
        ),
        call_row("bisection, scalar (cached)", lambda: topology.bisection(pod), budget=10e-6),
        call_row("hash_time, scalar", lambda: topology.hash_time(1e9, 8, 8, 50e9), budget=10e-6),
        call_row(
            "hash_time, 10^6 sizes",
            lambda: topology.hash_time(sizes, 8, 8, 50e9),
            lambda: 2.6 * sizes / 50e9,
            max_ratio=2,
        ),
        call_row("incast_time, scalar", lambda: topology.incast_time(1e7, 8, 50e9), budget=10e-6),
    ]
    makers = {
        "torus 16x16x16x16": lambda: topology.torus((16, 16, 16, 16)),
        "mesh 255x257": lambda: topology.mesh((255, 257)),
        "hypercube 16": lambda: topology.hypercube(16),
        "HyperX 256x256, one host per router": lambda: topology.hyperx((256, 256), hosts_per_router=1),
        "fat-tree 64": lambda: topology.fat_tree(64),
        "leaf-spine 1024x64": lambda: topology.leaf_spine(1024, 64, 64, oversubscription=3),
        "dragonfly a=33 h=16 g=128 p=16": lambda: topology.dragonfly(33, 16, 128, 16),
    }
    for name, make in makers.items():
        cases.append(call_row(f"build and bisect {name}", lambda make=make: topology.bisection(make()), budget=10e-3))
    graphs = {
        "3 links each, 64 nodes": nx.random_regular_graph(3, 64, seed=1),
        "12 links each, 24 nodes": nx.random_regular_graph(12, 24, seed=1),
        "4 links each, 64 nodes": nx.random_regular_graph(4, 64, seed=1),
    }
    for name, graph in graphs.items():
        search = lambda graph=graph: topology.bisection(topology.from_graph(graph))
        cases.append(call_row(f"search, {name}", search, budget=1))
    return cases
