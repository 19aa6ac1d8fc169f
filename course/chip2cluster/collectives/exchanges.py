"""Schedules in which every rank exchanges data with another partner in each step."""

from __future__ import annotations

import numpy as np

from .schedule_steps import Move, Phase, Plan, blocks, same_slot


def recursive_doubling_all_reduce(ranks: int) -> Plan:
    """All-reduce by recursive doubling: partners at distance 1, 2, 4 ... swap whole vectors and both reduce."""
    rank = np.arange(ranks)
    steps = (ranks - 1).bit_length()
    return 1, [Phase("exchange", steps, lambda step: same_slot(rank, rank ^ (1 << step), 0, combine=True))]


def recursive_halving(ranks: int) -> Plan:
    """Reduce-scatter by recursive halving: send the half that the partner keeps, then half of the rest."""
    rank = np.arange(ranks)

    def moves(step: int) -> tuple[Move, ...]:
        half = ranks >> (step + 1)
        partner = rank ^ half
        return blocks(rank, partner, partner // half * half, half, combine=True)

    return ranks, [Phase("reduce-scatter", (ranks - 1).bit_length(), moves)]


def recursive_doubling_all_gather(ranks: int) -> Plan:
    """All-gather by recursive doubling: partners swap all their blocks, twice as many in each step."""
    rank = np.arange(ranks)

    def moves(step: int) -> tuple[Move, ...]:
        held = 1 << step
        return blocks(rank, rank ^ held, rank // held * held, held)

    return ranks, [Phase("all-gather", (ranks - 1).bit_length(), moves)]


def halving_doubling_all_reduce(ranks: int) -> Plan:
    """All-reduce by recursive halving (reduce-scatter), then recursive doubling (all-gather), as Rabenseifner."""
    return ranks, recursive_halving(ranks)[1] + recursive_doubling_all_gather(ranks)[1]


def bruck_all_gather(ranks: int) -> Plan:
    """All-gather for any number of ranks: each sends all its blocks to the rank 1, 2, 4 ... before it (Bruck)."""
    rank = np.arange(ranks)

    def moves(step: int) -> tuple[Move, ...]:
        held = 1 << step
        offset = np.arange(min(held, ranks - held))
        slots = (rank[:, None] + offset) % ranks
        count = len(offset)
        return same_slot(np.repeat(rank, count), np.repeat((rank - held) % ranks, count), slots.ravel())

    return ranks, [Phase("all-gather", (ranks - 1).bit_length(), moves)]


def pairwise_reduce_scatter(ranks: int) -> Plan:
    """Reduce-scatter: in step s each rank sends one part to its owner, s + 1 ranks further on."""
    rank = np.arange(ranks)

    def moves(step: int) -> tuple[Move, ...]:
        owner = (rank + step + 1) % ranks
        return same_slot(rank, owner, owner, combine=True)

    return ranks, [Phase("reduce-scatter", ranks - 1, moves)]


def pairwise_all_to_all(ranks: int) -> Plan:
    """All-to-all: in step s each rank sends the block for the rank s + 1 further on.

    Slots 0 to n - 1 are the send buffer, slots n to 2n - 1 the receive buffer.
    """
    rank = np.arange(ranks)

    def moves(step: int) -> tuple[Move, ...]:
        other = (rank + step + 1) % ranks
        return (Move(rank, other, other, ranks + rank),)

    return 2 * ranks, [Phase("all-to-all", ranks - 1, moves)]


def bruck_all_to_all(ranks: int) -> Plan:
    """All-to-all by hops of 1, 2, 4 ... ranks (Bruck): few messages, but each block is sent several times.

    Slot d of rank i holds a block whose total distance is d; it travels one hop for each
    1 bit of d.
    """
    rank = np.arange(ranks)

    def moves(step: int) -> tuple[Move, ...]:
        hop = 1 << step
        distance = np.arange(ranks)
        travelling = distance[(distance & hop) > 0]
        count = len(travelling)
        return same_slot(np.repeat(rank, count), np.repeat((rank + hop) % ranks, count), np.tile(travelling, ranks))

    return ranks, [Phase("all-to-all", (ranks - 1).bit_length(), moves)]


def direct_gather(ranks: int) -> Plan:
    """Gather: the root receives one block after the other."""
    return ranks, [Phase("gather", ranks - 1, lambda step: same_slot(np.array([step + 1]), 0, step + 1))]


def direct_scatter(ranks: int) -> Plan:
    """Scatter: the root sends one block after the other."""
    return ranks, [Phase("scatter", ranks - 1, lambda step: same_slot(np.array([0]), step + 1, step + 1))]


def shift(ranks: int) -> Plan:
    """Send and receive: every rank sends slot 0 to the next rank's slot 1, all at once."""
    rank = np.arange(ranks)
    return 2, [
        Phase(
            "send and receive",
            min(ranks - 1, 1),
            lambda step: (Move(rank, (rank + 1) % ranks, np.zeros_like(rank), np.ones_like(rank)),),
        )
    ]
