"""``kernel``: occupancy of a kernel and its limiters."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace

from .. import shared_options
from ..amd_kernel import amd_answer, refuse_rdna
from ..answer import Answer, Number
from ..assumptions import Assumptions
from ..option_types import quantity, share, whole
from ..shared_options import UsageError

QUESTION = "Will my kernel reach the required occupancy, and what limits it?"
EXAMPLE = 'kernel --chip "H100 SXM" --threads 256 --registers 80 --at-least 50%'
_WORDS = {
    "warps": "warps",
    "registers": "registers",
    "shared_memory": "shared memory",
    "blocks": "blocks",
    "barriers": "barriers",
}


_RESOURCES = "--threads, --registers, --shared, --static, --carveout, --barriers"


def options(parser: ArgumentParser) -> None:
    """Add the options of the command."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--chip", metavar="NAME", help="NVIDIA's or AMD's, such as \"H100 SXM\" or MI300X")
    which.add_argument(
        "--capability", metavar="X.Y", help="compute capability, such as 9.0, or AMD's target, such as gfx942"
    )
    size = quantity("B", zero=True, binary=True)
    parser.add_argument("--threads", type=whole(most=1e6), required=True, metavar="N", help="per block")
    parser.add_argument("--registers", type=whole(least=0, most=1e6), metavar="N", help="per thread (default: 32)")
    parser.add_argument(
        "--shared", type=size, metavar="SIZE",
        help='dynamic shared memory per block, in bytes or as "48 KB" with the KB of CUDA, 1,024 bytes (default: 0)',
    )  # fmt: skip
    parser.add_argument(
        "--static", type=size, metavar="SIZE", help="static shared memory per block, as ptxas -v prints it (default: 0)"
    )
    parser.add_argument(
        "--carveout",
        type=share(zero=True),
        metavar="SHARE",
        help="preferred fraction of the largest shared memory (default: the driver's)",
    )
    parser.add_argument("--barriers", type=whole(least=0, most=16), metavar="N", help="named barriers (default: 1)")
    parser.add_argument(
        "--cluster",
        type=whole(most=16),
        metavar="N",
        help="blocks of a thread block cluster: counts the clusters of the chip",
    )
    parser.add_argument("--at-least", type=share(), metavar="SHARE", help="required occupancy")


def answer(options: Namespace) -> Answer:
    """Compute the occupancy."""
    from ... import occupancy, specs
    from ...occupancy.result import UNLIMITED

    refuse_rdna("--chip" if options.chip else "--capability", options.chip or options.capability)
    assumed = Assumptions(options)
    if options.chip is not None:
        with shared_options.option_errors("--chip"):
            device = specs.accelerator(options.chip)
        if device.compute_capability is None:
            if device.vendor == "AMD":
                return amd_answer(options, QUESTION, device.name)
            raise UsageError(f"argument --chip: {device.name} runs no CUDA or HIP kernels, so it has no occupancy")
        capability, said = device.compute_capability, device.name
    elif options.capability.casefold().startswith("gfx"):
        return amd_answer(options, QUESTION, options.capability)
    else:
        capability, said = options.capability, "--capability"
    if re.fullmatch(r"[1-6]\.\d", capability):
        raise UsageError(
            f"argument {'--chip' if options.chip else '--capability'}: compute capability {capability} is older than 7.0 (V100), "
            "where the limits known here begin; cudaOccupancyMaxActiveBlocksPerMultiprocessor answers on the card"
        )
    assumed.note("compute_capability", "compute capability", capability, "", "sheet" if options.chip else "given", said)
    registers = assumed.value("registers", "registers per thread", 32, "", "illustrative", "usual for a small kernel")
    shared = assumed.value("shared", "dynamic shared memory per block", 0.0, "B", "illustrative", "none")
    static = assumed.value("static", "static shared memory per block", 0.0, "B", "illustrative", "none")
    barriers = assumed.value("barriers", "named barriers per block", 1, "", "illustrative", "__syncthreads() is one")
    for name, value in (("shared", shared), ("static", static)):
        if value != int(value):
            raise UsageError(f"argument --{name}: {value} bytes is not a whole number")
    carveout = None
    if options.carveout is not None:
        carveout = round(100 * assumed.given("carveout", "preferred fraction of shared memory", "share"))
    with shared_options.option_errors("--capability" if options.capability else _RESOURCES):
        limits = occupancy.limits(capability)
    with shared_options.option_errors(_RESOURCES):
        found = occupancy.occupancy(
            limits.compute_capability, options.threads, registers, int(shared),
            static_shared_memory=int(static), carveout=carveout, barriers=barriers,
        )  # fmt: skip
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
    if options.cluster is not None:
        numbers.append(_clusters(options, capability, int(found.active_blocks)))
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


def _clusters(options: Namespace, capability: str, active_blocks: int) -> Number:
    from ... import occupancy

    if capability != "9.0":
        raise UsageError(
            f"argument --cluster: the groups of SMs (GPCs) of compute capability {capability} are not known here, only those of an "
            "H100 and H200; occupancy.active_clusters takes them as multiprocessors_by_group"
        )
    count = occupancy.active_clusters(options.cluster, active_blocks, occupancy.MEASURED_GROUPS)
    says = f"clusters of {options.cluster} blocks on a chip with the groups of our H100 and H200"
    return Number(
        name="active_clusters",
        says=says,
        value=int(count),
        unit="clusters",
        function="occupancy.active_clusters",
        topic="occupancy",
    )
