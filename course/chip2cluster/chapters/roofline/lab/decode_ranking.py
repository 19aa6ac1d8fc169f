"""Task on a ranking of chips by decode rate."""

from chip2cluster import specs
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .tokens_per_second import tokens_per_second


def rank_chips(names, parameters, cache_bytes, batch):
    """Names of the chips that hold the model in bf16, fastest decode first."""
    rates = {}
    for name in names:
        chip = specs.accelerator(name)
        if "bf16" not in chip.precisions_dense:
            continue
        if 2 * parameters + batch * cache_bytes > chip.memory_bytes:
            continue
        rates[name] = tokens_per_second(
            parameters, cache_bytes, batch, chip.peak_flops_dense("bf16"), chip.memory_bandwidth
        )
    return sorted(rates, key=rates.__getitem__, reverse=True)


# No two of them have the same bandwidth, so that the order is never a matter of taste.
CHIPS = (
    "A100 SXM 80GB", "B200", "GH200 96GB", "Gaudi 2", "Gaudi 3", "H100 SXM", "H200 SXM", "L4", "L40S", "MI250X", "MI300X",
    "MI325X", "RTX 4090", "TPU v4", "TPU v5e", "TPU v5p", "TPU v6e", "Trainium2", "V100 SXM2",
)  # fmt: skip


def _shops(generator):
    # A case that can be done in the head comes first: 30 GB are too much for one chip, and another has no bf16 peak.
    easy = {"names": ["L40S", "TPU v5e", "H100 SXM", "V100 SXM2"], "parameters": 10e9, "cache_bytes": 1e9, "batch": 10}
    kinds = generator.permutation(
        ["fits", "fits", "fits", "fits", "one cache fits", "weights fit", "weights fit", "too large"]
    )
    return [easy, *(_shop(generator, kind) for kind in kinds)]


# Ranges of the weights and of all caches in shares of one chip's memory, and of the batch.
MODELS = {
    "fits": ((0.55, 0.7), (0.25, 0.28), (4, 25)),
    "one cache fits": ((0.65, 0.7), (0.33, 0.36), (4, 25)),
    "weights fit": ((0.94, 0.97), (0.2, 0.3), (2, 4)),
    "too large": ((1.02, 1.06), (0.1, 0.2), (4, 25)),
}


def _shop(generator, kind):
    """A model that one of the chips just holds, or just does not."""
    weights, caches, batches = MODELS[kind]

    def draw():
        names = [str(name) for name in generator.choice(CHIPS, 8, replace=False)]
        memory = next(chip.memory_bytes for chip in map(specs.accelerator, names) if "bf16" in chip.precisions_dense)
        batch = int(generator.integers(*batches))
        parameters = round(memory * generator.uniform(*weights) / 2, -8)
        cache_bytes = round(memory * generator.uniform(*caches) / batch, -6)
        names = [names[place] for place in generator.permutation(8)]
        return {"names": names, "parameters": parameters, "cache_bytes": cache_bytes, "batch": batch}

    return draw_until(_clear, draw)


def _clear(shop):
    """Whether no chip's memory is so near to what is needed that rounding decides."""
    need = 2 * shop["parameters"] + shop["batch"] * shop["cache_bytes"]
    return all(abs(need / specs.accelerator(name).memory_bytes - 1) > 0.01 for name in shop["names"])


def _hard_shops(generator):
    return [
        {"names": ["L40S", "TPU v5e"], "parameters": 70e9, "cache_bytes": 0.3e9, "batch": 8},
        {"names": ["V100 SXM2", "L40S"], "parameters": 8e9, "cache_bytes": 0.1e9, "batch": 8},
        # So many sequences that the arithmetic decides.
        {"names": ["A100 SXM 80GB", "L40S", "H100 SXM"], "parameters": 1e9, "cache_bytes": 1e6, "batch": 4096},
    ]


