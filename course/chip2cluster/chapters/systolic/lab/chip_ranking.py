"""Task on a ranking of chips by the time of a layer."""

from itertools import pairwise

from chip2cluster import specs, systolic
from chip2cluster.exercise.input_generators import draw_until, tells_apart
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def rank_chips(sides, m, n, k):
    """Names of the chips with a dense bf16 peak, the highest useful rate on a product first."""
    return _ranked(_rate)(sides, m, n, k)


def _rate(chip, side, m, n, k):
    return systolic.useful_rate(m, n, k, side, side, chip.peak_flops_dense("bf16"), chip.memory_bandwidth)


def _ranked(value, reverse=True, all_chips=False, same_side=None):
    def found(sides, m, n, k):
        rates = {}
        for name, side in sides.items():
            chip = specs.accelerator(name)
            if "bf16" in chip.precisions_dense:
                rates[name] = value(chip, same_side or side, m, n, k)
            elif all_chips:
                rates[name] = systolic.useful_rate(
                    m, n, k, side, side, chip.peak_flops_dense("fp16"), chip.memory_bandwidth
                )
        return sorted(rates, key=rates.__getitem__, reverse=reverse)

    return found


SIDES = {
    "TPU v2": 128, "TPU v3": 128, "TPU v4": 128, "TPU v5e": 128, "TPU v5p": 128, "TPU v6e": 256,
    "Gaudi 2": 256, "Trainium1": 128, "Trainium2": 128, "Ascend 910": 16,
}  # fmt: skip


def _shops(generator):
    # Few chips come first, on a product that fills every array: the peak decides.
    easy = {"sides": {"TPU v5e": 128, "Ascend 910": 16, "TPU v6e": 256}, "m": 8192, "n": 8192, "k": 8192}
    return [
        easy,
        *(_shop(generator, kind) for kind in generator.permutation([*PRODUCTS, "training", "decode", "stream"])),
    ]


# Ranges of m and of n and k: a training product, a decode step, a long stream one row over a tile, odd widths
# with a long, a short and a very short stream; and the mistakes that each of them shows.
PRODUCTS = {
    "training": ((range(4096, 65536, 256), range(256, 2049, 256)), ("one tile too many",)),
    "decode": ((range(4, 64), range(2048, 9000, 128)), ("memory forgotten",)),
    "stream": ((range(30000, 90000), range(129, 1500, 128)), ("padding forgotten",)),
    "odd": ((range(8000, 40000), range(300, 1500)), ("padding forgotten", "one side for all")),
    "odd and short": ((range(500, 8000), range(300, 1500)), ("ranked by peak", "memory forgotten")),
    "odd decode": ((range(4, 64), range(300, 1500)), ("both roofs lowered", "memory forgotten")),
}


def _shop(generator, kind):
    (rows, widths), mistakes = PRODUCTS[kind]

    def draw():
        names = [str(name) for name in generator.choice(list(SIDES), 8, replace=False)]
        m, n, k = (sizes[generator.integers(len(sizes))] for sizes in (rows, widths, widths))
        return {"sides": {name: SIDES[name] for name in names}, "m": m, "n": n, "k": k}

    return draw_until(lambda shop: _clear(shop) and tells_apart(RANK, shop, *mistakes), draw)


def _clear(shop):
    """Whether no two chips are so near to each other that rounding decides."""
    sides, *sizes = shop.values()
    chips = {specs.accelerator(name): side for name, side in sides.items()}
    rates = sorted(_rate(chip, side, *sizes) for chip, side in chips.items() if "bf16" in chip.precisions_dense)
    return all(fast > 1.01 * slow for slow, fast in pairwise(rates))


def _odd_shops(generator):
    return [
        {"sides": {"Ascend 910": 16}, "m": 512, "n": 512, "k": 512},
        {"sides": {"TPU v5e": 128, "Ascend 910": 16, "TPU v6e": 256}, "m": 60_000, "n": 257, "k": 4096},
    ]


RANK = Exercise(
    id="lab.systolic.rank_chips",
    title="Whose array fits your layer?",
    signature="rank_chips(sides, m, n, k)",
    unit="",
    graded=True,
    points=5,
    reference=rank_chips,
    shows=(rank_chips, systolic.useful_rate),
    groups=(
        Group("shops", 0.8, _shops),
        Group("edges", 0.2, _odd_shops, advice="Chips without a bf16 peak are left out, even when no other remains."),
    ),
    hints=(
        'For each name: chip = specs.accelerator(name), then chip.peak_flops_dense("bf16") and chip.memory_bandwidth.',
        '"bf16" in chip.precisions_dense says whether it has the peak; your own_rate shows how to get the useful rate.',
        "Put name and rate in a dict and sort it: sorted(rates, key=rates.get, reverse=True).",
    ),
    explanation=(
        "The order changes with the product: the peak decides large products, bandwidth short streams, and a side that fits "
        "decides odd widths. No chip is the fastest at everything."
    ),
    mistakes=(
        Mistake(
            "ranked by peak",
            _ranked(lambda chip, *_: chip.peak_flops_dense("bf16")),
            "You ranked by the peak. Padding and memory decide how much of it a product can use.",
        ),
        Mistake(
            "ranked by bandwidth",
            _ranked(lambda chip, *_: chip.memory_bandwidth),
            "You ranked by memory bandwidth. That decides only short streams.",
        ),
        Mistake(
            "padding forgotten",
            _ranked(_rate, same_side=1),
            "You forgot the padding: on a large array an awkward size fills many cells with zeros.",
        ),
        Mistake(
            "one side for all",
            _ranked(_rate, same_side=128),
            "You used 128 for every chip. sides has the side of each chip's arrays.",
        ),
        Mistake(
            "memory forgotten",
            _ranked(
                lambda chip, side, m, n, k: (
                    chip.peak_flops_dense("bf16") * systolic.padded_utilization(m, n, k, side, side)
                )
            ),
            "You forgot the memory roof. A short stream waits for bytes.",
        ),
        Mistake(
            "both roofs lowered",
            _ranked(
                lambda chip, side, m, n, k: (
                    systolic.useful_rate(m, n, k, 1, 1, chip.peak_flops_dense("bf16"), chip.memory_bandwidth)
                    * systolic.padded_utilization(m, n, k, side, side)
                )
            ),
            "You lowered both roofs. The zeros are made on the chip: the memory roof stays.",
        ),
        Mistake(
            "slowest first", _ranked(_rate, reverse=False), "Your list starts with the slowest chip. Fastest first."
        ),
        Mistake(
            "no bf16",
            _ranked(_rate, all_chips=True),
            'You kept a chip that has no bf16 peak. Test it with "bf16" in chip.precisions_dense.',
        ),
        Mistake(
            "one tile too many",
            _ranked(
                lambda chip, side, m, n, k: min(
                    chip.peak_flops_dense("bf16") * k * n / ((k // side + 1) * (n // side + 1) * side**2),
                    chip.memory_bandwidth * m * n * k / (m * k + k * n + m * n),
                )
            ),
            "A multiple of the side got one tile too many. Use math.ceil, not // side + 1.",
        ),
    ),
    mutants=MUTANTS["lab.systolic.rank_chips"],
)
