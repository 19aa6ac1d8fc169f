"""Exercise on whether a purchase is certain when prices, power and peaks are known as intervals."""

from collections.abc import Callable

from chip2cluster import specs
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

FIRST, SECOND, OPEN = "first", "second", "open"


def decide(first, second, dollars_per_watt):
    """Which chip gives more peak for a dollar whatever the true numbers are: "first", "second", or "open"."""
    return _decided(first, second, dollars_per_watt, _worth)


def _worth(chip, watt, end):
    """TFLOP/s for a dollar, all that is the chip's own at its worst (``end`` 0) or at its best (1)."""
    return chip["tflops"][end] / (chip["dollars"][1 - end] + watt * chip["watts"][1 - end])


def _decided(first, second, dollars_per_watt, worth):
    if all(worth(first, watt, 0) > worth(second, watt, 1) for watt in dollars_per_watt):
        return FIRST
    if all(worth(second, watt, 0) > worth(first, watt, 1) for watt in dollars_per_watt):
        return SECOND
    return OPEN


def _by(worth):
    return lambda first, second, dollars_per_watt: _decided(first, second, dollars_per_watt, worth)


def _apart(first, second, dollars_per_watt):
    """A price of the watt for each chip, as if the two were not in one building."""
    low, high = dollars_per_watt
    if _worth(first, high, 0) > _worth(second, low, 1):
        return FIRST
    return SECOND if _worth(second, high, 0) > _worth(first, low, 1) else OPEN


def _middles(first, second, dollars_per_watt):
    def worth(chip):
        middle = {name: sum(ends) / 2 for name, ends in chip.items()}
        return middle["tflops"] / (middle["dollars"] + sum(dollars_per_watt) / 2 * middle["watts"])

    return FIRST if worth(first) > worth(second) else SECOND


def _at(which):
    def wrong(first, second, dollars_per_watt):
        return decide(first, second, [sum(dollars_per_watt) / 2] if which is None else [dollars_per_watt[which]])

    return wrong


def _no_open(first, second, dollars_per_watt):
    return FIRST if decide(first, second, dollars_per_watt) == FIRST else SECOND


def _swapped(first, second, dollars_per_watt):
    return {FIRST: SECOND, SECOND: FIRST, OPEN: OPEN}[decide(first, second, dollars_per_watt)]


def _chip(generator):
    def between(low, high, wide):
        middle, half = generator.uniform(low, high), generator.uniform(0, wide)
        return middle * (1 - half), middle * (1 + half)

    return {
        "tflops": tuple(round(end) for end in between(300, 2500, 0.04)),
        "dollars": tuple(round(end, -2) for end in between(6000, 45000, 0.12)),
        "watts": tuple(round(end, -1) for end in between(250, 1300, 0.06)),
    }


def _quote(generator):
    watt = round(float(generator.uniform(2, 9)), 1), round(float(generator.uniform(12, 34)), 1)
    return {"first": _chip(generator), "second": _chip(generator), "dollars_per_watt": watt}


def _clear(inputs):
    """Whether no comparison comes out so even that a rounding could turn it."""
    first, second, watts = inputs.values()
    ratios = [_worth(first, watt, end) / _worth(second, watt, 1 - end) for watt in watts for end in (0, 1)]
    return all(abs(ratio - 1) > 0.01 for ratio in ratios)


def _quotes(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "first": {"tflops": (1000, 1000), "dollars": (20000, 30000), "watts": (700, 700)},
        "second": {"tflops": (2000, 2000), "dollars": (36000, 40000), "watts": (1000, 1000)},
        "dollars_per_watt": (10, 20),
    }
    # On each case one slip more is wrong; in two of them the answer is not the second chip.
    slips = (
        _apart,
        _middles,
        _at(0),
        _at(1),
        _at(None),
        _by(_paired),
        _by(_worst),
        _by(_no_watts),
        _peaks,
        _price,
        _no_open,
    )
    wanted: list[Callable[..., bool]] = [lambda inputs, slip=slip: slip(**inputs) != decide(**inputs) for slip in slips]
    wanted += 2 * [lambda inputs: decide(**inputs) == FIRST]
    # Where the answer is plain, who takes two prices of one watt is right, and does not say "open" throughout.
    wanted.append(lambda inputs: _apart(**inputs) == FIRST)
    drawn = [
        draw_until(lambda inputs, which=which: _clear(inputs) and which(inputs), lambda: _quote(generator))
        for which in wanted
    ]
    return [easy, *(drawn[place] for place in generator.permutation(len(drawn)))]


def _ties(generator):
    quote = {"tflops": (1000, 1000), "dollars": (30000, 30000), "watts": (700, 700)}
    return [{"first": quote, "second": dict(quote), "dollars_per_watt": (10, 20)}]


def _equal_wins(first, second, dollars_per_watt):
    if all(_worth(first, watt, 0) >= _worth(second, watt, 1) for watt in dollars_per_watt):
        return FIRST
    if all(_worth(second, watt, 0) >= _worth(first, watt, 1) for watt in dollars_per_watt):
        return SECOND
    return OPEN


def _paired(chip, watt, end):
    return chip["tflops"][end] / (chip["dollars"][end] + watt * chip["watts"][end])


