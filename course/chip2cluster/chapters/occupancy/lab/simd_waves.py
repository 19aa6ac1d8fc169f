"""Task on the waves per SIMD of an AMD compute unit."""

from chip2cluster import occupancy
from chip2cluster.chapters.occupancy.exercises.multiprocessor import up
from chip2cluster.exercise.model import Exercise, Group, Mistake


def waves_per_simd(vector_registers, accumulation_registers):
    """Wavefronts of a kernel on one SIMD of an MI300X, as far as registers and slots go."""
    return occupancy.cdna_occupancy("MI300X", 256, vector_registers, accumulation_registers)


def _inputs(vector, accumulation):
    return {"vector_registers": vector, "accumulation_registers": accumulation}


def _kernels(generator):
    # 128 registers, four waves, come first. The other kernels just let so many waves live, or need a few registers less.
    sums = [(512 // waves // 8 + more) * 8 - spare for waves in (2, 3, 4, 5, 6, 7) for more, spare in ((0, 0), (1, 4))]
    return [_inputs(64, 64), *(_kernel(generator, int(total)) for total in generator.permutation(sums))]


def _kernel(generator, total):
    """Registers of both kinds, the ordinary ones a multiple of 4, that add up to ``total``."""
    accumulation = 4 * int(generator.integers(max(total - 256, 0) // 4 + 1, total // 4 - 2))
    return _inputs(total - accumulation, accumulation)


def _edges(generator):
    return [_inputs(24, 0), _inputs(20, 16), _inputs(61, 67), _inputs(60, 68), _inputs(256, 256)]


def _rule(total=lambda vector, accumulation: up(vector, 4) + accumulation, unit=8, file=512, most=8):
    def wrong(vector_registers, accumulation_registers):
        given = up(total(vector_registers, accumulation_registers), unit)
        return min(most, file // given) if given else most

    return wrong


WAVES = Exercise(
    id="lab.occupancy.waves_per_simd",
    title="The same kernel on AMD",
    signature="waves_per_simd(vector_registers, accumulation_registers)",
    unit="waves",
    graded=True,
    points=3,
    reference=waves_per_simd,
    tolerance=1e-9,
    groups=(
        Group("kernels", 0.7, _kernels),
        Group(
            "edges",
            0.3,
            _edges,
            advice="With few registers the limit is 8 waves. The vector registers alone are rounded to a multiple of 4, and "
            "only the sum to a multiple of 8.",
        ),
    ),
    hints=(
        "Both kinds of register come from the same file of 512 for each lane. There is no factor of 64.",
        "Round up twice: the vector registers to a multiple of 4, then the sum to a multiple of 8.",
        "Divide the 512 registers of a lane by the registers of a wave, and round down. Don't forget that a SIMD holds at most 8 waves.",
    ),
    explanation=(
        "AMD counts registers for a lane, NVIDIA for the whole multiprocessor; the arithmetic is the same. The matrix units of "
        "CDNA read their operands from the accumulation registers, so a matrix kernel pays for both."
    ),
    mistakes=(
        Mistake(
            "rounded once",
            _rule(lambda vector, accumulation: vector + accumulation),
            "First round the vector registers up to a multiple of 4, because the accumulation registers start there.",
            share=0.7,
        ),
        Mistake(
            "each rounded to 8",
            _rule(lambda vector, accumulation: up(vector, 8) + up(accumulation, 8)),
            "You rounded both counts up to a multiple of 8. Round the vector registers up to a multiple of 4, and the sum to a multiple of 8.",
        ),
        Mistake(
            "accumulation registers forgotten",
            _rule(lambda vector, accumulation: vector),
            "You left out the accumulation registers. Both kinds come from the same file.",
        ),
        Mistake(
            "the larger of the two",
            _rule(lambda vector, accumulation: max(vector, accumulation)),
            "You took the larger of the two counts. That was right for the MI100; since MI200 they share one file and add up.",
        ),
        Mistake(
            "units forgotten",
            _rule(lambda vector, accumulation: vector + accumulation, unit=1),
            "You did not round up. Registers are allocated in units of 8.",
        ),
        Mistake(
            "half the file",
            _rule(file=256),
            "You divided 256 registers. A lane of this SIMD has 512; 256 is the most of one kind for one wavefront.",
        ),
        Mistake(
            "waves of the compute unit",
            lambda vector_registers, accumulation_registers: (
                4 * waves_per_simd(vector_registers, accumulation_registers)
            ),
            "You returned the waves of a whole compute unit. Return those of one of its four SIMDs.",
        ),
        Mistake(
            "divided by 64",
            lambda vector_registers, accumulation_registers: 512 // (64 * (vector_registers + accumulation_registers)),
            "You multiplied by 64 lanes. Each lane has its own 512 registers.",
        ),
        Mistake(
            "no cap", _rule(most=10**6), "A SIMD holds at most 8 wavefronts, however few registers they use.", share=0.7
        ),
        Mistake(
            "not rounded down",
            lambda vector_registers, accumulation_registers: 512 / (vector_registers + accumulation_registers),
            "Count only whole wavefronts: round down. Registers are also allocated in units of 8.",
        ),
    ),
)
