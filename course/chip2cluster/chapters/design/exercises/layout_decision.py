"""Exercise on a parallel layout by a decision tree that also checks the batch."""

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
    """Draw a replica of a size; ``bound`` says whether the batch limits the replicas more than the memory does."""

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
    # 280 GB on chips of 80: four hold it; 32 chips make 8 replicas of 2 sequences each. A student sees this one.
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
    """Return the first layout that fits, with the remaining chips unused."""
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
        Group("edges", 0.2, _edges, advice="A replica that fills its chips exactly fits, and a domain may have any size."),
    ),
    hints=(
        "Go through the branches in their order: t = 1, 2, 4 … up to the domain, with one stage; then the last t with 2, 3, 4 … stages. Which conditions let you stop?",
        "There are three: t · p divides the number of chips; one shard of a replica fits on a chip; and the number of replicas divides the sequences.",
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
        "Two things limit the number of replicas: memory and the batch. A tree that asks only for memory produces layouts in which some replicas have nothing to do. "
        "No branch asks for time, so the result is a layout that runs, not one that is fast."
    ),
    meaning=lambda: (
        f"A replica of the chapter's model needs {_told():.0f} chips of 180 GB for its states alone. The tree gives it 64, because activations take memory too and t goes through powers of 2. The tree leaves out the chunks, and that costs 40 % more days."
    ),
    mistakes=(
        Mistake("the batch forgotten", _like(batch=False), "You did not check the batch. The number of replicas must divide the number of sequences."),
        Mistake("room alone", _room, "You checked only whether a shard fits. The chips must also divide into whole replicas, and every replica must get the same number of sequences."),
        Mistake("no more copies than sequences", _like(whole=False), "You only checked that there are no more replicas than sequences. Each replica must also get the same number of them."),
        Mistake("the memory forgotten", lambda copy_gb, memory_gb, chips, domain, sequences: _first(_branches(domain, chips), lambda t, p, d: sequences % d == 0, chips), "You did not check the memory. One shard, copy_gb / (t · p), must fit on a chip."),
        Mistake("tensor beyond the domain", lambda copy_gb, memory_gb, chips, domain, sequences: lay_out(copy_gb, memory_gb, chips, 2 ** (chips.bit_length() - 1), sequences), "You used tensor parallelism beyond the domain. From there on add pipeline stages, because their messages are small enough for the slower network."),
        Mistake("stages first", _like(tensor_first=False), "You began with stages. In this tree tensor parallelism comes first, as far as the domain goes."),
        Mistake("domain at once", lambda copy_gb, memory_gb, chips, domain, sequences: _first([(domain, p) for p in range(1, chips // domain + 1)], lambda t, p, d: _fits(copy_gb, memory_gb, t, p) and sequences % d == 0, chips), "You took the whole domain at once. Stop at the smallest t that is enough."),
        Mistake("copies first", lambda **given: lay_out(**given)[::-1], "Your list begins with the replicas. The order is tensor, pipeline, data."),
        Mistake("copies and stages exchanged", lambda **given: lay_out(**given)[[0, 2, 1]], "Your last two numbers are exchanged: tensor, pipeline, data."),
    ),
)  # fmt: skip


def _told():
    return 16 * 405e9 / 180e9
