"""How long to wait for faster chips before a work begins."""

from math import exp, log, log2

from chip2cluster import economics
from chip2cluster.exercise.model import Exercise, Group, Mistake

LN2 = log(2)


def months_to_wait(months_now, doubling_months):
    """Months after which to begin so that the work is done earliest."""
    return economics.best_wait(months_now, doubling_months)


def _case(months, doubling):
    return {"months_now": months, "doubling_months": doubling}


def _works(generator):
    # Four times what a doubling over ln 2 is: two doublings. A student sees this one.
    drawn = [_case(4 * 12 / LN2, 12.0)]
    for low, high in ((2, 4), (4, 8), (8, 30), (30, 200)):
        doubling = round(float(generator.uniform(9, 40)), 1)
        drawn.append(_case(round(doubling * float(generator.uniform(low, high)), 1), doubling))
    return drawn


def _short(generator):
    doubling = round(float(generator.uniform(12, 36)), 1)
    # The second takes longer than a doubling, and shorter than one over ln 2.
    return [
        _case(round(0.5 * doubling, 1), doubling),
        _case(round(doubling * float(generator.uniform(1.05, 1.35)), 2), doubling),
    ]


def _like(wait, floor=True):
    def wrong(months_now, doubling_months):
        found = wait(months_now, doubling_months)
        return max(found, 0.0) if floor else found

    return wrong


WAIT = Exercise(
    id="economics.wait",
    title="The beach",
    signature="months_to_wait(months_now, doubling_months)",
    unit="months",
    points=4,
    tolerance=1e-3,
    reference=months_to_wait,
    shows=(months_to_wait, economics.best_wait, economics.time_with_wait),
    groups=(
        Group("long works", 0.8, _works),
        Group(
            "short works",
            0.2,
            _short,
            advice="A work that is short beside the doubling is begun at once: 0, and never before today.",
        ),
    ),
    hints=(
        "You need no search. One day more of waiting costs a day. What does it save, and how are the two at the best moment?",
        "What is left, T · 2^(−x/d), shrinks by ln 2 / d of itself for each month of waiting. At the best moment that is one month a month.",
        "T · 2^(−x/d) = d / ln 2, so x = d · log2(T · ln 2 / d), and 0 where that is negative.",
    ),
    solution="""
from math import log, log2


def months_to_wait(months_now, doubling_months):
    return max(doubling_months * log2(months_now * log(2) / doubling_months), 0.0)
""",
    explanation=(
        "When to begin depends on the work; how long it then takes does not: always d / ln 2, 1.44 doublings. So the rule for the "
        "beach is short: begin as soon as what you could buy would finish in that time."
    ),
    meaning=lambda: (
        f"Speed for the money that doubles in two years: a work of five years is done earliest after {months_to_wait(60.0, 24.0):.0f} months "
        f"at the beach, and {60 - economics.time_with_wait(60.0, months_to_wait(60.0, 24.0), 24.0):.0f} months earlier than if you began today. "
        f"A training of three months is begun today. The longest work that is begun at once: {24 / LN2:.0f} months, d / ln 2."
    ),
    mistakes=(
        Mistake(
            "done as soon as today's",
            _like(lambda t, d: d * log2(t / d)),
            "You begin when the rest takes one doubling. Set the cost of a day's wait equal to what it saves: the rest then takes d / ln 2.",
        ),
        Mistake(
            "natural logarithm",
            _like(lambda t, d: d * log(t * LN2 / d) if t * LN2 > d else 0.0),
            "You took the natural logarithm where doublings are counted: it is the one of base 2.",
        ),
        Mistake(
            "growth by e",
            _like(lambda t, d: d * log(t / d)),
            "Your speed grows by e in a doubling time. It grows by 2.",
        ),
        Mistake(
            "one doubling",
            _like(lambda t, d: d if t > d / LN2 else 0.0),
            "You wait for one doubling. For a long work more pays, for a shorter one less.",
        ),
        Mistake(
            "until all is saved",
            _like(lambda t, d: t * (1 - exp(-t * LN2 / d))),
            "You waited as long as the work would take today.",
        ),
        Mistake(
            "what is left",
            _like(lambda t, d: d / LN2 if t > d / LN2 else 0.0),
            "That is how long the work takes when it is begun at the best moment. Wanted is how long you wait before.",
        ),
        Mistake(
            "until it is done",
            _like(lambda t, d: max(d * log2(t * LN2 / d), 0) + t * 2 ** (-max(log2(t * LN2 / d), 0))),
            "You returned when the work is done. Wanted is when it is begun.",
        ),
        Mistake(
            "before today",
            _like(lambda t, d: d * log2(t * LN2 / d), floor=False),
            "Your answer is before today for a short work. Nobody can begin earlier than now: 0.",
            "wrong at the edges",
            share=0.8,
        ),
    ),
)
