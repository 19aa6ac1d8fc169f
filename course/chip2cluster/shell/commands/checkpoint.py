"""``checkpoint``: how often to save a run, how large that is, and what failures leave of the time."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from math import ceil

from .. import shared_options
from ..answer import Answer, Number
from ..assumptions import Assumptions, cited
from ..option_types import number, quantity, share, whole
from ..shared_options import UsageError
from ..text_format import format_value

QUESTION = "How often to save a long run, how large is a checkpoint, and what do failures leave of the time?"
EXAMPLE = 'checkpoint --model "Llama 3 70B" --chips 1024 --storage "100 GB/s" --work "60 days"'


def options(parser: ArgumentParser) -> None:
    """Add the options of the command."""
    shared_options.add_model(parser, parameters=True)
    shared_options.add_chips(parser, required=True)
    parser.add_argument("--chips-per-node", type=whole(most=1024), metavar="N", help="(default: 8)")
    parser.add_argument(
        "--storage",
        type=quantity("B/s"),
        required=True,
        metavar="RATE",
        help='write bandwidth, all nodes together: "100 GB/s"',
    )
    parser.add_argument(
        "--node-bandwidth",
        type=quantity("B/s"),
        metavar="RATE",
        help='from one node to the storage (default: "25 GB/s")',
    )
    parser.add_argument(
        "--copy-bandwidth",
        type=quantity("B/s"),
        metavar="RATE",
        help='of one node to its host memory (default: "100 GB/s")',
    )
    parser.add_argument("--synchronous", action="store_true", help="the job stops until the checkpoint is written")
    parser.add_argument(
        "--bytes-per-parameter", type=number(least=0.1, most=64), metavar="N", help="of a checkpoint (default: 14)"
    )
    parser.add_argument(
        "--node-mtbf", type=quantity("s"), metavar="TIME", help='of one node: "264 days"; published rates by default'
    )
    parser.add_argument(
        "--restart", type=quantity("s"), metavar="TIME", help='from a failure until work continues (default: "10 min")'
    )
    parser.add_argument(
        "--interval",
        type=quantity("s"),
        metavar="TIME",
        help="work between two checkpoints (default: the optimum)",
    )
    parser.add_argument(
        "--work", type=quantity("s"), metavar="TIME", help='of the run without failures (default: "30 days")'
    )
    parser.add_argument("--goodput", type=share(), metavar="SHARE", help="required fraction")


def answer(options: Namespace) -> Answer:
    """Compute checkpoint interval and goodput."""
    from ... import reliability, transformer

    assumed = Assumptions(options)
    config = shared_options.config(options)
    count = options.parameters if config is None else float(transformer.parameters(config))
    per_node = shared_options.chips_of_a_node(assumed)
    nodes = ceil(options.chips / per_node)
    each = assumed.value(
        "bytes_per_parameter", "bytes per parameter", 14.0, "B", "sheet", "16-bit weights, 12 for Adam"
    )
    size = count * each
    towards = assumed.value(
        "node_bandwidth", "bandwidth from a node to the storage", 25e9, "B/s", "illustrative", "one 200 Gb/s NIC"
    )
    if options.synchronous:
        stall = reliability.checkpoint_time(size, nodes, towards, options.storage)
        safe = 0.0
    else:
        copied = assumed.value(
            "copy_bandwidth",
            "bandwidth from the chips of a node to host memory",
            100e9,
            "B/s",
            "illustrative",
            "eight lanes of PCIe 4.0 per chip",
        )
        dump = reliability.asynchronous_checkpoint(size, nodes, copied, towards, options.storage)
        stall, safe = dump.stall_seconds, dump.persist_seconds
    restart = assumed.value(
        "restart", "from a failure until work continues", 600.0, "s", "illustrative", "minutes, in published runs"
    )
    work = assumed.value("work", "total work", 30 * 86400.0, "s", "illustrative", "a month")
    least, middle, most = _mtbf(assumed, options, nodes)
    shortest = max(safe - stall, 0.0) * (1 + 1e-12)

    def best(mean: float) -> float:
        return options.interval or max(reliability.optimal_interval(stall, mean), shortest)

    def needed(mean: float) -> float:
        return float(reliability.expected_time(work, best(mean), stall, restart, mean, persist_seconds=safe))

    interval = best(middle)
    if interval < shortest:
        raise UsageError(
            f"argument --interval: {format_value(interval, 's')} ends before a checkpoint is written; at least {format_value(shortest, 's')}"
        )
    lasts, longest, shortest_run = needed(middle), needed(least), needed(most)
    reached = work / lasts
    numbers = (
        Number(name="interval_seconds", says="work between two checkpoints", value=interval, unit="s", low=best(least),
               high=best(most), function="reliability.optimal_interval", topic="storage"),
        Number(name="goodput", says="goodput: fraction of productive time", value=reached, unit="share", low=work / longest,
               high=work / shortest_run, function="reliability.expected_time", topic="storage"),
        Number(name="seconds", says=f"the run of {format_value(work, 's')}, with failures", value=lasts, unit="s",
               low=shortest_run, high=longest, function="reliability.expected_time", topic="storage"),
        Number(name="failures", says="failures in that time", value=lasts / middle, unit="", low=shortest_run / most,
               high=longest / least, function="reliability.expected_failures", topic="storage"),
        Number(name="mtbf_seconds", says="MTBF of the job", value=middle, unit="s", low=least, high=most,
               function="reliability.mtbf", topic="storage"),
        Number(name="checkpoint_bytes", says="size of a checkpoint", value=size, unit="B", function="reliability.checkpoint_bytes", topic="storage"),
        Number(name="stall_seconds", says="stall of the job per checkpoint", value=stall, unit="s", low=stall,
               function="reliability.checkpoint_time" if options.synchronous else "reliability.asynchronous_checkpoint", topic="storage"),
        Number(name="persist_seconds", says="time until it is written after the stall", value=safe, unit="s", low=safe,
               function="reliability.asynchronous_checkpoint", topic="storage"),
    )  # fmt: skip
    required = options.goodput
    problems = []
    if reached == 0:
        problems.append(
            f"the run never ends: it fails every {format_value(middle, 's')}, and a checkpoint takes too long"
        )
    elif required is not None and reached < required:
        problems.append(f"{100 * reached:.1f} % of the time is work, not {100 * required:g} %")
    return Answer(
        command="checkpoint", question=QUESTION, numbers=numbers, assumptions=assumed.rows, problems=tuple(problems),
        remarks=("Failures at a constant rate, always a spare node available; storage rates are upper bounds.",),
    )  # fmt: skip


def _mtbf(assumed: Assumptions, options: Namespace, nodes: int) -> tuple[float, float, float]:
    """Return low, middle and high MTBF of the job from published machines, seconds."""
    from ... import reliability

    if options.node_mtbf is not None:
        own = assumed.given("node_mtbf", "MTBF of a node", "s")
        return (reliability.mtbf(nodes, 1 / own),) * 3
    rates = sorted(reliability.observed_rates(), key=lambda rate: rate.failures_per_node_second)
    usual = next(rate for rate in rates if rate.name.startswith("Llama 3"))
    assumed.value(
        "node_mtbf", "MTBF of a node", 1 / usual.failures_per_node_second, "s", "measured",
        f"{usual.name}: {cited(usual.source)}; between: {rates[-1].name} and {rates[0].name}",
    )  # fmt: skip
    chosen = rates[-1], usual, rates[0]
    shortest, middle, longest = (reliability.mtbf(nodes, rate.failures_per_node_second) for rate in chosen)
    return shortest, middle, longest
