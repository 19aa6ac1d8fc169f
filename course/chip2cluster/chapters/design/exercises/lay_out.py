"""A layout by a decision tree that also asks for the batch."""

import numpy as np

from chip2cluster import capstone
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake


def lay_out(copy_gb, memory_gb, chips, domain, sequences):
    """Tensor, pipeline and data parallel degrees."""
    return _first(
        _branches(domain, chips), lambda t, p, d: _fits(copy_gb, memory_gb, t, p) and sequences % d == 0, chips
    )


def _branches(domain, most, tensor_first=True):
    """Pairs of tensor and pipeline in the order of the tree."""
    ways = [2**power for power in range(domain.bit_length()) if 2**power <= domain]
    last = ways[-1] if tensor_first else 1
    return [(t, 1) for t in (ways if tensor_first else [1])] + [(last, p) for p in range(2, most // last + 1)]


def _fits(copy_gb, memory_gb, tensor, pipeline):
    return copy_gb / (tensor * pipeline) <= memory_gb


def _first(branches, good, chips):
    for t, p in branches:
        if chips % (t * p) == 0 and good(t, p, chips // (t * p)):
            return np.array([t, p, chips // (t * p)])
    return np.array([0, 0, 0])


def _case(copy, memory, chips, domain, sequences):
    return {"copy_gb": copy, "memory_gb": memory, "chips": chips, "domain": domain, "sequences": sequences}


def _draw(generator, low, high, bound):
    """A copy that needs between so many chips; ``bound`` says whether the batch cuts further than the memory."""

    def once():
        memory, domain = float(generator.choice([80, 141, 192])), int(generator.choice([4, 8, 16]))
        chips = domain * int(generator.choice([24, 32, 48, 64, 96, 128]))
        copy = round(memory * float(generator.uniform(low, high)) * (domain if low >= 1 else 1), 1)
        sequences = int(generator.choice([32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024]))
        return _case(copy, memory, chips, domain, sequences)

    def right(one):
        mine = lay_out(**one)
        return mine[0] > 0 and bound != np.array_equal(mine, _like(batch=False)(**one))

    return draw_until(right, once)


def _machines(generator):
    # 280 GB on chips of 80: four hold it; 32 chips make 8 copies, and 16 sequences go round. A student sees this one.
    return [
        _case(280.0, 80.0, 32, 8, 16),
        _draw(generator, 0.3, 0.9, True), _draw(generator, 1.2, 5.0, False), _draw(generator, 1.2, 5.0, False),
        _draw(generator, 1.2, 5.0, True), _draw(generator, 0.3, 0.9, False), _draw(generator, 1.2, 4.0, True),
    ]  # fmt: skip


def _edges(generator):
    power = int(generator.integers(1, 4))
    return [_case(80.0 * 2**power, 80.0, 64, 8, 1024), _case(60.0, 80.0, 16, 8, 48), _case(81.0, 80.0, 6, 2, 30)]


def _like(batch=True, whole=True, domain_of=lambda d: d, tensor_first=True, good=None):
    def wrong(copy_gb, memory_gb, chips, domain, sequences):
        def takes(t, p, d):
            shared = sequences % d == 0 if whole else d <= sequences
            return _fits(copy_gb, memory_gb, t, p) and (shared or not batch)

        return _first(_branches(domain_of(domain), chips, tensor_first), good or takes, chips)

    return wrong


def _room(copy_gb, memory_gb, chips, domain, sequences):
    """What fits, and what is left over is left over."""
    t, p = next(pair for pair in _branches(domain, 10**6) if _fits(copy_gb, memory_gb, *pair))
    return np.array([t, p, chips // (t * p)])


LAY_OUT = Exercise(
    id="design.lay_out",
    title="A tree that asks for the batch",
    signature="lay_out(copy_gb, memory_gb, chips, domain, sequences)",
    unit="",
    points=3,
    reference=lay_out,
    shows=(lay_out, capstone.layout_by_rule),
    groups=(
        Group("machines", 0.8, _machines),
        Group("edges", 0.2, _edges, advice="A copy that fills its chips exactly has room, and a domain need not be a multiple of anything."),
    ),
    hints=(
        "Go down the branches in their order: t = 1, 2, 4 … up to the domain, with one stage; then the whole domain with 2, 3, 4 … stages. What must hold for you to stop?",
        "Three things: the chips can be cut into copies of t · p; such a part of a copy has room on a chip; and the sequences can be dealt out to the copies evenly.",
        "for t, p in branches: if chips % (t·p) == 0, copy_gb / (t·p) <= memory_gb and sequences % (chips // (t·p)) == 0, return [t, p, chips // (t·p)].",
    ),
    solution="""
def lay_out(copy_gb, memory_gb, chips, domain, sequences):
    branches, t = [], 1
    while t <= domain:
        branches.append((t, 1))
        t *= 2
    branches += [(t // 2, p) for p in range(2, chips + 1)]
    for t, p in branches:
        if chips % (t * p):
            continue
        d = chips // (t * p)
        if copy_gb / (t * p) <= memory_gb and sequences % d == 0:
            return [t, p, d]
""",
    explanation=(
        "Two things limit the copies: room, and the batch. A tree that asks for the first alone lays out machines on which some copies have nothing to do. "
        "And no branch asks for time: what comes out runs, and that is all that it promises."
    ),
    meaning=lambda: (
        f"Ours needs {_told():.0f} chips of 180 GB for a copy by states alone, and gets 64 from the tree, as activations and powers of 2 want room too. What the tree does not say costs 39 % more days: the chunks."
    ),
    mistakes=(
        Mistake("the batch forgotten", _like(batch=False), "You did not ask for the batch. Can these sequences be dealt out evenly to so many copies?"),
        Mistake("room alone", _room, "You asked for room alone. The chips must come out even as copies, and every copy must get the same number of sequences."),
        Mistake("no more copies than sequences", _like(whole=False), "You asked for no more copies than sequences. They must also go round evenly: each copy gets the same number."),
        Mistake("the memory forgotten", lambda copy_gb, memory_gb, chips, domain, sequences: _first(_branches(domain, chips), lambda t, p, d: sequences % d == 0, chips), "You did not ask for the memory. Has a part of a copy room on a chip?"),
        Mistake("tensor beyond the domain", lambda copy_gb, memory_gb, chips, domain, sequences: lay_out(copy_gb, memory_gb, chips, 2 ** (chips.bit_length() - 1), sequences), "You cut matrices beyond the domain. From there on it is stages: their messages bear the slow wires."),
        Mistake("stages first", _like(tensor_first=False), "You began with stages. In this tree matrices are cut first, as far as the domain goes."),
        Mistake("domain at once", lambda copy_gb, memory_gb, chips, domain, sequences: _first([(domain, p) for p in range(1, chips // domain + 1)], lambda t, p, d: _fits(copy_gb, memory_gb, t, p) and sequences % d == 0, chips), "You took the whole domain at once. Stop at the fewest ways that are enough."),
        Mistake("copies first", lambda **given: lay_out(**given)[::-1], "Your list begins with the copies. The order is tensor, pipeline, data."),
        Mistake("copies and stages exchanged", lambda **given: lay_out(**given)[[0, 2, 1]], "Your last two numbers are exchanged: tensor, pipeline, data."),
    ),
)  # fmt: skip


def _told():
    return 16 * 405e9 / 180e9
