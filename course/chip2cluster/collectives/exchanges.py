"""Schedules in which every rank talks to a new partner in each step."""

from __future__ import annotations

import numpy as np

from .moves import Move, Phase, Plan, blocks, same_slot


def recursive_doubling_all_reduce(ranks: int) -> Plan:
    """Partners at distance 1, 2, 4 ... swap their whole vectors and both add up."""
    rank = np.arange(ranks)
    steps = (ranks - 1).bit_length()
    return 1, [Phase("exchange", steps, lambda step: same_slot(rank, rank ^ (1 << step), 0, combine=True))]


def recursive_halving(ranks: int) -> Plan:
    """Reduce-scatter: send the half the partner keeps, then the same with half of that."""
    rank = np.arange(ranks)

    def moves(step: int) -> tuple[Move, ...]:
        half = ranks >> (step + 1)
        partner = rank ^ half
        return blocks(rank, partner, partner // half * half, half, combine=True)

    return ranks, [Phase("reduce-scatter", (ranks - 1).bit_length(), moves)]


def recursive_doubling_all_gather(ranks: int) -> Plan:
    """All-gather: partners swap all they have, twice as much in each step."""
    rank = np.arange(ranks)

    def moves(step: int) -> tuple[Move, ...]:
        have = 1 << step
        return blocks(rank, rank ^ have, rank // have * have, have)

    return ranks, [Phase("all-gather", (ranks - 1).bit_length(), moves)]


def halving_doubling_all_reduce(ranks: int) -> Plan:
    """Reduce-scatter by halving, then all-gather by doubling (Rabenseifner)."""
    return ranks, recursive_halving(ranks)[1] + recursive_doubling_all_gather(ranks)[1]


def bruck_all_gather(ranks: int) -> Plan:
    """Like doubling, for any number of ranks: send all you have to the rank 1, 2, 4 ... before."""
    rank = np.arange(ranks)

    def moves(step: int) -> tuple[Move, ...]:
        have = 1 << step
        offset = np.arange(min(have, ranks - have))
        slots = (rank[:, None] + offset) % ranks
        count = len(offset)
        return same_slot(np.repeat(rank, count), np.repeat((rank - have) % ranks, count), slots.ravel())

    return ranks, [Phase("all-gather", (ranks - 1).bit_length(), moves)]


def pairwise_reduce_scatter(ranks: int) -> Plan:
    """In step s each rank sends its part to the owner, s + 1 ranks further on."""
    rank = np.arange(ranks)

    def moves(step: int) -> tuple[Move, ...]:
        owner = (rank + step + 1) % ranks
        return same_slot(rank, owner, owner, combine=True)

    return ranks, [Phase("reduce-scatter", ranks - 1, moves)]


def pairwise_all_to_all(ranks: int) -> Plan:
    """In step s each rank sends the block meant for the rank s + 1 further on.

    Slots 0 to n - 1 hold what is to be sent, slots n to 2n - 1 what has arrived.
    """
    rank = np.arange(ranks)

    def moves(step: int) -> tuple[Move, ...]:
        other = (rank + step + 1) % ranks
        return (Move(rank, other, other, ranks + rank),)

    return 2 * ranks, [Phase("all-to-all", ranks - 1, moves)]


def bruck_all_to_all(ranks: int) -> Plan:
    """Blocks hop 1, 2, 4 ... ranks: few messages, but each block is sent several times.

    Slot d of rank i holds a block that still has to travel, or has travelled, the
    distance d: one hop for each 1 bit of d.
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
    """The root takes in one block after the other."""
    return ranks, [Phase("gather", ranks - 1, lambda step: same_slot(np.array([step + 1]), 0, step + 1))]


def direct_scatter(ranks: int) -> Plan:
    """The root sends out one block after the other."""
    return ranks, [Phase("scatter", ranks - 1, lambda step: same_slot(np.array([0]), step + 1, step + 1))]


def shift(ranks: int) -> Plan:
    """Send and receive: every rank to the next, all at once. Slot 0 is sent, slot 1 filled."""
    rank = np.arange(ranks)
    return 2, [
        Phase(
            "send and receive",
            min(ranks - 1, 1),
            lambda step: (Move(rank, (rank + 1) % ranks, np.zeros_like(rank), np.ones_like(rank)),),
        )
    ]
