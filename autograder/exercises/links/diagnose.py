"""Which part is sick?"""

from ... import verdict as v
from ..model import Exercise, Group, Mistake, Mutant
from .evidence import PARTS, figures, node
from .matrices import gpus, nvlinks, read

ENOUGH = 0.85  # of a healthy rate


def diagnose(matrix, table, log, healthy):
    """Name the part of a node that explains what is slow, from its matrix, a benchmark and its loader's log."""
    return _judge(matrix, table, log, healthy)


def _judge(matrix, table, log, healthy, *, row=-1, steps=slice(1, None), order="copy first", near=True, links=True):
    measured, (gpu, nic) = figures(table, log)
    label = read(matrix)[1]
    average = {name: sum(measured[name][steps]) / len(measured[name][steps]) for name in ("read", "copy")}
    slow = {name: measured[name][row] < ENOUGH * healthy[name] for name in ("inside", "outside")}
    slow |= {name: average[name] < ENOUGH * healthy[name] for name in ("read", "copy")}
    numbers = {nvlinks(label[one, other]) for one in gpus(matrix) for other in gpus(matrix) if one != other}
    far = near and label[gpu, nic] == "SYS"
    if slow["inside"]:
        return "NVLink" if len(numbers) > 1 or not links else "settings"
    if slow["outside"] and order == "network first":
        return "placement" if far else "adapter"
    if slow["copy"]:
        return "PCIe"
    if slow["outside"]:
        return "placement" if far else "adapter"
    return "drive" if slow["read"] else "nothing"


def _nodes(generator):
    # One that needs a single look comes first: it is the one that a student sees.
    order = [
        "drive",
        *generator.permutation([part for part in PARTS if part != "drive"]),
        *generator.permutation(PARTS),
    ]
    return [node(str(part), generator) for part in order]


def _like(**changes):
    return lambda matrix, table, log, healthy: _judge(matrix, table, log, healthy, **changes)


def _loader(matrix, table, log, healthy):
    """Whatever the loader waits for is the drive."""
    answer = diagnose(matrix, table, log, healthy)
    return "drive" if answer == "PCIe" else answer


def _always_something(matrix, table, log, healthy):
    answer = diagnose(matrix, table, log, healthy)
    return "drive" if answer == "nothing" else answer


DIAGNOSE = Exercise(
    id="links.diagnose",
    title="Which part is sick?",
    signature="diagnose(matrix, table, log, healthy)",
    unit="",
    points=5,
    reference=diagnose,
    groups=(Group("nodes", 1.0, _nodes),),
    hints=(
        "Four rates first: busbw of the last row of each run; bytes over time of the reads and of the copies, without "
        "step 0. Which are below 85 % of what is healthy?",
        "One cause can slow two things. A way to the network that leads over the slot is slow when the slot is. Ask for the "
        "cause that explains all: inside, then copy, then outside, then read.",
        "inside slow: NVLink if the matrix shows fewer links for one GPU, else settings. copy slow: PCIe. outside slow: "
        "placement if the matrix says SYS for the GPU and the adapter of the run, else adapter. read slow: drive.",
    ),
    solution="""
def diagnose(matrix, table, log, healthy):
    lines = matrix.splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines[1:] if line.split()}
    names = [name for name in lines[0].split() if name in rows]
    label = {(one, other): rows[one][column] for one in names for column, other in enumerate(names)}

    inside, outside = table.split("# sendrecv_perf, ")
    gpu, nic = outside.split(",")[0].split(" by ")
    rate = {"inside": 1e9 * float(inside.split()[-1]), "outside": 1e9 * float(outside.split()[-1])}
    steps = [line.split() for line in log.splitlines()[1:]]
    rate["read"] = sum(float(step[3]) / (float(step[6]) / 1e3) for step in steps) / len(steps)
    rate["copy"] = sum(float(step[3]) / (float(step[-2]) / 1e3) for step in steps) / len(steps)
    slow = [name for name in rate if rate[name] < 0.85 * healthy[name]]

    if "inside" in slow:
        links = {text for text in label.values() if text.startswith("NV")}
        return "NVLink" if len(links) > 1 else "settings"
    if "copy" in slow:
        return "PCIe"
    if "outside" in slow:
        return "placement" if label[gpu, nic] == "SYS" else "adapter"
    return "drive" if "read" in slow else "nothing"
""",
    explanation=(
        "A symptom names a place where something is slow, a cause explains every symptom. A slot that has lost half of its "
        "lanes slows the copies and the network, so the adapter is changed first and in vain. Go from what is shared to what "
        "is not."
    ),
    mistakes=(
        Mistake(
            "the adapter for the slot",
            _like(order="network first"),
            "You looked at the network before the copies. The way to the adapter leads over the GPU's PCIe slot: when the "
            "copies are slow as well, one cause explains both.",
        ),
        Mistake(
            "one number, one part",
            _like(order="network first", near=False, links=False),
            "You took each slow number for a part of its own. Numbers share ways: the adapter lies behind the GPU's slot, so the "
            "copies come first. And the matrix says whether the wires are there, and which adapter is near.",
        ),
        Mistake(
            "the matrix unread",
            _like(near=False, links=False),
            "You did not use the matrix. It says whether a pair has lost NVLinks, or whether the library leaves them unused; and "
            "whether the run took an adapter that is far from its GPU.",
        ),
        Mistake(
            "no look at the matrix for the adapter",
            _like(near=False),
            "You blamed an adapter that is well. Look up the GPU and the adapter of the second run in the matrix: SYS means "
            "that the bytes cross the whole machine, and another adapter is PIX.",
        ),
        Mistake(
            "no look at the matrix for NVLink",
            _like(links=False),
            "You blamed NVLink though the matrix shows all 18 links for every pair. Then the wires are there, and the library "
            "does not use them: settings.",
        ),
        Mistake(
            "the loader is the drive",
            _loader,
            "You blamed the drive for slow copies. Reading from the drive and copying to the GPU stand in the log one by one.",
        ),
        Mistake(
            "step 0 counted",
            _like(steps=slice(None)),
            "You counted step 0. The first step warms up and is slow in a node that is well, too.",
        ),
        Mistake(
            "small messages",
            _like(row=0),
            "To you every node is slow inside. Take busbw, not algbw, and the last row: small messages wait, whatever the wire.",
        ),
        Mistake(
            "somebody must be sick",
            _always_something,
            "You found a fault in a node that is well. Where all four rates are above 85 %, return 'nothing'.",
        ),
    ),
    mutants=(
        Mutant(
            source="""
def diagnose(matrix, table, log, healthy):
    return "adapter"
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
)
