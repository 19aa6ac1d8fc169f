"""Exercise on the stages of an asynchronous-copy pipeline that hide the memory latency."""

import math

from chip2cluster import occupancy, specs
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

_NAMES = ("latency", "memory_bandwidth", "sms", "tile_bytes", "blocks_per_sm")


def stages_needed(latency, memory_bandwidth, sms, tile_bytes, blocks_per_sm):
    """Tiles of shared memory that each block needs so that copies keep the memory busy while it works on one."""
    return occupancy.stages_needed(latency, memory_bandwidth, sms, tile_bytes, active_blocks=blocks_per_sm)


def _kernels(generator):
    rows = [(500e-9, 3.0e12, 100, 2000, 3)]
    # Whole tiles and a part of one, smaller and larger than a half by turns; never as many twice, or one number would do.
    whole = map(int, generator.permutation(range(2, 9)))
    for sms, tile, blocks, part in (
        (132, 4096, 2, 0.15),
        (108, 2048, 3, 0.55),
        (148, 8192, 2, 0.15),
        (80, 1024, 4, 0.55),
    ):
        tiles = next(whole) + generator.uniform(part, part + 0.3)
        latency = float(generator.uniform(350e-9, 900e-9))
        rows.append((latency, float(tiles * sms * tile * blocks / latency), sms, tile, blocks))
    return [dict(zip(_NAMES, row, strict=True)) for row in rows]


def _edges(generator):
    # Powers of two, so that the quotient is a whole number in whatever order it is worked out.
    exact = float(int(generator.integers(3, 9)) * 2**21 * 128 * 4096 * 2)
    return [
        dict(zip(_NAMES, (2.0**-21, exact, 128, 4096, 2), strict=True)),
        dict(zip(_NAMES, (400e-9, 2.0e12, 132, 32768, 2), strict=True)),  # less than one tile: two stages all the same
    ]


def _by(per_stage=lambda sms, tile, blocks: sms * tile * blocks, rounding=math.ceil, in_use=1):
    def wrong(latency, memory_bandwidth, sms, tile_bytes, blocks_per_sm):
        return in_use + rounding(latency * memory_bandwidth / per_stage(sms, tile_bytes, blocks_per_sm))

    return wrong


def _meaning():
    chip, latency = specs.accelerator("H100 SXM"), occupancy.latency_readings()[-1].latency_seconds
    large, small = (
        stages_needed(latency, chip.memory_bandwidth, chip.compute_units, tile, 1) for tile in (16384, 4096)
    )
    return (
        f"On an H100, by the longest latency of the table and with one block on an SM: {large} stages of 16 KiB, or {small} of "
        "4 KiB. A handful of warps is enough to start such copies."
    )


STAGES_NEEDED = Exercise(
    id="occupancy.stages_needed",
    title="How many stages?",
    signature="stages_needed(latency, memory_bandwidth, sms, tile_bytes, blocks_per_sm)",
    unit="stages",
    points=3,
    reference=stages_needed,
    tolerance=1e-9,
    groups=(
        Group("kernels", 0.75, _kernels),
        Group(
            "edges",
            0.25,
            _edges,
            advice="If the tiles in flight are exactly enough, no further tile is needed. In addition the block works on one tile.",
        ),
    ),
    hints=(
        "How many bytes must be in flight to one multiprocessor at any moment?",
        "It is latency × bandwidth over sms. Each block has all its tiles except one in flight.",
        "Divide the bytes of one multiprocessor by (blocks_per_sm × tile_bytes), round up, and add 1.",
    ),
    solution="""
import math


def stages_needed(latency, memory_bandwidth, sms, tile_bytes, blocks_per_sm):
    to_one_sm = latency * memory_bandwidth / sms
    return 1 + math.ceil(to_one_sm / (blocks_per_sm * tile_bytes))
""",
    meaning=_meaning,
    explanation=(
        "Little's law again: only the bytes in flight count, not which threads requested them. A tile of a few KiB replaces "
        "dozens of warps, and no thread waits. In practice add a stage or two, because a busy memory answers later than an "
        "idle one."
    ),
    mistakes=(
        Mistake(
            "one stage short",
            _by(in_use=0),
            "Your answer is one stage short: the tile that the block works on is not in flight. Or did you round down?",
        ),
        Mistake(
            "whole chip",
            _by(lambda sms, tile, blocks: tile * blocks),
            "You let one multiprocessor fetch for the whole chip. Divide by sms.",
        ),
        Mistake(
            "one block",
            _by(lambda sms, tile, blocks: sms * tile),
            "You counted the tiles of one block. All blocks_per_sm blocks of a multiprocessor have tiles in flight.",
        ),
        Mistake(
            "stages of all blocks",
            lambda latency, memory_bandwidth, sms, tile_bytes, blocks_per_sm: (
                blocks_per_sm * stages_needed(latency, memory_bandwidth, sms, tile_bytes, blocks_per_sm)
            ),
            "You returned the stages of all blocks of a multiprocessor. Return those of one block.",
        ),
        Mistake(
            "divided by the latency",
            lambda latency, memory_bandwidth, sms, tile_bytes, blocks_per_sm: (
                1 + math.ceil(memory_bandwidth / latency / (sms * tile_bytes * blocks_per_sm))
            ),
            "You divided by the latency. Bytes in flight = rate × time in flight.",
        ),
        Mistake("not rounded", _by(rounding=lambda tiles: tiles), "A stage is a whole tile: round up."),
        Mistake(
            "rounded to the nearest",
            _by(rounding=round),
            "You rounded to the nearest. Round up, or the memory is idle at times.",
        ),
        Mistake(
            "one too many",
            _by(rounding=lambda tiles: math.floor(tiles) + 1),
            "You always add a tile. If the tiles are exactly enough, that is one too many: round up.",
            share=0.75,
        ),
    ),
    mutants=MUTANTS["occupancy.stages_needed"],
)
