"""Lab 12: expensive checkpoints or frequent failures."""

from chip2cluster import reliability, units
from chip2cluster.exercise.written_question import Column, Draw, Explanation, Question, percent


def lost(interval, dump, restart, mtbf):
    return 1 - reliability.goodput(interval, dump, restart, mtbf)


def draw(generator):
    often = float(generator.integers(3, 8)) * 3600
    rarely = often * float(generator.integers(3, 7))
    short, restart = float(generator.integers(10, 40)), float(generator.integers(3, 9)) * 60
    equal = float(generator.integers(12, 25)) * 60
    # The dump with which rare failures lose as much at one interval.
    low, high = short, equal
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (
            (middle, high)
            if lost(equal, middle, restart, rarely) < lost(equal, short, restart, often)
            else (low, middle)
        )
    constants = {"often": often, "rarely": rarely, "short": short, "long": float(f"{low:.3g}"), "restart": restart}
    rows = [
        {"minutes": minutes}
        for minutes in (float(generator.integers(3, 7)), equal / 60, float(generator.integers(50, 120)))
    ]
    return Draw(constants, rows, {"minutes": float(generator.integers(150, 240))})


def shown(often, rarely, short, long, restart):
    return {
        "often": f"{often / 3600:g} hours",
        "rarely": f"{rarely / 3600:g} hours",
        "short": units.show(short, "s"),
        "long": units.show(long, "s"),
        "restart": f"{restart / 60:g} minutes",
    }


QUESTION = Question(
    scene="A long job saves itself at a fixed interval. A restart takes {restart} after each failure. The share of the time that is no "
    "kept work was taken from three months in which the interval was changed.",
    columns=(Column("minutes", "minutes between saves", lambda value: f"{value:g}"),),
    result=Column("lost", "lost", percent),
    explanations=(
        Explanation(
            "a save stops the job for {short}, and it fails every {often} on average.",
            "Short intervals lose dumps, long ones lose work that was not saved. Here it is the long ones that hurt, and that is "
            "failures: saving more often pays, and faster storage hardly would.",
            "If the log of the job showed far fewer failures than that, I would be wrong.",
            lambda minutes, often, rarely, short, long, restart: lost(60 * minutes, short, restart, often),
        ),
        Explanation(
            "a save stops the job for {long}, and it fails every {rarely} on average.",
            "Short intervals lose dumps, long ones lose work that was not saved. Here it is the short ones that hurt, and that is "
            "the dump: saving less often pays, and so would faster storage.",
            "If one save were timed and took a small part of that, I would be wrong.",
            lambda minutes, often, rarely, short, long, restart: lost(60 * minutes, long, restart, rarely),
        ),
    ),
    coming="what you expect to be lost with {minutes} minutes between saves",
    draw=draw,
    shown=shown,
)
