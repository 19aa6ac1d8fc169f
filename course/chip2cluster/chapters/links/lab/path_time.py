"""Task on the time of a message between two GPUs over several hops."""

from chip2cluster import links
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def path_time(message_bytes, bandwidths_one_way, latencies):
    """Time of a message that flows through several links at once, in seconds."""
    return links.transfer_time(message_bytes, min(bandwidths_one_way), sum(latencies))


def _paths(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    cases = [{"message_bytes": 1e6, "bandwidths_one_way": [50e9, 25e9], "latencies": [1e-6, 3e-6]}]
    for hops in (2, 3, 3, 5, 4):
        bandwidths = generator.uniform(12e9, 120e9, hops).round(-8)
        cases.append(
            {
                "message_bytes": round(float(generator.uniform(1e4, 1e6))),
                "bandwidths_one_way": [float(b) for b in bandwidths],
                "latencies": [float(a) for a in generator.uniform(0.5e-6, 4e-6, hops).round(9)],
            }
        )
    return cases


def _short_paths(generator):
    return [
        {"message_bytes": 4e6, "bandwidths_one_way": [58e9], "latencies": [5.7e-6]},
        {"message_bytes": 0.0, "bandwidths_one_way": [58e9, 50e9, 58e9], "latencies": [5.7e-6, 14e-6, 5.7e-6]},
    ]


PATH = Exercise(
    id="lab.links.path_time",
    title="From GPU to GPU",
    signature="path_time(message_bytes, bandwidths_one_way, latencies)",
    unit="s",
    graded=True,
    points=4,
    reference=path_time,
    shows=(path_time, links.transfer_time),
    groups=(
        Group("paths", 0.8, _paths),
        Group("short", 0.2, _short_paths, advice="One link is a path too, and an empty message takes the latencies."),
    ),
    hints=(
        "The first packet has to pass every link. What latency does it see in total?",
        "All latencies add up. The packets behind the first are pipelined: which link limits their rate?",
        "The link with the lowest bandwidth does. Add message_bytes / that bandwidth once, not once per link.",
    ),
    explanation="Latencies add up, but the slowest link alone sets the rate.",
    mistakes=(
        Mistake(
            "stored at every stop",
            lambda message_bytes, bandwidths_one_way, latencies: (
                sum(latencies) + sum(message_bytes / bandwidth for bandwidth in bandwidths_one_way)
            ),
            "You let the whole message arrive at each link's end before it goes on. Packets are pipelined, so only the lowest bandwidth counts.",
        ),
        Mistake(
            "widest link",
            lambda message_bytes, bandwidths_one_way, latencies: (
                sum(latencies) + message_bytes / max(bandwidths_one_way)
            ),
            "You took the highest bandwidth. The lowest one limits the rate.",
        ),
        Mistake(
            "longest latency",
            lambda message_bytes, bandwidths_one_way, latencies: (
                max(latencies) + message_bytes / min(bandwidths_one_way)
            ),
            "You took only the longest latency. The first packet sees all of them.",
        ),
        Mistake(
            "one latency",
            lambda message_bytes, bandwidths_one_way, latencies: latencies[0] + message_bytes / min(bandwidths_one_way),
            "You took only the latency of the first link. The first packet sees all of them.",
        ),
        Mistake(
            "mean bandwidth",
            lambda message_bytes, bandwidths_one_way, latencies: (
                sum(latencies) + message_bytes * len(bandwidths_one_way) / sum(bandwidths_one_way)
            ),
            "You took the mean of the bandwidths. The lowest one limits the rate.",
        ),
        Mistake(
            "bandwidths added",
            lambda message_bytes, bandwidths_one_way, latencies: (
                sum(latencies) + message_bytes / sum(bandwidths_one_way)
            ),
            "You added the bandwidths. These links are in series, not in parallel.",
        ),
        Mistake(
            "latencies forgotten",
            lambda message_bytes, bandwidths_one_way, latencies: message_bytes / min(bandwidths_one_way),
            "You left out the latencies.",
        ),
        Mistake(
            "slowest link alone",
            lambda message_bytes, bandwidths_one_way, latencies: max(
                latency + message_bytes / bandwidth
                for bandwidth, latency in zip(bandwidths_one_way, latencies, strict=True)
            ),
            "You took only the time of the slowest link. The latencies of the others add to it.",
        ),
    ),
    mutants=MUTANTS["lab.links.path_time"],
)