def _ranked(value, fits=True, reverse=True, size=2, caches=None):
    def wrong(names, parameters, cache_bytes, batch):
        kept = [name for name in names if "bf16" in specs.accelerator(name).precisions_dense]
        if fits:
            need = size * parameters + (batch if caches is None else caches) * cache_bytes
            kept = [name for name in kept if need <= specs.accelerator(name).memory_bytes]
        key = lambda name: value(specs.accelerator(name), parameters, cache_bytes, batch)
        return sorted(kept, key=key, reverse=reverse)

    return wrong


def _rate(chip, parameters, cache_bytes, batch):
    return tokens_per_second(parameters, cache_bytes, batch, chip.peak_flops_dense("bf16"), chip.memory_bandwidth)


RANK = Exercise(
    id="lab.roofline.rank_chips",
    title="Which chip decodes fastest?",
    signature="rank_chips(names, parameters, cache_bytes, batch)",
    unit="",
    graded=True,
    points=5,
    reference=rank_chips,
    shows=(rank_chips, tokens_per_second),
    groups=(
        Group("shops", 0.8, _shops),
        Group(
            "edges",
            0.2,
            _hard_shops,
            advice="Nothing may fit (return an empty list), a V100 has no bf16 peak, and with thousands of sequences the "
            "arithmetic decides.",
        ),
    ),
    hints=(
        "For each name: chip = specs.accelerator(name), then chip.memory_bytes, chip.memory_bandwidth, "
        'chip.peak_flops_dense("bf16").',
        '"bf16" in chip.precisions_dense says whether it has the peak. What must fit is 2 · parameters + batch · cache_bytes.',
        "Put name and rate of the chips that remain in a dict and sort it: sorted(rates, key=rates.get, reverse=True).",
    ),
    explanation=(
        "At a few sequences at once every one of these chips is far left of its ridge, so the order is the order of memory bandwidth "
        "among the chips that hold the model. Peak FLOP/s hardly matters."
    ),
    mistakes=(
        Mistake(
            "ranked by peak",
            _ranked(lambda chip, *_: chip.peak_flops_dense("bf16")),
            "You ranked by peak FLOP/s. At this batch the memory decides; rank by tokens a second.",
        ),
        Mistake(
            "slowest first", _ranked(_rate, reverse=False), "Your list starts with the slowest chip. Fastest first."
        ),
        Mistake(
            "capacity ignored",
            _ranked(_rate, fits=False),
            "You kept chips whose memory cannot hold the weights and the caches.",
        ),
        Mistake(
            "ranked by capacity",
            _ranked(lambda chip, *_: chip.memory_bytes),
            "You ranked by the size of the memory. It must be large enough, but its speed decides.",
        ),
        Mistake(
            "weights alone must fit",
            _ranked(_rate, caches=0),
            "You checked that the weights fit, and forgot the caches of the batch beside them.",
        ),
        Mistake(
            "one cache must fit",
            _ranked(_rate, caches=1),
            "You counted the memory of one cache. Every sequence of the batch has its own.",
        ),
        Mistake(
            "element size forgotten",
            _ranked(_rate, size=1),
            "You took one byte for each parameter when you checked what fits. In bf16 it is two.",
        ),
        Mistake(
            "ranked by bandwidth",
            _ranked(lambda chip, *_: chip.memory_bandwidth),
            "You ranked by memory bandwidth. With thousands of sequences the arithmetic decides: rank by tokens a second.",
            share=0.8,
        ),
        Mistake(
            "chips without bf16",
            lambda names, parameters, cache_bytes, batch: sorted(
                (
                    name
                    for name in names
                    if 2 * parameters + batch * cache_bytes <= specs.accelerator(name).memory_bytes
                ),
                key=lambda name: specs.accelerator(name).memory_bandwidth,
                reverse=True,
            ),
            "You kept a chip that has no bf16 peak, and ranked by memory bandwidth. Ask precisions_dense, and rank by tokens a "
            "second.",
        ),
        Mistake(
            "other names",
            lambda names, parameters, cache_bytes, batch: [
                specs.accelerator(name).id for name in rank_chips(names, parameters, cache_bytes, batch)
            ],
            "Return each name exactly as it is in `names`.",
        ),
    ),
    mutants=MUTANTS["lab.roofline.rank_chips"],
)
