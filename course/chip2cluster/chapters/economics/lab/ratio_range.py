"""Task on the interval of printed over recomputed tonnes, given the rounding of all inputs."""

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake

from .rounding_interval import rounded


def ratio_range(hours, watts, pue, before, mwh, grams, tonnes):
    """Lowest and highest ratio of the printed tonnes to the product of what is printed; an empty list where a factor is missing."""
    return _ratio(hours, watts, pue, before, mwh, grams, tonnes)


def _energy(hours, watts, pue, before, mwh, order, again, counted, ends):
    """Lowest and highest MWh behind the PUE; None where nothing gives it."""
    share = np.array(ends(pue)) if pue else np.ones(2)
    with_pue = share if counted else np.ones(2)
    known = {
        "mwh": mwh and np.array(ends(mwh)) * (share if again else 1.0),
        "before": before and np.array(ends(before)) * with_pue,
        "hours": hours and watts and np.array(ends(hours)) * np.array(ends(watts)) * with_pue / 1e6,
    }
    return next((known[name] for name in order if len(known[name])), None)


def _point(text):
    low, high = rounded(text)
    return [(low + high) / 2] * 2


def _ratio(
    hours, watts, pue, before, mwh, grams, tonnes, *, order=("mwh", "before", "hours"), again=False, counted=True, ends=rounded,
    of_tonnes=rounded, pair=(1, 0), over=lambda printed, found: printed / found, per=1e3,
):  # fmt: skip
    energy = _energy(hours, watts, pue, before, mwh, order, again, counted, ends)
    if energy is None or not grams or not tonnes:
        return []
    found, printed = energy * np.array(ends(grams)) / per, np.array(of_tonnes(tonnes))
    return [float(over(printed[place], found[other])) for place, other in zip((0, 1), pair, strict=True)]


NOTHING = dict.fromkeys(("hours", "watts", "pue", "before", "mwh", "grams", "tonnes"), "")


def _paper(generator, *shown, slip=True):
    """What a paper prints, with few digits; ``shown`` names what it does."""
    hours, watts = int(generator.integers(20, 900)) * 1000, int(generator.integers(25, 70)) * 10
    pue, grams = float(generator.uniform(1.08, 1.6)), float(generator.uniform(60, 700))
    before = hours * watts / 1e6 * float(generator.uniform(0.9, 1.1) if slip else 1.0)
    mwh = before * pue * float(generator.uniform(0.9, 1.1) if slip else 1.0)
    tonnes = mwh * grams / 1e3 * float(generator.uniform(0.85, 1.15) if slip else 1.0)
    printed = {
        "hours": f"{hours / 1e6:.2f}M" if hours > 3e5 else f"{hours:,}",
        "watts": f"{watts}" if generator.random() < 0.7 else f"{watts}-{watts + 50}",
        "pue": f"{pue:.2f}" if generator.random() < 0.5 else f"{pue:.1f}",
        "before": f"{before:,.0f}", "mwh": f"{mwh:,.0f}",
        "grams": f"{grams:.0f}", "tonnes": f"{tonnes:,.0f}" if generator.random() < 0.5 else f"{tonnes:,.1f}",
    }  # fmt: skip
    return NOTHING | {name: printed[name] for name in (*shown, "grams", "tonnes")}


# What a paper may print; the first of energy, energy before the PUE and hours that it does is used.
SHOWN = (
    ("hours", "watts", "pue", "mwh"), ("pue", "mwh"), ("hours", "watts", "pue", "before"), ("pue", "before"),
    ("hours", "watts", "pue"), ("hours", "watts"), ("hours", "watts", "pue", "before", "mwh"),
)  # fmt: skip


def _papers(generator):
    # A hundred MWh at 500 g, and 55 tonnes. It is the one that a student sees.
    hand = NOTHING | {"mwh": "100", "grams": "500", "tonnes": "55"}
    return [hand, *(draw_until(_wide, lambda shown=shown: _paper(generator, *shown)) for shown in SHOWN)]


def _wide(paper):
    """Whether the digits leave room that shows."""
    low, high = ratio_range(**paper)
    return high > 1.003 * low


def _missing(generator):
    whole = [_paper(generator, *shown) for shown in SHOWN]
    return [
        whole[0] | {"grams": ""},
        whole[5] | {"watts": ""},
        whole[2] | {"tonnes": ""},
        NOTHING | {"tonnes": f"{int(generator.integers(100, 1500))}"},
    ]


def _like(**rules):
    return lambda **paper: _ratio(**paper, **rules)


RATIO = Exercise(
    id="lab.economics.ratio_range",
    title="Does it follow?",
    signature="ratio_range(hours, watts, pue, before, mwh, grams, tonnes)",
    unit="",
    graded=True,
    points=5,
    tolerance=1e-6,
    reference=ratio_range,
    groups=(
        Group("papers", 0.8, _papers, v.VALUE),
        Group(
            "too little", 0.2, _missing, advice="Without tonnes, without a grid or without any energy nothing can be recomputed: []."
        ),
    ),
    hints=(
        "First find the energy: as printed, else from the energy before the PUE, else from hours and watts. Only in two of these cases "
        "the PUE comes on top.",
        "Every factor has a low and a high end, from your first function. The product is lowest where all are low. When is the ratio of "
        "the printed tonnes to it lowest?",
        "Keep a low and a high end for the energy in MWh, multiply each by that end of the grams, and a thousand of these are a tonne's. "
        "The low end of the tonnes goes with the high end of the product, and the other way round.",
    ),
    explanation="Where the range holds 1, rounding alone may explain the gap. Where it does not, something else must.",
    mistakes=(
        Mistake("the PUE once more", _like(again=True), "You put the PUE on an energy that holds it. It comes on top of hours times watts and of an "
                "energy before the PUE, not of mwh."),
        Mistake("no PUE", _like(counted=False), "You left the PUE out where the energy is one before it, or comes from hours and watts."),
        Mistake("hours first", _like(order=("hours", "before", "mwh")), "You computed from hours and watts although an energy is printed. Compare the "
                "tonnes with the printed number that is closest to them in the calculation."),
        Mistake("before first", _like(order=("before", "mwh", "hours")), "You took the energy before the PUE although the one with it is printed."),
        Mistake("upside down", _like(over=lambda printed, found: found / printed), "You divided what follows by what is printed. The other way round is "
                "wanted."),
        Mistake("low with low", _like(pair=(0, 1)), "You divided low by low and high by high. The ratio is lowest where the tonnes are low and the "
                "product is high."),
        Mistake("no rounding", _like(ends=_point, of_tonnes=_point), "You left rounding out. Each number that is printed has a low and a high end."),
        Mistake("the tonnes' digits alone", _like(ends=_point), "You gave the tonnes two ends and took the factors as exact. They are rounded, too."),
        Mistake("the factors' digits alone", _like(of_tonnes=_point), "You gave the factors two ends and took the tonnes as exact. They are rounded, too."),
        Mistake("ends exchanged", lambda **paper: ratio_range(**paper)[::-1], "Your ends stand the wrong way round: lowest first."),
        Mistake("kilograms", _like(per=1.0), "You are off by a thousand: MWh times g a kWh are kilograms.", v.UNIT),
    ),
)  # fmt: skip
