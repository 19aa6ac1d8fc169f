"""Exercise on when a GPU beats a systolic array on a product."""

import math

from chip2cluster import systolic
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .useful_rate import useful_rate

V5P, V6E, V4 = (128, 459e12, 2765e9), (256, 918e12, 1638e9), (128, 275e12, 1200e9)
TILE = (128, 256, 64)  # a large one that libraries for NVIDIA's GPUs like: rows and columns of C, steps along k
A100, H100 = (*TILE, 312e12, 2039e9), (*TILE, 989.4e12, 3350e9)


def faster(m, n, k, tpu, gpu):
    """Name the chip with the higher useful rate, "TPU" or "GPU"; "measure" where alignment may cost the GPU its lead."""
    if useful_rate(m, n, k, *tpu) > systolic.gpu_useful_rate(m, n, k, *gpu):
        return "TPU"
    return "GPU" if systolic.aligned(n) and systolic.aligned(k) else "measure"


def _products(generator):
    wide = [int(size) * 256 for size in generator.integers(20, 40, 5)]
    near = [8 * int(part) for part in generator.integers(65, 68, 2)]  # a little more than 512
    short = [2 * int(half) + 1 for half in generator.integers(2, 20, 2)]  # odd: m need not be aligned
    odd = [2 * int(half) + 1 for half in generator.integers(65, 90, 2)]  # from 131: one tile of 128 and a little
    # The first case can be done in the head: a multiple of every tile and a long stream, so the peak decides.
    rows = [
        (8192, 8192, 8192, V6E, A100),
        (short[0], wide[0], wide[1], V6E, A100),  # short stream: the v6e has less bandwidth
        (short[1], wide[1], wide[2], V5P, A100),  # the v5p has more
        (65536, wide[3], 136, V5P, A100),  # both pad: 256 on the array, 192 in steps of 64
        (65536, wide[2], odd[0], V5P, A100),
        (8 * int(generator.integers(33, 40)), wide[0], wide[2], V4, A100),  # the GPU pads m, and loses by it
        (65536, 8 * int(generator.integers(33, 40)), wide[3], V4, A100),  # here the GPU's tile is the wider one
        (near[0], wide[4], near[1], V4, A100),  # both pad; the array loses its lead
        (
            65536,
            wide[1],
            16 * int(generator.integers(16, 19)) + 8,
            V6E,
            H100,
        ),  # the array's tile is deeper: it loses more
        (65536, wide[0], 256 + odd[1] - 128, V6E, H100),  # the same, unaligned
        (65536, wide[2], 8 * int(generator.integers(33, 39)) + 4, V6E, H100),  # even, and unaligned all the same
        (8192, wide[0] + 1, wide[3], V4, A100),  # a wide layer, one column over: the v4 has the smaller peak
        (65536, wide[4], 64, V5P, A100),  # a full step: the memory alone holds the A100 back
        (
            8 * int(generator.integers(1, 3)),
            wide[1],
            wide[3],
            (128, 459e12, 2300e9),
            A100,
        ),  # and here, the v5p's bytes win
    ]
    return [{"m": m, "n": n, "k": k, "tpu": tpu, "gpu": gpu} for m, n, k, tpu, gpu in rows]


def _gpu(m, n, k, tile_m, tile_n, tile_k, peak_flops, memory_bandwidth, *, pads="mnk", memory="of the product"):
    tiles = {"m": tile_m, "n": tile_n, "k": tile_k}
    sizes = {"m": m, "n": n, "k": k}
    padded = {name: math.ceil(size / tiles[name]) * tiles[name] for name, size in sizes.items()}
    share = math.prod(sizes[name] / padded[name] for name in pads)
    m, n, k = padded.values() if memory == "of the padded" else sizes.values()
    slope = memory_bandwidth * m * n * k / (m * k + k * n + m * n)
    if memory == "forgotten":
        return peak_flops * share
    return share * min(peak_flops, slope) if memory == "lowered" else min(peak_flops * share, slope)


