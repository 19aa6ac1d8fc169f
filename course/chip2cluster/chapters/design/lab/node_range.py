"""Bounds on the number of nodes: a chip with an empty range is ruled out."""

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


def _case(generator, needed, allowed):
    """Draw a chip and limits with given nodes needed by memory and deadline, and allowed by money and power."""
    peak, memory = 1e12 * int(generator.integers(150, 2500)), 1e9 * int(generator.integers(32, 288))
    power, price = float(generator.integers(500, 2500)), 500.0 * int(generator.integers(20, 120))
    node, seconds = 1000.0 * int(generator.integers(40, 120)), 86400.0 * int(generator.integers(15, 90))
    return {
        "flops": needed[1] * EACH * peak * seconds, "state_bytes": needed[0] * EACH * memory, "seconds": seconds,
        "dollars": allowed[0] * (EACH * price + node), "watts": allowed[1] * EACH * power, "peak": peak,
        "memory_bytes": memory, "chip_watts": power, "chip_dollars": price, "node_dollars": node,
    }  # fmt: skip


def _part(generator, low, high):
    """Draw a number of nodes with a fraction above or below a half, so that every rounding mistake shows."""
    return int(generator.integers(low, high)) + float(generator.choice((0.2, 0.3, 0.7, 0.8)))


def _machines(generator):
    # The first case is visible to students and easy to compute by hand.
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
            cases.append(_case(generator, needed, (most, beyond) if money_binds else (beyond, most)))
    return cases


def _edges(generator):
    exact = {
        "flops": 8e22, "state_bytes": 0.32e12, "seconds": 1e6, "dollars": 9e6, "watts": 512e3, "peak": 1e15,
        "memory_bytes": 80e9, "chip_watts": 2000.0, "chip_dollars": 30e3, "node_dollars": 60e3,
    }  # fmt: skip
    out = _case(generator, (_part(generator, 20, 60), _part(generator, 3, 12)), (_part(generator, 5, 15), 0.4))
    return [exact, out]


def _changed(**changes):
    return lambda **given: list(_range(**given, **changes))


def _one(which):
    """Return a rule that takes one of two numbers where both count."""
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
            advice="A limit that is reached exactly is kept. Return both numbers also if the first is larger than the second: that chip is ruled out.",
        ),
    ),
    hints=(
        "Ask four questions: how many nodes hold the states, how many meet the deadline, how many does the money allow, how many the power?",
        "Two answers are needs: the larger counts. Two are limits: the smaller counts.",
        "A node costs its eight chips plus node_dollars. Round needs up and limits down.",
    ),
    explanation="Each bound takes one line and rules out more designs than any search. Only designs between the two numbers are worth evaluating.",
    mistakes=(
        Mistake("memory ignored", _changed(few=_one(1)), "You left out the memory. The fewest nodes must also hold the states."),
        Mistake("deadline ignored", _changed(few=_one(0)), "You left out the deadline. The fewest nodes must also be fast enough."),
        Mistake("power ignored", _changed(many=_one(0)), "You left out the power, or counted one chip of each node. A node draws what its eight chips draw."),
        Mistake("money ignored", _changed(many=_one(1)), "You left out the money. It limits the number of nodes as the power does."),
        Mistake("either will do", _changed(few=min), "You took the smaller of two needs. Both must be met: the larger counts."),
        Mistake("the more generous limit", _changed(many=max), "You took the larger of two limits. Both must be kept: the smaller counts."),
        Mistake("needs added up", _changed(few=sum), "You added the two needs. The same nodes hold the states and compute."),
        Mistake("a node for nothing", _changed(frames=0), "You paid only for the chips. A node costs node_dollars on top of them."),
        Mistake("a node for each chip", _changed(frames=EACH), "You paid node_dollars for each chip. Eight chips share a node, so it is paid once."),
        Mistake("needed rounded down", _changed(up=floor), "You rounded a need down, so the nodes are not quite enough. Round up."),
        Mistake("allowed rounded up", _changed(down=ceil), "You rounded a limit up, so the last node is too many. Round down."),
        Mistake("rounded to the nearest", _changed(up=round, down=round), "You rounded to the nearest node. Round needs up and limits down."),
        Mistake("not rounded", _changed(up=float, down=float), "You returned fractions of nodes. Round needs up and limits down."),
        Mistake("chips for nodes", lambda **given: [EACH * nodes for nodes in node_range(**given)], "You returned chips. Return nodes of eight chips each."),
        Mistake("the most first", lambda **given: node_range(**given)[::-1], "Your numbers are in the wrong order: return the fewest first."),
    ),
)  # fmt: skip
