"""Task on the bandwidth between two GPUs, by a topology matrix."""

from chip2cluster.chapters.links.exercises.topology_matrices import (
    DGX_1V,
    FOUR_H100,
    SMALL,
    SUMMIT,
    gpus,
    nvlinks,
    printed,
    read,
    shuffled,
)
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def pair_bandwidth(text, one, other, nvlink_one_way, pcie_one_way):
    """Bytes/s one way between two GPUs: NVLinks together, or PCIe where there is none."""
    links = nvlinks(read(text)[1][one, other])
    return links * nvlink_one_way if links else pcie_one_way


def _pairs(generator):
    rates = {"nvlink_one_way": 25e9, "pcie_one_way": 16e9}
    cases = [
        {"text": SMALL, "one": "GPU1", "other": "GPU2", **rates},
        {"text": SMALL, "one": "GPU0", "other": "GPU2", **rates},
    ]
    for machine in (DGX_1V, SUMMIT, FOUR_H100):
        text = shuffled(machine, generator)
        names = gpus(text)
        for _ in range(3):
            one, other = generator.permutation(len(names))[:2]
            cases.append({"text": text, "one": names[one], "other": names[other], **_rates(generator)})
    text = shuffled(DGX_1V, generator)  # every kind of pair once, whatever the luck of the draw
    names, label = gpus(text), read(text)[1]
    for kind in ("NV2", "NV1", "SYS"):
        one, other = next((a, b) for a in names for b in reversed(names) if label[a, b] == kind)
        cases.append({"text": text, "one": one, "other": other, **_rates(generator)})
    return cases


def _rates(generator):
    """Measured rates of one NVLink and one slot; the slot is the slower of the two."""
    return {
        "nvlink_one_way": round(generator.uniform(18e9, 45e9), -7),
        "pcie_one_way": round(generator.uniform(6e9, 17e9), -7),
    }


def _dozens(generator):
    names = [f"GPU{n}" for n in range(12)]
    text = printed(names, lambda one, other: "NV18" if one // 6 == other // 6 else "NODE", whole=True)
    rates = {"nvlink_one_way": 25e9, "pcie_one_way": 63e9}
    cases = [
        {"text": text, "one": one, "other": other, **rates} for one, other in (("GPU1", "GPU5"), ("GPU11", "GPU1"))
    ]
    # One NVLink is slower than this slot, and so are two.
    return [
        *cases,
        *({"text": SMALL, "one": one, "other": other, **rates} for one, other in (("GPU0", "GPU1"), ("GPU1", "GPU2"))),
    ]


def _with(links=lambda label: nvlinks(label), otherwise=1.0, plus_pcie=False, half=1.0):
    def wrong(text, one, other, nvlink_one_way, pcie_one_way):
        number = links(read(text)[1][one, other])
        if number:
            return half * number * nvlink_one_way + (pcie_one_way if plus_pcie else 0.0)
        return otherwise * pcie_one_way

    return wrong


PAIR = Exercise(
    id="lab.links.pair_bandwidth",
    title="The rate between two GPUs",
    signature="pair_bandwidth(text, one, other, nvlink_one_way, pcie_one_way)",
    unit="bytes/s",
    graded=True,
    points=4,
    reference=pair_bandwidth,
    groups=(
        Group("pairs", 0.8, _pairs),
        Group(
            "large nodes",
            0.2,
            _dozens,
            v.VALUE,
            advice="NV18 is eighteen links, GPU1 is not GPU11, and real output ends with a legend. If there is an NVLink, it "
            "carries the traffic, even if PCIe would be faster.",
        ),
    ),
    hints=(
        "Find the label first, in the row of one device and the column of the other.",
        'A label that begins with "NV" holds the number of links: int(label[2:]).',
        "Links × nvlink_one_way where there are links, otherwise pcie_one_way. Split lines into words and compare whole names.",
    ),
    explanation=(
        "In this node the time of a copy can differ by more than a factor of three, depending on the two GPUs. "
        "PIX to SYS all mean PCIe; SYS also crosses the link between the sockets and is rarely as fast."
    ),
    mistakes=(
        Mistake(
            "one link for all",
            _with(links=lambda label: min(1, nvlinks(label))),
            "You counted one NVLink wherever there is one. NV2 is two links side by side.",
        ),
        Mistake(
            "no path without NVLink",
            _with(otherwise=0.0),
            "Without an NVLink you returned 0. The GPUs still talk, over PCIe.",
        ),
        Mistake(
            "PCIe on top",
            _with(plus_pcie=True),
            "You added PCIe to the NVLinks. A copy takes one path, the NVLinks.",
        ),
        Mistake(
            "the faster of the two",
            lambda text, one, other, nvlink_one_way, pcie_one_way: max(
                nvlinks(read(text)[1][one, other]) * nvlink_one_way, pcie_one_way
            ),
            "You took the faster of NVLink and PCIe. If two GPUs share an NVLink, their traffic uses it.",
            share=0.8,
        ),
        Mistake(
            "both ways",
            _with(half=2.0, otherwise=2.0),
            "You counted both directions. Return one direction; the given rates are unidirectional.",
        ),
        Mistake(
            "halved",
            _with(half=0.5, otherwise=0.5),
            "You halved the rates. They are already unidirectional.",
        ),
        Mistake(
            "last digit of the label",
            _with(links=lambda label: int(label[-1]) if label.startswith("NV") else 0),
            "You read one digit of the label: NV18 is eighteen links.",
            share=0.8,
        ),
        Mistake(
            "first digit of the label",
            _with(links=lambda label: int(label[2]) if label.startswith("NV") else 0),
            "You read one digit of the label: NV18 is eighteen links.",
            share=0.8,
        ),
        Mistake(
            "PCIe everywhere",
            _with(links=lambda label: 0),
            "You sent everything over PCIe. Where the label begins with NV there are NVLinks.",
        ),
    ),
)