def _by(*, array=useful_rate, tiles=_gpu, doubt="where the GPU leads", loads=8, aligns="nk"):
    def wrong(m, n, k, tpu, gpu):
        unaligned = any(size % loads for name, size in (("m", m), ("n", n), ("k", k)) if name in aligns)
        if unaligned and doubt == "always":
            return "measure"
        if array(m, n, k, *tpu) > tiles(m, n, k, *gpu):
            return "TPU"
        return "measure" if unaligned and doubt != "never" else "GPU"

    return wrong


def _array_unpadded(m, n, k, side, peak_flops, memory_bandwidth):
    return min(peak_flops, memory_bandwidth * m * n * k / (m * k + k * n + m * n))


def _meaning():
    array, tiles = (
        [rate(65536, 4096, k, *chip) / 1e12 for k in (128, 136)]
        for rate, chip in ((useful_rate, V5P), (systolic.gpu_useful_rate, A100))
    )
    return (
        f"For a long stream over 4,096 columns, eight rows more (k = 136 for 128) take the TPU v5p from {array[0]:.0f} to "
        f"{array[1]:.0f} TFLOP/s and the A100 from {tiles[0]:.0f} to {tiles[1]:.0f}, both upper bounds for one tile. One shape, two "
        "cliffs: choose the shape before the chip."
    )


