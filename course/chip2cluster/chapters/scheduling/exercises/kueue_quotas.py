"""Exercise on a Kubernetes job: admission by quota in Kueue, then placement of its pods."""

import numpy as np

from chip2cluster import placement
from chip2cluster.exercise.model import Exercise, Group, Mistake

NODE = 8  # GPUs
SUSPENDED, PENDING, RUNNING = 0, 1, 2


def states(quotas, borrow, used, free, jobs):
    """0 for each suspended job, 1 for each with pending pods, 2 for each that runs, in order."""
    requests = [(queue, pods * gpus) for queue, pods, gpus in jobs]
    admitted = placement.kueue_admission(quotas, borrow, used, requests)
    left = list(free)
    result = []
    for (_, pods, gpus), yes in zip(jobs, admitted, strict=True):
        if yes:
            result.append(RUNNING if _place(left, pods, gpus) == pods else PENDING)
        else:
            result.append(SUSPENDED)
    return np.array(result)


def _place(left, pods, gpus):
    """Bind pods one by one to the fullest node with room, and count those that found one."""
    for placed in range(pods):
        room = [node for node, has in enumerate(left) if has >= gpus]
        if not room:
            return placed
        left[min(room, key=lambda node: left[node])] -= gpus
    return pods


def _draw(generator):
    queues, nodes = int(generator.integers(2, 4)), int(generator.integers(3, 5))
    cuts = np.sort(generator.choice(np.arange(1, nodes * 4), queues - 1, replace=False)) * 2
    quotas = np.diff([0, *cuts, nodes * NODE])
    used = [int(generator.integers(0, quota // 2 + 1)) for quota in quotas]
    free = [NODE] * nodes
    for _ in range(sum(used)):
        free[int(generator.choice([node for node, has in enumerate(free) if has]))] -= 1
    jobs = [
        [int(generator.integers(queues)), int(generator.integers(1, 4)), int(generator.choice([1, 2, 3, 4, 6]))]
        for _ in range(int(generator.integers(5, 8)))
    ]
    return {
        "quotas": [int(quota) for quota in quotas],
        "borrow": [int(generator.integers(0, 7)) for _ in quotas],
        "used": used,
        "free": free,
        "jobs": jobs,
    }


def _cohorts(generator):
    # Can be done by hand: one job of each state, one more than its queue may borrow, one more than the cohort has.
    hand = dict(quotas=[8, 8], borrow=[4, 0], used=[4, 0], free=[6, 3, 3])
    # The pending job holds the one node that the second job needs.
    holds = hand | {"jobs": [[0, 2, 4], [1, 1, 4]]}
    return [
        hand | {"jobs": [[0, 2, 4], [1, 2, 2], [0, 1, 1], [1, 1, 1]]},
        holds,
        *(_draw(generator) for _ in range(14)),
    ]


def _edges(generator):
    alone = dict(quotas=[8], borrow=[0], used=[0], free=[8])
    return [
        alone | {"jobs": [[0, 1, 8]]},
        alone | {"jobs": [[0, 9, 1], [0, 8, 1]]},
        dict(quotas=[8, 8], borrow=[8, 8], used=[0, 0], free=[8, 8], jobs=[[0, 2, 8], [1, 1, 1]]),
    ]


def _played(
    quotas, borrow, used, free, jobs, *, limit=True, cohort=True, charge=None, nodes=True, gang=False, returns=False,
    blocks=False,
):  # fmt: skip
    """States by other rules: which limits hold, what a request counts, what pending pods hold, who waits for whom."""
    held, left, result, stopped = list(used), list(free), [], False
    for queue, pods, gpus in jobs:
        need = charge(pods, gpus) if charge else pods * gpus
        most = quotas[queue] + (borrow[queue] if limit is True else 0 if limit is False else sum(quotas))
        if stopped or held[queue] + need > most or (cohort and sum(held) + need > sum(quotas)):
            result.append(SUSPENDED)
            stopped = blocks
            continue
        before = list(left)
        if nodes:
            runs = _place(left, pods, gpus) == pods
        else:
            runs = sum(left) >= pods * gpus
            left = _poured(left, pods * gpus) if runs else left
        if not runs and gang:
            left = before
        held[queue] += need if runs or not returns else 0
        result.append(RUNNING if runs else PENDING)
    return np.array(result)


def _poured(left, need):
    """Take GPUs wherever they are free."""
    rest = list(left)
    for node, has in enumerate(rest):
        rest[node] -= min(has, need)
        need -= min(has, need)
    return rest


def _like(**rules):
    return lambda **case: _played(**case, **rules)


QUOTAS = Exercise(
    id="scheduling.states",
    title="What does Kubernetes do with this job?",
    signature="states(quotas, borrow, used, free, jobs)",
    unit="",
    points=4,
    reference=states,
    shows=(states, placement.kueue_admission),
    groups=(
        Group("cohorts", 0.8, _cohorts),
        Group("edges", 0.2, _edges, advice="A job may fill its quota, the cohort or the cluster to the last GPU."),
    ),
    hints=(
        "Two programs decide, one after the other. Which one knows the quotas, and which one the nodes?",
        "Kueue compares pods * gpus with two limits: what the queue may hold, and what all queues together may hold. Only pods of admitted jobs look for nodes.",
        "Keep two lists, held (for each queue) and left (for each node). An admitted job adds to held even if its pods are pending, and each pod that finds a "
        "node takes from left, even if a later pod of the job finds none.",
    ),
    solution="""
def states(quotas, borrow, used, free, jobs):
    held, left, result = list(used), list(free), []
    for queue, pods, gpus in jobs:
        need = pods * gpus
        if held[queue] + need > quotas[queue] + borrow[queue] or sum(held) + need > sum(quotas):
            result.append(0)
            continue
        held[queue] += need
        placed = 0
        for _ in range(pods):
            room = [node for node in range(len(left)) if left[node] >= gpus]
            if room:
                left[min(room, key=lambda node: left[node])] -= gpus
                placed += 1
        result.append(2 if placed == pods else 1)
    return result
""",
    explanation=(
        "A job can wait in two places, and kubectl shows them in two ways: a suspended job has no pods, an admitted one has pending pods. The second kind is the "
        "harmful one, because its quota and its placed pods are held while nothing runs."
    ),
    meaning=lambda: (
        "So ask first whether the job has pods. If it has none, read the events of its Workload: quota. If some are Pending, describe one: nodes. A gang, or "
        "topology-aware scheduling in Kueue, moves the second wait to the first place, where it holds nothing."
    ),
    mistakes=(
        Mistake(
            "nothing borrowed",
            _like(limit=False),
            "You compared with the quota of the queue alone. It may borrow up to borrow[i] GPUs that other queues don't use.",
        ),
        Mistake(
            "borrowed without limit",
            _like(limit=None),
            "You let a queue borrow everything that is unused. It may hold at most its quota and borrow[i] GPUs more.",
        ),
        Mistake(
            "borrowed from nobody",
            _like(cohort=False),
            "You let a queue borrow GPUs that other queues use. All queues together may hold at most the sum of the quotas.",
        ),
        Mistake(
            "pods for GPUs",
            _like(charge=lambda pods, gpus: pods),
            "You counted pods against the quota. The quota counts GPUs: pods times the GPUs of each.",
        ),
        Mistake(
            "one pod's GPUs",
            _like(charge=lambda pods, gpus: gpus),
            "You counted the GPUs of one pod against the quota. Count those of all pods of the job.",
        ),
        Mistake(
            "used ignored",
            lambda **case: _played(**(case | {"used": [0] * len(case["used"])})),
            "You started with empty queues. They hold used[i] GPUs already.",
        ),
        Mistake(
            "quota means room",
            _like(nodes=False),
            "You compared with the sum of free GPUs. Each pod must fit on one node.",
        ),
        Mistake(
            "a gang",
            _like(gang=True),
            "Your job gives its GPUs back if not all of its pods fit. Here the job is not a gang: pods that found a node hold their GPUs.",
        ),
        Mistake(
            "pending jobs give quota back",
            _like(returns=True),
            "Your job with pending pods holds no quota. Kueue has admitted it, so its whole request counts until it ends or is evicted.",
        ),
        Mistake(
            "strictly in order",
            _like(blocks=True),
            "You stopped admitting after the first job that has to wait. Kueue's default goes on with the next one.",
        ),
        Mistake(
            "running or not",
            lambda **case: np.where(states(**case) == RUNNING, 1, 0),
            "You returned 1 for running jobs. Return 2 for them, 1 for jobs with pending pods, 0 for suspended ones.",
        ),
    ),
)
