"""Lab 11: one queue or many."""

from chip2cluster import scheduling, units
from chip2cluster.exercise.written_question import Column, Draw, Explanation, Question, percent, si


def draw(generator):
    rows = [
        {"replicas": 1.0, "busy": float(generator.integers(50, 80)) / 100},
        {"replicas": float(generator.integers(2, 5)), "busy": float(generator.integers(70, 92)) / 100},
        {"replicas": float(generator.integers(6, 13)), "busy": float(generator.integers(80, 95)) / 100},
    ]
    coming = {"replicas": float(generator.integers(14, 25)), "busy": float(generator.integers(85, 96)) / 100}
    return Draw({"service": float(generator.integers(15, 90)) / 10}, rows, coming)


QUESTION = Question(
    scene="Requests arrive by chance, each by itself, and take a replica for {service} on average, long and short ones mixed as a "
    "queue's formulas want it. Nobody documented what the balancer in front does. A long day was measured at several loads.",
    columns=(Column("replicas", "replicas"), Column("busy", "busy", percent)),
    result=Column("wait", "mean wait", si("s")),
    explanations=(
        Explanation(
            "all requests stand in one queue, and whichever replica is free takes the next.",
            "With one queue nobody waits while a replica is idle. The more replicas share it, the sooner one of them is free, so the same "
            "load costs far less waiting; one replica alone shows nothing of this.",
            "If requests were seen waiting while a replica is idle, I would be wrong.",
            lambda replicas, busy, service: scheduling.mean_wait(int(replicas), busy, service),
        ),
        Explanation(
            "each request is given to a replica by lot when it arrives, and waits there.",
            "Each replica has a queue of its own and helps no other, so the wait depends on the load alone and more replicas don't shorten "
            "it; one replica alone shows nothing of this.",
            "If a replica were never idle while requests wait elsewhere, I would be wrong.",
            lambda replicas, busy, service: scheduling.mean_wait(1, busy, service),
        ),
    ),
    coming="what you expect for {replicas} replicas that are busy for {busy} of the time",
    draw=draw,
    shown=lambda service: {"service": units.show(service, "s")},
)
