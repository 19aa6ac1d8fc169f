"""Profile of one step by rank under each cause of a long step; evidence for `diagnosis`."""

from functools import lru_cache
from typing import Any

import numpy as np

from chip2cluster import parallelism

CAUSES = ("placement", "hot expert", "uneven stages", "few micro-batches", "nothing")
T, P, NODE = 4, 4, 8  # ranks of a tensor group, stages, ranks of a node
FIELDS = ("rank", "node", "group", "stage", "compute", "tensor", "experts", "waiting", "visits")


def step(
    cause,
    generator,
    *,
    m=None,
    longer=None,
    hot=None,
    last=1.0,
    share=0.0,
    also=(),
    slow_stage=1.0,
    slow_rank=1.0,
    fewer=1.0,
    noise=1.0,
    peak=None,
    nodes=None,
):
    """The arguments of a step with this ``cause``: a table of all ranks, times in ms.

    ``m`` micro-batches (else the cause draws them), one stage ``longer`` so many times, one rank visited ``hot``
    times as often, the ``last`` stage so many times as long. With ``share`` another time goes to messages than usual.
    ``also`` names further causes. One stage computes ``slow_stage`` times as long, one rank ``slow_rank`` times, and the ranks of one
    stage have ``fewer`` visits. ``noise`` scales the small differences of time. The busiest rank has exactly ``peak`` times the mean of
    all visits, and five others have 1.15 times those of the rest. ``nodes`` says on which node each rank is.
    """
    causes = (cause, *also)
    m = m or int(generator.integers(4, 7) if cause == "few micro-batches" else generator.integers(28, 49))
    turn = float(generator.uniform(20, 60))  # ms of arithmetic for a micro-batch on one stage
    compute = turn * (1 + noise * generator.uniform(-0.005, 0.005, (P, T)))
    if "uneven stages" in causes:
        compute[int(generator.integers(P))] *= longer or float(generator.uniform(1.3, 1.7))
    compute[-1] *= last
    compute[int(generator.integers(P))] *= slow_stage
    compute[int(generator.integers(P)), int(generator.integers(T))] *= slow_rank
    tensor = (
        turn
        * (0.2 + share)
        * (1 + noise * generator.uniform(-0.05, 0.05, (P, 1)))
        * (np.where(_cut(nodes), generator.uniform(2.5, 4.0), 1.0) if "placement" in causes else 1.0)
    )
    visits = generator.integers(7900, 8500, (P, T))
    sparse = int(generator.integers(P))  # a stage with fewer layers of experts, where some are
    visits[sparse] = fewer * visits[sparse]
    if not peak and ("hot expert" in causes or (hot and fewer < 1)):
        often = hot or generator.uniform(1.6, 2.6)
        for place in (sparse, (sparse + 2) % P)[: 1 + causes.count("hot expert") // 2]:
            one = place, int(generator.integers(T))
            visits[one] = int(visits[one] * often)
    if peak:
        # Warm are the three beside the busiest one, and two of another stage.
        visits[sparse] = visits[sparse] * 1.15
        visits[sparse - 1, :2] = visits[sparse - 1, :2] * 1.15
        one = sparse, int(generator.integers(T))
        visits[one] = round(peak * (visits.sum() - visits[one]) / (P * T - peak))
    # Everybody of a stage waits for its busiest expert: only the visits tell which it was.
    experts = turn * 0.15 * (visits.max(axis=1, keepdims=True) / 8192) * np.ones((P, T))
    # Between stages the slowest of a group counts.
    each = (compute + tensor + experts).max(axis=1)
    run = parallelism.schedule("1f1b", P, m, forward_seconds=each / 3, backward_seconds=2 * each / 3)
    waiting = run.makespan_seconds - m * (compute + tensor + experts)
    spread = "placement" in causes
    lines = []
    for rank in range(P * T):
        # A group in one node has four ranks in a row; spread out, its ranks alternate between the two nodes.
        stage, place = divmod(rank, T)
        node = nodes[rank] if nodes else rank % 2 if spread else rank // NODE
        lines.append(
            f"rank {rank:2} node {node} group {stage} stage {stage} | compute {m * compute[stage, place]:5.0f} "
            f"tensor {m * tensor[stage, 0]:5.0f} experts {m * experts[stage, place]:4.0f} "
            f"waiting {waiting[stage, place]:5.0f} ms | visits {visits[stage, place]}"
        )
    return {"table": "\n".join(lines) + "\n"}


def _cut(nodes):
    """Which groups are on more than one node, one row a group; without ``nodes`` all of them."""
    return [[len(set(nodes[group * T : (group + 1) * T])) > 1 if nodes else True] for group in range(P)]


@lru_cache(maxsize=64)
def columns(table):
    """The numbers of a table, by the word before them: a dict of arrays, one value a rank."""
    found: dict[str, list[Any]] = {name: [] for name in FIELDS}
    for line in table.splitlines():
        words = line.replace("|", " ").split()
        for name in FIELDS:
            found[name].append(float(words[words.index(name) + 1]))
    return {name: np.array(values) for name, values in found.items()}
