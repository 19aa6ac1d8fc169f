"""Exercise on how many GPUs to buy when demand changes by the hour and the rest is rented."""

from functools import partial
from math import ceil, floor, inf

import numpy as np

from chip2cluster import economics
from chip2cluster.exercise.input_generators import draw_until, tells_apart
from chip2cluster.exercise.model import Exercise, Group, Mistake


def to_own(demand, calendar_dollars, energy_dollars, rent_dollars):
    """Number of own GPUs with the smallest bill; of two with the same bill the smaller."""
    equal = economics.break_even_used_fraction(calendar_dollars, rent_dollars, energy_dollars)
    return _paying(demand, equal)


def _paying(demand, equal, used=lambda demand, place: np.mean(demand >= place)):
    """How many places are used in a larger share of the hours than ``equal``."""
    return sum(bool(used(demand, place) > equal) for place in range(1, int(max(demand)) + 1))


def _case(demand, calendar, energy, rent):
    return {
        "demand": np.array(demand),
        "calendar_dollars": calendar,
        "energy_dollars": energy,
        "rent_dollars": rent,
    }


def _day(generator):
    """Demand of two dozen hours: nights, days, and an hour that stands out."""
    low = int(generator.integers(2, 8))
    night, day = sorted(int(hours) for hours in generator.integers(5, 12, 2))
    hours = np.concatenate([
        generator.integers(low, 2 * low, night),
        generator.integers(3 * low, 6 * low, day),
        generator.integers(7 * low, 12 * low, max(24 - night - day, 1)),
    ])  # fmt: skip
    return generator.permutation(hours)


def _drawn(generator):
    energy = round(float(generator.uniform(0.1, 0.6)), 2)
    return _case(
        _day(generator),
        round(float(generator.uniform(0.6, 2.0)), 2),
        energy,
        round(energy + float(generator.uniform(1.8, 4.5)), 2),
    )


def _clear(case):
    """Whether no place comes so near to the break-even that rounding would decide."""
    demand = case["demand"]
    equal = economics.break_even_used_fraction(case["calendar_dollars"], case["rent_dollars"], case["energy_dollars"])
    return all(abs(np.mean(demand >= place) - equal) > 0.004 for place in range(1, int(max(demand)) + 1))


def _services(generator):
    # To own pays from 40 % on; five GPUs are needed in three hours of six, the sixth in two. A student sees this one.
    drawn = [_case([2, 18, 3, 5, 6, 2], 0.8, 0.5, 2.5)]
    names = "the whole fleet", "the mean", "upside down", "energy by day and night"
    drawn += [
        draw_until(lambda case: _clear(case) and tells_apart(OWN, case, *names), lambda: _drawn(generator))
        for _ in range(4)
    ]
    # Where it is busy for long even the last one pays, the busiest hour's.
    return [*drawn, *(_case(demand, 0.5, 0.1, 2.0) for demand in ([10, 10, 10, 10], [3, 10, 10, 10], [3, 10]))]


def _edges(generator):
    costly = draw_until(_clear, lambda: _drawn(generator))
    tie = int(generator.integers(3, 9))
    return [
        {**costly, "energy_dollars": round(costly["rent_dollars"] + 0.25, 2)},
        {**costly, "energy_dollars": costly["rent_dollars"]},
        # Between the two demands each GPU is used half of the time, and to own pays from half on.
        _case([tie, 3 * tie, tie, 3 * tie], 1.0, 0.5, 2.5),
    ]


def _like(equal=None, count=None):
    """The same with another break-even or another count; both see demand, a, e and c."""

    def wrong(demand, calendar_dollars, energy_dollars, rent_dollars):
        a, e, c = calendar_dollars, energy_dollars, rent_dollars
        from_here = equal(a, e, c) if equal else _equal(a, e, c)
        return count(demand, from_here) if count else _paying(demand, from_here)

    return wrong


def _quantile(demand, equal, method, to):
    return to(float(np.quantile(demand, 1 - equal, method=method))) if equal < 1 else 0


# Who reads the right number off the sorted demand, and comes out between two hours or at the next one.
_QUANTILES = {
    "as it is": ("linear", float),
    "rounded down": ("linear", int),
    "rounded": ("linear", round),
    "rounded up": ("linear", ceil),
    "an hour too low": ("lower", int),
    "an hour too high": ("higher", int),
}


def _equal(a, e, c):
    return a / (c - e) if c > e else inf