def _worst(chip, watt, end):
    return _worth(chip, watt, 0)


def _no_watts(chip, watt, end):
    return chip["tflops"][end] / chip["dollars"][1 - end]


def _peaks(first, second, dollars_per_watt):
    if first["tflops"][0] > second["tflops"][1]:
        return FIRST
    return SECOND if second["tflops"][0] > first["tflops"][1] else OPEN


def _price(first, second, dollars_per_watt):
    return _decided(
        first,
        second,
        dollars_per_watt,
        lambda chip, watt, end: -(chip["dollars"][1 - end] + watt * chip["watts"][1 - end]),
    )


def _meaning():
    one, other = specs.accelerator("H100 SXM"), specs.accelerator("B200")
    quotes = [
        {"tflops": (chip.peak_flops_dense("bf16") / 1e12,) * 2, "dollars": dollars, "watts": (chip.tdp_watts,) * 2}
        for chip, dollars in ((one, (25000, 35000)), (other, (35000, 50000)))
    ]
    stands = {FIRST: f"the {one.name}", SECOND: f"the {other.name}", OPEN: "neither"}[
        decide(quotes[0], quotes[1], (5, 20))
    ]
    alone = {True: "although the two intervals overlap", False: "and the two intervals do not overlap"}[
        _apart(quotes[0], quotes[1], (5, 20)) == OPEN
    ]
    return (
        f"Assume an H100 for 25,000 to 35,000 dollars, a B200 for 35,000 to 50,000, and a watt for 5 to 20 (not real quotes). By "
        f"dense bf16 per dollar {stands} wins for certain, {alone}. The shared uncertainty cancels."
    )


DECIDE = Exercise(
    id="accelerators.decide",
    title="Is the decision certain?",
    signature="decide(first, second, dollars_per_watt)",
    unit="",
    points=4,
    reference=decide,
    groups=(
        Group("quotes", 0.9, _quotes),
        Group("ties", 0.1, _ties, advice='If two quotes are equally good, neither is better, so the answer is "open".'),
    ),
    hints=(
        'When is the first chip better for certain? When its worst beats the second one\'s best. What is "worst" for each number?',
        "The price of a watt is unknown, but it is the same for both chips. Compare the chips at its lowest value, then at its highest.",
        "worth(chip, watt, end) = tflops[end] / (dollars[1 - end] + watt * watts[1 - end]); the first wins if worth(first, watt, 0) > "
        "worth(second, watt, 1) for both watts.",
    ),
    solution="""
def decide(first, second, dollars_per_watt):
    def worth(chip, watt, end):
        return chip["tflops"][end] / (chip["dollars"][1 - end] + watt * chip["watts"][1 - end])

    if all(worth(first, watt, 0) > worth(second, watt, 1) for watt in dollars_per_watt):
        return "first"
    if all(worth(second, watt, 0) > worth(first, watt, 1) for watt in dollars_per_watt):
        return "second"
    return "open"
""",
    explanation=(
        "The price of a watt is unknown but shared, so use the same price for both chips; otherwise a certain decision looks "
        "open. Two prices are enough, because the ratio of the two worths only rises or only falls with the price of a watt."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "two prices of one watt",
            _apart,
            "You gave the two chips different prices per watt, the worst for one and the best for the other. Both would be in "
            "one building, so the price is unknown but the same for both.",
        ),
        Mistake(
            "middles",
            _middles,
            'You compared the middles of the ranges. The answer must hold for all possible numbers; otherwise return "open".',
        ),
        Mistake(
            "the low price alone",
            _at(0),
            "You tried only the low price of a watt. At the high price the answer may be different.",
        ),
        Mistake(
            "the high price alone",
            _at(1),
            "You tried only the high price of a watt. At the low price the answer may be different.",
        ),
        Mistake(
            "the middle price alone",
            _at(None),
            "You tried only the middle price of a watt. At the lowest or highest price the answer may be different.",
        ),
        Mistake(
            "low with low",
            _by(_paired),
            "You took the low ends of all numbers together. At its worst a chip has a low peak and a *high* price and power.",
        ),
        Mistake(
            "worst against worst",
            _by(_worst),
            "You compared both chips at their worst. To be certain, the worst of one must beat the *best* of the other.",
        ),
        Mistake(
            "power for nothing",
            _by(_no_watts),
            "You left out the power. Each watt costs dollars_per_watt over the life of the chip, on top of the chip's price.",
        ),
        Mistake(
            "peaks alone",
            _peaks,
            "You compared only the peaks. Compare peak per dollar.",
        ),
        Mistake(
            "dollars alone",
            _price,
            "You compared only the dollars. Compare peak per dollar.",
        ),
        Mistake(
            "never open",
            _no_open,
            'You return "second" whenever the first does not win for certain. If neither wins for certain, return "open".',
        ),
        Mistake(
            "the wrong way round",
            _swapped,
            "You returned the worse chip. More peak per dollar is better; perhaps you divided dollars by TFLOP/s.",
        ),
        Mistake(
            "equal is not better",
            _equal_wins,
            'If two quotes are equally good, neither is better, so the answer is "open". Compare with > instead of >=.',
            share=0.9,
        ),
    ),
    mutants=MUTANTS["accelerators.decide"],
)
