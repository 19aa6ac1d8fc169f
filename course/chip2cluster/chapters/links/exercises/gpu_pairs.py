"""Exercise on the disjoint pairs of GPUs with the most bandwidth."""

from itertools import combinations

from chip2cluster import links
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS
from .topology_matrices import DGX_1V, FOUR_H100, SMALL, SUMMIT, gpus, nvlinks, printed, read, shuffled


def best_pairs(text):
    """Pairs of GPUs joined by the most NVLinks, in the order of the matrix."""
    label = read(text)[1]
    links = {f"{one}-{other}": nvlinks(label[one, other]) for one, other in combinations(gpus(text), 2)}
    most = max(links.values())
    return [pair for pair, number in links.items() if number == most and most > 0]


def _nodes(generator):
    machines = (DGX_1V, SUMMIT, DGX_1V, FOUR_H100, DGX_1V)
    return [{"text": SMALL}, *({"text": shuffled(machine, generator)} for machine in machines)]


def _pairs(near, far, gpus=4):
    """A node of so many GPUs, ``near`` within each pair and ``far`` between, printed with its last columns and its legend."""
    names = [f"GPU{n}" for n in range(gpus)]
    return [{"text": printed(names, lambda one, other: near if one // 2 == other // 2 else far, whole=True)}]


def _choose(rank, twice=False, devices=gpus):
    def wrong(text):
        label = read(text)[1]
        names = devices(text)
        pairs = [(one, other) for one in names for other in names if one != other] if twice else combinations(names, 2)
        ranks = {f"{one}-{other}": rank(label[one, other]) for one, other in pairs}
        best = max(ranks.values())
        return [pair for pair, value in ranks.items() if value == best]

    return wrong


def _twice(text):
    """The best pairs as a program finds them that goes through the whole matrix and names the upper line first."""
    names, best = gpus(text), best_pairs(text)
    found = (
        f"{one}-{other}" if i < j else f"{other}-{one}" for i, one in enumerate(names) for j, other in enumerate(names)
    )
    return [pair for pair in found if pair in best]


def _text_rank(label):
    return label if label.startswith("NV") else ""


def _first_only(text):
    return best_pairs(text)[:1]


def _named(text):
    label = read(text)[1]
    return [f"{one}-{other}" for one, other in combinations(gpus(text), 2) if label[one, other] == "NV2"]


def _meaning():
    two, slot = links.nvlink(2, links=2).bandwidth_one_way, links.pcie(3, 16).bandwidth_one_way
    pairs = best_pairs(DGX_1V)
    return (
        f"In the DGX-1 of the page {len(pairs)} pairs have two links, at most {two / 1e9:.0f} GB/s one way; a pair without any shares "
        f"PCIe, at most {slot / 1e9:.1f} GB/s. Two GPUs chosen blindly can cost a job two thirds of its bandwidth."
    )


BEST_PAIRS = Exercise(
    id="links.best_pairs",
    title="Pick the pairs",
    signature="best_pairs(text)",
    unit="",
    points=4,
    reference=best_pairs,
    groups=(
        Group("nodes", 0.7, _nodes),
        Group(
            "whole output",
            0.1,
            lambda generator: _pairs("NV4", "NV2"),
            v.VALUE,
            advice="Newer tools print a last column, `GPU NUMA ID`, and a legend below. The word GPU in that column is not a device: a GPU's name has a digit after it.",
        ),
        Group(
            "many links",
            0.1,
            lambda generator: _pairs("NV12", "NV4", gpus=12),
            v.VALUE,
            advice="Links may go by the dozen: NV12 is twelve of them, more than NV4. Read the whole number behind NV. There may be "
            "a dozen GPUs, too.",
        ),
        Group(
            "no link",
            0.1,
            lambda generator: _pairs("PIX", "SYS"),
            advice="A node may have no NVLink at all. Then return an empty list.",
        ),
    ),
    hints=(
        "You can already read one label: your connection(text, one, other). How do you get all names of GPUs?",
        "Words of the header that begin with GPU and a digit. Two loops, the second from the next GPU on. For each pair "
        'the number of links: int(label[2:]) when the label begins with "NV", otherwise 0.',
        "Find the largest number first, then collect the pairs that have it, in the order of the loops.",
    ),
    solution="""
def best_pairs(text):
    lines = text.splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines[1:] if line.split()}
    names = [name for name in lines[0].split() if name.startswith("GPU") and name in rows]
    links = {}
    for i, one in enumerate(names):
        for j in range(i + 1, len(names)):
            label = rows[one][j]
            links[one + "-" + names[j]] = int(label[2:]) if label.startswith("NV") else 0
    most = max(links.values())
    return [pair for pair in links if links[pair] == most and most > 0]
""",
    explanation=(
        "In a DGX-1 some pairs have two links, some one, some none, so it matters which four GPUs a job gets. With an "
        "NVSwitch every pair has all the links, and there is nothing to choose."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "every pair twice",
            _choose(nvlinks, twice=True),
            "You listed every pair twice, once from each side. Keep the one with the upper row first.",
        ),
        Mistake(
            "every pair twice, by one name",
            _twice,
            "Your list has every pair twice. Let the second loop begin after the GPU of the first.",
        ),
        Mistake(
            "any NVLink",
            lambda text: [
                f"{one}-{other}"
                for one, other in combinations(gpus(text), 2)
                if read(text)[1][one, other].startswith("NV")
            ],
            "You listed every pair with an NVLink. Keep those with the most links.",
        ),
        Mistake(
            "the first pair alone",
            _first_only,
            "You returned one pair. Several can have the same number of links; return them all.",
        ),
        Mistake(
            "NV2 by name",
            _named,
            "You looked for NV2 by name. In other nodes the best pairs have more links, or fewer: find the largest number first.",
        ),
        Mistake(
            "labels compared as text",
            _choose(_text_rank),
            'You compared labels as text, where "NV4" comes after "NV12". Compare the numbers, and mind nodes without NVLink.',
            share=0.8,
        ),
        Mistake(
            "pairs sorted as text",
            lambda text: sorted(best_pairs(text)),
            "You sorted the pairs as texts, where GPU10 comes before GPU2. Keep the order of the matrix.",
            v.EDGES,
            share=0.9,
        ),
        Mistake(
            "pairs where there is no link",
            _choose(nvlinks),
            "If no pair has an NVLink, return an empty list, not every pair.",
            v.EDGES,
            share=0.9,
        ),
        Mistake(
            "adapters among the GPUs",
            _choose(lambda label: label == "PIX", devices=lambda text: read(text)[0]),
            "You picked devices behind one PCIe switch. Pick pairs of GPUs with NVLink.",
        ),
        Mistake(
            "the wrong end",
            _choose(lambda label: -nvlinks(label)),
            "You picked the pairs with the fewest links. Did you compare the labels as texts? SYS comes after NV2 there.",
        ),
        Mistake(
            "fewest NVLinks",
            _choose(lambda label: -nvlinks(label) if label.startswith("NV") else -99),
            "You picked the pairs with the fewest NVLinks. Pick those with the most.",
        ),
        Mistake(
            "lower line first",
            lambda text: ["-".join(reversed(pair.split("-"))) for pair in best_pairs(text)],
            "Right pairs, but with the lower row first: write GPU0-GPU3, not GPU3-GPU0.",
        ),
    ),
    mutants=MUTANTS["links.best_pairs"],
)
