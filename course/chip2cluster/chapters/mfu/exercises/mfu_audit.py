"""Exercise on which utilization a paper printed: MFU or HFU, dense or sparse peak."""

from chip2cluster import utilization
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

FACTORS = {"MFU": 1.0, "HFU": 4 / 3, "sparse peak": 0.5}


def audit(tokens_per_second, flops_per_token, devices, peak_flops_dense, printed):
    """Name the reading that gives a printed percentage to within half a point."""
    percent = 100 * utilization.mfu(tokens_per_second, flops_per_token, devices, peak_flops_dense)
    return _name(percent, printed)


def _name(percent, printed, factors=FACTORS, slack=0.5):
    for name, factor in factors.items():
        if abs(factor * percent - printed) <= slack:
            return name
    return "not reproducible"


def _case(generator, off, used):
    devices, peak = int(generator.integers(8, 4000)), float(generator.choice([312e12, 989.4e12, 275e12]))
    work = round(float(generator.uniform(10e9, 3000e9)), -7)
    speed = float(round(used * devices * peak / work))
    run = {"tokens_per_second": speed, "flops_per_token": work, "devices": devices, "peak_flops_dense": peak}
    true = 100 * utilization.mfu(**run)
    return {**run, "printed": round(true * off if off < 5 else true + off - 10, 2)}


def _rows(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "tokens_per_second": 1e6,
        "flops_per_token": 1e9,
        "devices": 10,
        "peak_flops_dense": 200e12,
        "printed": 50.0,
    }
    # Twice and three quarters of it are what a slip of the factors would look for.
    factors = generator.permutation((4 / 3, 0.5, 1.13, 1.0, 4 / 3, 0.5, 2.0, 0.75)).tolist()
    shares = generator.uniform(0.3, 0.48, len(factors))
    return [easy, *(_case(generator, off, used) for off, used in zip(factors, shares, strict=True))]


def _close(generator):
    """Printed 0.4, 0.7 and 0.2 points away."""
    used = (*generator.uniform(0.3, 0.55, 4), generator.uniform(0.5, 0.55))
    return [_case(generator, off, share) for off, share in zip((10.4, 9.6, 10.7, 9.3, 10.2), used, strict=True)]


def _as_asked(factors=FACTORS, slack=0.5):
    def wrong(tokens_per_second, flops_per_token, devices, peak_flops_dense, printed):
        return _name(100 * tokens_per_second * flops_per_token / (devices * peak_flops_dense), printed, factors, slack)

    return wrong


def _one_sided(printed, **run):
    percent = 100 * utilization.mfu(**run)
    return next((name for name, factor in FACTORS.items() if factor * percent - printed <= 0.5), "not reproducible")


