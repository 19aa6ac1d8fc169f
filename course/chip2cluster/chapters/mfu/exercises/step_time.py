"""Exercise on the time of a training step as the sum of its parts."""

from chip2cluster import utilization
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def step_seconds(busy, stages, micro_batches, communication, hidden, loader):
    """Time of a training step: arithmetic, bubble and exposed communication, or the loader."""
    ready = busy * (1 + (stages - 1) / micro_batches) + communication * (1 - hidden)
    return max(ready, loader)


def _steps(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"busy": 8.0, "stages": 5, "micro_batches": 16, "communication": 2.0, "hidden": 0.75, "loader": 1.0}
    return [easy, *_draw(generator, 0.1, 0.5)]


def _slow_loaders(generator):
    return _draw(generator, 1.3, 2.5)


def _draw(generator, low, high):
    rows = []
    for stages, micro_batches in ((4, 12), (8, 30), (16, 100), (12, 20), (1, 8)):
        row = {
            "busy": round(float(generator.uniform(2, 40)), 2),
            "stages": stages,
            "micro_batches": micro_batches,
            "communication": round(float(generator.uniform(0.5, 2)), 2),
            "hidden": round(float(generator.uniform(0.1, 0.4)), 2),
        }
        rows.append({**row, "loader": round(step_seconds(**row, loader=0) * float(generator.uniform(low, high)), 2)})
    return rows


def _time(bubble=lambda p, m: (p - 1) / m, exposed=lambda h: 1 - h, join=max, all_wait=False):
    def wrong(busy, stages, micro_batches, communication, hidden, loader):
        sent = communication * exposed(hidden)
        grown = 1 + bubble(stages, micro_batches)
        return join((busy + sent) * grown if all_wait else busy * grown + sent, loader)

    return wrong


STEP = Exercise(
    id="mfu.step_seconds",
    title="The time of a step, put together",
    signature="step_seconds(busy, stages, micro_batches, communication, hidden, loader)",
    unit="s",
    points=4,
    reference=step_seconds,
    shows=(step_seconds, utilization.step_breakdown),
    groups=(
        Group("steps", 0.7, _steps),
        Group(
            "slow loaders",
            0.3,
            _slow_loaders,
            v.VALUE,
            advice="Here the loader is slower than all the rest: the step takes as long as it.",
        ),
    ),
    hints=(
        "Times in sequence add up; a time in parallel with the rest counts only if it is longer.",
        "Add busy, the bubble, and the fraction of the messages that is not hidden. Add the loader last.",
        "max(loader, busy * (1 + (stages - 1) / micro_batches) + communication * (1 - hidden)).",
    ),
    solution="""
def step_seconds(busy, stages, micro_batches, communication, hidden, loader):
    bubble = busy * (stages - 1) / micro_batches
    exposed = communication * (1 - hidden)
    return max(busy + bubble + exposed, loader)
""",
    explanation=(
        "Every term of a sum costs time at once; the smaller term of a maximum costs nothing. A loader is free until it is the slowest part, and from then on "
        "everything else is free. Break down the step in this way, and you see which saving helps."
    ),
    meaning=lambda: (
        f"With 16 stages and 32 micro-batches a step of 1 s of arithmetic takes {step_seconds(1.0, 16, 32, 0.0, 0.0, 0.0):.2f} s; with 128 it "
        f"takes {step_seconds(1.0, 16, 128, 0.0, 0.0, 0.0):.2f} s. Nothing in a chip got faster."
    ),
    mistakes=(
        Mistake(
            "hidden in seconds",
            lambda busy, stages, micro_batches, communication, hidden, loader: max(
                loader, busy * (1 + (stages - 1) / micro_batches) + communication - hidden
            ),
            "You used hidden as seconds. It is a fraction of communication: communication · (1 − hidden).",
        ),
        Mistake(
            "bubble without seconds",
            lambda busy, stages, micro_batches, communication, hidden, loader: max(
                loader, busy + (stages - 1) / micro_batches + communication * (1 - hidden)
            ),
            "You added (stages − 1) / micro_batches itself. It is a fraction of busy: multiply.",
        ),
        Mistake(
            "loader against arithmetic alone",
            lambda busy, stages, micro_batches, communication, hidden, loader: (
                busy * (1 + (stages - 1) / micro_batches) + communication * (1 - hidden) + max(0, loader - busy)
            ),
            "You let the loader work only during the arithmetic. It works during the whole step, including bubble and messages.",
            share=0.7,
        ),
        Mistake(
            "bubble as a share of the step",
            _time(bubble=lambda p, m: (p - 1) / (m + p - 1)),
            "(s − 1) / (m + s − 1) is the bubble as a fraction of the whole step. As a fraction of busy, as in equation (9.5), it is (s − 1) / m.",
        ),
        Mistake(
            "one stage too many",
            _time(bubble=lambda p, m: p / m),
            "Your bubble has all s stages in it. A stage waits for the s − 1 others.",
        ),
        Mistake(
            "no bubble", _time(bubble=lambda p, m: 0), "You left out the bubble: busy · (stages − 1) / micro_batches."
        ),
        Mistake(
            "bubble alone",
            lambda busy, stages, micro_batches, communication, hidden, loader: max(
                loader, busy * (stages - 1) / micro_batches + communication * (1 - hidden)
            ),
            "You used the bubble instead of the arithmetic. It is added to busy.",
        ),
        Mistake(
            "hidden for exposed",
            _time(exposed=lambda h: h),
            "You added the hidden fraction. Add the other one, 1 − hidden.",
        ),
        Mistake(
            "nothing hidden",
            _time(exposed=lambda h: 1),
            "You added all of the messages. The fraction hidden runs while the device computes.",
        ),
        Mistake("everything hidden", _time(exposed=lambda h: 0), "You left out the messages that are not hidden."),
        Mistake(
            "loader added",
            _time(join=lambda ready, slow: ready + slow),
            "You added the loader. It works in parallel with the step: only the longer of the two counts.",
        ),
        Mistake(
            "loader ignored",
            _time(join=lambda ready, slow: ready),
            "You left out the loader. A step never ends before its data is there: take the longer of the two.",
            share=0.7,
        ),
        Mistake(
            "the shorter of the two",
            _time(join=min),
            "You took the shorter of the two. A step waits for the longer one.",
        ),
        Mistake(
            "messages in the bubble",
            _time(all_wait=True),
            "You let the bubble grow with the messages. It is a fraction of busy alone.",
        ),
    ),
)
