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
    scene="A library's kernel comes without its source, for compute capability {capability}. A profiler counted the warps that "
    "live on a multiprocessor while many blocks wait, for several sizes of block.",
    columns=(Column("threads", "threads a block"),),
    result=Column("warps", "counted", lambda value: f"{value:g} warps"),
    explanations=(
        Explanation(
            "a thread takes {many} registers, and no shared memory is used.",
            "Registers are given to warps in fixed units, and blocks come whole. What is left over when blocks of each size have "
            "taken their registers fits every row; shared memory would have stopped other sizes.",
            "If a version that may use only half of the registers kept the same warps, I would be wrong.",
            lambda threads, capability, many, few, bytes_per_thread: warps(threads, many, 0, capability),
        ),
        Explanation(
            "a thread takes {few} registers, and a block {bytes} bytes of shared memory for each of its threads.",
            "Shared memory is given to blocks whole, with a reserve for each block, so its limit comes in other steps than that of "
            "the registers. Those are the steps that were counted.",
            "If the warps changed with a cap on the registers alone, I would be wrong.",
            lambda threads, capability, many, few, bytes_per_thread: warps(threads, few, bytes_per_thread, capability),
        ),
    ),
    coming="what you expect to be counted for blocks of {threads} threads",
    draw=draw,
    shown=shown,
    noise=0.0,
)
