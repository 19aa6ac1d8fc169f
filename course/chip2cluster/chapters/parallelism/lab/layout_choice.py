"""Task on the valid layouts of a cluster that fit in memory, fastest first."""

import numpy as np

from chip2cluster.exercise.model import Exercise, Group, Mistake

RULES = ("devices", "domain", "batch", "memory")


def choose(names, tensor, pipeline, data, needed_bytes, seconds, devices, domain, batch, memory_bytes):
    """Names of the layouts that break no rule, the fastest first."""
    return _chosen(names, tensor, pipeline, data, needed_bytes, seconds, devices, domain, batch, memory_bytes)


def _chosen(
    names, tensor, pipeline, data, needed_bytes, seconds, devices, domain, batch, memory_bytes, rules=RULES, order=None
):
    keeps = {
        "devices": tensor * pipeline * data == devices,
        "few enough": tensor * pipeline * data <= devices,
        "domain": domain % tensor == 0,
        "batch": batch % data == 0,
        "memory": needed_bytes <= memory_bytes,
        "small groups": tensor <= domain,
        "large batch": data <= batch,
    }
    legal = np.all([keeps[rule] for rule in rules], axis=0)
    key = (
        seconds
        if order is None
        else order(tensor=tensor, pipeline=pipeline, data=data, needed=needed_bytes, seconds=seconds)
    )
    return [names[place] for place in np.argsort(key, kind="stable") if legal[place]]


NAMES = ("Alder", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple", "Oak", "Pine")


def _table(rows, generator, **limits):
    """Rows of (t, p, d, bytes), in any order, with times that follow none of their columns."""
    order = generator.permutation(len(rows))
    t, p, d, need = (np.array(column) for column in zip(*(rows[place] for place in order), strict=True))
    seconds = np.round(
        generator.permutation(np.linspace(8.0, 31.0, len(rows))) + generator.uniform(-0.5, 0.5, len(rows)), 1
    )
    names = [str(name) for name in generator.permutation(NAMES)[: len(rows)]]
    return {"names": names, "tensor": t, "pipeline": p, "data": d, "needed_bytes": need, "seconds": seconds, **limits}


def _cluster(generator):
    """Four layouts that break nothing, and for each rule one that breaks it alone."""
    room = 8e9 * int(generator.integers(8, 24))
    fits = lambda: round(float(generator.uniform(0.4, 0.97)) * room, -8)
    pairs = [(8, 4), (4, 8), (2, 16), (8, 8), (4, 16), (8, 2), (2, 8), (4, 4)]
    pairs = [pairs[place] for place in generator.permutation(len(pairs))]
    rows = [(t, p, 1024 // (t * p), fits()) for t, p in pairs[:4]]
    (a, b), (e, f) = pairs[4], pairs[5]
    rows.append((a, b, 1024 // (a * b), round(room * float(generator.uniform(1.02, 1.6)), -8)))
    rows.append((16, 4, 16, fits()))
    rows.append((e, f, 512 // (e * f), fits()))
    rows.append((8, 1, 128, fits()))
    limits = {"devices": 1024, "domain": 8, "batch": 64 * int(generator.choice((1, 3, 5, 7))), "memory_bytes": room}
    return _table(_legal_batches(rows, limits["batch"]), generator, **limits)


def _legal_batches(rows, batch):
    """Only the last row asks for a batch that is too small; the others keep to it."""
    kept = []
    for t, p, d, need in rows[:-1]:
        while batch % d:
            p, d = 2 * p, d // 2
        kept.append((t, p, d, need))
    return [*kept, rows[-1]]


def _clusters(generator):
    # A case that can be done by hand comes first: it is the one that a student sees.
    easy = {
        "names": ["Alder", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch"],
        "tensor": np.array([2, 4, 8, 2, 4, 4, 1]), "pipeline": np.array([4, 2, 1, 2, 4, 1, 4]),
        "data": np.array([2, 2, 2, 4, 2, 4, 4]), "needed_bytes": np.array([50e9, 60e9, 40e9, 55e9, 30e9, 90e9, 70e9]),
        "seconds": np.array([9.0, 8.0, 5.0, 7.0, 4.0, 6.0, 10.0]), "devices": 16, "domain": 4, "batch": 12, "memory_bytes": 80e9,
    }  # fmt: skip
    return [easy, *(_cluster(generator) for _ in range(6))]


def _nothing(generator):
    room = 40e9
    rows = [(8, 4, 32, 55e9), (8, 8, 16, 47e9), (4, 16, 16, 61e9)]
    return [
        _table(rows, generator, devices=1024, domain=8, batch=64, memory_bytes=room),
        # To the byte is enough, and a domain need not be a power of two.
        _table(
            [(24, 2, 24, 72e9), (8, 8, 18, 80e9), (12, 12, 8, 80e9), (16, 8, 9, 70e9)],
            generator, devices=1152, domain=72, batch=720, memory_bytes=80e9,
        ),
    ]  # fmt: skip


def _changed(**changes):
    return lambda **given: _chosen(**given, **changes)


def _without(rule, *instead):
    return _changed(rules=(*(one for one in RULES if one != rule), *instead))


CHOOSE = Exercise(
    id="lab.parallelism.choose",
    title="Which layouts are feasible?",
    signature="choose(names, tensor, pipeline, data, needed_bytes, seconds, devices, domain, batch, memory_bytes)",
    unit="",
    graded=True,
    points=5,
    reference=choose,
    groups=(
        Group("clusters", 0.8, _clusters),
        Group(
            "edges", 0.2, _nothing,
            advice="The list may be empty. A layout that fills the memory to the last byte fits.",
        ),
    ),
    hints=(
        "Test each layout against four conditions; one failure rules it out.",
        "Devices: the product of the three degrees. Domain and batch: test the remainder with %. Memory: at most memory_bytes.",
        "Collect (seconds, name) of the layouts that pass all four tests, sort them, and return the names.",
    ),
    explanation=(
        "A search over layouts is a filter and a sort. The difficulty is in their inputs: the filter needs the memory to within a few percent, and the sort needs the seconds."
    ),
    mistakes=(
        Mistake("devices not checked", _without("devices"), "One of your layouts does not use all the devices. Multiply its three degrees and compare with devices."),
        Mistake("devices left unused", _without("devices", "few enough"), "One of your layouts leaves devices unused. The product of the three degrees must equal devices."),
        Mistake("tensor group across domains", _without("domain"), "One of your layouts has a tensor group that spans two domains: tensor must divide domain."),
        Mistake("batch ignored", _without("batch"), "One of your layouts cannot divide the batch evenly between its replicas: data must divide batch."),
        Mistake("batch large enough", _without("batch", "large batch"), "You checked only that the batch is large enough. It must also divide evenly between the replicas: data must divide batch."),
        Mistake("domain large enough", _without("domain", "small groups"), "You checked only that a tensor group is no larger than the domain. If tensor does not divide domain, some groups span two domains.", share=0.8),
        Mistake("memory ignored", _without("memory"), "One of your layouts does not fit in memory."),
        Mistake("slowest first", lambda **given: choose(**given)[::-1], "Your list starts with the slowest layout. The fastest comes first."),
        Mistake("least memory first", _changed(order=lambda needed, **others: needed), "You sorted by memory. Sort the layouts that fit by seconds."),
        Mistake("unsorted", _changed(order=lambda seconds, **others: np.arange(len(seconds))), "Your list is in the order of the table. Sort it by seconds."),
        Mistake("no layout removed", lambda names, seconds, **given: [names[place] for place in np.argsort(seconds)], "You sorted all layouts. Leave out those that fail a condition."),
    ),
)  # fmt: skip
