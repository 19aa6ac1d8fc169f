"""``allreduce``: how long a sum over all chips takes, and how much work hides it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from .. import common
from ..answer import Answer, Number
from ..common import Taken, Unusable
from ..reading import quantity, whole
from ..shown import shown

QUESTION = "How long does my all-reduce take, and from how many tokens a chip on does the arithmetic hide it?"
EXAMPLE = 'allreduce --bytes "2 GB" --nodes 32 --chip "H100 SXM" --nic "400 Gb/s"'


def options(parser: ArgumentParser) -> None:
    """What the command takes."""
    common.add_chip(parser)
    common.add_precision(parser)
    parser.add_argument(
        "--bytes", type=quantity("B"), required=True, metavar="SIZE", help='that each chip holds: "2 GB"'
    )
    parser.add_argument("--nodes", type=whole(most=1e6), required=True, metavar="N", help="how many nodes")
    parser.add_argument("--chips-per-node", type=whole(most=1024), metavar="N", help="(default: 8)")
    parser.add_argument(
        "--nic", type=quantity("B/s"), metavar="RATE", help='of one chip out of its node (default: "400 Gb/s")'
    )
    parser.add_argument("--within", type=quantity("s"), metavar="TIME", help="that is wished for")


def answer(options: Namespace) -> Answer:
    """Sum."""
    from ... import collectives, utilization

    taken = Taken(options)
    device = common.chip(options, options.precision)
    chips = common.chips_of_a_node(taken)
    nic = common.nic_of_a_chip(taken)
    link = device.scale_up_bandwidth_one_way
    if link is None and chips > 1:
        raise Unusable(f"argument --chip: {device.name} has no link to its neighbours; take --chips-per-node 1")
    if link is not None:
        taken.sheet(device, "scale_up_bandwidth_one_way", "a chip's link in the node, one way", link, "B/s")
    inside = link or nic
    if options.nodes * chips == 1:
        raise Unusable("argument --nodes: one chip sums with nobody; at least 2 chips")
    table = collectives.hierarchy_table(options.bytes, chips, options.nodes, inside, nic)["total (ms)"] / 1e3
    names = {
        "sharded": ("sharded_seconds", "each chip sums its part over its own adapter"),
        "flat ring, all NICs": ("flat_seconds", "flat rings over all NICs"),
        "leader": ("leader_seconds", "one chip of a node sends for all"),
        "flat ring, one NIC per node": ("one_adapter_seconds", "a flat ring over one NIC per node"),
    }
    functions = {
        "sharded": "collectives.hierarchical_all_reduce_time",
        "leader": "collectives.hierarchical_all_reduce_time",
    }
    times = sorted(
        (
            Number(name=name, says=says, value=float(table[key]), unit="s", low=float(table[key]),
                   function=functions.get(key, "collectives.ring_all_reduce_time"), topic="collectives")
            for key, (name, says) in names.items()
        ),
        key=lambda one: one.value,
    )  # fmt: skip
    peak = common.peak(device, options.precision, taken)
    ring = utilization.ring_bandwidth(chips, inside, nic) if options.nodes > 1 else inside
    tokens = utilization.critical_tokens(options.nodes * chips, peak, ring)
    numbers = (
        *times,
        Number(name="critical_tokens", says="tokens a chip in a step that hide it", value=tokens, unit="tokens", low=tokens,
               function="utilization.critical_tokens", topic="mfu"),
    )  # fmt: skip
    fastest = times[0]
    late = options.within is not None and fastest.value > options.within
    problems = (f"the fastest takes {shown(fastest.value, 's')}, not {shown(options.within, 's')}",) if late else ()
    return Answer(
        command="allreduce", question=QUESTION, numbers=numbers, assumptions=taken.rows, problems=problems,
        remarks=("At the sheet's rates and without latency: at least. What wires and libraries were measured at is on the pages of links and collectives.",),
    )  # fmt: skip
