"""Answers that the doctor grades, with the verdict that each must get, by the id of their exercise."""

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Mutant


def _promising(**promised):
    given = ", ".join(f"{name}={value}" for name, value in promised.items())
    return (
        "from chip2cluster import capstone\n\ndef my_plan():\n"
        f"    return capstone.to_text(capstone.Design(chip='H200 SXM', nodes=32, spares=2), {given})\n"
    )


MUTANTS = {
    "design.fewest_days": (
        Mutant(
            source="""
import numpy as np


def fewest_days(flop, peak_tflops, dollars_per_chip, watts_per_chip, dollars, watts):
    # a price for each limit, such that no chip earns more than it costs: the least such total bounds all mixes
    peak, price, power = (np.array(x, dtype=float) for x in (peak_tflops, dollars_per_chip, watts_per_chip))
    corners = [(max(peak / price), 0.0), (0.0, max(peak / power))]
    for i in range(len(peak)):
        for j in range(i):
            rows = np.array([[price[i], power[i]], [price[j], power[j]]])
            if abs(np.linalg.det(rows)) > 1e-9:
                corners.append(tuple(np.linalg.solve(rows, [peak[i], peak[j]])))
    least = min(
        y * dollars + z * watts
        for y, z in corners
        if y >= -1e-15 and z >= -1e-15 and (price * y + power * z >= peak * (1 - 1e-9)).all()
    )
    return flop / (least * 1e12 * 86400)
""",
            verdict=v.CORRECT,
            says="",
            share=1.0,
        ),
    ),
    "design.step_seconds": (
        Mutant(
            source="""
def step_seconds(kernels, tensor, bubble, data, copies):
    return kernels / copies + tensor / copies + data
""",
            verdict=v.VALUE,
            says="doesn't match a known mistake",
        ),
    ),
    "design.post_mortem": (
        Mutant(
            source="""
def post_mortem(log):
    return "switch"
""",
            verdict=v.REFUSED,
            says="whatever it is asked",
        ),
    ),
    "design.undominated": (
        Mutant(
            source="""
def undominated(days, dollars):
    order = sorted(range(len(days)), key=lambda k: (days[k], dollars[k]))
    best, found, last = float("inf"), [0] * len(days), None
    for k in order:
        if dollars[k] < best or last == (days[k], dollars[k]):
            best, found[k], last = dollars[k], 1, (days[k], dollars[k])
    return found
""",
            verdict=v.CORRECT,
            says="",
            share=1.0,
        ),
    ),
    "lab.design.keeps": (
        Mutant("def my_plan():\n    return 'a fast one'\n", v.MISCONCEPTION, "cannot be read"),
        Mutant("def my_plan():\n    return 40.0\n", v.MISCONCEPTION, "to_text"),
        Mutant(
            "from chip2cluster import capstone\n\ndef my_plan():\n    return capstone.to_text(capstone.Design(chip='B200', nodes=8))\n",
            v.MISCONCEPTION,
            "chip is one of",
        ),
        Mutant(
            "from chip2cluster import capstone\n\ndef my_plan():\n    return capstone.to_text(capstone.Design(chip='H100 SXM', nodes=8, spares=None))\n",
            v.MISCONCEPTION,
            "cannot borrow nodes",
        ),
        Mutant(
            "from chip2cluster import capstone\n\ndef my_plan():\n"
            "    return capstone.to_text(capstone.Design(chip='H100 SXM', nodes=256, nic_bytes_per_second_one_way=25e9, spares=16))\n",
            v.MISCONCEPTION,
            "breaks",
        ),
    ),
    "lab.design.near": (
        Mutant("def my_plan():\n    return 'a cheap one'\n", v.MISCONCEPTION, "cannot be read"),
        Mutant(
            "from chip2cluster import capstone\n\ndef my_plan():\n    return capstone.to_text(capstone.Design(chip='H200 SXM', nodes=256))\n",
            v.MISCONCEPTION,
            "may be built",
        ),
        Mutant(
            "from chip2cluster import capstone\n\ndef my_plan():\n    return capstone.to_text(capstone.Design(chip='H200 SXM', nodes=16, domain=72))\n",
            v.MISCONCEPTION,
            "domain is 8 for everybody",
        ),
    ),
    "lab.design.promised": (
        Mutant(_promising(), v.MISCONCEPTION, "does not promise"),
        Mutant(_promising(mfu=0.4), v.MISCONCEPTION, "days_low"),
        Mutant(
            _promising(mfu=90, checkpoint_interval=1e9, days_low=900, days_high=1),
            v.MISCONCEPTION,
            "days_low lies above",
        ),
        Mutant(
            _promising(mfu=1, checkpoint_interval=1e9, days_low=0, days_high=9999),
            v.MISCONCEPTION,
            "wider than it must be",
        ),
    ),
}
