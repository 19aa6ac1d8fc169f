"""Exercise on the blocks per SM that shared memory allows."""

from chip2cluster.exercise.model import Exercise, Group, Mistake

from .multiprocessor import by_shared_memory

POOLS = (233472, 167936, 102400)  # bytes: H100 and B200, A100, RTX 4090


def shared_memory_limit(bytes_per_block, bytes_per_sm):
    """Blocks that the shared memory of a multiprocessor holds, compute capability 8.0 or later."""
    return by_shared_memory(bytes_per_block, bytes_per_sm)


def _kernels(generator):
    easy = {"bytes_per_block": 11 * 1024, "bytes_per_sm": 228 * 1024}
    drawn = []
    for pool, most in zip(POOLS, (24, 19, 13), strict=True):
        blocks = int(generator.integers(most // 2, most))
        # Just so large that the reserved KiB costs a block.
        size = pool // blocks // 128 * 128 - int(generator.integers(1, 4)) * 128
        drawn.append({"bytes_per_block": size, "bytes_per_sm": pool})
    drawn.append({"bytes_per_block": POOLS[0] // 4, "bytes_per_sm": POOLS[0]})
    # No multiple of 128, and so large that the units cost a block even without the reserve.
    drawn.append({"bytes_per_block": POOLS[0] // int(generator.integers(20, 24)), "bytes_per_sm": POOLS[0]})
    drawn.append({"bytes_per_block": int(generator.integers(2, 9)) * 2048, "bytes_per_sm": POOLS[1]})
    return [easy, *drawn]


def _tight(generator):
    # With the reserved KiB it is 33,300 bytes, in units of 128 one unit more than a seventh of the pool.
    return [
        {"bytes_per_block": 32276, "bytes_per_sm": 233472},
        {"bytes_per_block": 0, "bytes_per_sm": 102400},
        {"bytes_per_block": 232448, "bytes_per_sm": 233472},
        {"bytes_per_block": 232449, "bytes_per_sm": 233472},
    ]


def _over(reserved, unit):
    return lambda bytes_per_block, bytes_per_sm: by_shared_memory(
        bytes_per_block, bytes_per_sm, reserved=reserved, unit=unit
    )


def _meaning():
    quarter, pool = POOLS[0] // 4, POOLS[0]
    largest = quarter - 1024
    fits, four = shared_memory_limit(quarter, pool), shared_memory_limit(largest, pool)
    return (
        f"On an H100 a block with exactly a quarter of the shared memory, {quarter // 1024} KiB, fits {fits} times; with "
        f"{largest // 1024} KiB it fits {four} times. Leave room for the memory that the system reserves."
    )


SHARED_MEMORY = Exercise(
    id="occupancy.shared_memory_limit",
    title="How many blocks does the shared memory hold?",
    signature="shared_memory_limit(bytes_per_block, bytes_per_sm)",
    unit="blocks",
    points=2,
    reference=shared_memory_limit,
    tolerance=1e-9,
    groups=(
        Group("kernels", 0.7, _kernels),
        Group(
            "edges",
            0.3,
            _tight,
            advice="The memory of a block is rounded up to a multiple of 128 bytes, and a block that requests nothing still takes 1,024.",
        ),
    ),
    hints=(
        "How much does one block really take? It is more than it requests.",
        "Add 1,024, then round up to a multiple of 128.",
        "A block takes -(-(bytes_per_block + 1024) // 128) * 128. Divide with // to count whole blocks.",
    ),
    solution="""
def shared_memory_limit(bytes_per_block, bytes_per_sm):
    given = -(-(bytes_per_block + 1024) // 128) * 128
    return bytes_per_sm // given
""",
    meaning=_meaning,
    explanation=(
        "From compute capability 8.0 on, the system reserves 1 KiB for every block. If each block requests exactly a quarter of "
        "the shared memory, three blocks fit, not four. This is why a single block can request at most 227 KiB of the "
        "228 on an H100."
    ),
    mistakes=(
        Mistake(
            "reserve forgotten",
            _over(0, 1),
            "You divided by the bytes that the block requests. Each block takes 1,024 bytes more, for the system.",
        ),
        Mistake(
            "reserve forgotten, in units",
            _over(0, 128),
            "You rounded to 128 bytes, but forgot the 1,024 bytes that the system reserves for every block.",
        ),
        Mistake(
            "units forgotten",
            _over(1024, 1),
            "You added the 1,024 bytes but did not round up to a multiple of 128.",
            share=0.7,
        ),
        Mistake(
            "block slots",
            lambda bytes_per_block, bytes_per_sm: min(32, shared_memory_limit(bytes_per_block, bytes_per_sm)),
            "You stopped at 32 blocks. That is another limit; this exercise is only about shared memory.",
            share=0.7,
        ),
        Mistake(
            "reserved once",
            lambda bytes_per_block, bytes_per_sm: (
                (bytes_per_sm - 1024) // bytes_per_block if bytes_per_block else 10**9
            ),
            "You subtracted the 1,024 bytes only once. The system reserves them for every block.",
        ),
        Mistake(
            "not rounded",
            lambda bytes_per_block, bytes_per_sm: bytes_per_sm / (bytes_per_block + 1024),
            "Count only whole blocks: round down.",
        ),
        Mistake(
            "neither",
            lambda bytes_per_block, bytes_per_sm: bytes_per_sm / max(bytes_per_block, 1),
            "Count only whole blocks: round down. Each block also takes 1,024 bytes more than it requests.",
        ),
        Mistake(
            "a unit too many",
            lambda bytes_per_block, bytes_per_sm: bytes_per_sm // (128 * ((bytes_per_block + 1024) // 128 + 1)),
            "You always add a unit of 128. If the sum is already a multiple of 128, don't change it.",
        ),
        Mistake(
            "rounded up",
            lambda bytes_per_block, bytes_per_sm: -(-bytes_per_sm // (bytes_per_block + 1024)),
            "You rounded up: the last block does not fit.",
        ),
    ),
)