FASTER = Exercise(
    id="systolic.faster",
    title="When a GPU wins",
    signature="faster(m, n, k, tpu, gpu)",
    unit="",
    points=4,
    reference=faster,
    shows=(faster, systolic.gpu_useful_rate, systolic.aligned),
    groups=(Group("products", 1.0, _products),),
    hints=(
        "useful_rate(m, n, k, *tpu) is the TPU's rate. The GPU's has the same two roofs with another padding.",
        "On the GPU round up m to tile_m, n to tile_n and k to tile_k, each by itself; the memory roof is the same.",
        'If the TPU is faster, "TPU". If not: "GPU" where n % 8 == 0 and k % 8 == 0, else "measure".',
    ),
    solution="""
import math


def faster(m, n, k, tpu, gpu):
    def rate(padded, peak_flops, memory_bandwidth):
        return min(peak_flops * m * n * k / padded, memory_bandwidth * m * n * k / (m * k + k * n + m * n))

    def up(size, tile):
        return math.ceil(size / tile) * tile

    side, *roofs = tpu
    array = rate(m * up(n, side) * up(k, side), *roofs)
    tile_m, tile_n, tile_k, *roofs = gpu
    tiles = rate(up(m, tile_m) * up(n, tile_n) * up(k, tile_k), *roofs)
    if array > tiles:
        return "TPU"
    return "GPU" if n % 8 == 0 and k % 8 == 0 else "measure"
""",
    explanation=(
        "Both chips have cliffs, but at different sizes: an array pads n and k to its side, a GPU pads all three sizes to the "
        "tile of its kernel. For 136 rows of weights an array of 128 computes 256, a GPU in steps of 64 computes 192. "
        "If rows don't start at multiples of 16 bytes, a library takes another kernel, and only a measurement says how fast that one is."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "by peak",
            _by(array=lambda m, n, k, side, peak, *_: peak, tiles=lambda m, n, k, a, b, c, peak, *_: peak),
            "You compared the peaks. Padding and memory decide which of them can be used.",
        ),
        Mistake(
            "by bandwidth",
            _by(array=lambda m, n, k, *tpu: tpu[-1], tiles=lambda m, n, k, *gpu: gpu[-1]),
            "You compared the bandwidths. Bandwidth decides short streams; a long stream is limited by the multipliers.",
        ),
        Mistake(
            "no padding at all",
            _by(array=_array_unpadded, tiles=lambda *a: _gpu(*a, pads="")),
            "You forgot the padding, on both chips: round the sizes up to the side, or to the tile.",
        ),
        Mistake(
            "no cliff on the GPU",
            _by(tiles=lambda *a: _gpu(*a, pads="")),
            "You let the GPU take any size without loss. It has tiles, too: round m, n and k up to tile_m, tile_n and tile_k.",
        ),
        Mistake(
            "no cliff on the TPU",
            _by(array=_array_unpadded),
            "You forgot the padding of the array: n and k are rounded up to its side.",
        ),
        Mistake(
            "m not padded",
            _by(tiles=lambda *a: _gpu(*a, pads="nk")),
            "On the GPU you padded n and k alone. Nothing streams there: a block computes tile_m rows of C, so m is rounded up as well.",
        ),
        Mistake(
            "n not padded",
            _by(tiles=lambda *a: _gpu(*a, pads="mk")),
            "On the GPU you padded m and k alone. A block computes tile_n columns of C: n is rounded up to them as well.",
        ),
        Mistake(
            "k not padded",
            _by(tiles=lambda *a: _gpu(*a, pads="mn")),
            "On the GPU you padded m and n alone. A block walks along k in whole steps: k is rounded up to tile_k as well.",
        ),
        Mistake(
            "tiles swapped",
            _by(tiles=lambda m, n, k, a, b, *rest: _gpu(m, n, k, b, a, *rest)),
            "You swapped tile_m and tile_n. A block computes tile_m rows of C and tile_n columns: m goes with the first.",
        ),
        Mistake(
            "both roofs of the GPU lowered",
            _by(tiles=lambda *a: _gpu(*a, memory="lowered")),
            "You lowered both roofs of the GPU. Padding costs arithmetic; the bytes stay the same.",
        ),
        Mistake(
            "bytes of the padded product",
            _by(tiles=lambda *a: _gpu(*a, memory="of the padded")),
            "You took the GPU's intensity from the padded sizes. The zeros never cross the memory interface, so the "
            "memory roof uses m, n and k themselves.",
        ),
        Mistake(
            "no memory roof on the GPU",
            _by(tiles=lambda *a: _gpu(*a, memory="forgotten")),
            "You forgot the memory roof of the GPU. A GPU waits for its bytes, just as the TPU does.",
        ),
        Mistake(
            "memory forgotten",
            _by(
                array=lambda m, n, k, side, peak, _: useful_rate(m, n, k, side, peak, 1e30),
                tiles=lambda *a: _gpu(*a, memory="forgotten"),
            ),
            "You forgot the memory roof, on both chips. A short stream waits for bytes.",
        ),
        Mistake(
            "alignment forgotten",
            _by(doubt="never"),
            'You used the tiles although n or k is not a multiple of 8. The library takes another kernel there: return "measure".',
        ),
        Mistake(
            "even is aligned",
            _by(loads=2),
            "You asked whether n and k are even. A thread loads eight elements at once: they must be multiples of 8.",
        ),
        *(
            Mistake(
                f"{alone} alone aligned",
                _by(aligns=alone),
                f"You asked whether {alone} alone is a multiple of 8. A has rows of k elements, B and C rows of n: both must be.",
            )
            for alone in "kn"
        ),
        Mistake(
            "m aligned as well",
            _by(aligns="mnk"),
            'You returned "measure" because m is not a multiple of 8. No row is m elements long: A has rows of k elements, B and C of n.',
        ),
        Mistake(
            "always in doubt",
            _by(doubt="always"),
            'You return "measure" for all unaligned rows. If the TPU beats even the GPU\'s upper bound, there is nothing to measure.',
        ),
        Mistake(
            "an array of 16",
            _by(tiles=lambda m, n, k, a, b, c, peak, bandwidth: useful_rate(m, n, k, 16, peak, bandwidth), doubt="never"),
            "You treated the GPU as an array with a small side. Its tiles are larger, all three sizes are padded, and unaligned rows need a measurement.",
        ),
        Mistake(
            "no cliff and no doubt",
            _by(tiles=lambda *a: _gpu(*a, pads=""), doubt="never"),
            "You let the GPU take any size without loss. It pads m, n and k to its tile, and if n or k is not a multiple of 8, the answer is to measure.",
        ),
        Mistake(
            "swapped",
            lambda m, n, k, tpu, gpu: {"TPU": "GPU", "GPU": "TPU", "measure": "measure"}[faster(m, n, k, tpu, gpu)],
            "You named the slower one. Return the faster one.",
        ),
        Mistake(
            "other words",
            lambda m, n, k, tpu, gpu: {"TPU": "tpu", "GPU": "gpu", "measure": "Measure"}[faster(m, n, k, tpu, gpu)],
            'Right, but in other letters: return exactly "TPU", "GPU" or "measure".',
            v.TYPE,
        ),
    ),
    mutants=MUTANTS["systolic.faster"],
)  # fmt: skip
