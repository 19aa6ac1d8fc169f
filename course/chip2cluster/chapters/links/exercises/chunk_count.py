"""Exercise on the number of chunks of a pipelined message with the least time."""

from math import ceil, floor, sqrt

from chip2cluster import collectives, links
from chip2cluster._validate import known
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def pieces(message_bytes, bandwidth_one_way, latency):
    """Number of equal pieces with which a message is fastest over two hops that pass on what has arrived whole."""
    return links.best_pieces(message_bytes, bandwidth_one_way, latency)


def _case(message_bytes, bandwidth_one_way, latency):
    return {"message_bytes": message_bytes, "bandwidth_one_way": bandwidth_one_way, "latency": latency}


def _messages(generator):
    # A case that can be done in the head comes first: n-half is 100 kB, and three pieces of 300 kB are best.
    cases = [_case(900e3, 50e9, 2e-6)]
    # Between the squares and the middles of two of them rounding up, down and to the nearest give different answers.
    for whole, beyond in ((2, 0.75), (5, 0.25), (9, 0.8), (14, 0.2), (23, 0.7)):
        rate, wait = 1e9 * int(generator.integers(10, 90)), 1e-7 * int(generator.integers(5, 150))
        target = whole + beyond + float(generator.uniform(-0.05, 0.05))
        cases.append(_case(float(round(target**2 * rate * wait)), rate, wait))
    return cases


def _short(generator):
    # Less than n-half, a message of a few bytes, and one with the root nearer to 1 where 2 pieces are faster.
    wait, rate = 1e-7 * int(generator.integers(20, 90)), 1e9 * int(generator.integers(20, 60))
    between = float(generator.uniform(2.06, 2.18))
    return [_case(float(size), rate, wait) for size in (8, round(0.2 * rate * wait), round(between * rate * wait))]


def _root(message_bytes, bandwidth_one_way, latency):
    return sqrt(message_bytes / (latency * bandwidth_one_way))


def _of_root(number):
    return lambda message_bytes, bandwidth_one_way, latency: number(_root(message_bytes, bandwidth_one_way, latency))


def _meaning():
    hop = collectives.nccl_protocol("Simple", "network")
    rate = known("payload_one_way", links.rates("InfiniBand NDR 4x").payload_one_way)
    count = links.best_pieces(100e6, rate, hop.latency)
    whole, cut, alone = (
        1e3 * links.pipelined_time(100e6, number, rate, hop.latency, hops)
        for number, hops in ((1, 2), (count, 2), (1, 1))
    )
    return (
        f"By NCCL's bulk protocol over InfiniBand NDR, 100 MB go over two hops in {whole:.2f} ms as one chunk and in "
        f"{cut:.2f} ms as {count}; one hop alone takes {alone:.2f} ms. With a good number of chunks the second hop adds "
        f"{100 * (cut / alone - 1):.0f} % and not 100 %. The rings of the next chapter rely on this."
    )


