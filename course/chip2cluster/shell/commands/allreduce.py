"""``allreduce``: time of an all-reduce over all chips, and the work that hides it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from .. import shared_options
from ..answer import Answer, Number
from ..assumptions import Assumptions
from ..option_types import quantity, whole
from ..shared_options import UsageError
from ..text_format import format_value

if TYPE_CHECKING:
    from ...specs import Accelerator

QUESTION = "How long does my all-reduce take, and how many tokens per chip hide it behind arithmetic?"
EXAMPLE = 'allreduce --bytes "2 GB" --nodes 32 --chip "H100 SXM" --nic "400 Gb/s"'

_SHORT = {  # names of the algorithms in the picture
    "sharded": "sharded", "flat ring, all NICs": "flat rings", "leader": "leader", "flat ring, one NIC per node": "one NIC a node",
}  # fmt: skip


def options(parser: ArgumentParser) -> None:
    """Add the options of the command."""
    shared_options.add_chip(parser)
    shared_options.add_precision(parser)
    parser.add_argument(
        "--bytes", type=quantity("B"), required=True, metavar="SIZE", help='buffer of each chip: "2 GB"'
    )
    parser.add_argument("--nodes", type=whole(most=1e6), required=True, metavar="N", help="number of nodes")
    parser.add_argument("--chips-per-node", type=whole(most=1024), metavar="N", help="(default: 8)")
    parser.add_argument("--nic", type=quantity("B/s"), metavar="RATE", help='NIC of one chip (default: "400 Gb/s")')
    parser.add_argument("--within", type=quantity("s"), metavar="TIME", help="required time")


def answer(options: Namespace) -> Answer:
    """Compute the times of the algorithms."""
    assumed = Assumptions(options)
    device = shared_options.chip(options, options.precision)
    chips = shared_options.chips_of_a_node(assumed)
    nic = shared_options.nic_of_a_chip(assumed)
    link = device.scale_up_bandwidth_one_way
    if link is None and chips > 1:
        raise UsageError(f"argument --chip: {device.name} has no scale-up link; use --chips-per-node 1")
    if link is not None:
        assumed.sheet(device, "scale_up_bandwidth_one_way", "scale-up bandwidth of a chip, unidirectional", link, "B/s")
    inside = link or nic
    if options.nodes * chips == 1:
        raise UsageError("argument --nodes: an all-reduce needs at least 2 chips")
    table = _times(options.bytes, chips, options.nodes, inside, nic)
    names = {
        "sharded": ("sharded_seconds", "hierarchical, sharded over all NICs"),
        "flat ring, all NICs": ("flat_seconds", "flat rings over all NICs"),
        "leader": ("leader_seconds", "hierarchical, one leader per node"),
        "flat ring, one NIC per node": ("one_adapter_seconds", "flat ring over one NIC per node"),
    }
    if options.nodes == 1:
        # Only the links of the node are used, so a row about NICs would be one about nothing.
        names = {"sharded": ("sharded_seconds", "ring over the links of the node")}
        table = {"sharded": table["sharded"]}
    functions = {
        "sharded": "collectives.hierarchical_all_reduce_time",
        "leader": "collectives.hierarchical_all_reduce_time",
    }
    switched = _in_switches(options, device, chips, inside, nic)
    least = min(table.values())
    rows = [
        Number(name=name, says=says, value=table[key], unit="s", low=min(table[key], switched or inf),
               function=functions.get(key, "collectives.ring_all_reduce_time"), topic="collectives")
        for key, (name, says) in names.items()
    ]  # fmt: skip
    if switched is not None:
        reached = _measured_in_switches(options, device, chips, nic) or switched
        measured = ", at the measured link rate" if reached != switched else ""
        rows.append(Number(
            name="in_switch_seconds", says=f"reduced by the switches (NVLS, SHARP){measured}", value=reached, unit="s", low=min(switched, least),
            function="collectives.switch_all_reduce_time", topic="collectives",
        ))  # fmt: skip
    times = sorted(rows, key=lambda one: one.value)
    numbers = (*times, *_critical_tokens(options, assumed, device, chips, inside, nic))
    fastest = times[0]
    late = options.within is not None and fastest.value > options.within
    problems = (
        (f"the fastest takes {format_value(fastest.value, 's')}, not {format_value(options.within, 's')}",)
        if late
        else ()
    )
    from ..pictures import all_reduce_times

    alone = options.nodes == 1
    short = {"sharded": "ring"} if alone else _SHORT
    said = f"{options.nodes * chips:,} {device.name}" + ("" if alone else f", {format_value(nic, 'B/s')} NIC")
    return Answer(
        picture=partial(all_reduce_times, options.bytes, (chips, options.nodes, inside, nic), short, said),
        command="allreduce", question=QUESTION, numbers=numbers, assumptions=assumed.rows, problems=problems,
        remarks=(
            "Times at datasheet rates, without latency; the chapters on links and collectives have measured rates.",
            *(
                ("At least: what switches that reduce could reach (NVLS inside a node, SHARP between nodes).",)
                if switched is not None
                else ()
            ),
        ),
    )  # fmt: skip


def _times(size: float, chips: int, nodes: int, inside: float, nic: float) -> dict[str, float]:
    """Return the time of each algorithm, seconds: the totals of collectives.hierarchy_table, which needs pandas."""
    from ... import collectives

    times = {
        scheme: float(collectives.hierarchical_all_reduce_time(size, chips, nodes, inside, nic, scheme=scheme))
        for scheme in ("leader", "sharded")
    }
    for name, nics in (("flat ring, one NIC per node", 1), ("flat ring, all NICs", chips)):
        times[name] = float(collectives.ring_all_reduce_time(size, chips * nodes, min(nics * nic, inside)))
    return times


def _critical_tokens(
    options: Namespace, assumed: Assumptions, device: Accelerator, chips: int, inside: float, nic: float
) -> tuple[Number, ...]:
    """Return the tokens that hide the all-reduce; none for a chip without a peak at this precision."""
    from ... import specs, utilization

    try:
        device.peak_flops_dense(options.precision)
    except specs.PrecisionNotSupported:
        return ()
    peak = shared_options.peak(device, options.precision, assumed)
    ring = utilization.ring_bandwidth(chips, inside, nic) if options.nodes > 1 else inside
    tokens = utilization.critical_tokens(options.nodes * chips, peak, ring)
    return (
        Number(name="critical_tokens", says="tokens per chip and step that hide it", value=tokens, unit="tokens", low=tokens,
               function="utilization.critical_tokens", topic="mfu"),
    )  # fmt: skip


def _in_switches(options: Namespace, device: Accelerator, chips: int, inside: float, nic: float) -> float | None:
    """Return the bound of an all-reduce in the switches, seconds; None if those of the node can't reduce."""
    from ... import collectives

    if chips == 1 or chips > 72 or not device.reduces_in_switches:
        return None
    node = collectives.switch_all_reduce_time(options.bytes, chips, inside)
    # Between nodes each NIC sends and receives its share once, while the next part is reduced inside.
    between = options.bytes / chips / nic if options.nodes > 1 else 0.0
    return float(max(node, between))


def _measured_in_switches(options: Namespace, device: Accelerator, chips: int, nic: float) -> float | None:
    """Return the time at the link rate measured on this chip during a reduction in the switches, if there is one."""
    from ... import collectives

    for machine in collectives.switch_sweeps():
        if machine.gpu == device.name or f"{machine.gpu} SXM" == device.name:
            rate = collectives.switch_wire_rate(machine.bus_bandwidth[-1], int(machine.gpus[-1]), gpus_on_switch=8)
            return _in_switches(options, device, chips, float(rate), nic)
    return None
