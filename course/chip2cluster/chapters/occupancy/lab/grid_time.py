"""Task on the time of a grid of blocks, in waves."""

import math

from chip2cluster.exercise.model import Exercise, Group, Mistake


def run_time(elements, elements_per_thread, threads_per_block, blocks_per_sm, sms, block_seconds):
    """Run time of a grid of equal blocks, seconds."""
    blocks = -(-elements // (elements_per_thread * threads_per_block))
    return -(-blocks // (blocks_per_sm * sms)) * block_seconds


_NAMES = ("elements", "elements_per_thread", "threads_per_block", "blocks_per_sm", "sms", "block_seconds")


def _row(*values):
    return dict(zip(_NAMES, values, strict=True))


def _grids(generator):
    rows = [_row(25_000, 1, 100, 2, 100, 1e-3)]
    for each, threads, held, sms in ((4, 256, 3, 132), (2, 128, 7, 108), (8, 512, 2, 148), (3, 64, 12, 188)):
        waves = int(generator.integers(3, 7)) + generator.uniform(0.3, 0.7)
        elements = int(waves * each * threads * held * sms)
        rows.append(_row(elements, each, threads, held, sms, float(generator.uniform(1e-5, 3e-4))))
    return rows


def _edges(generator):
    sms = int(generator.integers(80, 150))
    full = 4 * 256 * 2 * sms
    return [
        _row(3 * full, 4, 256, 2, sms, 2e-5),
        _row(3 * full + 1, 4, 256, 2, sms, 2e-5),
        _row(5, 4, 256, 2, sms, 2e-5),
    ]


def _wrong(waves):
    return lambda block_seconds, **grid: waves(**grid) * block_seconds


def _blocks(elements, elements_per_thread, threads_per_block):
    return -(-elements // (elements_per_thread * threads_per_block))


RUN_TIME = Exercise(
    id="lab.occupancy.run_time",
    title="The staircase",
    signature="run_time(elements, elements_per_thread, threads_per_block, blocks_per_sm, sms, block_seconds)",
    unit="s",
    graded=True,
    points=3,
    reference=run_time,
    tolerance=1e-6,
    groups=(
        Group("grids", 0.75, _grids),
        Group(
            "edges",
            0.25,
            _edges,
            advice="After a full last wave no other wave is needed, and one more element starts a new wave.",
        ),
    ),
    hints=(
        "First count the blocks: how many elements does one block process?",
        "Then count the waves: how many blocks run at the same time?",
        "Round up twice, and multiply by block_seconds.",
    ),
    explanation=(
        "The time as a function of size is a staircase. More elements per thread make longer blocks and fewer waves. That is "
        "good as long as there are many waves, and bad if there is only one."
    ),
    mistakes=(
        Mistake(
            "elements a thread forgotten",
            _wrong(
                lambda elements, elements_per_thread, threads_per_block, blocks_per_sm, sms: (
                    -(-_blocks(elements, 1, threads_per_block) // (blocks_per_sm * sms))
                )
            ),
            "You gave each thread one element. A block processes elements_per_thread × threads_per_block elements.",
        ),
        Mistake(
            "elements multiplied",
            _wrong(
                lambda elements, elements_per_thread, threads_per_block, blocks_per_sm, sms: (
                    -(-_blocks(elements * elements_per_thread, 1, threads_per_block) // (blocks_per_sm * sms))
                )
            ),
            "With more elements per thread you need fewer blocks, not more: divide by elements_per_thread.",
        ),
        Mistake(
            "one block a multiprocessor",
            _wrong(
                lambda elements, elements_per_thread, threads_per_block, blocks_per_sm, sms: (
                    -(-_blocks(elements, elements_per_thread, threads_per_block) // sms)
                )
            ),
            "You ran one block at a time on each multiprocessor. It runs blocks_per_sm at the same time.",
        ),
        Mistake(
            "waves not rounded",
            _wrong(
                lambda elements, elements_per_thread, threads_per_block, blocks_per_sm, sms: (
                    _blocks(elements, elements_per_thread, threads_per_block) / (blocks_per_sm * sms)
                )
            ),
            "You did not round the waves up. The last one takes as long as a full one.",
        ),
        Mistake(
            "nothing rounded",
            _wrong(
                lambda elements, elements_per_thread, threads_per_block, blocks_per_sm, sms: (
                    elements / (elements_per_thread * threads_per_block * blocks_per_sm * sms)
                )
            ),
            "You did not round up. Count whole blocks and whole waves.",
        ),
        Mistake(
            "waves rounded down",
            _wrong(
                lambda elements, elements_per_thread, threads_per_block, blocks_per_sm, sms: (
                    _blocks(elements, elements_per_thread, threads_per_block) // (blocks_per_sm * sms)
                )
            ),
            "You rounded the waves down. The remaining blocks need one more wave.",
        ),
        Mistake(
            "a wave too many",
            _wrong(
                lambda elements, elements_per_thread, threads_per_block, blocks_per_sm, sms: (
                    _blocks(elements, elements_per_thread, threads_per_block) // (blocks_per_sm * sms) + 1
                )
            ),
            "You always add a wave. If the last wave is full, no blocks remain.",
            share=0.75,
        ),
        Mistake(
            "blocks of a multiprocessor one after the other",
            _wrong(
                lambda elements, elements_per_thread, threads_per_block, blocks_per_sm, sms: (
                    -(-_blocks(elements, elements_per_thread, threads_per_block) // (blocks_per_sm * sms))
                    * blocks_per_sm
                )
            ),
            "You multiplied by blocks_per_sm. The blocks on one multiprocessor run together: a wave takes block_seconds.",
        ),
        Mistake(
            "blocks one after the other",
            _wrong(
                lambda elements, elements_per_thread, threads_per_block, blocks_per_sm, sms: _blocks(
                    elements, elements_per_thread, threads_per_block
                )
            ),
            "You ran the blocks one after the other. The chip runs sms × blocks_per_sm blocks at the same time.",
        ),
        Mistake(
            "waves",
            lambda **inputs: math.ceil(run_time(**{**inputs, "block_seconds": 1})),
            "You returned the number of waves. Each wave takes block_seconds.",
        ),
    ),
)
