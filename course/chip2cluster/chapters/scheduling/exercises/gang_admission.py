"""Exercise on gang scheduling: the gangs of pods that are placed, all or nothing."""

import numpy as np

from chip2cluster import placement
from chip2cluster.exercise.model import Exercise, Group, Mistake

NODE = 8  # GPUs


def started(free, jobs):
    """1 for each job whose pods all find room, 0 for the others, in order."""
    left = [int(gpus) for gpus in free]
    result = []
    for pods, gpus in jobs:
        trial = list(left)
        for _ in range(int(pods)):
            node = _tightest(trial, int(gpus))
            if node is None:
                break
            trial[node] -= int(gpus)
        else:
            left = trial
            result.append(1)
            continue
        result.append(0)
    return np.array(result)


def _tightest(left, gpus):
    """The node that Kubernetes' score for packing likes best."""
    room = [node for node, free in enumerate(left) if free >= gpus]
    score = lambda node: placement.most_allocated({"gpu": NODE - left[node] + gpus}, {"gpu": NODE}, {"gpu": 1})
    return max(room, key=score, default=None)


def _case(free, jobs):
    return {"free": [int(gpus) for gpus in free], "jobs": [[int(pods), int(gpus)] for pods, gpus in jobs]}


def _draw(generator):
    free = generator.integers(1, NODE + 1, int(generator.integers(3, 6)))
    jobs = [
        (int(generator.integers(2, 5)), int(generator.choice([1, 2, 3, 4])))
        for _ in range(int(generator.integers(4, 7)))
    ]
    return _case(free, jobs)


def _clusters(generator):
    # Eight GPUs are free, and no two nodes have four of them. A student sees this one.
    hand = _case([5, 2, 1], [[2, 4], [2, 2], [3, 1]])
    # The first job makes the larger gap the smaller one.
    turned = _case([2, 4], [[1, 3], [1, 1], [1, 2]])
    return [hand, turned, *(_draw(generator) for _ in range(12))]


def _edges(generator):
    return [
        _case([0, 0], [[1, 1]]),
        _case([8, 8], [[2, 8]]),
        _case([4, 4], [[1, 8], [2, 4]]),
    ]


def _played(free, jobs, *, pick=None, holds=False, blocks=False, enough=None, one_each=False):
    """Jobs by other rules: how a node is picked, what a part of a gang keeps, and when there is thought to be room."""
    left, result = [int(gpus) for gpus in free], []
    pick = pick or (lambda room, left: min(room, key=lambda node: left[node]))
    for place, (pods, gpus) in enumerate(jobs):
        trial, used, placed = list(left), set(), 0
        for _ in range(int(pods)):
            room = [node for node, has in enumerate(trial) if has >= gpus and not (one_each and node in used)]
            if not room:
                break
            node = pick(room, trial)
            trial[node] -= gpus
            used.add(node)
            placed += 1
        whole = placed == pods
        if enough:
            whole = enough(left, int(pods), int(gpus))
            if whole:  # taken wherever it is free
                need = int(pods * gpus)
                for node in range(len(left)):
                    take = min(left[node], need)
                    left[node] -= take
                    need -= take
        elif whole or holds:
            left = trial
        result.append(int(whole))
        if blocks and not whole:
            return np.array(result + [0] * (len(jobs) - place - 1))
    return np.array(result)


def _like(**rules):
    return lambda free, jobs: _played(free, jobs, **rules)


GANGS = Exercise(
    id="scheduling.started",
    title="All or nothing",
    signature="started(free, jobs)",
    unit="",
    points=4,
    reference=started,
    shows=(started, placement.most_allocated),
    groups=(
        Group("clusters", 0.8, _clusters),
        Group("edges", 0.2, _edges, advice="A cluster may be full, and a job may fill it to the last GPU."),
    ),
    hints=(
        "A job has four pods, and only three fit. What must happen to the three?",
        "Try a job on a copy of free. Each pod goes to the node with the fewest free GPUs that still has enough. Keep the copy only if all pods went in.",
        "for pods, gpus in jobs: trial = list(left); pods times: room = nodes with trial[node] >= gpus; if none, 0 and left stays; else take gpus from "
        "min(room, key=lambda node: trial[node]). All placed: left = trial, and 1.",
    ),
    solution="""
def started(free, jobs):
    left, result = list(free), []
    for pods, gpus in jobs:
        trial, whole = list(left), 1
        for _ in range(pods):
            room = [node for node in range(len(trial)) if trial[node] >= gpus]
            if not room:
                whole = 0
                break
            trial[min(room, key=lambda node: trial[node])] -= gpus
        if whole:
            left = trial
        result.append(whole)
    return result
""",
    explanation=(
        "Three things can go wrong, and all three happen in real clusters: the sum of free GPUs is taken for room, part of a gang holds GPUs, "
        "and small pods are spread until no node has room for a large one."
    ),
    meaning=lambda: (
        f"With 12 GPUs and two jobs of 8 pods placed in turn, {_idle()} GPUs are held and none of them works. All-or-nothing allocation frees them. Its "
        "cost: under this rule small jobs may overtake a large one indefinitely. What would you add? (You have written it in exercise 1.)"
    ),
    mistakes=(
        Mistake(
            "all pods on one node",
            lambda free, jobs: started(free, [[1, pods * gpus] for pods, gpus in jobs]),
            "You put all pods of a job on one node. Each pod must fit on one node, but the pods of a job may be on several.",
        ),
        Mistake(
            "the sum of free GPUs",
            _like(enough=lambda left, pods, gpus: sum(left) >= pods * gpus),
            "You compared with the sum of free GPUs. A pod must fit on one node: free GPUs on different nodes don't help it.",
        ),
        Mistake(
            "part of a gang holds on",
            _like(holds=True),
            "A job that doesn't fit completely keeps some GPUs in your code. All or nothing: free the GPUs that part of a gang took.",
        ),
        Mistake(
            "spread",
            _like(pick=lambda room, left: max(room, key=lambda node: left[node])),
            "You took the node with the most free GPUs. That breaks up the large gaps: take the node with the fewest that are enough.",
        ),
        Mistake(
            "the first that fits",
            _like(pick=lambda room, left: room[0]),
            "You took the first node with room. Take the one with the fewest free GPUs.",
        ),
        Mistake(
            "sorted once",
            lambda free, jobs: _played(sorted(free), jobs, pick=lambda room, left: room[0]),
            "You sorted the nodes once, at the start. Each pod changes the free GPUs: search again for the node with the fewest that are enough.",
        ),
        Mistake(
            "nobody passes",
            _like(blocks=True),
            "You stopped at the first job that didn't fit. Try the jobs behind it as well.",
        ),
        Mistake(
            "one pod on each node",
            _like(one_each=True),
            "You put only one pod of a job on a node. Several are allowed.",
        ),
        Mistake(
            "each pod alone",
            _like(enough=lambda left, pods, gpus: any(has >= gpus for has in left)),
            "You checked whether one pod fits. All pods of the job must fit, one after the other.",
        ),
    ),
)


def _idle():
    return placement.gang(12, 8, 2, all_or_nothing=False).idle_gpus