AUDIT = Exercise(
    id="mfu.audit",
    title="Which utilization did they print?",
    signature="audit(tokens_per_second, flops_per_token, devices, peak_flops_dense, printed)",
    unit="",
    points=4,
    reference=audit,
    shows=(audit, utilization.mfu),
    groups=(
        Group("reports", 0.75, _rows),
        Group(
            "close calls",
            0.25,
            _close,
            advice="Half a percentage point is the limit, above and below: 0.4 passes, 0.7 does not.",
        ),
    ),
    hints=(
        "Compute the MFU as before, times 100. Then compare the printed figure with three numbers.",
        "abs(mfu - printed) <= 0.5 for the first, the same with 4 / 3 * mfu and with mfu / 2.",
        'Three ifs, each with its return, and return "not reproducible" after them.',
    ),
    solution="""
def audit(tokens_per_second, flops_per_token, devices, peak_flops_dense, printed):
    mfu = 100 * tokens_per_second * flops_per_token / (devices * peak_flops_dense)
    if abs(mfu - printed) <= 0.5:
        return "MFU"
    if abs(4 / 3 * mfu - printed) <= 0.5:
        return "HFU"
    if abs(mfu / 2 - printed) <= 0.5:
        return "sparse peak"
    return "not reproducible"
""",
    explanation=(
        "Most printed figures that look wrong answer another question: they count recomputation, or use a "
        "denominator with sparsity. The rest are misprints, and only a computation tells them apart."
    ),
    meaning=lambda: (
        f"A report of 57 % for a run with an MFU of 42.6 % is its HFU with full recomputation ({4 / 3 * 42.6:.1f} %), and one of 21 % "
        f"used the peak with sparsity ({42.6 / 2:.1f} %). Both are right about another question."
    ),
    mistakes=(
        Mistake(
            "only upwards",
            lambda printed, **run: next(
                (name for name, factor in FACTORS.items() if printed - factor * 100 * utilization.mfu(**run) <= 0.5),
                "not reproducible",
            ),
            "You compare the difference without abs(), so a figure that is far too low passes as well.",
        ),
        Mistake(
            "small letters",
            lambda **run: audit(**run).lower(),
            'Nearly right, but capital letters count. Return exactly "MFU", "HFU", "sparse peak" or "not reproducible".',
            v.TYPE,
        ),
        Mistake(
            "equal",
            _as_asked(slack=1e-9),
            "Your limit is too narrow, or you test for equality. A printed figure is rounded: compare abs(mfu − printed) with 0.5.",
        ),
        Mistake(
            "only downwards",
            _one_sided,
            "You compare the difference without abs(), so a figure that is far too high passes as well.",
        ),
        Mistake(
            "other words",
            lambda **run: audit(**run).replace("sparse peak", "sparse"),
            'Nearly right: return exactly "MFU", "HFU", "sparse peak" or "not reproducible".',
            v.TYPE,
        ),
        Mistake(
            "nothing agrees",
            lambda tokens_per_second, flops_per_token, devices, peak_flops_dense, printed: _name(
                tokens_per_second * flops_per_token / (devices * peak_flops_dense), printed
            ),
            "None of your figures ever agrees. In the case below your MFU should be 50: print it. If it is 0.5, multiply by "
            "100; if it is 500, multiply the peak by the devices; the peak is in FLOP/s already.",
            v.UNIT,
        ),
        Mistake(
            "HFU below MFU",
            _as_asked({"MFU": 1.0, "HFU": 3 / 4, "sparse peak": 0.5}),
            "You looked for an HFU of 3/4 of the MFU. It counts more arithmetic, so it is 4/3 of it.",
        ),
        Mistake(
            "sparse peak above MFU",
            _as_asked({"MFU": 1.0, "HFU": 4 / 3, "sparse peak": 2.0}),
            "You looked for twice the MFU. The peak with sparsity is twice as high, so the utilization is half.",
        ),
        Mistake(
            "swapped",
            _as_asked({"MFU": 1.0, "sparse peak": 4 / 3, "HFU": 0.5}),
            "You swapped HFU and sparse peak: HFU is larger than MFU, and the sparse peak makes the figure smaller.",
        ),
        Mistake(
            "only MFU",
            _as_asked({"MFU": 1.0}),
            'You check for MFU alone. Try 4/3 of it ("HFU") and half of it ("sparse peak").',
        ),
        Mistake(
            "sparse peak forgotten",
            _as_asked({"MFU": 1.0, "HFU": 4 / 3}),
            'Half of the MFU comes from the peak with sparsity in the denominator: return "sparse peak".',
        ),
        Mistake(
            "HFU forgotten", _as_asked({"MFU": 1.0, "sparse peak": 0.5}), 'A printed figure of 4/3 of the MFU is "HFU".'
        ),
        Mistake(
            "a whole point", _as_asked(slack=1.0), "You allow a whole point. Half a point is the limit.", share=0.75
        ),
        Mistake(
            "exactly",
            _as_asked(slack=0.01),
            "You test for (nearly) equal numbers. Allow half a point in both directions.",
            share=0.75,
        ),
        Mistake(
            "half a per cent of the figure",
            lambda printed, **run: _name(100 * utilization.mfu(**run), printed, slack=0.005 * printed),
            "You allow half a percent of the figure. Allow half a percentage point: 0.5.",
            share=0.75,
        ),
    ),
    mutants=MUTANTS["mfu.audit"],
)
