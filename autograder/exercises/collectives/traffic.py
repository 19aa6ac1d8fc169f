"""What each rank sends."""

from chip2cluster import collectives

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant


def _messages(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    return [{"message_bytes": 8e9, "ranks": 4}] + [
        {"message_bytes": round(float(size), -5), "ranks": ranks}
        for size, ranks in zip(generator.uniform(1e8, 9e10, 5), (8, 3, 12, 72, 512), strict=True)
    ]


def _edges(generator):
    return [{"message_bytes": 5e9, "ranks": 1}, {"message_bytes": 5e9, "ranks": 5}]


TRAFFIC = Exercise(
    id="collectives.bytes_sent",
    title="What each rank sends",
    signature="bytes_sent(message_bytes, ranks)",
    unit="bytes",
    points=2,
    reference=collectives.ring_all_reduce_traffic,
    groups=(
        Group("messages", 0.8, _messages),
        Group("edges", 0.2, _edges, advice="A single rank has nobody to talk to and sends nothing."),
    ),
    hints=(
        "How large is one chunk, and how many steps send one?",
        "There are ranks chunks, so one has message_bytes / ranks bytes. It takes ranks − 1 steps to add them up …",
        "… and as many again to hand the sums round: 2 (ranks − 1) · message_bytes / ranks.",
    ),
    solution="""
def bytes_sent(message_bytes, ranks):
    return 2 * (ranks - 1) * message_bytes / ranks
""",
    explanation=(
        "Each half of the ring sends all chunks but one. However many ranks there are, none sends twice its message: with "
        "8 it is 1.75 times, with 1,000 it is 1.998 times. No algorithm of messages between two ranks can do with less."
    ),
    mistakes=(
        Mistake(
            "half of the ring",
            lambda message_bytes, ranks: (ranks - 1) * message_bytes / ranks,
            "You counted one half of the ring. The sums are added up in ranks − 1 steps and handed round in as many again.",
            v.FACTOR,
        ),
        Mistake(
            "whole messages",
            lambda message_bytes, ranks: 2 * (ranks - 1) * message_bytes,
            "You sent the whole vector in every step. A step sends one chunk: message_bytes / ranks.",
        ),
        Mistake(
            "everything to everybody",
            lambda message_bytes, ranks: (ranks - 1) * message_bytes,
            "You sent the whole vector to every other rank. That works, and it is what the ring saves you.",
        ),
        Mistake(
            "twice the message",
            lambda message_bytes, ranks: 2 * message_bytes + 0 * ranks,
            "Twice the message is the limit for many ranks. With n of them a rank sends all chunks but one, twice.",
        ),
        Mistake(
            "sent and received",
            lambda message_bytes, ranks: 4 * (ranks - 1) * message_bytes / ranks,
            "You added what is sent and what is received. They travel at the same time, in opposite directions of a link.",
            v.FACTOR,
        ),
        Mistake(
            "one chunk in each half",
            lambda message_bytes, ranks: 2 * message_bytes / ranks,
            "You sent one chunk in each half. Each half has ranks − 1 steps, and each step sends a chunk.",
        ),
        Mistake(
            "upside down",
            lambda message_bytes, ranks: 2 * ranks * message_bytes / max(ranks - 1, 1),
            "Your fraction is upside down: (ranks − 1) / ranks is the share of the chunks that travel.",
        ),
    ),
    mutants=(
        Mutant(
            source="""
def bytes_sent(s, n):
    return 2 * s * max(n - 1, 1) / n
""",
            verdict=v.EDGES,
            says="nobody to talk to",
            share=0.8,
        ),
    ),
)
