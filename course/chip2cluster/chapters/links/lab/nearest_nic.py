"""Task on the NIC that is nearest to a GPU in a topology matrix."""

from chip2cluster.chapters.links.exercises.topology_matrices import (
    DGX_1V,
    DISTANCES,
    FOUR_H100,
    LEGEND,
    SUMMIT,
    printed,
    read,
    shuffled,
)
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

_SMALL = """\
\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity
GPU0\t X \tNV4\tSYS\tPIX\t0-9
GPU1\tNV4\t X \tPHB\tSYS\t10-19
NIC0\tSYS\tPHB\t X \tSYS
NIC1\tPIX\tSYS\tSYS\t X 
"""  # noqa: W291


def nearest_nics(text, gpu):
    """NICs at the shortest distance from a GPU, in the order of the matrix."""
    return _chosen(text, gpu, min)


def _chosen(text, gpu, best, order=DISTANCES):
    names, label = read(text)
    distances = {name: order.index(label[gpu, name]) for name in names if not name.startswith("GPU")}
    return [name for name, distance in distances.items() if distance == best(distances.values(), default=0)]


def _doors(generator):
    cases = [{"text": _SMALL, "gpu": "GPU0"}, {"text": _SMALL, "gpu": "GPU1"}]
    for machine, count in ((DGX_1V, 3), (SUMMIT, 2), (FOUR_H100, 2)):
        text = shuffled(machine, generator)
        gpus = [name for name in read(text)[0] if name.startswith("GPU")]
        cases += [{"text": text, "gpu": gpus[place]} for place in generator.permutation(len(gpus))[:count]]
    return cases


def _odd_doors(generator):
    names = ["GPU0", "GPU1", "GPU2", "NIC0", "NIC1", "NIC2"]
    ladder = ("PHB", "PXB", "PXB", "PHB", "SYS", "PHB", "NODE", "PXB", "SYS")
    text = printed(names, lambda one, other: ladder[3 * (one % 3) + other - 3] if one < 3 <= other else "SYS")
    bare = printed(["GPU0", "GPU1"], lambda *_: "NV12", whole=True)
    return [{"text": text + LEGEND, "gpu": gpu} for gpu in ("GPU0", "GPU1", "GPU2")] + [{"text": bare, "gpu": "GPU1"}]


def _pix_only(text, gpu):
    names, label = read(text)
    return [name for name in names if not name.startswith("GPU") and label[gpu, name] == "PIX"]


def _alphabet(text, gpu, best=min):
    return _chosen(text, gpu, best, tuple(sorted(DISTANCES)))


NEAREST = Exercise(
    id="lab.links.nearest_nics",
    title="Which NIC is nearest?",
    signature="nearest_nics(text, gpu)",
    unit="",
    graded=True,
    points=4,
    reference=nearest_nics,
    groups=(
        Group("doors", 0.8, _doors),
        Group(
            "odd doors",
            0.2,
            _odd_doors,
            v.VALUE,
            advice="The nearest NIC may be PXB or PHB away, several may be equally near, and there may be none.",
        ),
    ),
    hints=(
        "Collect the label from the GPU to every NIC. Which devices are NICs? Those that have a row of their own "
        'and do not begin with "GPU".',
        'Give each label its place in ["PIX", "PXB", "PHB", "NODE", "SYS"], with .index().',
        "Find the smallest position, and return every NIC that has it.",
    ),
    explanation=(
        "PIX means that GPU and NIC are under one PCIe switch: the NIC can read from the GPU without touching the "
        "processor. With SYS every byte crosses the link between the sockets first."
    ),
    mistakes=(
        Mistake(
            "PIX or nothing",
            _pix_only,
            "You looked only for PIX. In some nodes the nearest NIC is farther away; return the nearest available one.",
        ),
        Mistake(
            "the first of them",
            lambda text, gpu: nearest_nics(text, gpu)[:1],
            "You returned one NIC. Several can be equally near; return them all.",
        ),
        Mistake(
            "farthest",
            lambda text, gpu: _chosen(text, gpu, max),
            "You picked the farthest NICs. PIX is nearest, SYS is farthest.",
        ),
        Mistake(
            "by the alphabet",
            _alphabet,
            "You compared the labels in alphabetical order. From near to far they are PIX, PXB, PHB, NODE, SYS.",
        ),
        Mistake(
            "PHB and PXB swapped",
            lambda text, gpu: _chosen(text, gpu, min, ("PIX", "PHB", "PXB", "NODE", "SYS")),
            "You put PHB before PXB. PXB stays below the host bridge, PHB goes through it.",
            share=0.8,
        ),
        Mistake(
            "all on the same socket",
            lambda text, gpu: [
                name for name in read(text)[0] if not name.startswith("GPU") and read(text)[1][gpu, name] != "SYS"
            ],
            "You returned every NIC of the same socket. Keep the nearest.",
        ),
    ),
    mutants=MUTANTS["lab.links.nearest_nics"],
)
