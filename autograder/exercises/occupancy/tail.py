"""The last wave."""

from chip2cluster import occupancy

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant


def wave_efficiency(blocks, sms, blocks_per_sm):
    """Share of the block slots that do work, averaged over all waves."""
    return occupancy.wave_efficiency(blocks, sms, blocks_per_sm)


def _grids(generator):
    rows = [(150, 100, 1)]
    for sms, each, rounds in ((132, 2, 1), (108, 3, 2), (148, 1, 4), (80, 6, 1)):
        slots = sms * each
        # Few enough in the last wave to leave a slot of every multiprocessor free, where there is more than one.
        rest = int(generator.integers(5, slots - (sms if each > 1 else 20)))
        rows.append((rounds * slots + rest, sms, each))
    return [dict(zip(("blocks", "sms", "blocks_per_sm"), row, strict=True)) for row in rows]


def _edges(generator):
    sms = int(generator.integers(60, 150))
    return [
        {"blocks": 6 * sms, "sms": sms, "blocks_per_sm": 2},
        {"blocks": 6 * sms + 1, "sms": sms, "blocks_per_sm": 2},
        {"blocks": sms // 3, "sms": sms, "blocks_per_sm": 1},
    ]


def _rounds(blocks, slots):
    return -(-blocks // slots)


def _meaning():
    full, one_more, many = (wave_efficiency(blocks, 132, 1) for blocks in (132, 133, 1321))
    return (
        f"On an H100 with one block on each of 132 SMs: {100 * full:.0f} % for 132 blocks, {100 * one_more:.1f} % for 133, and "
        f"{100 * many:.1f} % for 1,321. One block too many hurts in the second wave and hardly in the eleventh."
    )


TAIL = Exercise(
    id="occupancy.wave_efficiency",
    title="The last wave",
    signature="wave_efficiency(blocks, sms, blocks_per_sm)",
    unit="",
    points=3,
    reference=wave_efficiency,
    groups=(
        Group("grids", 0.75, _grids),
        Group(
            "edges", 0.25, _edges, advice="A full last wave wastes nothing; one block more starts a wave of its own."
        ),
    ),
    hints=(
        "How many blocks run at the same time?",
        "How many waves is that, rounded up?",
        "blocks over (waves × blocks of one full wave).",
    ),
    solution="""
import math


def wave_efficiency(blocks, sms, blocks_per_sm):
    slots = sms * blocks_per_sm
    waves = math.ceil(blocks / slots)
    return blocks / (waves * slots)
""",
    meaning=_meaning,
    explanation=(
        "The run takes whole waves. With one block too many the last wave takes as long as a full one and does almost "
        "nothing. It hurts while the waves are few: after ten of them a bad last one costs a tenth at most."
    ),
    mistakes=(
        Mistake(
            "one block a multiprocessor",
            lambda blocks, sms, blocks_per_sm: blocks / (_rounds(blocks, sms) * sms),
            "You let each multiprocessor hold one block. A wave has sms × blocks_per_sm of them.",
        ),
        Mistake(
            "the last wave alone",
            lambda blocks, sms, blocks_per_sm: blocks / (sms * blocks_per_sm) % 1,
            "This is how full the last wave is. The average over all waves is wanted.",
        ),
        Mistake(
            "number of waves",
            lambda blocks, sms, blocks_per_sm: _rounds(blocks, sms * blocks_per_sm),
            "These are the waves. The share is blocks over the slots of all waves.",
        ),
        Mistake(
            "waves not rounded",
            lambda blocks, sms, blocks_per_sm: blocks / (sms * blocks_per_sm),
            "You divided blocks by the slots of one wave. There are several waves, a whole number of them: round up.",
        ),
        Mistake(
            "idle share",
            lambda blocks, sms, blocks_per_sm: (
                1 - blocks / (_rounds(blocks, sms * blocks_per_sm) * sms * blocks_per_sm)
            ),
            "This is the share that idles. The share that works is wanted.",
        ),
        Mistake(
            "rounded down",
            lambda blocks, sms, blocks_per_sm: blocks / (max(1, blocks // (sms * blocks_per_sm)) * sms * blocks_per_sm),
            "You rounded the waves down, so your share passes 1. The blocks left over need a wave too.",
        ),
        Mistake(
            "rounded to the nearest",
            lambda blocks, sms, blocks_per_sm: (
                blocks / (max(1, round(blocks / (sms * blocks_per_sm))) * sms * blocks_per_sm)
            ),
            "You rounded the waves to the nearest number. A wave that is hardly begun takes as long as a full one: round up.",
        ),
        Mistake(
            "full waves",
            lambda blocks, sms, blocks_per_sm: blocks // (sms * blocks_per_sm) / _rounds(blocks, sms * blocks_per_sm),
            "You counted the full waves only. The blocks of the last one work, too.",
        ),
        Mistake(
            "a wave too many",
            lambda blocks, sms, blocks_per_sm: blocks / ((blocks // (sms * blocks_per_sm) + 1) * sms * blocks_per_sm),
            "You always add a wave. When the last wave is full there is none left over.",
            share=0.75,
        ),
    ),
    mutants=(
        Mutant(
            source="""
def wave_efficiency(b, s, k):
    return 1.0
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
        Mutant(
            source="""
def wave_efficiency(b, s, k):
    return 100 * b / (-(-b // (s * k)) * s * k)
""",
            verdict=v.UNIT,
            says="percentage",
        ),
    ),
)
