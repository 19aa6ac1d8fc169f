"""Which chip decodes fastest."""

from chip2cluster import specs

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant
from .tokens import tokens_per_second


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
    return sorted(rates, key=rates.get, reverse=True)


# No two of them have the same bandwidth, so that the order is never a matter of taste.
CHIPS = (
    "A100 SXM 80GB",
    "H100 SXM",
    "H200 SXM",
    "L40S",
    "MI300X",
    "TPU v4",
    "TPU v5e",
    "TPU v5p",
    "V100 SXM2",
    "Gaudi 3",
    "B200",
)


def _shops(generator):
    models = ((8e9, 0.5e9, 8), (13e9, 1.6e9, 8), (30e9, 0.8e9, 12), (3e9, 0.2e9, 40))
    shops = []
    for parameters, cache_bytes, batch in models:
        names = [str(name) for name in generator.permutation(CHIPS)]
        shops.append({"names": names, "parameters": parameters, "cache_bytes": cache_bytes, "batch": batch})
    return shops


def _hard_shops(generator):
    return [
        {"names": ["L40S", "TPU v5e"], "parameters": 70e9, "cache_bytes": 0.3e9, "batch": 8},
        {"names": ["V100 SXM2", "L40S"], "parameters": 8e9, "cache_bytes": 0.1e9, "batch": 8},
        # So many sequences that the arithmetic decides.
        {"names": ["A100 SXM 80GB", "L40S"], "parameters": 1e9, "cache_bytes": 1e6, "batch": 4096},
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
        "At batch 8 every one of these chips is far left of its ridge, so the order is the order of memory bandwidth "
        "among the chips that hold the model. Peak FLOP/s hardly enters."
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
            "You made room for one cache. Every sequence of the batch has one.",
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
        ),
        Mistake(
            "other names",
            lambda names, parameters, cache_bytes, batch: [
                specs.accelerator(name).id for name in rank_chips(names, parameters, cache_bytes, batch)
            ],
            "Return each name as it was handed to you.",
        ),
    ),
    mutants=(
        Mutant(
            source="""
def rank_chips(names, parameters, cache_bytes, batch):
    return names
""",
            verdict=v.REFUSED,
            says="argument names",
        ),
    ),
)
