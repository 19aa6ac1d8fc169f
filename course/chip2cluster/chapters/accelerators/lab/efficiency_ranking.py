"""Task on a ranking of chips by FLOP per joule."""

from chip2cluster import specs
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def rank_by_joule(names, precision):
    """Names of the chips with a dense peak and a printed TDP, most FLOP per joule first."""
    return _ranked(lambda chip, precision: chip.peak_flops_dense(precision) / chip.tdp_watts)(names, precision)


# No two of them have the same ratio at bf16, fp8 or fp64, and fp64 has an order of its own.
# None of their TDPs feeds a CPU besides (`chip.tdp_covers`): such joules do not compare.
CHIPS = (
    "A100 SXM 80GB", "A100 PCIe 80GB", "H100 SXM", "H100 PCIe", "H20", "B200", "GB200", "L4", "L40S", "RTX 4090", "MI250X",
    "MI300X", "MI325X", "MI355X", "Gaudi 2", "Gaudi 3", "TPU v3",
)  # fmt: skip


def _shops(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    cases = [{"names": ["A100 SXM 80GB", "H100 SXM", "L4", "B200"], "precision": "bf16"}]
    for precision in ("bf16", "fp8", "fp64", "bf16"):
        names = [str(name) for name in generator.permutation(CHIPS)][:11]
        has = {name: precision in specs.accelerator(name).precisions_dense for name in CHIPS}
        cases.append({"names": [name for name in names if has[name]], "precision": precision})
    return cases


def _gaps(generator):
    return [
        {"names": ["TPU v5p", "L4", "A100 SXM 80GB", "Trainium2", "H100 PCIe"], "precision": "bf16"},
        {"names": ["A100 SXM 80GB", "MI355X", "V100 SXM2", "GB200"], "precision": "fp8"},
        {"names": ["TPU v6e"], "precision": "int8"},
    ]


def _ranked(key, reverse=True):
    def ranked(names, precision):
        chips = {name: specs.accelerator(name) for name in names}
        values = {
            name: key(chip, precision)
            for name, chip in chips.items()
            if precision in chip.precisions_dense and chip.tdp_watts is not None
        }
        return sorted(values, key=values.__getitem__, reverse=reverse)

    return ranked


def _sparse(chip, precision):
    sparse = precision in chip.precisions_sparse
    return (chip.peak_flops_sparse(precision) if sparse else chip.peak_flops_dense(precision)) / chip.tdp_watts


RANK = Exercise(
    id="lab.accelerators.rank_by_joule",
    title="Which chip is the most efficient?",
    signature="rank_by_joule(names, precision)",
    unit="",
    graded=True,
    points=4,
    reference=rank_by_joule,
    groups=(
        Group("shops", 0.75, _shops),
        Group(
            "edges",
            0.25,
            _gaps,
            advice="Not every chip has every precision (chip.precisions_dense lists them), and tdp_watts is None if no TDP is "
            "printed. The list may be empty.",
        ),
    ),
    hints=(
        "FLOP/s over watts is FLOP per joule: chip.peak_flops_dense(precision) / chip.tdp_watts.",
        "Skip a chip if precision is not in chip.precisions_dense, or chip.tdp_watts is None.",
        "Put name and ratio in a dict and sort it: sorted(ratios, key=ratios.get, reverse=True).",
    ),
    explanation=(
        "The smallest card of a family may beat its largest here, and a card with a tight power limit looks best of all: its "
        "peak assumes a clock that the limit may not let it keep."
    ),
    mistakes=(
        Mistake(
            "by peak",
            _ranked(lambda chip, precision: chip.peak_flops_dense(precision)),
            "You ranked by peak. Divide by the watts.",
        ),
        Mistake(
            "worst first",
            _ranked(lambda chip, precision: chip.peak_flops_dense(precision) / chip.tdp_watts, reverse=False),
            "Your list starts with the worst. Most FLOP per joule first.",
        ),
        Mistake(
            "sparse peaks",
            _ranked(_sparse),
            "You ranked by peaks with sparsity, which not every chip has. Use the dense ones.",
        ),
        Mistake(
            "by power",
            _ranked(lambda chip, precision: chip.tdp_watts, reverse=False),
            "You ranked by power alone, lowest first. Divide the peak by it.",
        ),
        Mistake(
            "by power, highest first",
            _ranked(lambda chip, precision: chip.tdp_watts),
            "You ranked by power alone. Divide the peak by it.",
        ),
        Mistake(
            "by bandwidth",
            _ranked(lambda chip, precision: chip.memory_bandwidth / chip.tdp_watts),
            "You divided the memory bandwidth by the watts. Use the peak.",
        ),
        Mistake(
            "not sorted",
            lambda names, precision: [name for name in names if name in rank_by_joule(names, precision)],
            "Right chips, but still in the order of `names`. Sort them: most FLOP per joule first.",
        ),
        Mistake(
            "always bf16",
            _ranked(
                lambda chip, precision: (
                    chip.peak_flops_dense("bf16" if "bf16" in chip.precisions_dense else precision) / chip.tdp_watts
                )
            ),
            "You always ranked by the bf16 peak. Use `precision`.",
        ),
    ),
    mutants=MUTANTS["lab.accelerators.rank_by_joule"],
)
