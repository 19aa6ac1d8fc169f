"""Lab 5: the side of an array that nobody prints."""

from chip2cluster import systolic, units
from chip2cluster.exercise.written_question import Column, Draw, Explanation, Question, si

SMALL, LARGE, TOKENS = 128, 256, 8192


def draw(generator):
    whole = float(generator.integers(2, 9) * LARGE)
    odd = [float(generator.integers(1, 6) * LARGE + generator.integers(8, SMALL)) for _ in range(3)]
    rows = [{"width": width} for width in sorted([whole, *odd[:2]])]
    return Draw({"peak_flops": float(generator.integers(15, 95)) * 1e13}, rows, {"width": odd[2]})


def rate(width, peak_flops, side):
    return peak_flops * systolic.padded_utilization(TOKENS, width, width, side, side)


QUESTION = Question(
    scene="A chip with systolic arrays does {peak} at most; the side of its arrays is not printed. Products of 8192 rows "
    "with square matrices of several widths were timed. All of them lie far to the right of the ridge.",
    columns=(Column("width", "width of the matrix"),),
    result=Column("rate", "rate", si("FLOP/s")),
    explanations=(
        Explanation(
            f"the arrays are {SMALL} cells wide and high.",
            "A width is filled up to a multiple of the side, and cells that hold zeros take their time. What remains of the peak "
            "is what the smaller side leaves over in both directions.",
            "If an odd multiple of the smaller side lost anything, I would be wrong.",
            lambda width, peak_flops: rate(width, peak_flops, SMALL),
        ),
        Explanation(
            f"the arrays are {LARGE} cells wide and high.",
            "A width is filled up to a multiple of the side, and cells that hold zeros take their time. So much is lost just above a "
            "multiple that only the larger side can be behind it.",
            "If an odd multiple of the smaller side ran at the full rate, I would be wrong.",
            lambda width, peak_flops: rate(width, peak_flops, LARGE),
        ),
    ),
    coming="what you expect at a width of {width}",
    draw=draw,
    shown=lambda peak_flops: {"peak": units.show(peak_flops, "FLOP/s")},
)
