"""Explorer of placement: two jobs of several pods, and where eight rules put them."""

from collections import Counter
from dataclasses import dataclass
from math import ceil
from typing import Any

from chip2cluster import draw
from chip2cluster import placement as rules
from chip2cluster._validate import one_whole
from chip2cluster.draw.pictures.pod_placement import OTHERS
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.static_states import ALL, Strip

JOBS = "AB"
RAY = {f"Ray {name}": name for name in ("PACK", "SPREAD", "STRICT_PACK", "STRICT_SPREAD")}
ONE_BY_ONE = {"Kubernetes, spread": "spread", "Kubernetes, pack": "pack"}
GANG, SLURM = "Kubernetes, gangs", "Slurm, whole nodes"
RULES = (*RAY, *ONE_BY_ONE, GANG, SLURM)
BUSY = {
    "nobody else": (0, 0, 0, 0, 0, 0, 0, 0),
    "others scattered": (1, 2, 0, 3, 1, 0, 2, 0),
    "others on one leaf": (4, 3, 2, 0, 0, 0, 0, 0),
}
GPUS, LEAF = 4, 4
MOST_NODES, MOST_GPUS = 12, 8


class Placement(Explorer):
    """Put two equal jobs on a small cluster by the rules of Ray, Kubernetes and Slurm.

    Eight nodes of four GPUs below two leaf switches, unless you bring your own. The jobs come at the same
    moment, and each runs only when all its pods have a place.

    Parameters
    ----------
    rule : str
        "Ray PACK", "Ray SPREAD", "Ray STRICT_PACK", "Ray STRICT_SPREAD", "Kubernetes, spread" and "Kubernetes, pack"
        (pod by pod), "Kubernetes, gangs" (packed, all pods or none), "Slurm, whole nodes" (close together).
    pods : int
        Pods of each job.
    gpus : int
        GPUs of each pod.
    used : sequence of int, optional
        GPUs that others hold on each node of a cluster of your own, up to 12 nodes.
    gpus_per_node, nodes_per_leaf : int
        Shape of that cluster.
    **values
        Start values of the other controls: ``others``, one of three patterns.

    Raises
    ------
    ValueError, TypeError
        For an unknown control or a value that it does not offer, and a cluster that cannot be drawn.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.placement("Kubernetes, spread", pods=6, gpus=2)
    >>> [row["jobs that run"] for row in view.table if row["rule"].startswith("Kubernetes")]
    [0, 0, 1]
    """

    title = "Placement explorer"
    extent = Extent(letters=140)
    positional = ("rule", "pods", "gpus")
    strip = Strip("rule", {"pods": (1, 2, 3, 4, 5, 6, 8), "gpus": (1, 2, 4), "others": ALL})

    def __init__(self, *given, used=None, gpus_per_node=GPUS, nodes_per_leaf=LEAF, **values):
        values = self._named(given, values)
        self._each = one_whole("gpus_per_node", gpus_per_node)
        self._leaf = one_whole("nodes_per_leaf", nodes_per_leaf)
        if self._each > MOST_GPUS:
            raise ValueError(f"gpus_per_node must be at most {MOST_GPUS}, got {gpus_per_node!r}")
        own = None if used is None else tuple(one_whole(f"used[{n}]", count, 0) for n, count in enumerate(used))
        if own is not None and (not 1 <= len(own) <= MOST_NODES or max(own) > self._each):
            raise ValueError(f"used must be 1 to {MOST_NODES} numbers up to {self._each}, got {list(own)}")
        self._busy = {"yours": own} if own else {
            name: tuple(min(count, self._each) for count in busy) for name, busy in BUSY.items()
        }  # fmt: skip
        self.controls = _controls(tuple(self._busy), self._each)
        super().__init__(**values)

    def frame(self, values: dict[str, Any]) -> Frame:
        busy, pods, gpus = self._busy[values["others"]], values["pods"], values["gpus"]
        found = {rule: self._placed(rule, busy, pods, gpus) for rule in RULES}
        rows = tuple((rule, *self._numbers(one, busy)) for rule, one in found.items())
        chosen, marked = found[values["rule"]], RULES.index(values["rule"])
        held = [[OTHERS] * count for count in busy]
        for job, places in zip(JOBS, chosen.pods, strict=True):
            for number, node in enumerate(places, 1):
                if node is not None:
                    held[node] += [f"{job}{number}"] * gpus
        for node, cells in enumerate(held):
            owner = next((job for job, whole in zip(JOBS, chosen.whole, strict=True) if node in whole), "")
            cells += [owner] * (self._each - len(cells))
        leaves = [min(self._leaf, len(busy) - first) for first in range(0, len(busy), self._leaf)]
        subject = f"Two jobs of {_count(pods, 'pod')} with {_count(gpus, 'GPU')} each"
        waits = [job for job, runs in zip(JOBS, chosen.runs, strict=True) if not runs]
        picture = draw.pod_placement(held, leaves, title=_finding(values["rule"], chosen), waiting=waits)
        return Frame(picture, Table(subject, COLUMNS, rows, marked=marked), _say(chosen, rows, marked))

    def _placed(self, rule, busy, pods, gpus):
        free = [self._each - count for count in busy]
        if rule in RAY:
            return _ray(RAY[rule], free, pods, gpus)
        if rule == SLURM:
            return _slurm(self._tree(len(busy)), busy, pods, gpus, max(1, self._each // gpus))
        placed = rules.place_jobs(
            len(JOBS),
            pods,
            gpus,
            [self._each] * len(busy),
            ONE_BY_ONE.get(rule, "pack"),
            used=busy,
            all_or_nothing=rule == GANG,
        )
        return Found(placed.nodes, gpus, stranded_gpus=placed.stranded_gpus)

    def _tree(self, nodes):
        leaves = {
            f"leaf {first}": tuple(range(first, min(first + self._leaf, nodes)))
            for first in range(0, nodes, self._leaf)
        }
        return leaves | {"spine": tuple(leaves)} if len(leaves) > 1 else leaves

    def _numbers(self, found, busy):
        """Jobs that run, nodes of the first and links between them, GPUs for nothing, the largest block that is free."""
        first = sorted({node for node in found.pods[0] if node is not None})
        hops = rules.topology_cost(first, self._tree(len(busy))).mean_hops if first else float("nan")
        taken: Counter[Any] = Counter()
        for places in found.pods:
            taken.update(node for node in places if node is not None)
        gpus = found.gpus
        free = [self._each - count - gpus * taken[node] for node, count in enumerate(busy)]
        idle = sum(free[node] for whole in found.whole for node in whole)
        for whole in found.whole:
            for node in whole:
                free[node] = 0
        return sum(found.runs), len(first), hops, found.stranded_gpus + idle, max(free)


@dataclass(frozen=True)
class Found:
    """Where the pods of both jobs are, and the nodes that each has to itself."""

    pods: tuple
    gpus: int
    whole: tuple = ((), ())
    stranded_gpus: int = 0

    @property
    def runs(self):
        return tuple(None not in places for places in self.pods)


def _ray(strategy, free, pods, gpus):
    """A placement group each, one after the other."""
    places = []
    for _ in JOBS:
        group = rules.ray_placement([{"GPU": gpus}] * pods, [{"GPU": count} for count in free], strategy)
        places.append(group.nodes or (None,) * pods)
        free = [count - gpus * many for count, many in zip(free, group.bundles_per_node, strict=True)]
    return Found(tuple(places), gpus)


def _slurm(tree, busy, pods, gpus, slots):
    """Whole nodes that lie close together, and pods on them one node after the other."""
    free: list[Any] = [node for node, count in enumerate(busy) if not count]
    places, whole = [], []
    for _ in JOBS:
        mine = rules.tree_allocation(ceil(pods / slots), free, tree) or ()
        free = [node for node in free if node not in mine]
        places.append(tuple(mine[pod // slots] for pod in range(pods)) if mine else (None,) * pods)
        whole.append(mine)
    return Found(tuple(places), gpus, tuple(whole))


def _controls(patterns, each):
    return (
        Choice(name="rule", label="Rule", options=RULES, default="Kubernetes, spread"),
        Slider(name="pods", label="Pods of a job", options=tuple(range(1, 13)), default=5),
        Choice(name="gpus", label="GPUs of a pod", options=tuple(n for n in range(1, each + 1) if not each % n), default=min(2, each)),
        Choice(
            name="others", label="Used by others", options=patterns, default=patterns[min(1, len(patterns) - 1)], more=True
        ),
    )  # fmt: skip


def _count(number, what):
    return f"{number} {what}{'' if number == 1 else 's'}"


def _finding(rule, found):
    some = [any(node is not None for node in places) for places in found.pods]
    if all(found.runs):
        return f"{rule}: both jobs run"
    if any(found.runs):
        return f"{rule}: one job runs, the other waits"
    return f"{rule}: both jobs hold a part, and none can begin" if all(some) else f"{rule}: no job can begin"


def _say(found, rows, marked):
    _, running, nodes, hops, vain, block = rows[marked]
    held = [sum(node is not None for node in places) * found.gpus for places in found.pods]
    gangs = rows[RULES.index(GANG)][1]
    if all(held) and not running:
        return (
            f"Job A holds {held[0]} GPUs and job B {held[1]}; neither has all its pods, and neither will give any back: a "
            f"deadlock. All or nothing would let {_count(gangs, 'job')} run."
        )
    if not running:
        kept = f" What one of them holds, {vain} GPUs, is lost to all." if vain else " Nobody holds anything meanwhile."
        return f"No job finds room for all its pods.{kept} The largest free block has {_count(block, 'GPU')}."
    far = "on one node" if nodes == 1 else f"on {nodes} nodes, {hops:.3g} links apart on average"
    lost = (
        f" {_count(vain, 'GPU')} {'is' if vain == 1 else 'are'} held and {'does' if vain == 1 else 'do'} nothing."
        if vain
        else ""
    )
    both = "Both jobs run" if running == len(JOBS) else "Job A runs" if found.runs[0] else "Job B runs"
    where = f"; job A is {far}" if found.runs[0] else ""
    return f"{both}{where}.{lost} The largest free block has {_count(block, 'GPU')}."


COLUMNS = (
    Column("rule"),
    Column("jobs that run"),
    Column("nodes of job A"),
    Column("links between them, mean", text=lambda hops: "–" if hops != hops else f"{hops:.3g}"),
    Column("GPUs held in vain"),
    Column("largest free block", "GPUs"),
)
