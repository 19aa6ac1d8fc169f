"""Exercise on the lowest storage bandwidth that a long run tolerates."""

from math import exp, inf, log

from chip2cluster import reliability
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

MINUTE, HOUR = 60.0, 3600.0


def slowest_storage(parameters_billions, goodput, restart_minutes, mtbf_hours):
    """Lowest storage bandwidth that is enough, in GB/s; inf if no storage is fast enough."""
    longest = reliability.longest_dump(goodput, restart_minutes * MINUTE, mtbf_hours * HOUR)
    return reliability.checkpoint_bytes(parameters_billions * 1e9) / longest / 1e9 if longest else inf


def _case(billions, goodput, restart, hours):
    return {"parameters_billions": billions, "goodput": goodput, "restart_minutes": restart, "mtbf_hours": hours}


def _runs(generator):
    # No restarts, and half of the time is work: u = 1/2. A student sees this one.
    drawn = [_case(100.0, 0.5, 0.0, 1.0)]
    for goodput, restart in ((0.9, 3.0), (0.8, 10.0), (0.6, 15.0), (0.95, 1.0), (0.7, 20.0)):
        hours = round(float(generator.uniform(2, 12)), 2)
        billions = round(float(generator.uniform(30, 900)), 1)
        drawn.append(_case(billions, round(goodput * float(generator.uniform(0.97, 1)), 3), restart, hours))
    return drawn


def _edges(generator):
    hours = round(float(generator.uniform(1, 6)), 2)
    return [_case(70.0, 0.95, 30.0, hours), _case(405.0, 0.9, 0.0, hours)]


def _from(dump, each=14.0):
    """GB/s by another longest dump, seconds; None where there is none."""

    def wrong(parameters_billions, goodput, restart_minutes, mtbf_hours):
        mean, restart = mtbf_hours * HOUR, restart_minutes * MINUTE
        longest = dump(goodput, restart, mean)
        return each * parameters_billions / longest if longest else inf

    return wrong


def _of(share, mean):
    return mean * (-log(1 - share) - share) if 0 < share < 1 else None


def _lost(loss, mean, extra=0.0):
    """Dump whose first-order loss sqrt(2 d / M) + extra is this."""
    return mean * (loss - extra) ** 2 / 2 if loss > extra else None


SLOWEST = Exercise(
    id="storage.slowest",
    title="How slow may the storage be?",
    signature="slowest_storage(parameters_billions, goodput, restart_minutes, mtbf_hours)",
    unit="GB/s",
    points=5,
    tolerance=1e-3,
    allowed=(  # a bisection over checkpoint times may call the best interval and the goodput of each
        "chip2cluster.specs",
        "chip2cluster.units",
        "chip2cluster.reliability.intervals",
        "chip2cluster.reliability.closed_form",
    ),
    reference=slowest_storage,
    shows=(slowest_storage, reliability.longest_dump, reliability.checkpoint_bytes),
    groups=(
        Group("runs", 0.8, _runs),
        Group(
            "edges",
            0.2,
            _edges,
            advice="If restarts alone cost more than the goodput allows, no storage is fast enough: float('inf').",
        ),
    ),
    hints=(
        "Solve it backward: which checkpoint time is too long? For a given checkpoint time you know the best interval, and for that "
        "the expected time. (You can find the limit by bisection, or go on to the shortcut.)",
        "Insert the condition for the best interval into the formula of the expected time: the exponential of (interval + d) / M is "
        "1 / (1 − u). The goodput is then short enough to solve for u.",
        "goodput = exp(−R / M) · (1 − u); so u = 1 − goodput · exp(R / M), and d = M · (−log(1 − u) − u); the rate is 14 bytes for each "
        "parameter over d.",
    ),
    solution="""
from math import exp, log


def slowest_storage(parameters_billions, goodput, restart_minutes, mtbf_hours):
    mean, restart = 3600 * mtbf_hours, 60 * restart_minutes
    u = 1 - goodput * exp(restart / mean)  # best interval over the mean time between failures
    if u <= 0:
        return float("inf")
    dump = mean * (-log(1 - u) - u)
    return 14 * parameters_billions / dump
""",
    explanation=(
        "At the best interval the goodput is exp(−R/M) (1 − u). The first factor is the cost of restarts, and no storage gets it back. "
        "For small losses u is the square root of 2 d / M, so the bandwidth that you need grows with the *inverse square* of the loss: "
        "half the loss costs four times the bandwidth."
    ),
    meaning=lambda: (
        f"For 405 billion parameters, a failure every 3.1 hours and restarts of five minutes: {_told(0.8):.0f} GB/s for a goodput "
        f"of 80 %, {_told(0.9):.0f} for 90 %, {_told(0.95):,.0f} for 95 %, and with restarts of ten minutes none at all for 95 %. "
        "At that point you need a second checkpoint level and a quicker restart."
    ),
    mutants=MUTANTS["storage.slowest"],
    mistakes=(
        Mistake(
            "restarts forgotten",
            _from(lambda g, r, m: _of(1 - g, m)),
            "You left out the restarts. They cost time even if a checkpoint costs none.",
        ),
        Mistake(
            "first order, without restarts",
            _from(lambda g, r, m: _lost(1 - g, m)),
            "You used the square root of 2 d / M as the loss. That holds for small losses and without restarts: start from the "
            "formula of the expected time.",
        ),
        Mistake(
            "first order",
            _from(lambda g, r, m: _lost(1 - g, m, r / m)),
            "You added up first-order losses. That holds only for a few percent: start from the formula of the expected time.",
        ),
        Mistake(
            "restarts that nothing strikes",
            _from(lambda g, r, m: _of(1 - g * (1 + r / m), m)),
            "Your restarts never fail. Here they can: exp(R / M), not 1 + R / M.",
        ),
        Mistake(
            "Young's dump",
            _from(lambda g, r, m: m * max(1 - g * exp(r / m), 0) ** 2 / 2),
            "You used u² / 2 for d / M, as Young does. That holds only for small u: use −log(1 − u) − u.",
        ),
        Mistake(
            "the interval for the dump",
            _from(lambda g, r, m: max(1 - g * exp(r / m), 0) * m),
            "You divided by the interval. The checkpoint must be written in the checkpoint time d, which is much shorter.",
        ),
        Mistake(
            "lost for kept",
            _from(lambda g, r, m: _of(1 - (1 - g) * exp(r / m), m)),
            "Your run loses the fraction that it should keep: goodput is the fraction of time that is work.",
        ),
        Mistake(
            "weights alone",
            _from(lambda g, r, m: _of(1 - g * exp(r / m), m), each=2.0),
            "You saved only the weights. A checkpoint for training has 14 bytes for each parameter.",
        ),
        Mistake(
            "gradients as well",
            _from(lambda g, r, m: _of(1 - g * exp(r / m), m), each=16.0),
            "You saved the gradients as well: a checkpoint has 14 bytes for each parameter.",
        ),
        Mistake(
            "bytes/s",
            _from(lambda g, r, m: _of(1 - g * exp(r / m), m), each=14e9),
            "You returned bytes/s. Return GB/s.",
            v.UNIT,
        ),
    ),
)


def _told(goodput):
    return slowest_storage(405.0, goodput, 5.0, 3.09)
