"""Task on the chips that a machine room can power, with personal numbers."""

import math

from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def _room(generator):
    """Power from the grid and PUE of a small machine room."""
    return {
        "room_watts": 1e4 * int(generator.integers(21, 98)),
        "pue": round(1.15 + 0.05 * int(generator.integers(0, 9)), 2),
    }


def own_chips(chips_per_node, chip_watts, host_watts, room_watts, pue):
    """Chips in the whole nodes that a room can power."""
    return math.floor(room_watts / pue / (chips_per_node * chip_watts + host_watts)) * chips_per_node


def _nodes(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [(8, 1000.0, 2000.0)]
    # So many that rounding to the nearest goes wrong somewhere, whatever the room.
    sizes = (8, 4, 8, 16) * 10
    rows += zip(
        sizes, generator.uniform(333, 1111, 40).round(1), generator.uniform(700, 4800, 40).round(1), strict=True
    )
    return [{"chips_per_node": n, "chip_watts": float(w), "host_watts": float(h)} for n, w, h in rows]


def _large(generator):
    return [{"chips_per_node": 72, "chip_watts": 90_000.0, "host_watts": 31_000.0}]


def _changed(pue="over", host=True, nodes=False, rounding=math.floor, room=None):
    def wrong(chips_per_node, chip_watts, host_watts, room_watts, pue_value):
        watts = room or room_watts
        watts = {"over": watts / pue_value, "never": watts, "times": watts * pue_value}[pue]
        count = rounding(watts / (chips_per_node * chip_watts + (host_watts if host else 0)))
        return count if nodes else count * chips_per_node

    return lambda chips_per_node, chip_watts, host_watts, room_watts, pue: wrong(
        chips_per_node, chip_watts, host_watts, room_watts, pue
    )


OWN_ROOM = Exercise(
    id="lab.accelerators.own_room",
    title="Your own machine room",
    signature="own_chips(chips_per_node, chip_watts, host_watts)",
    unit="chips",
    graded=True,
    points=3,
    constants=_room,
    allowed=("chip2cluster.specs", "chip2cluster.units", "autograder.student.given"),
    reference=own_chips,
    tolerance=1e-9,
    groups=(
        Group("nodes", 0.85, _nodes),
        Group("edges", 0.15, _large, advice="One node may need more power than the whole room has. Then no chip fits."),
    ),
    hints=(
        'Your numbers are in the cell above: room["room_watts"] and room["pue"].',
        "The PUE is the power from the grid over the power of the servers, so the servers get room_watts / pue.",
        "math.floor(servers' watts / watts of a node) * chips_per_node.",
    ),
    explanation="Power runs out before floor space does. Cooling takes part of it first, then the hosts, and you can only power whole nodes.",
    mistakes=(
        Mistake(
            "building forgotten",
            _changed(pue="never"),
            "You gave all of the grid power to the nodes. Cooling needs part of it: divide by the PUE.",
        ),
        Mistake(
            "building gives power",
            _changed(pue="times"),
            "You multiplied by the PUE. The servers get less than the grid delivers, so divide.",
        ),
        Mistake("host forgotten", _changed(host=False), "You left out host_watts: processors, fans, NICs."),
        Mistake("nodes", _changed(nodes=True), "That is the number of nodes. Each node has chips_per_node chips."),
        Mistake(
            "broken nodes",
            lambda chips_per_node, chip_watts, host_watts, room_watts, pue: math.floor(
                room_watts / pue / (chips_per_node * chip_watts + host_watts) * chips_per_node
            ),
            "You used the remaining power for part of a node. Count only whole nodes: round before you multiply.",
        ),
        Mistake(
            "not rounded",
            _changed(rounding=lambda count: count),
            "Count only whole nodes: round their number down.",
        ),
        Mistake("rounded up", _changed(rounding=math.ceil), "You rounded up: the last node has no power."),
        Mistake(
            "rounded to the nearest",
            _changed(rounding=round),
            "You rounded to the nearest. Half a node has no power: round down.",
        ),
        Mistake(
            "a host for each chip",
            lambda chips_per_node, chip_watts, host_watts, room_watts, pue: (
                math.floor(room_watts / pue / (chips_per_node * (chip_watts + host_watts))) * chips_per_node
            ),
            "You counted host_watts once for each chip. A node draws it once: check the parentheses.",
        ),
        Mistake(
            "one chip's power",
            lambda chips_per_node, chip_watts, host_watts, room_watts, pue: (
                math.floor(room_watts / pue / (chip_watts + host_watts)) * chips_per_node
            ),
            "You gave a node the power of one chip. It has chips_per_node of them.",
        ),
        Mistake(
            "building cools the chips alone",
            lambda chips_per_node, chip_watts, host_watts, room_watts, pue: (
                math.floor(room_watts / (chips_per_node * chip_watts * pue + host_watts)) * chips_per_node
            ),
            "You applied the PUE to the chips alone. It holds for the whole node, host_watts included.",
        ),
        Mistake(
            "one chip a node",
            lambda chips_per_node, chip_watts, host_watts, room_watts, pue: math.floor(
                room_watts / pue / (chip_watts + host_watts)
            ),
            "You gave each chip a separate host. One host serves chips_per_node chips.",
        ),
    ),
    mutants=MUTANTS["lab.accelerators.own_room"],
)