PIECES = Exercise(
    id="links.pieces",
    title="How many chunks?",
    signature="pieces(message_bytes, bandwidth_one_way, latency)",
    unit="pieces",
    points=4,
    tolerance=1e-9,
    reference=pieces,
    shows=(pieces, links.best_pieces, links.pipelined_time),
    groups=(
        Group("messages", 0.8, _messages),
        Group(
            "short messages",
            0.2,
            _short,
            v.VALUE,
            advice="A message that is short against n-half goes in one piece: there is no fewer than one. And from twice n-half on, "
            "two pieces are faster than one.",
        ),
    ),
    hints=(
        "Draw the two hops as two rows, time to the right, for three chunks. After how many chunk times is the last one "
        "through the second hop?",
        "With p chunks: t(p) = (p + 1)(α + n/(pβ)). Multiply it out. Which terms grow with p, which shrink, which stay?",
        "pα grows, n/(pβ) shrinks, and the sum is smallest where they are equal: p = sqrt(n / (αβ)). Then a whole number: try the "
        "ones below and above, and keep the faster. Never less than 1.",
    ),
    solution="""
import math


def pieces(message_bytes, bandwidth_one_way, latency):
    def seconds(p):
        return (p + 1) * (latency + message_bytes / p / bandwidth_one_way)

    below = max(1, math.floor(math.sqrt(message_bytes / (latency * bandwidth_one_way))))
    return min(below, below + 1, key=seconds)
""",
    explanation=(
        "Every additional chunk costs one more latency, but makes the second hop start earlier. The two costs balance where "
        "p α = n / (p β): the number of chunks is the square root of the message in units of n-half. Near the optimum the time "
        "is flat, so half or twice as many chunks cost little."
    ),
    meaning=_meaning,
    mistakes=(
        *(
            Mistake(
                name,
                _of_root(lambda root, rounded=rounded: max(1, rounded(root**2))),
                "You made pieces as large as n-half: every one of them waits as long as it moves, so the first hop takes twice "
                "its time. Write down the time of p pieces and look for its least value.",
            )
            for name, rounded in (
                ("pieces of n-half", round),
                ("pieces of n-half, rounded up", ceil),
                ("pieces of n-half, rounded down", floor),
                ("pieces of n-half, and a part of one", lambda number: number),
            )
        ),
        Mistake(
            "one piece",
            lambda message_bytes, bandwidth_one_way, latency: 1,
            "With one chunk the second hop is idle until the last byte is through the first. Split the message, and both hops work.",
        ),
        Mistake(
            "bytes of a piece",
            lambda message_bytes, bandwidth_one_way, latency: (
                message_bytes / pieces(message_bytes, bandwidth_one_way, latency)
            ),
            "That is the size of a chunk, in bytes. Return how many chunks there are.",
        ),
        Mistake(
            "not a whole number",
            _of_root(lambda root: root),
            "The number of chunks must be whole. Try the whole numbers below and above, and return the faster one.",
        ),
        Mistake(
            "rounded up",
            _of_root(ceil),
            "You always rounded up. Which of the two whole numbers next to the root is faster?",
            v.VALUE,
        ),
        Mistake(
            "rounded down",
            _of_root(lambda root: max(1, floor(root))),
            "You always rounded down. Which of the two whole numbers next to the root is faster?",
            v.VALUE,
        ),
        Mistake(
            "none for a short one",
            lambda message_bytes, bandwidth_one_way, latency: (
                0
                if _root(message_bytes, bandwidth_one_way, latency) < 0.5
                else pieces(message_bytes, bandwidth_one_way, latency)
            ),
            "A message that is small compared with n-half is sent as one chunk; you return none.",
            share=0.8,
        ),
        *(
            Mistake(
                name,
                _of_root(rounded),
                "You rounded at the middle. The two whole numbers next to the root are equally fast where n/(αβ) is p(p + 1), and "
                f"the root there is a little less than p + ½: compute both times, and keep the faster.{never}",
                share=0.8,
            )
            for name, rounded, never in (
                ("rounded to the nearest", lambda root: max(1, round(root)), ""),
                ("rounded to the nearest, none for a short one", round, " Never less than one chunk."),
            )
        ),
        Mistake(
            "both latencies for each piece",
            lambda message_bytes, bandwidth_one_way, latency: max(
                1, round(_root(message_bytes, bandwidth_one_way, 2 * latency))
            ),
            "You made each additional chunk cost two latencies. While a chunk starts on the second hop, the next one starts on the "
            "first: it costs one.",
        ),
        Mistake(
            "both hops of bytes",
            lambda message_bytes, bandwidth_one_way, latency: max(
                1, round(_root(2 * message_bytes, bandwidth_one_way, latency))
            ),
            "You let both hops shrink with the pieces. All the bytes have to go over one hop in any case; what shrinks is the "
            "one piece that the second hop is behind.",
        ),
    ),
    mutants=MUTANTS["links.pieces"],
)
