"""Task on which directions a printed bisection counts."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

ONE, BOTH, NEITHER = "one way", "both ways", "neither"


def convention(printed_tbytes, links, link_gbytes):
    """Name the convention of a printed bisection, within 10 %."""
    one_way = links * link_gbytes / 1000
    if abs(printed_tbytes - one_way) <= 0.1 * one_way:
        return ONE
    if abs(printed_tbytes - 2 * one_way) <= 0.1 * 2 * one_way:
        return BOTH
    return NEITHER


def _case(printed, links, rate):
    return {"printed_tbytes": printed, "links": links, "link_gbytes": rate}


def _sheets(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    fixed = [(2.4, 48, 25.0), (1.6, 32, 50.0), (24.0, 512, 50.0), (3.6, 72, 25.0), (6.4, 64, 100.0)]
    drawn = []
    for _ in range(9):  # each network printed in both conventions, so that its size tells neither
        links, rate = int(20 * 50 ** generator.uniform()), round(12 * 9 ** generator.uniform(), 1)
        noise = generator.uniform(0.92, 1.08, 2)
        drawn += [
            (round(f * links * rate / 1000 * float(n), 3), links, rate) for f, n in zip((1, 2), noise, strict=True)
        ]
    return [_case(*row) for row in fixed + [drawn[place] for place in generator.permutation(len(drawn))]]


def _strange(generator):
    # Too far off for 10 %, in steps, so that a threshold much looser shows; the third is a TPU v3 pod.
    links = int(generator.integers(20, 900))
    off = [_case(round(factor * links * 0.05, 4), links, 50.0) for factor in (1.13, 1.45, 2.7, 0.4)]
    return [_case(7.2, 72, 25.0), _case(1.6, 32, 6.25), _case(6.4, 64, 82.0), *off]


def _wrong(one=ONE, both=BOTH, neither=NEITHER, tolerance=0.1, rate=1.0):
    def wrong(printed_tbytes, links, link_gbytes):
        one_way = rate * links * link_gbytes / 1000
        if abs(printed_tbytes - one_way) <= tolerance * one_way:
            return one
        if abs(printed_tbytes - 2 * one_way) <= tolerance * 2 * one_way:
            return both
        return neither

    return wrong


def _nearer(printed_tbytes, links, link_gbytes):
    one_way = links * link_gbytes / 1000
    return ONE if abs(printed_tbytes - one_way) < abs(printed_tbytes - 2 * one_way) else BOTH


CONVENTION = Exercise(
    id="lab.bisection.convention",
    title="Which way did they count?",
    signature="convention(printed_tbytes, links, link_gbytes)",
    unit="",
    graded=True,
    points=3,
    reference=convention,
    groups=(
        Group("sheets", 0.75, _sheets),
        Group(
            "strange figures",
            0.25,
            _strange,
            v.VALUE,
            advice='A figure that is more than 10 % away from both fits neither: return exactly "neither".',
        ),
    ),
    hints=(
        "Compute the cut in one direction, in TB/s: links * link_gbytes / 1000.",
        "Compare the printed figure with that and with twice that.",
        "A printed figure fits if it differs from yours by at most a tenth of yours. Test both of your figures, and return the one that fits.",
    ),
    explanation=(
        "A figure on a sheet is a claim with a convention. If you can count the links, you need not guess which: NVIDIA's "
        "2.4 TB/s and Google's 1.6 TB/s sort themselves out."
    ),
    mistakes=(
        Mistake(
            "swapped",
            _wrong(one=BOTH, both=ONE),
            "You have the two the wrong way round: both directions make the larger figure.",
        ),
        Mistake(
            "no tolerance",
            _wrong(tolerance=1e-9),
            "You asked for exact agreement. Printed figures are rounded: allow 10 %.",
        ),
        Mistake(
            "link rate counts both",
            _wrong(rate=0.5),
            "You took link_gbytes for the sum of both directions. It is the rate in each.",
        ),
        Mistake(
            "link rate doubled",
            _wrong(rate=2.0),
            "You doubled the rate of the links before you compared. It is the rate in each direction.",
        ),
        Mistake(
            "a thousand",
            _wrong(rate=1000.0),
            "You compared TB/s with GB/s. 1 TB/s is 1000 GB/s.",
            v.UNIT,
        ),
        Mistake(
            "the nearer one",
            _nearer,
            'You returned the nearer of the two. A figure that fits neither within 10 % deserves "neither".',
            share=0.75,
        ),
        Mistake(
            "capital letters",
            _wrong(one="One way", both="Both ways", neither="Neither"),
            'Right, but with a capital letter: return exactly "one way", "both ways" or "neither".',
            v.TYPE,
        ),
        Mistake(
            "capital letter of neither",
            _wrong(neither="Neither"),
            'Right, but with a capital letter: return exactly "neither".',
            share=0.75,
        ),
        Mistake(
            "looser by a factor of two",
            _wrong(tolerance=0.2),
            "You allow more than the task does: a figure fits within 10 % of yours, and no further.",
            share=0.75,
        ),
        Mistake(
            "looser by far",
            _wrong(tolerance=0.5),
            "You allow far more than the task does: a figure fits within 10 % of yours, and no further.",
            share=0.75,
        ),
        Mistake(
            "other words",
            _wrong(one="one-way", both="both-ways"),
            'Right, but in other words: return exactly "one way", "both ways" or "neither".',
            v.TYPE,
        ),
    ),
    mutants=MUTANTS["lab.bisection.convention"],
)
