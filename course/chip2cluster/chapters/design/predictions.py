"""Questions on designing a whole machine."""

from dataclasses import replace
from functools import cache

import numpy as np

from chip2cluster import capstone
from chip2cluster.parallelism import Layout
from chip2cluster.predict.question import Question
from chip2cluster.utilization import DAY

LAYOUT = Layout(tensor=8, pipeline=8, data=128, chunks=15, zero_stage=1)  # of the page's design
RUNS = 100
INTERVAL = 1800.0  # seconds of work between checkpoints
KINDS = ("A100 SXM 80GB", "H100 SXM", "MI300X", "B200")


@cache
def _scenario():
    failures = capstone.FailureRates(node_mtbf=288 * DAY, group_nodes=32, group_mtbf=500 * DAY)
    return capstone.Scenario(
        model="Llama 3.1 405B", tokens=15.6e12, global_batch=2048, capital_dollars=500e6, watts=20e6,
        deadline_seconds=90 * DAY, failures=failures,
    )  # fmt: skip


@cache
def _outcome(nodes=1024, spares=32):
    design = capstone.Design(
        chip="B200", nodes=nodes, spares=spares, storage_bytes_per_second=400e9, checkpoint_interval=INTERVAL,
        layout=replace(LAYOUT, data=nodes // 8),
    )  # fmt: skip
    return capstone.evaluate(design, _scenario(), nearest=False)


def _days():
    return _outcome().days


def _why_days(truth):
    out = _outcome()
    low, high = out.interval("days")
    return (
        f"A step reaches {100 * out.mfu:.0f} % of the peak, and {100 * out.goodput:.0f} % of the time is work that counts: 26 days over both. "
        f"That is a forecast: for this chip it may be anything from {low:.0f} to {high:.0f} days."
    )


def _speed():
    return _outcome(nodes=2048, spares=None).dollars / 1e6


def _why_speed(truth):
    small, large = _outcome(nodes=512, spares=None), _outcome(nodes=2048, spares=None)
    return (
        f"Four times the machine takes {large.days:.0f} days instead of {small.days:.0f}, and the bill is paid by the day: it rises from "
        f"{small.dollars / 1e6:.1f} to {truth:.1f} million dollars, because more replicas cannot share everything. The machine itself costs four times as much."
    )


def _spares():
    return _outcome(spares=0).days


def _why_spares(truth):
    return (
        f"By hand: {_outcome().mtbf / 3600:.1f} hours of work, then a day of repair, so 63 days become {63.4 * (1 + 24 * 3600 / _outcome().mtbf):.0f}. Lost work, restarts, "
        f"and switches that fail during the wait make it {truth:.0f}. A handful of spares, under one node in a hundred, brings most of it back."
    )


@cache
def _slower(model, chip, nodes, batch):
    """Days by the tree over those of the best usual layout."""
    given = capstone.Scenario(model=model, tokens=15e12, global_batch=batch)
    machine = capstone.Design(chip=chip, nodes=nodes, spares=None)
    tree = capstone.evaluate(replace(machine, layout=capstone.layout_by_rule(machine, given)), given, nearest=False)
    usual = capstone.best(
        given, chips=[chip], nodes=[nodes], spares=[None], pipeline=[1, 2, 4, 8, 16, 32], chunks=[1, 2, 4, 7, 15, 20],
        zero_stages=[1, 3], recomputes=["none", "selective"],
    )  # fmt: skip
    return tree.days / usual.days


def _tree():
    return _slower("Llama 3.1 405B", "B200", 1024, 2048)


def _why_tree(truth):
    return (
        f"The tree asks what fits and never what it costs. On the smallest machine it loses "
        f"{100 * (_slower('Llama 3 8B', 'H100 SXM', 16, 512) - 1):.0f} %, here {100 * (truth - 1):.0f} %: its eight stages are not cut into chunks, so the bubble is large."
    )


@cache
def _searched():
    """Outcomes of the page's search, and which of them nobody beats."""
    designs = capstone.grid(
        _scenario(), chips=KINDS, nodes=[512, 768, 896, 1024, 1280, 1536], nics=[12.5e9, 25e9, 50e9, 100e9], spares=[8, 40],
        precisions=["bf16", "fp8"], checkpoint_intervals=[INTERVAL],
        storages=[400e9], pipeline=[1, 2, 4, 5, 6, 7, 8, 10, 12, 14, 16], chunks=[1, 2, 4, 7, 15],
        zero_stages=[1, 3], recomputes=["selective"],
    )  # fmt: skip
    each = map(designs.__getitem__, range(len(designs)))
    usual = [
        one for one in each
        if one.layout and (one.layout.zero_stage < 3 or one.layout.data <= 1024)
        and (one.chip != "MI300X" or one.layout.tensor in (1, 8))  # fewer chips would not have all links
    ]  # fmt: skip
    outcomes = capstone.evaluate_many(capstone.designs_of(usual), _scenario())
    return outcomes, capstone.frontier(outcomes, ("days", "dollars"))


def _search():
    return float(len(_searched()[1]))


def _why_search(truth):
    outcomes, _ = _searched()
    return (
        f"Of {len(outcomes):,} designs {outcomes.fits.sum():,} can run and {outcomes.meets.sum():,} meet all limits. Nearly every one of these is slower and more expensive "
        f"than some other. {truth:.0f} are left, and no search can decide between them."
    )


@cache
def _costs():
    """Dollars of 512 and of 1,024 nodes in fp8, with the kernel efficiency at its low and high end; late days included."""
    layout = Layout(tensor=4, pipeline=16, data=64, chunks=7, zero_stage=1)
    small = replace(_outcome(spares=40).design, nodes=512, precision="fp8", layout=layout)
    rows = []
    for design in (small, replace(small, nodes=1024, layout=replace(layout, data=128))):
        ends = capstone.evaluate(design, _scenario()).kernel_share.ends
        outs = [capstone.evaluate(design, replace(_scenario(), kernel_share=share), nearest=False) for share in ends]
        rows.append([out.dollars + 1e6 * max(0.0, out.days - 90) for out in outs])
    return np.array(rows)


def _worth():
    return (_costs().mean(axis=1).min() - _costs().min(axis=0).mean()) / 1e6


def _why_worth(truth):
    seeing = _costs().min(axis=0).mean() / 1e6
    return (
        f"Without measuring you buy the one that is cheaper on average and pay {seeing + truth:.1f} million dollars; after it, whichever came out better: {seeing:.1f}. "
        "A measurement is worth what it saves where it changes your decision."
    )


@cache
def _luck():
    runs = capstone.play_many(_outcome(spares=40).design, _scenario(), RUNS)
    return runs.percentile("days", 90) - runs.percentile("days", 10)


def _why_luck(truth):
    low, high = _outcome().interval("days")
    return (
        f"More than two hundred interruptions of ten minutes each: the sum of so many random draws hardly varies, {truth:.1f} days. What is not known about the "
        f"chip makes it {low:.0f} to {high:.0f} days."
    )


QUESTIONS = (
    Question(
        "design.days",
        "A model of 405B parameters trains on 15.6T tokens: 1,024 nodes of eight B200, 400 Gb/s a chip, 32 "
        "spares, checkpoints every 30 minutes. At the dense 16-bit peak it would take 26 days. How many days does"
        " it take?",
        "days", _days, _why_days,
    ),
    Question(
        "design.speed",
        "On 512 nodes, with spares always available, this run takes 127 days and costs 21.5 million dollars: electricity, and four-year depreciation for these days. "
        "What does it cost, in millions, on 2,048 nodes, a machine of four times the price?",
        "million dollars", _speed, _why_speed,
    ),
    Question(
        "design.spares",
        "The 1,024 nodes need 63 days of work. A failure stops the job every 6.6 hours; a broken node comes back "
        "after a day. Without spares the job waits while any node is away. How many days does it take?",
        "days", _spares, _why_spares,
    ),
    Question(
        "design.tree",
        "The 1,024 nodes of B200, laid out by the tree: the smallest degrees that fit. How many times the days of the best usual layout does that take?",
        "times", _tree, _why_tree,
    ),
    Question(
        "design.search",
        "A search tries some 15,000 designs: four chips, two precisions, 512 to 1,536 nodes, four networks, 8 or 40 spares, many layouts. "
        "Of those that keep all limits, how many does no other beat in days and dollars at once?",
        "designs", _search, _why_search,
    ),
    Question(
        "design.worth",
        "In fp8 the run costs 12 to 23 million dollars on 512 or 1,024 nodes, and a day too late costs a million."
        " Nobody knows your kernel efficiency. What may it cost, at most, to measure it first?",
        "million dollars", _worth, _why_worth,
    ),
    Question(
        "design.luck",
        "The machine with 40 spares runs a hundred times, with other failures each time; the median is 68 days. How many days lie between the 10th "
        "and the 90th percentile?",
        "days", _luck, _why_luck,
    ),
)  # fmt: skip
