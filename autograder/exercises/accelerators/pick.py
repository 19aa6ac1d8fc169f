"""Pick a chip for a stated job."""

from chip2cluster import specs

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant

# Printed TDP, and no two with the same dense peak in bf16, fp8 or int8.
CHIPS = (
    "V100 SXM2", "A100 SXM 80GB", "H100 SXM", "H100 PCIe", "B200", "L4", "L40S", "RTX 4090", "MI250X", "MI300X",
    "MI350X", "MI355X", "Gaudi 2", "Gaudi 3", "TPU v3", "Ascend 910B", "RTX 3090", "A10",
)  # fmt: skip


def pick_chip(names, precision, needed_gb, most_watts):
    """Name of the fastest chip, dense, that holds the job within the power; "none" where there is none."""
    fits = {}
    for name in names:
        chip = specs.accelerator(name)
        if precision not in chip.precisions_dense or chip.tdp_watts is None:
            continue
        if chip.memory_bytes >= needed_gb * 1e9 and chip.tdp_watts <= most_watts:
            fits[name] = chip.peak_flops_dense(precision)
    return max(fits, key=fits.get) if fits else "none"


def _jobs(generator):
    jobs = (
        ("bf16", 60.0, 500.0), ("fp8", 100.0, 2000.0), ("bf16", 20.0, 100.0), ("fp8", 40.0, 360.0), ("int8", 70.0, 800.0),
        ("bf16", 100.0, 520.0), ("bf16", 16.0, 2000.0), ("bf16", 60.0, 950.0),
    )  # fmt: skip
    drawn = [
        {
            "names": [str(name) for name in generator.permutation(CHIPS)],
            "precision": precision,
            "needed_gb": needed,
            "most_watts": watts,
        }
        for precision, needed, watts in jobs
    ]
    # The fastest is too small and draws too much, the second is too hot, and the largest memory is not the fastest.
    few = [str(name) for name in generator.permutation(("H100 SXM", "Gaudi 2", "MI250X"))]
    for needed, watts in ((90.0, 580.0), (40.0, 800.0)):
        drawn.append({"names": few, "precision": "bf16", "needed_gb": needed, "most_watts": watts})
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"names": ["L4", "H100 SXM", "B200"], "precision": "bf16", "needed_gb": 60.0, "most_watts": 800.0}
    return [easy, *drawn]


def _impossible(generator):
    return [
        {"names": ["L4", "V100 SXM2"], "precision": "fp8", "needed_gb": 40.0, "most_watts": 2000.0},
        {
            "names": ["TPU v5p", "TPU v3", "Trainium2", "TPU v4"],
            "precision": "bf16",
            "needed_gb": 30.0,
            "most_watts": 2000.0,
        },
        {"names": ["L4", "A100 SXM 80GB", "H100 SXM"], "precision": "bf16", "needed_gb": 80.0, "most_watts": 700.0},
    ]


def _picked(key=None, memory=True, watts=True, first=max, unknown=False, strict=False):
    def wrong(names, precision, needed_gb, most_watts):
        rate = key or (lambda chip, precision: chip.peak_flops_dense(precision))
        fits = {}
        for name in names:
            chip = specs.accelerator(name)
            if precision not in chip.precisions_dense or (chip.tdp_watts is None and not unknown):
                continue
            if memory and chip.memory_bytes < needed_gb * 1e9:
                continue
            if watts and chip.tdp_watts is not None and chip.tdp_watts > most_watts:
                continue
            if strict and (chip.memory_bytes == needed_gb * 1e9 or chip.tdp_watts == most_watts):
                continue
            fits[name] = rate(chip, precision)
        return first(fits, key=fits.get) if fits else "none"

    return wrong


def _sparse(chip, precision):
    if precision in chip.precisions_sparse:
        return chip.peak_flops_sparse(precision)
    return chip.peak_flops_dense(precision)


