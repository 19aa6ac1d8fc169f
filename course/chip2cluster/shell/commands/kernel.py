"""``kernel``: why a kernel's occupancy is what it is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from .. import common
from ..answer import Answer, Number
from ..common import Taken, Unusable
from ..reading import quantity, share, whole

QUESTION = "Will my kernel reach the occupancy that I want, and what stops it?"
EXAMPLE = 'kernel --chip "H100 SXM" --threads 256 --registers 80 --at-least 50%'
_WORDS = {
    "warps": "warps",
    "registers": "registers",
    "shared_memory": "shared memory",
    "blocks": "blocks",
    "barriers": "barriers",
}


def options(parser: ArgumentParser) -> None:
    """What the command takes."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--chip", metavar="NAME", help='NVIDIA\'s, such as "H100 SXM"')
    which.add_argument("--capability", metavar="X.Y", help="compute capability, such as 9.0")
    parser.add_argument("--threads", type=whole(most=1e6), required=True, metavar="N", help="of a block")
    parser.add_argument("--registers", type=whole(least=0, most=1e6), metavar="N", help="of a thread (default: 32)")
    parser.add_argument(
        "--shared",
        type=quantity("B", zero=True),
        metavar="SIZE",
        help='dynamic shared memory of a block (default: "0 B")',
    )
    parser.add_argument("--at-least", type=share(), metavar="SHARE", help="that is wished for")


def answer(options: Namespace) -> Answer:
    """Fill a multiprocessor."""
    from ... import occupancy, specs
    from ...occupancy.result import UNLIMITED

    taken = Taken(options)
    if options.chip is not None:
        with common.named("--chip"):
            device = specs.accelerator(options.chip)
        if device.compute_capability is None:
            raise Unusable(
                f"argument --chip: {device.name} has no compute capability; `occupancy.cdna_occupancy` knows AMD's"
            )
        capability, said = device.compute_capability, device.name
    else:
        capability, said = options.capability, "--capability"
    taken.note("compute_capability", "compute capability", capability, "", "sheet" if options.chip else "given", said)
    registers = taken.value("registers", "registers of a thread", 32, "", "illustrative", "what a small kernel takes")
    shared = taken.value("shared", "dynamic shared memory of a block", 0.0, "B", "illustrative", "none")
    if shared != int(shared):
        raise Unusable(f"argument --shared: {shared} bytes are no whole number of them")
    with common.named("--capability" if options.capability else "--threads, --registers, --shared"):
        limits = occupancy.limits(capability)
    with common.named("--threads, --registers, --shared"):
        found = occupancy.occupancy(limits.compute_capability, options.threads, registers, int(shared))
    reached = float(found.occupancy)
    stops = ", ".join(_WORDS[name] for name in found.block_limits._fields if name in found.limiters)
    numbers = [
        Number(name="occupancy", says="warps of those that fit", value=reached, unit="share", function="occupancy.occupancy", topic="occupancy"),
        Number(name="limiters", says="what stops the next block", value=stops, function="occupancy.occupancy", topic="occupancy"),
        Number(name="active_blocks", says="blocks on a multiprocessor", value=int(found.active_blocks), unit="blocks",
               function="occupancy.occupancy", topic="occupancy"),
        Number(name="active_warps", says=f"warps of {found.max_warps}", value=int(found.active_warps), unit="warps",
               function="occupancy.occupancy", topic="occupancy"),
    ]  # fmt: skip
    used = {name: int(limit) for name, limit in zip(found.block_limits._fields, found.block_limits, strict=True)}
    numbers += [
        Number(name=f"blocks_by_{name}", says=f"{_WORDS[name]} alone allow", value=limit, unit="blocks",
               function="occupancy.occupancy", topic="occupancy", group="what each allows")
        for name, limit in used.items() if limit < UNLIMITED
    ]  # fmt: skip
    low = options.at_least is not None and reached < options.at_least
    problems = (f"{100 * reached:g} % is less than {100 * options.at_least:g} %, by {stops}",) if low else ()
    return Answer(
        command="kernel", question=QUESTION, numbers=tuple(numbers), assumptions=taken.rows, problems=problems
    )
