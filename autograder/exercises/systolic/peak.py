"""From one array to a pod."""

from chip2cluster import systolic

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant


def peak(rows, cols, arrays, clock_mhz, chips):
    """Peak of a pod in OP/s: arrays of rows x cols cells, several on a chip, many chips."""
    return systolic.peak_ops(rows, cols, clock_mhz * 1e6, arrays) * chips


def _pods(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [(10, 20, 3, 1000, 2), (256, 256, 1, 700, 1), (128, 128, 8, 1050, 4096)]
    drawn = generator.integers((8, 40, 2, 500, 3), (40, 160, 9, 1900, 9000), (3, 5)).tolist()
    names = ("rows", "cols", "arrays", "clock_mhz", "chips")
    return [dict(zip(names, map(int, row), strict=True)) for row in (*rows, *drawn)]


def _peak(ops=2, hertz=1e6, arrays_count=True, chips_count=True, square=False):
    def wrong(rows, cols, arrays, clock_mhz, chips):
        cells = rows * (rows if square else cols)
        return ops * cells * clock_mhz * hertz * (arrays if arrays_count else 1) * (chips if chips_count else 1)

    return wrong


PEAK = Exercise(
    id="systolic.peak",
    title="From one array to a pod",
    signature="peak(rows, cols, arrays, clock_mhz, chips)",
    unit="OP/s",
    points=2,
    reference=peak,
    shows=(peak, systolic.peak_ops),
    groups=(Group("pods", 1.0, _pods),),
    hints=(
        "How many cells are there in the whole pod?",
        "Each of them does one multiply-accumulate a cycle. How many operations is that?",
        "2 · rows · cols · arrays · chips · clock, with the clock in Hz: M is 10^6.",
    ),
    solution="""
def peak(rows, cols, arrays, clock_mhz, chips):
    return 2 * rows * cols * arrays * chips * clock_mhz * 1e6
""",
    explanation=(
        "Cells times clock times two: nothing else is in a peak. It is why a sheet that prints the cells and the peak "
        "gives away the clock, and why a printed peak that disagrees with this product deserves a second look."
    ),
    mistakes=(
        Mistake(
            "multiply-accumulates counted once",
            _peak(ops=1),
            "You counted a multiply-accumulate as one operation. It is two.",
            v.FACTOR,
        ),
        Mistake(
            "MHz for Hz",
            _peak(hertz=1),
            "The clock is still in MHz. A million cycles are missing: multiply by 1e6.",
            v.UNIT,
        ),
        Mistake("MHz for GHz", _peak(hertz=1e9), "You took the clock for GHz. It is in MHz: multiply by 1e6.", v.UNIT),
        Mistake("one array", _peak(arrays_count=False), "You counted one array a chip. There are several."),
        Mistake("one chip", _peak(chips_count=False), "That is the peak of one chip. The pod has many."),
        Mistake(
            "one array of one chip",
            _peak(arrays_count=False, chips_count=False),
            "That is the peak of one array. A chip has several, and the pod has many chips.",
        ),
        Mistake("square", _peak(square=True), "You squared the rows. An array need not be square: rows × cols."),
        Mistake(
            "sides added",
            lambda rows, cols, arrays, clock_mhz, chips: 2 * (rows + cols) * arrays * chips * clock_mhz * 1e6,
            "You added rows and columns. The cells of an array are rows × cols.",
        ),
    ),
    mutants=(
        Mutant(
            source="""
def peak(r, c, a, f, n):
    return 2 * r * c * a * f * n / 1e6
""",
            verdict=v.UNIT,
            says="trillion",
        ),
    ),
)
