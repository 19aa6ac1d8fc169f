"""Task on the interval of values that round to a printed number."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

LETTERS = {"K": 1e3, "M": 1e6}


def rounded(text):
    """Lowest and highest number that can have been printed so."""
    return _range(text)


def _number(text):
    """The number as it stands, the value of its last digit, and what its letter stands for."""
    text = text.replace(",", "")
    letter = LETTERS.get(text[-1], 1.0)
    text = text.rstrip("KM")
    return float(text), 10.0 ** -len(text.partition(".")[2]), letter


def _range(text, below=0.5, above=0.5, last=lambda number, unit, text: unit, letter=lambda of: (of, of), parts=None):
    """``below`` and ``above`` in units of the last digit; ``letter`` of the number and of its unit."""
    ends = []
    for part in (text.split("-")[0], text.split("-")[-1]) if parts is None else parts(text):
        number, unit, of = _number(part)
        whole, part_of = letter(of)
        unit = last(number, unit, part)
        ends.append((number * whole, unit * part_of))
    (low, first), (high, second) = ends
    return [low - below * first, high + above * second]


def _zeros(number, unit, text):
    """A unit that does not count the zeros at the end."""
    digits = text.replace(",", "").rstrip("KM")
    short = digits.rstrip("0")
    return unit * 10.0 ** (len(digits) - len(short)) if "." not in digits else unit


def _as_float(number, unit, text):
    """The unit of what Python prints of the number."""
    return 10.0 ** -len(f"{number:.10g}".partition(".")[2])


def _texts(generator):
    def digits(low, high, decimals):
        """Text whose last digit is no zero."""
        number = int(generator.integers(low, high)) * 10 + int(generator.integers(1, 10))
        return f"{number / 10**decimals:,.{decimals}f}"

    # Half a tonne either way. It is the one that a student sees.
    drawn = ["502", digits(100, 9000, 2), digits(1000, 90000, 0), digits(3, 90, 3), digits(10, 90, 1)]
    drawn += [f"{digits(10, 90, 1)}0", f"{int(generator.integers(11, 99))}00"]
    drawn += [f"{digits(11, 99, 2)}M", f"{int(generator.integers(1, 40))}.0M", f"{digits(2, 90, 0)}K"]
    return [{"text": drawn[0]}, *({"text": drawn[place]} for place in 1 + generator.permutation(len(drawn) - 1))]


def _kinds(generator):
    low = int(generator.integers(20, 45))
    return [
        {"text": f"{10 * low}-{10 * low + 50}"},
        {"text": f"{low}.5-{low + 3}"},
        {"text": f"1.{low}M-2M"},
    ]


def _like(**rules):
    return lambda text: _range(text, **rules)


def _middle(text):
    low, high = _range(text, 0.0, 0.0)
    return [low, high]


DIGITS = Exercise(
    id="lab.economics.rounded",
    title="What the last digit hides",
    signature="rounded(text)",
    unit="",
    graded=True,
    points=3,
    tolerance=1e-9,
    allowed=("chip2cluster.specs", "chip2cluster.units", "chip2cluster.economics.printed"),
    reference=rounded,
    groups=(
        Group("numbers", 0.8, _texts),
        Group(
            "two kinds",
            0.2,
            _kinds,
            advice="Two numbers with a dash between them are a range already: from the lowest of the first to the highest of the second.",
        ),
    ),
    hints=(
        "A number that is printed without decimals was rounded to ones. By how much at most was it moved?",
        "By half a unit of the last digit that is printed, and a zero that is printed is a digit. So you need the text: Python "
        "forgets such zeros as soon as it is a number.",
        "Take commas and the letter off first. Count what stands behind the point: with n digits there the unit is a tenth, n times. "
        "Whatever the letter stands for multiplies the number and the unit.",
    ),
    explanation="The printed digits are the only sign of how sure a number is: 1.1 may be 1.05, and 1.10 may not.",
    mistakes=(
        Mistake("a whole unit", _like(below=1.0, above=1.0), "You allow a whole unit of the last digit. Rounding moves a number by half of one "
                "at most."),
        Mistake("cut off", _like(below=0.0, above=1.0), "You took the number for cut off, with more behind it. Rounded numbers lie half a unit "
                "below and above."),
        Mistake("zeros forgotten", _like(last=_as_float), "You lost a zero at the end: 1.10 is printed to hundredths, 5.0M to tenths of a "
                "million. Count the digits of the text, not of the number."),
        Mistake("zeros distrusted", _like(last=_zeros), "You took zeros at the end for no digits. They may be none; nobody can tell. "
                "Count what is printed: 1,900 stands for 1,899.5 to 1,900.5."),
        Mistake("half of one, always", _like(last=lambda number, unit, text: 1.0), "You allow half of one whatever is printed. With two decimals "
                "it is 0.005."),
        Mistake("one per cent", lambda text: [0.99 * _middle(text)[0], 1.01 * _middle(text)[1]], "You allow a share of the number. What was rounded off "
                "depends on the last digit alone."),
        Mistake("as printed", _middle, "You return the number itself. Both ends are wanted, half a unit of the last digit away."),
        Mistake("ends exchanged", lambda text: rounded(text)[::-1], "Your ends stand the wrong way round: lowest first."),
        Mistake("the letter forgotten", _like(letter=lambda of: (1.0, 1.0)), "You dropped the letter: K are thousands, M millions.", v.UNIT),
        Mistake("the letter of the unit", _like(letter=lambda of: (of, 1.0)), "Behind a K or an M the last digit counts as much more, too: 1.46M "
                "is rounded to ten thousands."),
        Mistake("the first of two", _like(parts=lambda text: (text.split("-")[0],) * 2), "Of two numbers with a dash between them you took the first "
                "alone.", share=0.8),
        Mistake("two without their digits", lambda text: _middle(text) if "-" in text else rounded(text), "Of two numbers with a dash between them each is "
                "rounded as well.", share=0.8),
    ),
)  # fmt: skip
