"""``network``: whether a cluster's network is non-blocking, and what crosses its middle."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from .. import common
from ..answer import Answer, Number
from ..common import Taken, Unusable
from ..reading import number, one_of, quantity, whole

QUESTION = "Is my cluster's network non-blocking, and how long does everybody take to send to everybody?"
EXAMPLE = 'network --chip "H100 SXM" --nodes 128 --nodes-per-group 32 --nic "400 Gb/s" --wiring rail'


def options(parser: ArgumentParser) -> None:
    """What the command takes."""
    common.add_chip(parser)
    parser.add_argument("--nodes", type=whole(least=2, most=1e5), required=True, metavar="N", help="how many nodes")
    parser.add_argument("--chips-per-node", type=whole(most=1024), metavar="N", help="(default: 8)")
    parser.add_argument(
        "--nodes-per-group", type=whole(most=1e5), metavar="N", help="that share leaf switches (default: all)"
    )
    parser.add_argument("--wiring", type=one_of(("rail", "rack")), metavar="KIND", help="rail or rack (default: rail)")
    parser.add_argument(
        "--nic", type=quantity("B/s"), metavar="RATE", help='of one chip out of its node (default: "400 Gb/s")'
    )
    parser.add_argument(
        "--oversubscription",
        type=number(least=1, most=1e3),
        metavar="RATIO",
        help="below a leaf over above it (default: 1)",
    )
    parser.add_argument(
        "--bytes", type=quantity("B"), metavar="SIZE", help='that each chip sends to all (default: "1 GB")'
    )
    parser.add_argument("--precision", default="bf16", help="of --peak")


def answer(options: Namespace) -> Answer:
    """Cut the network in two."""
    from ... import topology

    taken = Taken(options)
    device = common.chip(options, options.precision)
    chips = common.chips_of_a_node(taken)
    nic = common.nic_of_a_chip(taken)
    group = taken.value(
        "nodes_per_group", "nodes that share leaf switches", options.nodes, "nodes", "illustrative", "one group"
    )
    wiring = taken.value(
        "wiring", "a leaf takes the adapters of a", "rail", "", "illustrative", "as large training clusters are built"
    )
    ratio = taken.value("oversubscription", "below a leaf over above it", 1.0, "", "illustrative", "none")
    size = taken.value("bytes", "what each chip sends to all", 1e9, "B", "illustrative", "a round number")
    if options.nodes % group:
        near = max(one for one in range(1, group + 1) if options.nodes % one == 0)
        raise Unusable(f"argument --nodes-per-group: {group} must divide --nodes, {options.nodes}; {near} does")
    link = device.scale_up_bandwidth_one_way
    if link is None:
        raise Unusable(f"argument --chip: {device.name} has no link to its neighbours; describe yours with --link")
    taken.sheet(device, "scale_up_bandwidth_one_way", "a chip's link in the node, one way", link, "B/s")
    with common.named("--nodes, --nodes-per-group, --wiring"):
        net = topology.gpu_cluster(
            options.nodes, chips, nodes_per_group=group, wiring=wiring, nvlink_bandwidth_one_way=link,
            nic_bandwidth_one_way=nic, oversubscription=ratio,
        )  # fmt: skip
    cut = topology.bisection(net)
    part = float(topology.full_bisection_share(net))
    seconds = float(topology.all_to_all_time(net, size))
    numbers = (
        Number(name="full_bisection_share", says="of what half of the chips can send out", value=part, unit="share",
               function="topology.full_bisection_share", topic="bisection"),
        Number(name="bisection_one_way", says="crosses the middle, one way", value=cut.bandwidth_one_way, unit="B/s",
               function="topology.bisection", topic="bisection"),
        Number(name="links", says="links that cross it", value=int(cut.links), unit="links", function="topology.bisection", topic="bisection"),
        Number(name="all_to_all_seconds", says="everybody sends to everybody", value=seconds, unit="s", low=seconds,
               function="topology.all_to_all_time", topic="bisection"),
    )  # fmt: skip
    blocked = part < 1 - 1e-9
    problems = (
        (f"not non-blocking: {100 * part:.3g} % of what half of the chips can send crosses the middle",)
        if blocked
        else ()
    )
    return Answer(
        command="network", question=QUESTION, numbers=numbers, assumptions=taken.rows, problems=problems,
        remarks=("Links alone: flows that a hash puts on one link are in `topology.hash_time`.",),
    )  # fmt: skip
