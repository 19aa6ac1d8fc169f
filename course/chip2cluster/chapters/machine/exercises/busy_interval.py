"""Exercise on the interval of that fraction when the input rates are known as intervals."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def busy_between(batch, compute_ms, cores, core_ms, taken):
    """Lowest and highest share of the time in which the accelerator computes; ``core_ms`` and ``taken`` are (low, high)."""
    return _share(batch, compute_ms, cores - taken[1], core_ms[1]), _share(
        batch, compute_ms, cores - taken[0], core_ms[0]
    )


def _share(batch, compute_ms, cores, core_ms):
    return min(1.0, compute_ms * cores / (batch * core_ms))


def _loaders(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"batch": 100, "compute_ms": 100, "cores": 10, "core_ms": (10.0, 16.0), "taken": (1, 2)}
    drawn = []
    for middle in (0.55, 0.7, 0.45, 0.62):
        batch, cores = int(generator.integers(64, 600)), int(generator.integers(12, 57))
        taken = int(generator.integers(1, 3)), int(generator.integers(4, 7))
        core = float(generator.uniform(3, 9))
        compute = round(middle * batch * core / (cores - 3), 1)
        drawn.append(
            {
                "batch": batch,
                "compute_ms": compute,
                "cores": cores,
                "core_ms": (
                    round(core * generator.uniform(0.75, 0.9), 2),
                    round(core * generator.uniform(1.1, 1.3), 2),
                ),
                "taken": taken,
            }
        )
    return [easy, *drawn]


def _ends(generator):
    return [
        {"batch": 100, "compute_ms": 400, "cores": 12, "core_ms": (20.0, 50.0), "taken": (0, 4)},
        {"batch": 100, "compute_ms": 400, "cores": 32, "core_ms": (4.0, 8.0), "taken": (0, 4)},
    ]


def _of(low, high):
    """A mistake from the two pairs (cores taken, core ms) that it uses for its lower and upper end: 0 is low, 1 is high."""

    def wrong(batch, compute_ms, cores, core_ms, taken):
        return tuple(_share(batch, compute_ms, cores - taken[t], core_ms[c]) for t, c in (low, high))

    return wrong


def _middle(batch, compute_ms, cores, core_ms, taken):
    return _share(batch, compute_ms, cores - sum(taken) / 2, sum(core_ms) / 2)


def _unlimited(batch, compute_ms, cores, core_ms, taken):
    return tuple(compute_ms * (cores - taken[end]) / (batch * core_ms[end]) for end in (1, 0))


def _meaning():
    low, high = busy_between(500, 200, 14, (5.0, 7.0), (0, 2))
    return f"With 14 cores for each GPU, 5 to 7 ms an image and up to 2 cores busy with other things, the images of this page keep a GPU busy between {low:.0%} and {high:.0%} of the time."


BETWEEN = Exercise(
    id="machine.busy_between",
    title="An interval",
    signature="busy_between(batch, compute_ms, cores, core_ms, taken)",
    unit="",
    points=3,
    reference=busy_between,
    groups=(
        Group("loaders", 0.85, _loaders),
        Group(
            "ends",
            0.15,
            _ends,
            advice="Consider a node that keeps its accelerator busy all the time: no share is above 1.",
        ),
    ),
    hints=(
        "Which of the two core_ms is the bad one, and which of the two numbers of taken cores?",
        "The lower end combines all bad values, the upper end all good ones.",
        "The lower end: min(1, compute_ms * (cores - taken[1]) / (batch * core_ms[1])). The upper end uses [0] for both.",
    ),
    solution="""
def busy_between(batch, compute_ms, cores, core_ms, taken):
    def share(end):
        return min(1.0, compute_ms * (cores - taken[end]) / (batch * core_ms[end]))

    return share(1), share(0)
""",
    explanation=(
        "An input in the denominator works the other way round: the high time gives the low share. Both unknowns at "
        "their worst give a bound; the true share is inside the interval, usually not at an end."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "the wrong way round",
            _of((0, 0), (1, 1)),
            "Your first number is the higher one. Few milliseconds and few cores taken make the share high: the lower end comes first.",
        ),
        Mistake(
            "cores against milliseconds",
            _of((0, 1), (1, 0)),
            "You combined a good value with a bad one. At the lower end both are bad: many milliseconds and many taken cores.",
        ),
        Mistake(
            "core_ms alone",
            _of((0, 1), (0, 0)),
            "You let only the milliseconds vary. Use both values of taken as well.",
        ),
        Mistake(
            "taken alone",
            _of((1, 1), (0, 1)),
            "You let only the taken cores vary. Use both values of core_ms as well.",
        ),
        Mistake(
            "one number",
            _middle,
            "You returned one number, computed from the midpoints. Return an interval: the lowest and the highest share, as a tuple.",
            v.TYPE,
        ),
        Mistake(
            "the middle twice",
            lambda batch, compute_ms, cores, core_ms, taken: (_middle(batch, compute_ms, cores, core_ms, taken),) * 2,
            "Both your ends are the share at the midpoints. One end is the worst case, the other the best.",
        ),
        Mistake(
            "nobody else there",
            lambda batch, compute_ms, cores, core_ms, taken: tuple(
                _share(batch, compute_ms, cores, ms) for ms in core_ms[::-1]
            ),
            "You gave all cores to the loader. Other work takes `taken` of them: between the first number and the second.",
        ),
        Mistake(
            "one core",
            lambda batch, compute_ms, cores, core_ms, taken: tuple(
                _share(batch, compute_ms, 1, ms) for ms in core_ms[::-1]
            ),
            "You let one core prepare everything. All cores that are not taken share the batch.",
        ),
        Mistake(
            "more than always",
            _unlimited,
            "Your share exceeds 1 if the cores are faster than the accelerator. Then it computes all the time: cap the share at 1.",
            share=0.85,
        ),
        Mistake(
            "the share of waiting",
            lambda batch, compute_ms, cores, core_ms, taken: tuple(
                1 - share for share in busy_between(batch, compute_ms, cores, core_ms, taken)
            ),
            "You returned the shares of the time in which the accelerator waits. Return those in which it computes.",
        ),
        Mistake(
            "times, not shares",
            lambda batch, compute_ms, cores, core_ms, taken: tuple(
                batch * core_ms[end] / (cores - taken[end]) for end in (1, 0)
            ),
            "These are the milliseconds that a batch takes to prepare. Which share of them does the accelerator compute?",
            v.UNIT,
        ),
    ),
)
