"""Lab 15: what makes a ring slower than its forecast."""

from chip2cluster import collectives, units
from chip2cluster.exercise.written_question import Column, Draw, Explanation, Question, si


def draw(generator):
    ranks = int(generator.choice([2, 4, 8]))
    latency = float(generator.integers(5, 20)) * 1e-7
    bandwidth = float(generator.integers(40, 160)) * 1e8
    python = float(generator.integers(8, 30)) * 1e-6
    # Where half of the rate costs as much as Python does.
    equal = ranks * python * bandwidth
    factors = generator.uniform(20, 60), 1.0, 1 / generator.uniform(15, 40)
    sizes = [float(f"{equal / factor:.2g}") for factor in factors]
    constants = {"ranks": ranks, "latency": latency, "bandwidth": bandwidth, "python": python}
    coming = {"size": float(f"{equal * generator.choice([0.1, 5.0]) * generator.uniform(0.8, 1.2):.2g}")}
    return Draw(constants, [{"size": size} for size in sizes], coming)


def ring(size, ranks, latency, bandwidth):
    return collectives.time("all_reduce", "ring", size, ranks, bandwidth, latency)


def shown(ranks, latency, bandwidth, python):
    return {
        "ranks": str(ranks),
        "latency": units.show(latency, "s"),
        "bandwidth": units.show(bandwidth, "B/s"),
        "python": units.show(python, "s"),
        "steps": str(2 * (ranks - 1)),
    }


QUESTION = Question(
    scene="A ping-pong measured {latency} and {bandwidth} on a quiet machine. A ring of {ranks} ranks, {steps} steps written in Python, takes longer than these two numbers predict.",
    columns=(Column("size", "message", si("B")),),
    result=Column("seconds", "median time of the ring", si("s")),
    explanations=(
        Explanation(
            "each step takes an extra {python} in Python, whatever its message size.",
            "The extra time is the same for every size: it is most of a short message's time and a negligible part of a long one's. So it is a cost of steps, not of bytes.",
            "If the same steps with empty arrays took next to no time, I would be wrong.",
            lambda size, ranks, latency, bandwidth, python: ring(size, ranks, latency + python, bandwidth),
        ),
        Explanation(
            "each rank sends and receives at once through the same memory, which leaves half of the bandwidth for each direction.",
            "The extra time grows with the bytes, and short messages match the prediction. So it is a cost of bytes, not of steps: the ping-pong had the memory for itself.",
            "If sending in both directions at once took no longer than in one direction, I would be wrong.",
            lambda size, ranks, latency, bandwidth, python: ring(size, ranks, latency, bandwidth / 2),
        ),
    ),
    coming="what you expect for {size}",
    draw=draw,
    shown=shown,
)
