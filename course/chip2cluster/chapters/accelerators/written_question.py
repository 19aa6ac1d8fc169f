"""Lab 2: what a printed peak is made of."""

from chip2cluster.exercise.written_question import Column, Draw, Explanation, Question, si


def draw(generator):
    rows = []
    for ratio in generator.permutation(
        [generator.uniform(1.98, 2.02), generator.uniform(1.3, 1.6), generator.uniform(2.5, 3.2)]
    ):
        base = float(generator.integers(60, 110)) * 1e7
        rows.append(_chip(generator, base, ratio))
    return Draw({}, rows, _chip(generator, float(generator.integers(60, 110)) * 1e7, generator.uniform(1.3, 1.5)))


def _chip(generator, base, ratio):
    return {
        "compute_units": float(generator.integers(30, 140) * 2),
        "flops_per_clock": float(generator.choice([1024, 2048, 4096])),
        "base_hz": base,
        "boost_hz": round(base * ratio / 1e7) * 1e7,
    }


QUESTION = Question(
    scene="A vendor prints one peak for each chip of a family and doesn't say which peak it is. The other "
    "columns are known: compute units, dense FLOP of a unit per cycle, and two clocks.",
    columns=(
        Column("compute_units", "units"),
        Column("flops_per_clock", "dense FLOP per cycle, of a unit"),
        Column("base_hz", "base clock", si("Hz")),
        Column("boost_hz", "boost clock", si("Hz")),
    ),
    result=Column("peak", "printed peak", si("FLOP/s")),
    explanations=(
        Explanation(
            "the peaks are dense, at the boost clock.",
            "Units, dense work per cycle and boost clock multiply to the printed peak, so you can use the figure in a "
            "roofline unchanged, as a bound. Whether the chip holds that clock under load is another question.",
            "A long dense product that ran faster than the chip's printed peak would prove me wrong.",
            lambda compute_units, flops_per_clock, base_hz, boost_hz: compute_units * flops_per_clock * boost_hz,
        ),
        Explanation(
            "the peaks count sparsity twofold, at the base clock.",
            "Only twice the dense work at the base clock gives the printed peak. So the dense peak is half of it, and "
            "a training run planned with the printed figure takes twice as long as planned.",
            "A dense product that came near the printed peak at the base clock would prove me wrong.",
            lambda compute_units, flops_per_clock, base_hz, boost_hz: 2 * compute_units * flops_per_clock * base_hz,
        ),
    ),
    coming="the peak that you expect to be printed for the next chip, with {compute_units} units, {flops_per_clock} dense FLOP per cycle, {base_hz} "
    "and {boost_hz}",
    draw=draw,
    noise=0.005,
)
