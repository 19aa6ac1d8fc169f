"""Rows of `make bench` for links, hierarchy and the parser of human units."""

import numpy as np

from chip2cluster import hierarchy, links, units
from tests.bench.rows import call_row


def rows():
    """Return the rows of this module."""
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
        call_row("pcie, scalar (builds a Link)", lambda: links.pcie(5, 16), budget=10e-6),
        call_row("infiniband, scalar (builds a Link)", lambda: links.infiniband("NDR"), budget=10e-6),
        call_row("transfer_time, scalar", lambda: links.transfer_time(1e9, beta, alpha), budget=10e-6),
        call_row(
            "transfer_time, 1e6",
            lambda: links.transfer_time(sizes, beta, alpha),
            lambda: alpha + sizes / beta,
            max_ratio=2,
        ),
        call_row("effective_bandwidth, scalar", lambda: links.effective_bandwidth(1e9, beta, alpha), budget=10e-6),
        call_row(
            "effective_bandwidth, 1e6",
            lambda: links.effective_bandwidth(sizes, beta, alpha),
            lambda: sizes / (alpha + sizes / beta),
            max_ratio=2,
        ),
        call_row(
            "payload_efficiency, 1e6",
            lambda: links.payload_efficiency("roce_v2", sizes),
            lambda: sizes / (sizes + 82),
            max_ratio=2,
        ),
        call_row("loggp_time, scalar", lambda: links.loggp_time(64.0, beta, alpha, 1e-7), budget=10e-6),
        call_row(
            "message_interval, 1e6",
            lambda: links.message_interval(sizes, beta, gap=1e-7),
            lambda: np.maximum(sizes / beta, 1e-7),
            max_ratio=2,
        ),
        call_row(
            "messages_in_flight, scalar", lambda: links.messages_in_flight(64.0, beta, alpha, gap=1e-7), budget=10e-6
        ),
        call_row(
            "messages_in_flight, 1e6",
            lambda: links.messages_in_flight(sizes, beta, alpha, gap=1e-7),
            lambda: np.ceil((sizes / beta + 2 * alpha) / np.maximum(sizes / beta, 1e-7)).astype(int),
            max_ratio=2,
        ),
        call_row(
            "stream_time, scalar", lambda: links.stream_time(100, 64.0, beta, alpha, gap=1e-7, window=4), budget=10e-6
        ),
        call_row("pause_threshold, scalar", lambda: links.pause_threshold(1.5e6, 8, 50e9, 2e-6), budget=10e-6),
        call_row(
            "queue_run (640 steps; its explorer runs four a frame)",
            lambda: links.queue_run("pause", 8, 50e9, 2e-6, 1.5e6, 1e6, 80e-6),
        ),
        call_row(
            "hierarchy.time_to_move, scalar (nine tiers)", lambda: hierarchy.time_to_move("DGX H100", 1e9), budget=10e-6
        ),
        call_row(
            "hierarchy.time_to_move, 1e6 (nine tiers)",
            lambda: hierarchy.time_to_move("DGX H100", sizes),
            bare_moves,
            max_ratio=2,
        ),
        call_row("hierarchy.tier_for, scalar", lambda: hierarchy.tier_for("DGX H100", 16e9), budget=10e-6),
        call_row(
            "hierarchy.tier_for, 1e6 (ours also returns the tiers)",
            lambda: hierarchy.tier_for("DGX H100", sizes),
            lambda: np.searchsorted(room, sizes),
            max_ratio=2,
        ),
        call_row("units.parse, scalar", lambda: units.parse("400 Gb/s", "B/s"), budget=10e-6),
    ]
