"""Task on the time of a ring all-reduce from the two-regime fit of a message between neighbours."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def ring_time(message_bytes, ranks, boundary, alpha_small, beta_small, alpha_large, beta_large):
    """2 (p - 1) messages of n / p bytes, each on the line of its own size, seconds."""
    return _time(message_bytes / ranks, 2 * (ranks - 1), boundary, alpha_small, beta_small, alpha_large, beta_large)


def _time(piece, steps, boundary, alpha_small, beta_small, alpha_large, beta_large, line=None):
    small = (piece if line is None else line) < boundary
    return steps * ((alpha_small + piece / beta_small) if small else (alpha_large + piece / beta_large))


LINES = {"boundary": 4096.0, "alpha_small": 1e-6, "beta_small": 4e9, "alpha_large": 4e-6, "beta_large": 1e10}


def _lines(generator):
    alpha = 10 ** generator.uniform(-6.3, -5)
    return {
        "boundary": float(2 ** int(generator.integers(9, 17))),
        "alpha_small": float(f"{alpha:.3g}"),
        "beta_small": float(f"{10 ** generator.uniform(8.5, 9.8):.3g}"),
        "alpha_large": float(f"{alpha * generator.uniform(2.5, 8):.3g}"),
        "beta_large": float(f"{10 ** generator.uniform(9.9, 11):.3g}"),
    }


def _case(generator, ranks, times):
    """A message whose pieces have ``times`` the boundary."""
    lines = _lines(generator)
    return {"message_bytes": float(ranks * round(times * lines["boundary"])), "ranks": ranks, **lines}


def _runs(generator):
    # Two ranks, pieces of 2,000 bytes: two messages of 1.5 µs. It is the one that a student sees.
    easy = {"message_bytes": 4000.0, "ranks": 2, **LINES}
    drawn = [
        _case(generator, int(ranks), float(times * generator.uniform(0.9, 1.1)))
        for ranks, times in ((4, 0.5), (8, 0.3), (3, 6.0), (16, 40.0), (2, 300.0))
    ]
    return [easy, *drawn]


def _edges(generator):
    lines = _lines(generator)
    return [
        {"message_bytes": 4 * lines["boundary"], "ranks": 4, **lines},
        {"message_bytes": 16384.0, "ranks": 4, **LINES},
    ]


def _like(piece=lambda n, p: n / p, steps=lambda p: 2 * (p - 1), line=None):
    def wrong(message_bytes, ranks, **lines):
        at = None if line is None else line(message_bytes, ranks)
        return _time(piece(message_bytes, ranks), steps(ranks), line=at, **lines)

    return wrong


def _once(message_bytes, ranks, boundary, alpha_small, beta_small, alpha_large, beta_large):
    """One latency for all steps."""
    latency = alpha_small if message_bytes / ranks < boundary else alpha_large
    return ring_time(
        message_bytes, ranks, boundary, alpha_small, beta_small, alpha_large, beta_large
    ) - latency * (2 * ranks - 3)  # fmt: skip


RING_TIME = Exercise(
    id="lab.measure.ring_time",
    title="From ping-pong to all-reduce",
    signature="ring_time(message_bytes, ranks, boundary, alpha_small, beta_small, alpha_large, beta_large)",
    unit="s",
    graded=True,
    points=4,
    reference=ring_time,
    groups=(
        Group("runs", 0.8, _runs),
        Group("edges", 0.2, _edges, advice="A part of exactly boundary bytes counts as large."),
    ),
    hints=(
        "What does a rank send to its neighbor in one step of the ring: the whole message, or a part of it?",
        "There are 2 (p − 1) steps, each with a part of n / p bytes. Which of the two lines gives the time of such a part?",
        "Compare n / p with the boundary, not the message. Then add the latency and the time of the part's bytes in every step, both from that line.",
    ),
    explanation="A ring sends parts: a message of a megabyte among 256 ranks is many small ones.",
    mistakes=(
        Mistake("the whole message", _like(piece=lambda n, p: n), "You send the whole message in each step. The ring divides it into p parts."),
        Mistake("the line of the message", _like(line=lambda n, p: n), "You chose the line by the whole message. A rank sends parts: compare n / p with the boundary.", share=0.0),
        Mistake("half the steps", _like(steps=lambda p: p - 1), "You took p − 1 steps. The ring needs p − 1 steps to add the parts and p − 1 more to distribute the sums."),
        Mistake("two steps too many", _like(steps=lambda p: 2 * p), "You took 2 p steps. In a ring of p ranks the last step of each half is not needed."),
        Mistake("one latency only", _once, "You counted one latency. Every step begins with one.", coincides=""),
        Mistake("no latency", lambda alpha_small, alpha_large, **rest: ring_time(alpha_small=0.0, alpha_large=0.0, **rest),
                "You left out the latency. Every step begins with one."),
        Mistake("always the line of large messages", _like(line=lambda n, p: float("inf")), "You always use the line of the large messages. Use the other one for parts below the boundary."
                ),
        Mistake("microseconds", lambda **given: 1e6 * ring_time(**given), "Your time is in microseconds. Return seconds.", v.UNIT),
    ),
)  # fmt: skip
