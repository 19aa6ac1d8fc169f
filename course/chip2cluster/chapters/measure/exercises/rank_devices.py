"""Exercise on the assignment of GPUs to ranks."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def devices(hosts, gpus_per_process):
    """The first GPU of each rank: how many lower ranks its node has, times the GPUs that each takes."""
    return [hosts[:rank].count(host) * gpus_per_process for rank, host in enumerate(hosts)]


def _placed(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    drawn = [{"hosts": ["n1", "n2", "n1", "n2"], "gpus_per_process": 1}]
    names = [f"node{number:02d}" for number in generator.permutation(40)[:4]]
    block = [name for name in names[:2] for _ in range(4)]
    cyclic = names[:3] * 3
    uneven = [names[0]] * 2 + [names[1]] * 4 + [names[2]] * 3
    mixed = [str(name) for name in generator.permutation([*names[:2] * 3, names[2], names[2]])]
    drawn += [{"hosts": hosts, "gpus_per_process": 1} for hosts in (block, cyclic, uneven, mixed)]
    return [*drawn, {"hosts": block[1:7], "gpus_per_process": 2}, {"hosts": cyclic, "gpus_per_process": 4}]


def _edges(generator):
    return [{"hosts": ["alone"], "gpus_per_process": 8}, {"hosts": ["a", "b", "c", "d"], "gpus_per_process": 2}]


def _most(hosts):
    return max(hosts.count(host) for host in hosts)


DEVICES = Exercise(
    id="measure.devices",
    title="Which GPU is mine?",
    signature="devices(hosts, gpus_per_process)",
    unit="",
    points=3,
    reference=devices,
    groups=(
        Group("placements", 0.8, _placed, v.VALUE),
        Group("edges", 0.2, _edges, advice="Try one rank alone, and one rank on each node: all of them take GPU 0."),
    ),
    hints=(
        "A node numbers its GPUs from 0, whatever the numbers of the ranks in the job are. Which number does a rank have among those of its own node?",
        "Its local rank is the number of lower ranks with the same host. How many GPUs have these taken?",
        "For each rank: hosts[:rank].count(hosts[rank]) * gpus_per_process.",
    ),
    solution="""
def devices(hosts, gpus_per_process):
    taken, first = {}, []
    for host in hosts:
        first.append(taken.get(host, 0))
        taken[host] = first[-1] + gpus_per_process
    return first
""",
    explanation=(
        "The rank is a number in the job, the GPU a number in the node. The local rank connects them, and you find it "
        "only by counting: rank % GPUs is right as long as every node is filled in order with equally many ranks, and "
        "fails silently if the scheduler places ranks round-robin. Then two processes share a GPU, and another GPU has "
        "none."
    ),
    meaning=lambda: (
        "MPI counts with MPI_Comm_split_type(…, MPI_COMM_TYPE_SHARED, …); Slurm sets SLURM_LOCALID, torchrun LOCAL_RANK. "
        "Use one of them, and never compute it from the rank."
    ),
    mistakes=(
        Mistake(
            "the remainder",
            lambda hosts, gpus_per_process: [rank % _most(hosts) * gpus_per_process for rank in range(len(hosts))],
            "You took the rank modulo the ranks of a node. That is right only if every node is filled in order with equally many; look "
            "at hosts instead.",
        ),
        Mistake(
            "the remainder by eight",
            lambda hosts, gpus_per_process: [rank % 8 for rank in range(len(hosts))],
            "You took rank % 8. That holds only where every node has eight ranks, one for each GPU, and is filled in order; look at hosts instead.",
        ),
        Mistake(
            "the rank itself",
            lambda hosts, gpus_per_process: [rank * gpus_per_process for rank in range(len(hosts))],
            "You used the rank in the job. The GPUs of the second node begin with 0 again.",
        ),
        Mistake(
            "the quotient",
            lambda hosts, gpus_per_process: [rank // len(set(hosts)) * gpus_per_process for rank in range(len(hosts))],
            "You divided the rank by the number of nodes. That is right only for round-robin placement; look at hosts instead.",
        ),
        Mistake(
            "one GPU each",
            lambda hosts, gpus_per_process: devices(hosts, 1),
            "You gave every process one GPU. Each takes gpus_per_process of them, so the next begins that much higher.",
        ),
        Mistake(
            "the number of the node",
            lambda hosts, gpus_per_process: [
                list(dict.fromkeys(hosts)).index(host) * gpus_per_process for host in hosts
            ],
            "You returned the number of the node. Count the rank's position within its node.",
        ),
        Mistake(
            "from one",
            lambda hosts, gpus_per_process: [first + gpus_per_process for first in devices(hosts, gpus_per_process)],
            "You counted the rank itself. GPUs are numbered from 0: count the lower ranks of the node.",
        ),
        Mistake(
            "all ranks of the node",
            lambda hosts, gpus_per_process: [hosts.count(host) * gpus_per_process for host in hosts],
            "You counted all ranks of the node. Count only those before this one, because they have taken GPUs.",
        ),
    ),
)
