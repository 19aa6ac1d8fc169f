"""Rows of `make bench` for links, hierarchy and the parser of human units."""

import numpy as np

from chip2cluster import hierarchy, links, units


def rows():
    """Return (name, our call, the same arithmetic in bare NumPy or None, note)."""
    sizes = np.random.default_rng(1).uniform(1.0, 1e9, 10**6)
    beta, alpha = 50e9, 5e-6
    tiers = [tier for tier in hierarchy.system("DGX H100").tiers if tier.bandwidth_one_way]
    room = np.array([tier.capacity_bytes for tier in hierarchy.system("DGX H100").tiers])

    def bare_moves():
        moves = []
        for tier in tiers:
            ways = [way.latency_seconds + sizes / way.bandwidth_one_way for way in tier.protocols]
            moves.append(
                np.minimum.reduce(ways) if ways else (tier.latency_seconds or 0.0) + sizes / tier.bandwidth_one_way
            )
        return moves

    return [
        ("links.pcie, scalar", lambda: links.pcie(5, 16), None, "builds a Link"),
        ("links.infiniband, scalar", lambda: links.infiniband("NDR"), None, "builds a Link"),
        ("links.transfer_time, scalar", lambda: links.transfer_time(1e9, beta, alpha), None, ""),
        ("links.transfer_time, 1e6", lambda: links.transfer_time(sizes, beta, alpha), lambda: alpha + sizes / beta, ""),
        ("links.effective_bandwidth, scalar", lambda: links.effective_bandwidth(1e9, beta, alpha), None, ""),
        (
            "links.effective_bandwidth, 1e6",
            lambda: links.effective_bandwidth(sizes, beta, alpha),
            lambda: sizes / (alpha + sizes / beta),
            "",
        ),
        (
            "links.payload_efficiency, 1e6",
            lambda: links.payload_efficiency("roce_v2", sizes),
            lambda: sizes / (sizes + 82),
            "",
        ),
        ("links.loggp_time, scalar", lambda: links.loggp_time(64.0, beta, alpha, 1e-7), None, ""),
        (
            "links.message_interval, 1e6",
            lambda: links.message_interval(sizes, beta, gap=1e-7),
            lambda: np.maximum(sizes / beta, 1e-7),
            "",
        ),
        ("links.messages_in_flight, scalar", lambda: links.messages_in_flight(64.0, beta, alpha, gap=1e-7), None, ""),
        (
            "links.messages_in_flight, 1e6",
            lambda: links.messages_in_flight(sizes, beta, alpha, gap=1e-7),
            lambda: np.ceil((sizes / beta + 2 * alpha) / np.maximum(sizes / beta, 1e-7)).astype(int),
            "",
        ),
        ("links.stream_time, scalar", lambda: links.stream_time(100, 64.0, beta, alpha, gap=1e-7, window=4), None, ""),
        ("links.pause_threshold, scalar", lambda: links.pause_threshold(1.5e6, 8, 50e9, 2e-6), None, ""),
        (
            "links.queue_run, scalar",
            lambda: links.queue_run("pause", 8, 50e9, 2e-6, 1.5e6, 1e6, 80e-6),
            None,
            "640 steps; four in a frame of its explorer",
        ),
        ("hierarchy.time_to_move, scalar", lambda: hierarchy.time_to_move("DGX H100", 1e9), None, "nine tiers"),
        ("hierarchy.time_to_move, 1e6", lambda: hierarchy.time_to_move("DGX H100", sizes), bare_moves, "nine tiers"),
        ("hierarchy.tier_for, scalar", lambda: hierarchy.tier_for("DGX H100", 16e9), None, ""),
        (
            "hierarchy.tier_for, 1e6",
            lambda: hierarchy.tier_for("DGX H100", sizes),
            lambda: np.searchsorted(room, sizes),
            "ours also returns the tiers",
        ),
        ("units.parse, scalar", lambda: units.parse("400 Gb/s", "B/s"), None, ""),
    ]
