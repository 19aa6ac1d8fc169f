"""``kernel``: occupancy of a kernel and its limiters."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from .. import common
from ..answer import Answer, Number
from ..common import Assumptions, UsageError
from ..option_types import quantity, share, whole

QUESTION = "Will my kernel reach the required occupancy, and what limits it?"
EXAMPLE = 'kernel --chip "H100 SXM" --threads 256 --registers 80 --at-least 50%'
_WORDS = {
    "warps": "warps",
    "registers": "registers",
    "shared_memory": "shared memory",
    "blocks": "blocks",
    "barriers": "barriers",
}


def options(parser: ArgumentParser) -> None:
    """Add the options of the command."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--chip", metavar="NAME", help='NVIDIA\'s, such as "H100 SXM"')
    which.add_argument("--capability", metavar="X.Y", help="compute capability, such as 9.0")
    parser.add_argument("--threads", type=whole(most=1e6), required=True, metavar="N", help="per block")
    parser.add_argument("--registers", type=whole(least=0, most=1e6), metavar="N", help="per thread (default: 32)")
    parser.add_argument(
        "--shared",
        type=quantity("B", zero=True, binary=True),
        metavar="SIZE",
        help='dynamic shared memory per block, in bytes or as "48 KB" with the KB of CUDA, 1,024 bytes (default: 0)',
    )
    parser.add_argument("--at-least", type=share(), metavar="SHARE", help="required occupancy")


def answer(options: Namespace) -> Answer:
    """Compute the occupancy."""
    from ... import occupancy, specs
    from ...occupancy.result import UNLIMITED

    assumed = Assumptions(options)
    if options.chip is not None:
        with common.option_errors("--chip"):
            device = specs.accelerator(options.chip)
        if device.compute_capability is None:
            raise UsageError(
                f"argument --chip: {device.name} has no compute capability; use `occupancy.cdna_occupancy` for AMD"
            )
        capability, said = device.compute_capability, device.name
    else:
        capability, said = options.capability, "--capability"
    assumed.note("compute_capability", "compute capability", capability, "", "sheet" if options.chip else "given", said)
    registers = assumed.value("registers", "registers per thread", 32, "", "illustrative", "usual for a small kernel")
    shared = assumed.value("shared", "dynamic shared memory per block", 0.0, "B", "illustrative", "none")
    if shared != int(shared):
        raise UsageError(f"argument --shared: {shared} bytes is not a whole number")
    with common.option_errors("--capability" if options.capability else "--threads, --registers, --shared"):
        limits = occupancy.limits(capability)
    with common.option_errors("--threads, --registers, --shared"):
        found = occupancy.occupancy(limits.compute_capability, options.threads, registers, int(shared))
    reached = float(found.occupancy)
    stops = ", ".join(_WORDS[name] for name in found.block_limits._fields if name in found.limiters)
    numbers = [
        Number(name="occupancy", says="active warps over the maximum", value=reached, unit="share", function="occupancy.occupancy", topic="occupancy"),
        Number(name="limiters", says="limiters", value=stops, function="occupancy.occupancy", topic="occupancy"),
        Number(name="active_blocks", says="blocks per SM", value=int(found.active_blocks), unit="blocks",
               function="occupancy.occupancy", topic="occupancy"),
        Number(name="active_warps", says=f"warps of {found.max_warps}", value=int(found.active_warps), unit="warps",
               function="occupancy.occupancy", topic="occupancy"),
    ]  # fmt: skip
    used = {name: int(limit) for name, limit in zip(found.block_limits._fields, found.block_limits, strict=True)}
    numbers += [
        Number(name=f"blocks_by_{name}", says=f"{_WORDS[name]} limit", value=limit, unit="blocks",
               function="occupancy.occupancy", topic="occupancy", group="limits")
        for name, limit in used.items() if limit < UNLIMITED
    ]  # fmt: skip
    low = options.at_least is not None and reached < options.at_least
    problems = (f"{100 * reached:g} % is less than {100 * options.at_least:g} %, by {stops}",) if low else ()
    return Answer(
        command="kernel", question=QUESTION, numbers=tuple(numbers), assumptions=assumed.rows, problems=problems
    )
