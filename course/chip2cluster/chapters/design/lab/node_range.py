"""What no design can beat, as a range of nodes: a chip with an empty range is out."""

from math import ceil, floor

from chip2cluster.exercise.model import Exercise, Group, Mistake

EACH = 8  # chips of a node


def node_range(
    flops, state_bytes, seconds, dollars, watts, peak, memory_bytes, chip_watts, chip_dollars, node_dollars
):  # fmt: skip
    """Fewest nodes that could do it at the peak, and most that money and power allow."""
    return list(
        _range(flops, state_bytes, seconds, dollars, watts, peak, memory_bytes, chip_watts, chip_dollars, node_dollars)
    )


def _range(
    flops, state_bytes, seconds, dollars, watts, peak, memory_bytes, chip_watts, chip_dollars, node_dollars,
    few=max, many=min, up=ceil, down=floor, frames=1,
):  # fmt: skip
    needed = state_bytes / (EACH * memory_bytes), flops / (EACH * peak * seconds)
    price = EACH * chip_dollars + frames * node_dollars
    allowed = dollars / price, watts / (EACH * chip_watts)
    return few(map(up, needed)), many(map(down, allowed))


def _asked(generator, needed, allowed):
    """A chip and limits, with so many nodes needed by memory and deadline and allowed by money and power."""
    peak, memory = 1e12 * int(generator.integers(150, 2500)), 1e9 * int(generator.integers(32, 288))
    power, price = float(generator.integers(500, 2500)), 500.0 * int(generator.integers(20, 120))
    node, seconds = 1000.0 * int(generator.integers(40, 120)), 86400.0 * int(generator.integers(15, 90))
    return {
        "flops": needed[1] * EACH * peak * seconds, "state_bytes": needed[0] * EACH * memory, "seconds": seconds,
        "dollars": allowed[0] * (EACH * price + node), "watts": allowed[1] * EACH * power, "peak": peak,
        "memory_bytes": memory, "chip_watts": power, "chip_dollars": price, "node_dollars": node,
    }  # fmt: skip


def _part(generator, low, high):
    """A number of nodes with a part of one, so that rounding matters and is clear: above a half as often as below."""
    return int(generator.integers(low, high)) + float(generator.choice((0.2, 0.3, 0.7, 0.8)))


def _machines(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "flops": 4.4e22, "state_bytes": 1.2e12, "seconds": 1e6, "dollars": 10.1e6, "watts": 300e3, "peak": 1e15,
        "memory_bytes": 80e9, "chip_watts": 1550.0, "chip_dollars": 30e3, "node_dollars": 60e3,
    }  # fmt: skip
    cases = [easy]
    for memory_binds in (True, False):
        for money_binds in (True, False):
            few, more = _part(generator, 3, 12), _part(generator, 14, 40)
            most, beyond = _part(generator, 50, 90), _part(generator, 110, 200)
            needed = (more, few) if memory_binds else (few, more)
            cases.append(_asked(generator, needed, (most, beyond) if money_binds else (beyond, most)))
    return cases


def _edges(generator):
    exact = {
        "flops": 8e22, "state_bytes": 0.32e12, "seconds": 1e6, "dollars": 9e6, "watts": 512e3, "peak": 1e15,
        "memory_bytes": 80e9, "chip_watts": 2000.0, "chip_dollars": 30e3, "node_dollars": 60e3,
    }  # fmt: skip
    out = _asked(generator, (_part(generator, 20, 60), _part(generator, 3, 12)), (_part(generator, 5, 15), 0.4))
    return [exact, out]


def _changed(**changes):
    return lambda **given: list(_range(**given, **changes))


def _one(which):
    """One of two numbers, where both count."""
    return lambda numbers: [*numbers][which]


NODE_RANGE = Exercise(
    id="lab.design.node_range",
    title="What no design can beat",
    signature="node_range(flops, state_bytes, seconds, dollars, watts, peak, memory_bytes, chip_watts, chip_dollars, node_dollars)",
    unit="nodes",
    graded=True,
    points=5,
    reference=node_range,
    tolerance=1e-9,
    groups=(
        Group("machines", 0.8, _machines),
        Group(
            "edges", 0.2, _edges,
            advice="What is reached exactly is enough. Return both numbers also where the first is larger than the second: that chip is out.",
        ),
    ),
    hints=(
        "Four questions: how many nodes hold the model, how many are fast enough, how many can be paid, how many can be fed?",
        "Two of the answers are needed at least: the larger counts. Two are allowed at most: the smaller counts.",
        "A node has eight chips, and a price of its own beside theirs. Round up what is needed and down what is allowed.",
    ),
    explanation="Bounds cost a line each and rule out more designs than any search. Only between the two numbers is it worth to look further.",
    mistakes=(
        Mistake("memory ignored", _changed(few=_one(1)), "The fewest must also hold the model: you only asked for the deadline."),
        Mistake("deadline ignored", _changed(few=_one(0)), "The fewest must also be in time: you only asked for the memory."),
        Mistake("power ignored", _changed(many=_one(0)), "The most must also be fed: you only asked for the money, or fed one chip of each node. A node draws what its eight chips draw."),
        Mistake("money ignored", _changed(many=_one(1)), "The most must also be paid: you only asked for the power."),
        Mistake("either will do", _changed(few=min), "You took the smaller of two needs. Both must be met: the larger counts."),
        Mistake("the more generous limit", _changed(many=max), "You took the larger of two limits. Both must be kept: the smaller counts."),
        Mistake("needs added up", _changed(few=sum), "You added two needs up. The same nodes hold the model and compute."),
        Mistake("a node for nothing", _changed(frames=0), "You paid for chips alone. A node costs node_dollars beside them."),
        Mistake("a node for each chip", _changed(frames=EACH), "You paid node_dollars for each chip. Eight chips share a node: it is paid once."),
        Mistake("needed rounded down", _changed(up=floor), "You rounded down what is needed: then it is not quite enough. Round up."),
        Mistake("allowed rounded up", _changed(down=ceil), "You rounded up what is allowed: then the last node is too much. Round down."),
        Mistake("rounded to the nearest", _changed(up=round, down=round), "You rounded to the nearest node. Round up what is needed, and down what is allowed."),
        Mistake("not rounded", _changed(up=float, down=float), "Nodes come whole. Round up what is needed, and down what is allowed."),
        Mistake("chips for nodes", lambda **given: [EACH * nodes for nodes in node_range(**given)], "These are chips. Nodes were asked for, of eight chips each."),
        Mistake("the most first", lambda **given: node_range(**given)[::-1], "Your numbers stand the other way round: the fewest comes first."),
    ),
)  # fmt: skip
