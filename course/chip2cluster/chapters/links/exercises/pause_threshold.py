"""Exercise on the queue length at which a port must send a pause to lose no packet."""

from chip2cluster import links
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def lossless(buffer_bytes, senders, line_rate, round_trip):
    """Longest queue, in bytes, at which a switch may order the pause and lose nothing; 0 where none is short enough."""
    if links.pause_headroom(senders, line_rate, round_trip) >= buffer_bytes:
        return 0.0
    return links.pause_threshold(buffer_bytes, senders, line_rate, round_trip)


def _ports(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    cases = [{"buffer_bytes": 1e6, "senders": 3, "line_rate": 50e9, "round_trip": 2e-6}]
    for senders in generator.permutation([2, 4, 6, 9, 13])[:4]:
        rate, trip = round(float(generator.uniform(10e9, 100e9)), -8), round(float(generator.uniform(1e-6, 8e-6)), 8)
        room = round(float(generator.uniform(1.3, 3)) * int(senders) * rate * trip)
        cases.append({"buffer_bytes": float(room), "senders": int(senders), "line_rate": rate, "round_trip": trip})
    return cases


def _small_buffers(generator):
    return [
        {"buffer_bytes": 3e5, "senders": 8, "line_rate": 50e9, "round_trip": 2e-6},
        {"buffer_bytes": 5e5, "senders": 1, "line_rate": 25e9, "round_trip": 4e-6},
    ]


def _less(headroom):
    def wrong(buffer_bytes, senders, line_rate, round_trip):
        return max(0.0, buffer_bytes - headroom(senders, line_rate, round_trip))

    return wrong


def _meaning():
    room = links.pause_headroom(8, links.infiniband("NDR").bandwidth_one_way, 2e-6)
    return (
        f"Eight senders at 400 Gb/s and a round trip of 2 µs want {room / 1e3:.0f} kB kept free, at this one port, whatever comes. A "
        "longer cable or a faster line wants more."
    )


LOSSLESS = Exercise(
    id="links.lossless",
    title="Pause in time",
    signature="lossless(buffer_bytes, senders, line_rate, round_trip)",
    unit="bytes",
    points=3,
    reference=lossless,
    shows=(lossless, links.pause_headroom, links.pause_threshold),
    groups=(
        Group("ports", 0.8, _ports),
        Group(
            "small buffers",
            0.2,
            _small_buffers,
            advice="If a pause would be too late even with an empty queue, return 0. A single sender never fills the queue.",
        ),
    ),
    hints=(
        "The pause takes effect after a round trip. What comes in during that time, and what goes out?",
        "In: senders × line_rate × round_trip. Out, through the one port: line_rate × round_trip.",
        "max(0, buffer_bytes - (senders - 1) * line_rate * round_trip)",
    ),
    solution="""
def lossless(buffer_bytes, senders, line_rate, round_trip):
    headroom = (senders - 1) * line_rate * round_trip
    return max(0.0, buffer_bytes - headroom)
""",
    explanation=(
        "Bytes in flight when the pause is sent still arrive. The space for them is called the headroom, and it grows with "
        "the rate, the length of the cable and the number of senders. That is why lossless Ethernet needs switches with large buffers."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "the port forgotten",
            _less(lambda senders, rate, trip: senders * rate * trip),
            "You kept everything that arrives in the queue. One sender's worth leaves through the port at the same time.",
        ),
        Mistake(
            "one sender",
            _less(lambda senders, rate, trip: rate * trip),
            "You left space for one sender's bytes. All of them send until the pause takes effect.",
        ),
        Mistake(
            "half of the trip",
            _less(lambda senders, rate, trip: (senders - 1) * rate * trip / 2),
            "You counted half of the round trip. The pause travels to the senders, and what they sent before travels back.",
        ),
        Mistake(
            "the headroom itself",
            lambda buffer_bytes, senders, line_rate, round_trip: (senders - 1) * line_rate * round_trip,
            "That is what still arrives after the pause is sent. Subtract it from the buffer.",
        ),
        Mistake(
            "bits for bytes",
            _less(lambda senders, rate, trip: (senders - 1) * rate * trip / 8),
            "You divided by 8. The rate is in bytes/s already.",
            v.UNIT,
        ),
        Mistake(
            "less than nothing",
            lambda buffer_bytes, senders, line_rate, round_trip: buffer_bytes - (senders - 1) * line_rate * round_trip,
            "A queue cannot have fewer than 0 bytes: if the buffer is too small, return 0.",
            v.EDGES,
            share=0.8,
        ),
    ),
)