PICK = Exercise(
    id="accelerators.pick_chip",
    title="Pick a chip for a stated job",
    signature="pick_chip(names, precision, needed_gb, most_watts)",
    unit="",
    points=4,
    reference=pick_chip,
    groups=(
        Group("jobs", 0.8, _jobs),
        Group(
            "edges",
            0.2,
            _impossible,
            advice='No chip may qualify (return the text "none"), a chip may have just enough of both, and some vendors print no TDP: tdp_watts is None there, so the chip '
            "cannot be shown to fit.",
        ),
    ),
    hints=(
        "For each name: chip = specs.accelerator(name). Then test memory, power and precision one by one.",
        "`precision in chip.precisions_dense` comes before chip.peak_flops_dense(precision). 1 GB is 1e9 bytes.",
        'Put name and peak of the chips that remain in a dict: max(fits, key=fits.get) if fits else "none".',
    ),
    solution="""
from chip2cluster import specs


def pick_chip(names, precision, needed_gb, most_watts):
    fits = {}
    for name in names:
        chip = specs.accelerator(name)
        if precision not in chip.precisions_dense or chip.tdp_watts is None:
            continue
        if chip.memory_bytes >= needed_gb * 1e9 and chip.tdp_watts <= most_watts:
            fits[name] = chip.peak_flops_dense(precision)
    return max(fits, key=fits.get) if fits else "none"
""",
    explanation=(
        "Constraints first, then the ranking: a job that does not fit runs at no rate at all. A figure that nobody prints "
        "cannot be checked, and no guess belongs in a purchase."
    ),
    mistakes=(
        Mistake(
            "sparse peaks",
            _picked(_sparse),
            "You ranked by peaks with sparsity. The job is dense.",
        ),
        Mistake(
            "power ignored",
            _picked(watts=False),
            "Your chip draws more than most_watts: compare chip.tdp_watts with it.",
        ),
        Mistake(
            "memory ignored",
            _picked(memory=False),
            "Your chip is too small: compare chip.memory_bytes with needed_gb * 1e9.",
        ),
        Mistake(
            "nothing but the peak",
            _picked(memory=False, watts=False),
            "You ranked by the peak alone. First keep the chips with enough memory and within the power.",
        ),
        Mistake(
            "slowest", _picked(first=min), "You picked the slowest of the chips that fit. The highest peak is wanted."
        ),
        Mistake(
            "by bandwidth",
            _picked(lambda chip, precision: chip.memory_bandwidth),
            "You ranked by memory bandwidth. This job asks for the highest dense peak.",
        ),
        Mistake(
            "by capacity",
            _picked(lambda chip, precision: chip.memory_bytes),
            "You ranked by the size of the memory. It must be large enough; the peak decides.",
        ),
        Mistake(
            "by efficiency",
            _picked(lambda chip, precision: chip.peak_flops_dense(precision) / chip.tdp_watts),
            "You ranked by FLOP for each joule. Power is a limit in this job; the peak decides.",
        ),
        Mistake(
            "bytes against gigabytes",
            lambda names, precision, needed_gb, most_watts: "none",
            'You answered "none" although a chip fits. Memory is in bytes: compare it with needed_gb * 1e9.',
        ),
        Mistake(
            "unprinted power",
            _picked(unknown=True),
            "You picked a chip whose TDP nobody prints. It cannot be shown to fit: leave it out.",
            share=0.8,
        ),
        Mistake(
            "the first that fits",
            _picked(lambda chip, precision: 0.0),
            "You took the first chip that fits. Go through all of them and keep the one with the highest dense peak.",
        ),
        Mistake(
            "strictly",
            _picked(strict=True),
            "A chip with just enough memory, or that draws just most_watts, fits: >= and <=, not > and <.",
            share=0.8,
        ),
    ),
    mutants=(
        Mutant(
            source="""
from chip2cluster import specs
def pick_chip(names, precision, g, w):
    a = specs.accelerator
    fits = [n for n in names if precision in a(n).precisions_dense and a(n).memory_bytes >= g * 1e9
            and a(n).tdp_watts <= w]
    return max(fits, key=lambda n: a(n).peak_flops_dense(precision))
""",
            verdict=v.EDGES,
            says="No chip may qualify",
            share=0.8,
        ),
        Mutant(
            source="""
def pick_chip(names, precision, g, w):
    return names[0]
""",
            verdict=v.VALUE,
            says="Work one case",
        ),
        Mutant(
            source="""
def pick_chip(names, precision, g, w):
    return 'B200'
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
)
