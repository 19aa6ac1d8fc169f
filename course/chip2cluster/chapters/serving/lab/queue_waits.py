"""Task on waits in one queue for several replicas, request by request."""

import numpy as np

from chip2cluster import scheduling
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def queue_waits(arrivals, services, replicas):
    """Seconds that each request waits where the next one free takes the first of the queue."""
    jobs = [
        scheduling.Job(number, float(arrival), 1, float(service))
        for number, (arrival, service) in enumerate(zip(arrivals, services, strict=True))
    ]
    starts = scheduling.simulate(jobs, int(replicas), "fcfs").starts
    return np.array([starts[number] for number in range(len(jobs))]) - np.asarray(arrivals)


def _case(generator, count, replicas, busy=1.1):
    arrivals = np.round(np.cumsum(generator.exponential(1.0, count)), 2)
    services = np.round(generator.exponential(busy * replicas, count) + 0.05, 2)
    return {"arrivals": arrivals, "services": services, "replicas": replicas}


def _queues(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"arrivals": np.array([0.0, 1.0, 2.0, 3.0]), "services": np.array([5.0, 1.0, 4.0, 1.0]), "replicas": 2}
    return [easy, *(_case(generator, count, replicas) for count, replicas in ((14, 2), (18, 3), (24, 4)))]


def _edges(generator):
    return [_case(generator, 8, 1), _case(generator, 4, 6), _case(generator, 12, 3, busy=0.1)]


def _served(pick, alive=True, out=lambda arrival, start, service: start - arrival):
    """One request after the other, where ``pick`` says which replica takes it."""

    def wrong(arrivals, services, replicas):
        free, found = np.zeros(int(replicas)), []
        for number, (arrival, service) in enumerate(zip(arrivals, services, strict=True)):
            one = pick(free, number, int(replicas))
            start = max(arrival, free[one]) if alive else free[one]
            free[one] = start + service
            found.append(out(arrival, start, service))
        return np.array(found)

    return wrong


def _behind(arrivals, services, replicas):
    """Waits where an idle replica's time stays at the end of its last request."""
    free, found = np.zeros(int(replicas)), []
    for arrival, service in zip(arrivals, services, strict=True):
        one = int(free.argmin())
        found.append(max(free[one] - arrival, 0.0))
        free[one] += service
    return np.array(found)


FIRST_FREE = lambda free, number, replicas: int(free.argmin())

QUEUE_WAITS = Exercise(
    id="lab.serving.queue_waits",
    title="One queue, several replicas",
    signature="queue_waits(arrivals, services, replicas)",
    unit="s",
    graded=True,
    points=4,
    reference=queue_waits,
    tolerance=1e-6,
    groups=(
        Group("queues", 0.75, _queues),
        Group(
            "edges", 0.25, _edges, v.VALUE, advice="One replica is a queue too, and so are more replicas than requests."
        ),
    ),
    hints=(
        "Keep a list of the times at which each replica becomes free; at the beginning all are 0.",
        "The next request goes to the replica that becomes free first. It starts when it has arrived and that replica is free.",
        "The wait is from arrival to start. Then update when that replica becomes free: one service time after the start, not after the arrival.",
    ),
    explanation="With one queue no request waits while a replica is idle. That is its only advantage over several queues, and it is a large one.",
    mistakes=(
        Mistake(
            "round-robin",
            _served(lambda free, number, replicas: number % replicas),
            "You assigned the requests round-robin, each replica with its own queue. There is one queue: a free replica takes the next request.",
        ),
        Mistake(
            "service time included",
            _served(FIRST_FREE, out=lambda arrival, start, service: start + service - arrival),
            "You included the service time. The wait ends when the service begins.",
        ),
        Mistake(
            "started before arrival",
            _served(FIRST_FREE, alive=False),
            "You started requests before they arrived, so a wait is negative. A start is the later of the arrival and the time at which the replica is free.",
        ),
        Mistake(
            "clock of the replica left behind",
            _behind,
            "You add each service time to the time at which the replica was free, even if it was idle since. It is busy until start + service, and the start is the later of arrival and free time.",
        ),
        Mistake(
            "start times",
            _served(FIRST_FREE, out=lambda arrival, start, service: start),
            "Those are the times at which service begins. Subtract the arrivals.",
        ),
        Mistake(
            "one replica",
            lambda arrivals, services, replicas: queue_waits(arrivals, services, 1),
            "You sent everything to one replica. There are `replicas` of them.",
        ),
        Mistake(
            "one fast replica",
            lambda arrivals, services, replicas: queue_waits(arrivals, np.asarray(services) / int(replicas), 1),
            "You combined the replicas into one that is faster. A request is served by one of them, at its normal speed.",
        ),
        Mistake(
            "one replica too many",
            lambda arrivals, services, replicas: queue_waits(arrivals, services, int(replicas) + 1),
            "You have one replica too many. Check the length of your list of free times.",
        ),
    ),
)
