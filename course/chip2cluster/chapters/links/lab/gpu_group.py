"""Task on the group of GPUs with the best slowest connection for a job."""

from itertools import combinations, pairwise

from chip2cluster.chapters.links.exercises.topology_matrices import (
    DGX_1V,
    LEGEND,
    SUMMIT,
    gpus,
    nvlinks,
    printed,
    read,
    shuffled,
)
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

_SMALL = """\
\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity
GPU0\t X \tNV4\tNV4\tNV1\t0-9
GPU1\tNV4\t X \tSYS\tNV1\t0-9
GPU2\tNV4\tSYS\t X \tNV1\t0-9
GPU3\tNV1\tNV1\tNV1\t X \t0-9
"""

# The first four stand in a ring of NV4, and across it GPU0 and GPU2 share nothing.
_RING = """\
\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\tCPU Affinity
GPU0\t X \tNV4\tSYS\tNV4\tNV1\t0-9
GPU1\tNV4\t X \tNV4\tNV1\tNV1\t0-9
GPU2\tSYS\tNV4\t X \tNV4\tNV1\t0-9
GPU3\tNV4\tNV1\tNV4\t X \tNV1\t0-9
GPU4\tNV1\tNV1\tNV1\tNV1\t X \t0-9
"""


def pick_group(text, size):
    """The GPUs whose worst pair has the most NVLinks; among equals the first in the matrix."""
    return _picked(text, size, min)


def _picked(text, size, worth):
    names, label = gpus(text), read(text)[1]

    def value(group):
        return worth(nvlinks(label[pair]) for pair in combinations(group, 2))

    return list(max(combinations(names, size), key=value))


def _jobs(generator):
    cases = [{"text": _SMALL, "size": 3}, {"text": _SMALL, "size": 2}, {"text": _RING, "size": 4}]
    cases += [{"text": shuffled(DGX_1V, generator), "size": size} for size in (4, 3, 2, 4, 3)]
    return [*cases, {"text": shuffled(SUMMIT, generator), "size": 3}]


def _large_jobs(generator):
    names = [f"GPU{n}" for n in range(6)]
    wide = printed(names, lambda one, other: "NV12" if one % 2 == other % 2 == 1 else "NV4", whole=True)
    return [{"text": wide, "size": 3}, {"text": shuffled(SUMMIT, generator) + LEGEND, "size": 4}]


def _largest_sum(text, size):
    return _picked(text, size, sum)


def _last_of_equals(text, size):
    names, label = gpus(text), read(text)[1]
    groups = list(combinations(names, size))
    value = lambda group: min(nvlinks(label[pair]) for pair in combinations(group, 2))
    return list(max(reversed(groups), key=value))


def _neighbours(text, size, closed=False):
    """Only pairs that follow each other are looked at, as on a ring."""
    names, label = gpus(text), read(text)[1]
    value = lambda group: min(nvlinks(label[pair]) for pair in pairwise(group + group[:1] * closed))
    return list(max(combinations(names, size), key=value))


def _as_text(text, size):
    names, label = gpus(text), read(text)[1]
    rank = lambda kind: kind if kind.startswith("NV") else ""
    return list(
        max(combinations(names, size), key=lambda group: min(rank(label[pair]) for pair in combinations(group, 2)))
    )


PICK_GROUP = Exercise(
    id="lab.links.pick_group",
    title="Which GPUs for the job?",
    signature="pick_group(text, size)",
    unit="",
    graded=True,
    points=5,
    reference=pick_group,
    groups=(
        Group("jobs", 0.8, _jobs),
        Group(
            "large jobs",
            0.2,
            _large_jobs,
            v.VALUE,
            advice="NV12 is more than NV4; the columns after the devices are not devices, although one is called GPU NUMA ID; and if "
            "every group has a pair without NVLink, return the first group.",
        ),
    ),
    hints=(
        "itertools.combinations(names, size) gives all groups, combinations(group, 2) all pairs of one.",
        "For one group: the smallest number of links over its pairs. For all groups: the largest of these.",
        "max(groups, key=worst_pair) returns the first of equals. Turn the tuple into a list.",
    ),
    explanation=(
        "Eight GPUs allow 70 groups of four, so trying them all is quick. In a DGX-1 a careless choice of four contains a "
        "pair that has to take PCIe, and a ring or an all-to-all over that group runs at its rate."
    ),
    mistakes=(
        Mistake(
            "largest sum",
            _largest_sum,
            "You took the group with the most links in total. One pair without a link spoils it: the worst pair decides.",
        ),
        Mistake(
            "labels compared as text",
            _as_text,
            'You compared labels as text, where "NV4" comes after "NV12". Compare numbers.',
            share=0.8,
        ),
        Mistake(
            "first GPUs",
            lambda text, size: gpus(text)[:size],
            "You took the first GPUs of the matrix. Compare their worst pair with that of other groups.",
        ),
        Mistake(
            "last of equals",
            _last_of_equals,
            "Your group is as good, but not the first of the equal ones. Keep the first.",
        ),
        Mistake(
            "neighbours only",
            _neighbours,
            "You looked at pairs that follow each other in the list. Every GPU talks to every other.",
        ),
        Mistake(
            "neighbours on a ring",
            lambda text, size: _neighbours(text, size, closed=True),
            "You looked at pairs that follow each other, and at the last with the first. Every GPU talks to every other.",
        ),
        Mistake(
            "worst group",
            lambda text, size: _picked(text, size, lambda numbers: -min(numbers)),
            "You took a group whose worst pair is as bad as possible.",
        ),
    ),
    mutants=MUTANTS["lab.links.pick_group"],
)
