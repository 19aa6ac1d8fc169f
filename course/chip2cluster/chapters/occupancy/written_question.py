"""Lab 4: registers or shared memory."""

from chip2cluster import occupancy
from chip2cluster.exercise.written_question import Column, Draw, Explanation, Question


def draw(generator):
    constants = {
        "capability": str(generator.choice(["8.0", "9.0"])),
        "many": int(generator.integers(8, 17) * 8),
        "few": 32,
        "bytes_per_thread": int(generator.integers(6, 24) * 16),
    }
    sizes = [float(size) for size in generator.permutation([64, 96, 128, 192, 256, 384, 512, 640])[:5]]
    return Draw(constants, [{"threads": size} for size in sorted(sizes[:4])], {"threads": sizes[4]})


def warps(threads, registers, shared, capability):
    return occupancy.occupancy(capability, int(threads), registers, int(threads) * shared).active_warps


def shown(capability, many, few, bytes_per_thread):
    return {"capability": capability, "many": str(many), "few": str(few), "bytes": str(bytes_per_thread)}


QUESTION = Question(
    scene="You have a library's kernel without its source, for compute capability {capability}. For several block sizes a profiler "
    "counted the active warps on a multiprocessor while many blocks were waiting.",
    columns=(Column("threads", "threads a block"),),
    result=Column("warps", "counted", lambda value: f"{value:g} warps"),
    explanations=(
        Explanation(
            "a thread takes {many} registers, and no shared memory is used.",
            "Registers are allocated to warps in fixed units, and only whole blocks start. The number of blocks that the registers "
            "allow at each size matches every row; shared memory would limit other sizes.",
            "If a version that may use only half of the registers kept the same warps, I would be wrong.",
            lambda threads, capability, many, few, bytes_per_thread: warps(threads, many, 0, capability),
        ),
        Explanation(
            "a thread takes {few} registers, and a block {bytes} bytes of shared memory for each of its threads.",
            "Shared memory is allocated to whole blocks, with a reserve for each block, so its limit has different steps from the "
            "limit of the registers. Its steps match the counts.",
            "If the warps changed with a cap on the registers alone, I would be wrong.",
            lambda threads, capability, many, few, bytes_per_thread: warps(threads, few, bytes_per_thread, capability),
        ),
    ),
    coming="the count that you expect for blocks of {threads} threads",
    draw=draw,
    shown=shown,
    noise=0.0,
)
