"""Lab 6: a start-up or a share."""

from chip2cluster import links, units
from chip2cluster.exercise.written_question import Column, Draw, Explanation, Question, si


def draw(generator):
    bandwidth = float(generator.integers(20, 100)) * 1e9
    first = float(generator.integers(10, 60)) * 1e4
    latency = round(first / bandwidth * generator.uniform(0.6, 1.6) * 1e7) / 1e7
    share = round(first / bandwidth / links.transfer_time(first, bandwidth, latency), 3)
    sizes = [first, round(first * generator.uniform(4, 8), -4), round(first * generator.uniform(20, 60), -5)]
    constants = {"bandwidth": bandwidth, "latency": latency, "share": share}
    return Draw(constants, [{"size": size} for size in sizes], {"size": round(first * generator.uniform(100, 300), -6)})


def shown(bandwidth, latency, share):
    return {
        "bandwidth": units.show(bandwidth, "B/s"),
        "latency": units.show(latency, "s"),
        "share": f"{100 * share:.1f} %",
    }


QUESTION = Question(
    scene="A link is sold with {bandwidth} one way. Messages of several sizes were timed, from the call to the last byte.",
    columns=(Column("size", "message", si("B")),),
    result=Column("seconds", "time", si("s")),
    explanations=(
        Explanation(
            "each message waits {latency} before its first byte, then the wire gives what is printed.",
            "A start-up is paid once for each message. It hides behind a large one, so the rate climbs towards what is printed, and "
            "the time grows by the printed rate from size to size.",
            "If one very large message reached no better rate than the small ones, I would be wrong.",
            lambda size, bandwidth, latency, share: links.transfer_time(size, bandwidth, latency),
        ),
        Explanation(
            "headers and flags leave {share} of the wire to the message, and the start-up is too short to matter.",
            "Headers are paid for every packet, so their share is the same for any size, and the time is proportional to the message. "
            "No large message hides them; only larger packets would.",
            "If an empty message took a noticeable part of the first row's time, I would be wrong.",
            lambda size, bandwidth, latency, share: links.transfer_time(size, bandwidth * share),
        ),
    ),
    coming="what you expect for a message of {size}",
    draw=draw,
    shown=shown,
)
