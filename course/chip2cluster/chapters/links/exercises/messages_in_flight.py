"""Exercise on the messages in flight that keep a link busy."""

from math import ceil, floor

from chip2cluster import links
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def in_flight(message_bytes, bandwidth_one_way, latency, gap):
    """Messages that must be under way at once so that the sender never waits for an answer."""
    return links.messages_in_flight(message_bytes, bandwidth_one_way, latency, gap=gap)


def _case(message_bytes, bandwidth_one_way, latency, gap):
    return {"message_bytes": message_bytes, "bandwidth_one_way": bandwidth_one_way, "latency": latency, "gap": gap}


def _streams(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    cases = [_case(1000.0, 10e9, 1e-6, 0.2e-6)]
    for held_by in generator.permutation(["gap", "wire", "gap", "wire"]):
        rate, latency = round(float(generator.uniform(10e9, 60e9)), -8), round(float(generator.uniform(2e-6, 9e-6)), 9)
        gap = round(float(generator.uniform(60e-9, 140e-9)), 10)
        share = generator.uniform(0.2, 0.5) if held_by == "gap" else generator.uniform(2, 4)
        cases.append(_case(float(round(share * gap * rate)), rate, latency, gap))
    return cases


def _near(generator):
    # 4,000 bytes at 40 GB/s take exactly as long as the wait: one answer for each message, then none to wait for.
    return [_case(4000.0, 40e9, 0.0, 50e-9), _case(4000.0, 40e9, 0.1e-6, 50e-9)]


def _parts(message_bytes, bandwidth_one_way, latency, gap):
    sending = message_bytes / bandwidth_one_way
    return sending, sending + 2 * latency, max(gap, sending)


def _by(number):
    def wrong(message_bytes, bandwidth_one_way, latency, gap):
        sending, trip, interval = _parts(message_bytes, bandwidth_one_way, latency, gap)
        return number(sending, trip, interval, gap, latency)

    return wrong


def _up(value):
    return max(1, ceil(value * (1 - 1e-12)))


def _meaning():
    rate = links.rates("InfiniBand EDR 4x").measured_by("nic")[0]
    short, long = (links.messages_in_flight(size, rate, 1.74e-6, gap=124e-9) for size in (64, 1e6))
    return (
        f"The chapter's NIC (100 Gb/s, 1.74 µs, a message every 124 ns) needs {short} messages of 64 bytes in flight, and "
        f"{long} of 1 MB. That is why libraries send in chunks, and several at once."
    )


IN_FLIGHT = Exercise(
    id="links.in_flight",
    title="How many in flight?",
    signature="in_flight(message_bytes, bandwidth_one_way, latency, gap)",
    unit="",
    points=3,
    reference=in_flight,
    shows=(in_flight, links.messages_in_flight),
    groups=(
        Group("streams", 0.8, _streams),
        Group(
            "short ways",
            0.2,
            _near,
            advice="Without latency one message at a time is enough, and a trip of exactly three intervals takes three.",
        ),
    ),
    hints=(
        "Two times: from the first byte of a message to its answer, and from one message to the next.",
        "The trip is bytes / bandwidth + 2 × latency. The interval is the longer of gap and bytes / bandwidth.",
        "math.ceil(trip / interval); a tiny bit less before you round up keeps whole numbers whole.",
    ),
    solution="""
import math


def in_flight(message_bytes, bandwidth_one_way, latency, gap):
    sending = message_bytes / bandwidth_one_way
    trip, interval = sending + 2 * latency, max(gap, sending)
    return max(1, math.ceil(trip / interval - 1e-9))
""",
    explanation=(
        "This is Little's law again: messages in flight = round trip / interval. Small messages need many in flight, because "
        "the NIC is soon ready for the next; of large ones, two or three keep the link busy."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "one way only",
            _by(lambda sending, trip, interval, gap, latency: _up((sending + latency) / interval)),
            "You counted the latency once. The sender waits for the answer, so the latency counts in both directions.",
        ),
        Mistake(
            "the message itself left out",
            _by(lambda sending, trip, interval, gap, latency: _up(2 * latency / interval)),
            "You left out the time of the message itself. All its bytes must be sent before the answer can come.",
        ),
        Mistake(
            "gap and wire added",
            _by(lambda sending, trip, interval, gap, latency: _up(trip / (gap + sending))),
            "You added the gap to the time on the link. The NIC prepares the next message while the bytes leave: the longer counts.",
        ),
        Mistake(
            "the gap alone",
            _by(lambda sending, trip, interval, gap, latency: _up(trip / gap)),
            "You took the gap as the interval for every message. A large one keeps the link busy for longer than that.",
        ),
        Mistake(
            "the wire alone",
            _by(lambda sending, trip, interval, gap, latency: _up(trip / sending)),
            "You divided by the time on the link. However small a message is, the NIC needs its gap.",
        ),
        Mistake(
            "rounded down",
            _by(lambda sending, trip, interval, gap, latency: max(1, floor(trip / interval * (1 + 1e-12)))),
            "You rounded down. The sender would wait a little for every answer: round up.",
        ),
        Mistake(
            "rounded to the nearest",
            _by(lambda sending, trip, interval, gap, latency: max(1, round(trip / interval))),
            "You rounded to the nearest whole number. If that is the lower one, the sender waits a little for every answer: round up.",
        ),
        Mistake(
            "no round number",
            _by(lambda sending, trip, interval, gap, latency: trip / interval),
            "That is not a whole number of messages. Round up.",
        ),
        Mistake(
            "n-half over the message",
            _by(lambda sending, trip, interval, gap, latency: _up(latency / sending)),
            "You divided n-half by the message. That counts one direction only, without the message itself and the NIC's gap.",
        ),
        Mistake(
            "one more",
            _by(lambda sending, trip, interval, gap, latency: floor(trip / interval * (1 + 1e-12)) + 1),
            "Right unless the trip is a whole number of intervals: then you have one too many.",
            v.EDGES,
            share=0.8,
        ),
    ),
)
