"""Exercise on how long to wait for faster chips before a job begins."""

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
            advice="A job that is short compared with the doubling starts at once: return 0, never a negative number.",
        ),
    ),
    hints=(
        "You need no search. One more day of waiting costs a day. How much does it save? At the best moment the two are equal.",
        "What is left, T · 2^(−x/d), shrinks by ln 2 / d of itself for each month of waiting. At the best moment that is one month a month.",
        "T · 2^(−x/d) = d / ln 2, so x = d · log2(T · ln 2 / d), and 0 where that is negative.",
    ),
    solution="""
from math import log, log2


def months_to_wait(months_now, doubling_months):
    return max(doubling_months * log2(months_now * log(2) / doubling_months), 0.0)
""",
    explanation=(
        "The best start depends on the job; the time that it then takes does not: always d / ln 2, 1.44 doublings. So the rule "
        "is short: start as soon as what you can buy would finish in that time."
    ),
    meaning=lambda: (
        f"Speed for the money that doubles in two years: a job of five years is done earliest if it starts after {months_to_wait(60.0, 24.0):.0f} months "
        f"at the beach: it ends {60 - economics.time_with_wait(60.0, months_to_wait(60.0, 24.0), 24.0):.0f} months earlier than a start today. "
        f"A training run of three months starts today. The longest job that starts at once: {24 / LN2:.0f} months, d / ln 2."
    ),
    mistakes=(
        Mistake(
            "done as soon as today's",
            _like(lambda t, d: d * log2(t / d)),
            "You start when the rest takes one doubling. Set the cost of a day's wait equal to what it saves: the rest then takes d / ln 2.",
        ),
        Mistake(
            "natural logarithm",
            _like(lambda t, d: d * log(t * LN2 / d) if t * LN2 > d else 0.0),
            "You took the natural logarithm. Doublings need the logarithm to base 2.",
        ),
        Mistake(
            "growth by e",
            _like(lambda t, d: d * log(t / d)),
            "Your speed grows by e in a doubling time. It grows by 2.",
        ),
        Mistake(
            "one doubling",
            _like(lambda t, d: d if t > d / LN2 else 0.0),
            "You wait for one doubling. A long job should wait longer, a shorter one less.",
        ),
        Mistake(
            "until all is saved",
            _like(lambda t, d: t * (1 - exp(-t * LN2 / d))),
            "You waited until today's machine would be done.",
        ),
        Mistake(
            "what is left",
            _like(lambda t, d: d / LN2 if t > d / LN2 else 0.0),
            "That is how long the job takes when it starts at the best moment. Return how long you wait before it.",
        ),
        Mistake(
            "until it is done",
            _like(lambda t, d: max(d * log2(t * LN2 / d), 0) + t * 2 ** (-max(log2(t * LN2 / d), 0))),
            "You returned when the job is done. Return when it starts.",
        ),
        Mistake(
            "before today",
            _like(lambda t, d: d * log2(t * LN2 / d), floor=False),
            "Your answer for a short job is negative, before today. Return 0.",
            "wrong at the edges",
            share=0.8,
        ),
    ),
)
