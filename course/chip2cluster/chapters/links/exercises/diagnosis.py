"""Exercise on a diagnosis of a slow node: the faulty part."""

from chip2cluster import links
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .node_evidence import PARTS, figures, node
from .topology_matrices import read


def diagnose(matrix, table, log, healthy):
    """Name the part of a node that explains what is slow, from its matrix, a benchmark and its loader's log."""
    names, label = read(matrix)
    rates, (gpu, nic) = figures(table, log)
    rate = {"inside": rates["inside"][-1], "outside": rates["outside"][-1]}
    rate |= {name: sum(rates[name][1:]) / len(rates[name][1:]) for name in ("read", "copy")}
    slow = [name for name in rate if rate[name] < 0.85 * healthy[name]]
    if "inside" in slow:
        return "NVLink" if _lost(label) else "settings"
    if "copy" in slow:
        return "PCIe"
    if "outside" in slow:
        return "placement" if _far(label, gpu, nic, names) else "adapter"
    return "drive" if "read" in slow else "nothing"


def _far(label, gpu, nic, names):
    return label[gpu, nic] == "SYS" and "PIX" in [label[gpu, other] for other in names]


def _lost(label):
    return len({text for text in label.values() if text.startswith("NV")}) > 1


def _like(
    *, row=-1, steps=slice(1, None), order=("inside", "copy", "outside", "read"), far=_far, lost=_lost, line=0.85
):
    """The same with a rule changed: which row and steps count, what is looked at first, and what the matrix is asked."""

    def wrong(matrix, table, log, healthy):
        names, label = read(matrix)
        rates, (gpu, nic) = figures(table, log)
        rate = {name: rates[name][row] for name in ("inside", "outside")}
        rate |= {name: sum(rates[name][steps]) / len(rates[name][steps]) for name in ("read", "copy")}
        first = next((name for name in order if rate[name] < line * healthy[name]), "nothing")
        if first == "inside":
            return "NVLink" if lost(label) else "settings"
        if first == "outside":
            return "placement" if far(label, gpu, nic, names) else "adapter"
        return {"copy": "PCIe", "read": "drive"}.get(first, "nothing")

    return wrong


def _never(*_):
    return False


def _always(label):
    return True


def _nodes(generator):
    # One that needs a single look comes first: it is the one that a student sees.
    order = ["drive", *generator.permutation([part for part in PARTS if part != "drive"])]
    nodes = [node(str(part), generator, lost=int(generator.integers(1, 4))) for part in order]
    return nodes + [node(str(part), generator, lost=0) for part in generator.permutation(PARTS)]


def _doors(generator):
    # Two slow adapters to which the word placement does not belong: no other is near, or this one is not across.
    doors = [node("adapter", generator, door=door) for door in generator.permutation(["none near", "NODE"])]
    # And a node of another kind: 12 links for every pair are all that it has.
    return [*doors, node("settings", generator, model="A100")]


def _near(generator):
    # On either side of 85 %: a drive and an adapter that are just too slow, a node that is just healthy, and one in its last row alone.
    yield node("drive", generator, left={"read": (0.79, 0.82)})
    yield node("adapter", generator, left={"outside": (0.79, 0.82)})
    yield node("nothing", generator, left=dict.fromkeys(("read", "copy", "outside"), (0.875, 0.89)))
    yield node("nothing", generator, left={"inside": (0.86, 0.87)})


def _loader(matrix, table, log, healthy):
    """Whatever the loader waits for is the drive."""
    answer = diagnose(matrix, table, log, healthy)
    return "drive" if answer == "PCIe" else answer


def _always_something(matrix, table, log, healthy):
    answer = diagnose(matrix, table, log, healthy)
    return "drive" if answer == "nothing" else answer


STEP_0 = (
    "You found every node faulty. Did you count step 0, which warms up and is ten times slower, mix up ms and s, or forget "
    "the 85 %?"
)
SMALL = (
    "You found every node slow inside. Take the last row of a run, because small messages are latency-bound on any link; and "
    "busbw, not algbw. The table is in GB/s, healthy in bytes/s, and the limit is 85 % of it."
)


def _meaning():
    whole, half = links.pcie(5, 16).bandwidth_one_way, links.pcie(5, 8).bandwidth_one_way
    return (
        f"A slot that lost half of its lanes carries at most {half / 1e9:.1f} of {whole / 1e9:.1f} GB/s and shows as a slow network, "
        "and a slow network shows in every node of the job, because all wait for the slowest. Four rates and a matrix tell a "
        "faulty slot from a faulty NIC."
    )


