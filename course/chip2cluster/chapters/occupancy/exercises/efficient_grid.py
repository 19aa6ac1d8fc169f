"""Exercise on the grid size from which all larger grids are efficient (wave quantization)."""

import math

import numpy as np

from chip2cluster import occupancy
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def large_grid(sms, blocks_per_sm, share):
    """Fewest blocks from which on every grid keeps at least this share of the slots at work."""
    slots = sms * blocks_per_sm
    # From 1 / (1 - share) waves on the worst grid of a wave is good enough.
    grids = np.arange(1, slots * (math.ceil(1 / (1 - share)) + 1) + 1)
    too_low = grids[occupancy.wave_efficiency(grids, sms, blocks_per_sm) < share]
    return int(too_low[-1]) + 1 if too_low.size else 1


def _waves(slots, share):
    """Waves from which on the first block of a wave is no longer too much."""
    waves = 1
    while ((waves - 1) * slots + 1) / (waves * slots) < share:
        waves += 1
    return waves


def _chips(generator):
    # A case that can be done in the head comes first: 10 slots, three quarters of them.
    cases = [{"sms": 5, "blocks_per_sm": 2, "share": 0.75}]
    for sms, each, low in ((132, 2, 0.62), (108, 3, 0.82), (148, 2, 0.88), (80, 4, 0.93)):
        while True:
            share = round(low + generator.uniform(0, 0.05), 3)
            edge = share * (_waves(sms * each, share) - 1) * sms * each
            if 0.1 < edge % 1 < 0.9:
                break
        cases.append({"sms": sms, "blocks_per_sm": each, "share": share})
    return cases


def _edges(generator):
    sms = int(generator.integers(60, 150))
    return [
        {"sms": sms, "blocks_per_sm": 1, "share": 0.005},  # a single block is enough
        {"sms": 1, "blocks_per_sm": 1, "share": 0.99},  # and here each wave is full
    ]


def _by(answer, *, each=True):
    def wrong(sms, blocks_per_sm, share):
        slots = sms * blocks_per_sm if each else sms
        return answer(slots, share, _waves(slots, share))

    return wrong


def _meaning():
    ninety = large_grid(132, 1, 0.9)
    return (
        f"On an H100 with one block on each of 132 SMs no grid of {ninety:,} blocks or more falls below 90 %. "
        "For smaller grids, check how full the last wave is."
    )


LARGE_GRID = Exercise(
    id="occupancy.large_grid",
    title="How large must a grid be to stay efficient?",
    signature="large_grid(sms, blocks_per_sm, share)",
    unit="blocks",
    points=3,
    reference=large_grid,
    shows=(large_grid, occupancy.wave_efficiency),
    tolerance=1e-9,
    groups=(
        Group("chips", 0.8, _chips),
        Group("edges", 0.2, _edges, advice="If even one block is enough, the answer is 1."),
    ),
    hints=(
        "Where is the efficiency lowest within a wave? At its first block. How low is it there in wave k?",
        "((k − 1)·slots + 1) / (k·slots). From some k on this stays at or above `share`.",
        "The wave before that one begins too low and rises. The answer is where blocks / ((k − 1)·slots) reaches share.",
    ),
    solution="""
def large_grid(sms, blocks_per_sm, share):
    slots = sms * blocks_per_sm
    waves = 1
    while (waves * slots + 1) / ((waves + 1) * slots) < share:  # the next wave begins too low
        waves += 1
    blocks = waves * slots  # full; how far down from there?
    while blocks > 1 and (blocks - 1) / (waves * slots) >= share:
        blocks -= 1
    return blocks
""",
    explanation=(
        "Efficiency is lowest at the first block of a wave, and this minimum rises with each wave: 1 − (slots − 1) / (k · slots). So "
        "there is a largest grid below `share`, and every larger grid is efficient. The solution steps down to it, because "
        "`math.ceil(share * …)` can be one too high: 0.55 × 200 is 110.00000000000001 in floating point."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "reached once",
            _by(lambda slots, share, waves: math.ceil(share * slots)),
            "You returned the first grid that reaches the share. One wave later the efficiency falls below it again: *every* larger grid must reach it.",
        ),
        Mistake(
            "from the next wave on",
            _by(lambda slots, share, waves: (waves - 1) * slots + 1),
            "From there on every wave reaches the share at its first block. But so does the end of the wave before, so smaller grids qualify.",
        ),
        Mistake(
            "full waves",
            _by(lambda slots, share, waves: (waves - 1) * slots),
            "You considered only full waves. The last wave need not be full; its efficiency must only reach `share`.",
        ),
        Mistake(
            "waves full at the end",
            _by(lambda slots, share, waves: waves * slots),
            "That is the end of the first wave that reaches the share from its start. Smaller grids qualify as well.",
        ),
        Mistake(
            "waves without blocks",
            _by(lambda slots, share, waves: waves - 1),
            "You returned a number of waves. Return the number of blocks.",
        ),
        Mistake(
            "one block a multiprocessor",
            _by(lambda slots, share, waves: max(1, math.ceil(share * (waves - 1) * slots)), each=False),
            "You let each multiprocessor hold one block. A wave has sms × blocks_per_sm blocks.",
        ),
        Mistake(
            "rounded down",
            _by(lambda slots, share, waves: max(1, math.floor(share * (waves - 1) * slots))),
            "Your answer is one block short: the efficiency is still too low there. Round up.",
        ),
        Mistake(
            "nothing at all",
            _by(lambda slots, share, waves: math.ceil(share * (waves - 1) * slots)),
            "A grid has at least 1 block. If even one block is enough, the answer is 1.",
            share=0.8,
        ),
    ),
    mutants=MUTANTS["occupancy.large_grid"],
)
