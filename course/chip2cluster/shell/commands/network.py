"""``network``: bisection bandwidth of a cluster's network, and time of an all-to-all."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from .. import shared_options
from ..answer import Answer, Number
from ..assumptions import Assumptions
from ..option_types import number, one_of, precision, quantity, whole
from ..shared_options import UsageError

if TYPE_CHECKING:
    from ...topology import SwitchCount

QUESTION = "Is my cluster's network non-blocking, and how long do all chips take to exchange data (all-to-all)?"
EXAMPLE = 'network --chip "H100 SXM" --nodes 128 --nodes-per-group 32 --nic "400 Gb/s" --wiring rail'


def options(parser: ArgumentParser) -> None:
    """Add the options of the command."""
    shared_options.add_chip(parser)
    parser.add_argument("--nodes", type=whole(least=2, most=1e5), required=True, metavar="N", help="number of nodes")
    parser.add_argument("--chips-per-node", type=whole(most=1024), metavar="N", help="(default: 8)")
    parser.add_argument(
        "--nodes-per-group", type=whole(most=1e5), metavar="N", help="nodes that share leaf switches (default: all)"
    )
    parser.add_argument("--wiring", type=one_of(("rail", "rack")), metavar="KIND", help="rail or rack (default: rail)")
    parser.add_argument("--nic", type=quantity("B/s"), metavar="RATE", help='NIC of one chip (default: "400 Gb/s")')
    parser.add_argument(
        "--oversubscription",
        type=number(least=1, most=1e3),
        metavar="RATIO",
        help="downlink over uplink bandwidth of a leaf (default: 1)",
    )
    parser.add_argument(
        "--bytes", type=quantity("B"), metavar="SIZE", help='bytes that each chip sends (default: "1 GB")'
    )
    parser.add_argument(
        "--radix",
        type=whole(least=2, most=1e4),
        metavar="PORTS",
        help="ports of a switch at the NIC's rate (default: 64)",
    )
    parser.add_argument("--precision", type=precision, default="bf16", help="of --peak")


def answer(options: Namespace) -> Answer:
    """Compute the bisection and the all-to-all time."""
    from ... import topology

    assumed = Assumptions(options)
    device = shared_options.chip(options, options.precision) if shared_options.chip_is_described(options) else None
    chips = shared_options.chips_of_a_node(assumed)
    nic = shared_options.nic_of_a_chip(assumed)
    group = assumed.value(
        "nodes_per_group", "nodes that share leaf switches", options.nodes, "nodes", "illustrative", "one group"
    )
    wiring = assumed.value(
        "wiring", "wiring: a leaf joins the NICs of a", "rail", "", "illustrative", "usual in large training clusters"
    )
    ratio = assumed.value("oversubscription", "oversubscription of a leaf", 1.0, "", "illustrative", "none")
    size = assumed.value("bytes", "bytes that each chip sends", 1e9, "B", "illustrative", "a round number")
    if options.nodes % group:
        near = max(one for one in range(1, group + 1) if options.nodes % one == 0)
        raise UsageError(f"argument --nodes-per-group: {group} must divide --nodes, {options.nodes}; {near} does")
    says = "scale-up bandwidth of a chip, unidirectional"
    if device is None:
        link: Any = 450e9
        assumed.note("scale_up_bandwidth_one_way", says, link, "B/s", "illustrative", "NVLink 4; name a --chip")
    else:
        link = device.scale_up_bandwidth_one_way
        if link is None:
            raise UsageError(f"argument --chip: {device.name} has no scale-up link; describe a custom chip with --link")
        assumed.sheet(device, "scale_up_bandwidth_one_way", says, link, "B/s")
    ports = assumed.value("radix", "ports of a switch", 64, "", "illustrative", "Quantum-2 and Quantum-X800")
    with shared_options.option_errors("--nodes, --radix"):
        switches = topology.switch_count(options.nodes * chips, ports, oversubscription=ratio)
    with shared_options.option_errors("--nodes, --nodes-per-group, --wiring"):
        net = topology.gpu_cluster(
            options.nodes, chips, nodes_per_group=group, wiring=wiring, nvlink_bandwidth_one_way=link,
            nic_bandwidth_one_way=nic, oversubscription=ratio,
        )  # fmt: skip
    cut = topology.bisection(net)
    part = float(topology.full_bisection_share(net))
    seconds = float(topology.all_to_all_time(net, size))
    numbers = (
        Number(name="full_bisection_share", says="fraction of full bisection bandwidth", value=part, unit="share",
               function="topology.full_bisection_share", topic="bisection"),
        Number(name="bisection_one_way", says="bisection bandwidth, unidirectional", value=cut.bandwidth_one_way, unit="B/s",
               function="topology.bisection", topic="bisection"),
        Number(name="links", says="links of the bisection", value=int(cut.links), unit="links", function="topology.bisection", topic="bisection"),
        Number(name="all_to_all_seconds", says="all-to-all", value=seconds, unit="s", low=seconds,
               function="topology.all_to_all_time", topic="bisection"),
        *_switch_rows(switches),
    )  # fmt: skip
    blocked = part < 1 - 1e-9
    problems = (f"not non-blocking: {100 * part:.3g} % of full bisection bandwidth",) if blocked else ()
    return Answer(
        command="network", question=QUESTION, numbers=numbers, assumptions=assumed.rows, problems=problems,
        remarks=(
            "Link capacity only; `topology.hash_time` includes ECMP hash collisions.",
            f"Switches: a fat tree of {switches.tiers} tier{'s' if switches.tiers > 1 else ''} of {ports}-port switches, "
            "without spares, management and storage.",
        ),
    )  # fmt: skip


def _switch_rows(count: SwitchCount) -> tuple[Number, ...]:
    """Return the switches and cables of the network."""
    rows = (
        ("tiers", "tiers of switches", count.tiers, "tiers"),
        ("leaves", "leaf switches", count.leaves, "switches"),
        ("spines", "spine switches", count.spines, "switches"),
        ("cores", "core switches", count.cores, "switches"),
        ("cables", "cables, to the nodes and between switches", count.cables, "cables"),
    )
    return tuple(
        Number(name=name, says=says, value=value, unit=unit, function="topology.switch_count", topic="bisection", group="the switches")
        for name, says, value, unit in rows
    )  # fmt: skip
