"""Exercise on the connection of two GPUs in a topology matrix."""

from itertools import combinations

from chip2cluster import links
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .topology_matrices import DGX_1V, FOUR_H100, SMALL, SUMMIT, printed, read, shuffled


def connection(text, one, other):
    """The label between two devices in the output of `nvidia-smi topo -m`."""
    return read(text)[1][one, other]


def _nodes(generator):
    cases = [{"text": SMALL, "one": "GPU0", "other": "GPU2"}, {"text": SMALL, "one": "GPU1", "other": "GPU2"}]
    for machine in (DGX_1V, SUMMIT, FOUR_H100, DGX_1V):
        cases += _questions(shuffled(machine, generator), generator)
    return cases


def _questions(text, generator):
    names = read(text)[0]
    for one, other in ((0, 1), (1, -1), (2, 1)):
        pair = generator.permutation(len(names))
        yield {"text": text, "one": names[pair[one]], "other": names[pair[other]]}


def _copied(generator):
    # The tool prints tabs; copied from a screen, as on this course's page, they are blanks.
    yield {"text": DGX_1V, "one": "GPU0", "other": "GPU3"}
    yield from _questions(shuffled(SUMMIT, generator).expandtabs(), generator)


def _whole_output(generator):
    names = [f"GPU{n}" for n in range(12)]
    # Twelve GPUs behind PCIe switches: two digits in a name, and an end as the tool prints it.
    text = printed(
        names,
        lambda one, other: "PIX" if one // 2 == other // 2 else "NODE" if one // 6 == other // 6 else "SYS",
        whole=True,
    )
    pairs = (("GPU1", "GPU11"), ("GPU10", "GPU1"), ("GPU1", "GPU0"), ("GPU11", "GPU10"))
    return [{"text": text, "one": one, "other": other} for one, other in pairs]


def _beside(step):
    def wrong(text, one, other):
        lines = text.splitlines()
        column = lines[0].split().index(other) + step
        row = next(line.split() for line in lines[1:] if line.split()[:1] == [one])
        return row[max(0, min(1 + column, len(row) - 1))]

    return wrong


def _in_the_header(text, one, other):
    words = text.splitlines()[0].split()
    return words[1 + words.index(other)]


def _as_nvlink(text, one, other):
    label = connection(text, one, other)
    return label[:2] if label.startswith("NV") else label


def _by_beginning(text, one, other):
    row = [line for line in text.splitlines()[1:] if line.startswith(one)][-1]
    return row.split()[1 + read(text)[0].index(other)]


def _meaning():
    node = links.node_matrix(DGX_1V)
    counts = [node.nvlinks(one, other) for one, other in combinations(node.gpus, 2)]
    return (
        f"Of the {len(counts)} pairs of GPUs in the DGX-1 of the page, {counts.count(2)} have two NVLinks, {counts.count(1)} have one "
        f"and {counts.count(0)} have none. Which GPUs a job gets decides which links it has."
    )


CONNECTION = Exercise(
    id="links.connection",
    title="Read the matrix",
    signature="connection(text, one, other)",
    unit="",
    points=3,
    reference=connection,
    groups=(
        Group("nodes", 0.6, _nodes),
        Group(
            "copied from a screen",
            0.2,
            lambda generator: list(_copied(generator)),
            v.VALUE,
            advice="The tool prints tabs, but text copied from a screen, such as `dgx1` on the page, has spaces "
            "instead. line.split() with nothing in its brackets handles both; line.split('\\t') handles only "
            "tabs.",
        ),
        Group(
            "whole output",
            0.2,
            _whole_output,
            v.VALUE,
            advice="Real output goes on after the matrix, with empty lines and a legend; and GPU1 is not GPU10.",
        ),
    ),
    hints=(
        "Which line do you need? And which word of it? text.splitlines() gives lines, line.split() gives words.",
        "The header has no word for the first column. So position i in the header is position i + 1 in a line.",
        "header = text.splitlines()[0].split(), then look for the line whose first word is `one`.",
    ),
    solution="""
def connection(text, one, other):
    lines = text.splitlines()
    column = lines[0].split().index(other)
    for line in lines[1:]:
        words = line.split()
        if words and words[0] == one:
            return words[1 + column]
""",
    explanation=(
        "Split into lines, split lines into words, and note that the header is one word shorter on the left. Compare whole "
        "names: text that begins with GPU1 may be GPU10."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "one column too far left",
            _beside(-1),
            "You read one column too far left: a line begins with the name of its device, the header does not.",
        ),
        Mistake(
            "one column too far right",
            _beside(1),
            "You read one column too far right. The first word after the name belongs to the first device of the header.",
        ),
        Mistake(
            "read from the header",
            _in_the_header,
            "You read from the header line, which contains every name. Look for the line whose first word is the name.",
        ),
        Mistake(
            "number of links dropped",
            _as_nvlink,
            "You dropped the number of links. Return the whole label, such as NV2.",
        ),
        Mistake(
            "names that begin alike",
            _by_beginning,
            "You took a line that begins like the name: GPU1 is not GPU10. Compare the whole first word.",
            share=0.8,
        ),
    ),
    mutants=MUTANTS["links.connection"],
)