DIAGNOSE = Exercise(
    id="links.diagnose",
    title="Which part is faulty?",
    signature="diagnose(matrix, table, log, healthy)",
    unit="",
    points=5,
    reference=diagnose,
    shows=(read, figures, diagnose),
    groups=(
        Group("nodes", 0.8, _nodes),
        Group(
            "doors",
            0.1,
            _doors,
            v.VALUE,
            advice="Read the rows of the table to their end. Placement: SYS for this NIC, and another that is PIX. Settings: "
            "every pair has all its links, as many as this kind of node has.",
        ),
        Group(
            "near the line",
            0.1,
            lambda generator: list(_near(generator)),
            v.VALUE,
            advice="A rate is too slow below 85 % of what a healthy node reaches, for each of the four rates.",
        ),
    ),
    hints=(
        "Four rates first: busbw of the last row of each run, the eighth word of a line that begins with a number; bytes over time "
        "of the reads and of the copies, without step 0. Which are below 85 % of what is healthy?",
        "One cause can slow two things. If the slot is slow, so is the path to the network, which leads over it. Look for the "
        "cause that explains everything: inside, then copy, then outside, then read.",
        "inside slow: NVLink if the matrix shows fewer links for one GPU, else settings. copy slow: PCIe. outside slow: "
        "placement if the matrix says SYS for the GPU and the NIC of the run, and PIX for another, else adapter. read "
        "slow: drive.",
    ),
    solution="""
def diagnose(matrix, table, log, healthy):
    lines = matrix.splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines[1:] if line.split()}
    names = [name for name in lines[0].split() if name in rows]
    label = {(one, other): rows[one][column] for one in names for column, other in enumerate(names)}

    # busbw is the eighth word of a line of numbers; the last line of each run counts.
    runs = [[line.split() for line in run.splitlines() if line.split()[:1] and line.split()[0].isdigit()]
            for run in table.split("sendrecv_perf")]
    rate = {name: 1e9 * float(run[-1][7]) for name, run in zip(("inside", "outside"), runs)}
    words = next(line for line in table.splitlines() if "NET/IB : Using" in line).split()
    gpu, nic = "GPU" + words[1].strip("[]"), words[7].split("]")[1].split(":")[0]

    steps = [line.split(" step ")[1].split() for line in log.splitlines()[1:]]
    rate["read"] = sum(float(step[2]) / (float(step[5]) / 1e3) for step in steps) / len(steps)
    rate["copy"] = sum(float(step[2]) / (float(step[-2]) / 1e3) for step in steps) / len(steps)
    slow = [name for name in rate if rate[name] < 0.85 * healthy[name]]

    if "inside" in slow:
        links = {text for text in label.values() if text.startswith("NV")}
        return "NVLink" if len(links) > 1 else "settings"
    if "copy" in slow:
        return "PCIe"
    if "outside" in slow:
        far = label[gpu, nic] == "SYS" and "PIX" in rows[gpu]
        return "placement" if far else "adapter"
    return "drive" if "read" in slow else "nothing"
""",
    explanation=(
        "A symptom names a place where something is slow; a cause explains every symptom. A slot that has lost half of its "
        "lanes slows the copies and the network, so people often replace the NIC first, in vain. Check shared parts before "
        "the others."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "the adapter for the slot",
            _like(order=("inside", "outside", "copy", "read")),
            "You looked at the network before the copies. The path to the NIC leads over the GPU's PCIe slot: if the "
            "copies are slow as well, one cause explains both.",
        ),
        Mistake(
            "one number, one part",
            _like(order=("inside", "outside", "copy", "read"), far=_never, lost=_always),
            "You took each slow number for a separate faulty part. Rates share paths: the NIC is behind the GPU's slot, so the "
            "copies come first. And the matrix says whether the links are there, and which NIC is near.",
        ),
        Mistake(
            "the matrix unread",
            _like(far=_never, lost=_always),
            "You did not use the matrix. It says whether a pair has lost NVLinks, or whether the library leaves them unused; and "
            "whether the run used a NIC that is far from its GPU.",
        ),
        Mistake(
            "no look at the matrix for the adapter",
            _like(far=_never),
            "You blamed a healthy NIC. Look up the GPU and the NIC of the second run in the matrix: SYS means "
            "that the bytes cross the whole machine, and another NIC is PIX.",
        ),
        Mistake(
            "no look at the matrix for NVLink",
            _like(lost=_always),
            "You blamed NVLink though the matrix shows all 18 links for every pair. Then the links are there, but the library "
            "does not use them: settings.",
        ),
        Mistake(
            "always settings",
            _like(lost=_never),
            "You return settings whenever the inside is slow. Look at the matrix: if some pairs have fewer links than others, "
            "it is NVLink.",
        ),
        Mistake(
            "the links of GPU0 alone",
            _like(lost=lambda label: _lost({pair: text for pair, text in label.items() if pair[0] == "GPU0"})),
            "You looked for lost links only in the row of GPU0. If GPU0 itself has lost some, its whole row says the same: "
            "compare all pairs.",
        ),
        Mistake(
            "always GPU0",
            _like(far=lambda label, gpu, nic, names: _far(label, "GPU0", nic, names)),
            "You looked up the NIC in the row of GPU0. In the chapter's node the second run happened to use that GPU; NCCL's own "
            "line says in brackets which one it was.",
        ),
        Mistake(
            "18 links by heart",
            _like(lost=lambda label: any(text.startswith("NV") and text != "NV18" for text in label.values())),
            "Almost right, but you looked for NV18 by name. Other nodes have 12 links for every pair, and none is lost: "
            "compare the pairs with one another.",
            share=0.9,
        ),
        Mistake(
            "the row of 128 MiB",
            _like(row=-2),
            "Almost right, but you read a row before the last. Use only the one of 16 GiB, because latency still slows smaller messages.",
            share=0.9,
        ),
        Mistake(
            "the loader is the drive",
            _loader,
            "You blamed the drive for slow copies. The log lists reading from the drive and copying to the GPU separately.",
        ),
        *(
            Mistake(name, _like(steps=slice(None), order=order), STEP_0)
            for name, order in (
                ("every node looks faulty", ("inside", "copy", "outside", "read")),
                ("every node looks faulty, the network before the copies", ("inside", "outside", "copy", "read")),
                ("every node looks faulty, the copies first", ("copy", "inside", "outside", "read")),
                ("every node looks faulty, the reads before the copies", ("inside", "read", "copy", "outside")),
                ("every node looks faulty, the reads after the network", ("inside", "outside", "read", "copy")),
                ("every node looks faulty, the reads first", ("read", "copy", "inside", "outside")),
            )
        ),
        *(
            Mistake(name, _like(row=0, order=order), SMALL)
            for name, order in (
                ("every node looks slow inside", ("inside", "copy", "outside", "read")),
                ("every node looks slow inside, the copies first", ("copy", "inside", "outside", "read")),
            )
        ),
        Mistake(
            "always a fault",
            _always_something,
            "You found a fault in a healthy node. If all four rates are above 85 %, return 'nothing'.",
        ),
        *(
            Mistake(
                f"the line at {line} %",
                _like(line=line / 100),
                f"{why} The limit is 85 % of what a healthy node reaches.",
                share=0.9,
            )
            for line, why in (
                (75, "You overlooked a part that is a little too slow."),
                (80, "You overlooked a part that is a little too slow."),
                (90, "You found a fault in a healthy node."),
            )
        ),
        Mistake(
            "across, and nothing nearer",
            _like(far=lambda label, gpu, nic, names: label[gpu, nic] == "SYS"),
            "Almost right, but placement means that the NIC is across the machine and another is PIX. If none is near, it is "
            "the adapter.",
            share=0.9,
        ),
        Mistake(
            "not PIX",
            _like(far=lambda label, gpu, nic, names: label[gpu, nic] != "PIX"),
            "Almost right, but placement means SYS, across the machine, while another NIC is PIX. You accepted any label other "
            "than PIX.",
            share=0.9,
        ),
        Mistake(
            "not PIX while another is",
            _like(
                far=lambda label, gpu, nic, names: label[gpu, nic] != "PIX" and "PIX" in [label[gpu, n] for n in names]
            ),
            "Right but for one word of the table: placement is SYS, across the machine. NODE stays on the GPU's side.",
            share=0.9,
        ),
    ),
    mutants=MUTANTS["links.diagnose"],
)