OWN = Exercise(
    id="economics.break_even",
    title="How many to own?",
    signature="to_own(demand, calendar_dollars, energy_dollars, rent_dollars)",
    unit="GPUs",
    points=5,
    reference=to_own,
    shows=(to_own, economics.break_even_used_fraction),
    groups=(
        Group("services", 0.8, _services),
        Group(
            "never, and equal",
            0.2,
            _edges,
            advice="If energy alone costs as much as the rent or more, own no GPU. If two numbers of GPUs make the same bill, own the smaller number.",
        ),
    ),
    hints=(
        "You own n already. In how many hours would one more be used?",
        "What does that one cost in all hours, if you own it, and what in the hours in which it is needed, if you rent it? "
        "It is the chapter's question, buy or rent, asked for one GPU.",
        "The n-th GPU is used in the hours whose demand is n or more. Count the n whose utilization is above the break-even; or "
        "write the cost of the day as a function of n, and try all n from 0 to the peak.",
    ),
    solution="""
def to_own(demand, calendar_dollars, energy_dollars, rent_dollars):
    def used(n):
        return sum(need >= n for need in demand) / len(demand)

    def saved(n):  # by the n-th GPU, for an hour of the calendar
        return used(n) * (rent_dollars - energy_dollars) - calendar_dollars

    return sum(saved(n) > 0 for n in range(1, max(demand) + 1))
""",
    explanation=(
        "Each GPU of a fleet has its own utilization: the first is busy nearly always, the last only in the hour of the "
        "peak. So ask the break-even of one GPU at a time. Own the base, rent the peaks."
    ),
    meaning=lambda: _meaning(),
    mistakes=(
        Mistake(
            "the whole fleet",
            _like(count=lambda demand, equal: int(max(demand)) if np.mean(demand) / max(demand) > equal else 0),
            "You own all or nothing, by the utilization of the whole fleet. Ask it of one GPU at a time: the first is used more than the last.",
        ),
        *(
            Mistake(
                f"the mean{words}",
                _like(count=lambda demand, equal, whole=whole: whole(float(np.mean(demand)))),
                f"You own the mean demand{words}. Prices matter, too: own more where renting is expensive, fewer where it is cheap.",
            )
            for words, whole in (("", round), (", rounded down", floor))
        ),
        *(
            Mistake(
                f"the break-even times the peak{words}",
                _like(count=lambda demand, equal, whole=whole: whole(min(equal, 1.0) * int(max(demand)))),
                "You multiplied the break-even by the peak. It is a fraction of the hours, not of the GPUs: count the hours that need the n-th GPU.",
            )
            for words, whole in (("", round), (", rounded up", ceil), (", rounded down", floor))
        ),
        Mistake(
            "the peak",
            _like(count=lambda demand, equal: int(max(demand))),
            "You own the peak. Its last GPU is idle in most hours.",
        ),
        Mistake(
            "never the peak",
            _like(count=lambda demand, equal: min(_paying(demand, equal), int(max(demand)) - 1)),
            "You never own as many as the busiest hour needs. If the peak lasts long enough, owning it pays. Does your loop also try max(demand)?",
        ),
        *(
            Mistake(
                f"the quantile, {how}",
                _like(count=partial(_quantile, method=method, to=to)),
                "You took a quantile of the demand, which is the right idea, but its position is off by an hour: the answer is the smallest "
                "demand that enough hours do not exceed (np.quantile calls that method='inverted_cdf').",
            )
            for how, (method, to) in _QUANTILES.items()
        ),
        Mistake(
            "the least",
            _like(count=lambda demand, equal: int(min(demand))),
            "You own only what every hour needs. A GPU that most hours need can pay, too.",
        ),
        Mistake(
            "upside down",
            _like(count=lambda demand, equal: _paying(demand, 1 - equal)),
            "You allow each GPU to be idle for at most the break-even. It must be used for more than the break-even.",
        ),
        Mistake(
            "one too few",
            _like(count=lambda demand, equal: _paying(demand, equal, lambda d, place: np.mean(d > place))),
            "You count the hours whose demand is above n. The n-th GPU is used where it is n, too.",
        ),
        Mistake(
            "no energy",
            _like(equal=lambda a, e, c: a / c if c > e else inf),
            "You left out the energy. The owner pays for it, and the tenant has it in the rent.",
        ),
        Mistake(
            "energy by day and night",
            _like(equal=lambda a, e, c: (a + e) / c if c > e else inf),
            "You charge the owner energy in all hours. Only used hours draw it: subtract it from the rent.",
        ),
        Mistake(
            "energy costs more than the rent",
            _like(equal=lambda a, e, c: a / (c - e) if c != e else inf),
            "If energy alone costs as much as the rent or more, no utilization makes owning cheaper. Own nothing there.",
            "wrong at the edges",
            share=0.8,
        ),
        Mistake(
            "equal bills",
            _like(count=lambda demand, equal: _paying(demand, equal - 1e-9)),
            "You own GPUs that cost as much as rented ones. If two numbers cost the same, return the smaller one.",
            "wrong at the edges",
            share=0.8,
        ),
    ),
)


def _meaning():
    demand = np.repeat([30, 60, 100], 8)
    a, e, c = 1.29, 0.15, 2.99
    found = to_own(demand, a, e, c)

    def bill(own):
        return float(np.sum(own * a + np.minimum(demand, own) * e + np.maximum(demand - own, 0) * c))

    return (
        f"A service that needs 30, 60 and 100 GPUs, eight hours each, at the prices of the chapter: own {found}, for {bill(found):,.0f} dollars a "
        f"day. All owned it would be {bill(100):,.0f}, all rented {bill(0):,.0f}. That is why clouds rent by the hour "
        "and their largest customers build."
    )
