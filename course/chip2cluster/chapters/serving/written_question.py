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
    scene="Requests arrive at random and independently, and take a replica {service} on average, short and long ones "
    "mixed as queueing formulas assume. Nobody documented what the load balancer in front does. A long day was "
    "measured at several loads.",
    columns=(Column("replicas", "replicas"), Column("busy", "busy", percent)),
    result=Column("wait", "mean wait", si("s")),
    explanations=(
        Explanation(
            "all requests wait in one queue, and a replica that becomes free takes the next one.",
            "With one queue no request waits while a replica is idle. The more replicas share it, the sooner one of "
            "them is free, so the same load costs far less waiting; a single replica shows nothing of this.",
            "If requests were seen waiting while a replica is idle, I would be wrong.",
            lambda replicas, busy, service: scheduling.mean_wait(int(replicas), busy, service),
        ),
        Explanation(
            "each request is assigned to a random replica when it arrives, and waits there.",
            "Each replica has its own queue and cannot help another, so the wait depends on the load alone and more replicas don't shorten it; a single replica shows nothing of this.",
            "If a replica were never idle while requests wait elsewhere, I would be wrong.",
            lambda replicas, busy, service: scheduling.mean_wait(1, busy, service),
        ),
    ),
    coming="what you expect for {replicas} replicas that are busy for {busy} of the time",
    draw=draw,
    shown=lambda service: {"service": units.show(service, "s")},
)
