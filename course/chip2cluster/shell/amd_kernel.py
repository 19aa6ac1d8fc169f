"""Occupancy of a kernel on AMD's CDNA compute units, and the refusal of other AMD chips."""

from __future__ import annotations

import re
from argparse import Namespace

from . import shared_options
from .answer import Answer, Number
from .assumptions import Assumptions
from .shared_options import UsageError

RDNA = re.compile(r"gfx1[0-2]\d\w|r(adeon )?x ?[5-9]\d{3}.*|.*\bw7\d00\b.*|rdna ?\d?", re.IGNORECASE)
_NVIDIA_ONLY = ("static", "carveout", "cluster", "barriers")
_WORDS = {"slots": "wavefront slots", "workgroups": "workgroups", "vector_registers": "vector registers", "lds": "LDS"}


def refuse_rdna(option: str, name: str) -> None:
    """Raise UsageError for a chip or a compiler target of RDNA."""
    if RDNA.fullmatch(name.strip()):
        raise UsageError(
            f"argument {option}: {name} is RDNA, and only the limits of CDNA are known here (gfx908 to gfx950, such as MI300X); "
            "hipcc -Rpass-analysis=kernel-resource-usage prints the occupancy of a kernel on it"
        )


def amd_answer(options: Namespace, question: str, target: str) -> Answer:
    """Return the answer of ``kernel`` for a CDNA chip or compiler target."""
    from .. import occupancy

    for name in _NVIDIA_ONLY:
        if getattr(options, name) is not None:
            raise UsageError(f"argument --{name}: a property of NVIDIA's kernels; {target} has none")
    assumed = Assumptions(options)
    with shared_options.option_errors("--capability" if options.chip is None else "--chip"):
        chip = occupancy.cdna_limits(target)
    assumed.note("target", "compiler target", chip.target, "", "sheet", "LLVM, AMDGPU back end")
    registers = assumed.value(
        "registers", "vector registers (VGPRs) of a work-item", 32, "", "illustrative", "usual for a small kernel"
    )
    lds = assumed.value("shared", "local data share (LDS) of a workgroup", 0.0, "B", "illustrative", "none")
    resources = (target, options.threads, registers, 0, int(lds))
    with shared_options.option_errors("--threads, --registers, --shared"):
        alone = occupancy.cdna_wave_limits(*resources)
        waves = int(occupancy.cdna_occupancy(*resources))
        groups = int(occupancy.cdna_workgroups(*resources))
    wide = -(-options.threads // chip.wavefront_size)
    resident = groups * wide / (chip.simds_per_cu * chip.max_waves_per_simd)
    stops = ", ".join(_WORDS[name] for name, limit in alone._asdict().items() if int(limit) == waves)
    numbers = [
        Number(name="occupancy", says="wavefronts of whole workgroups over the maximum", value=resident, unit="share", function="occupancy.cdna_workgroups", topic="occupancy"),
        Number(name="waves_per_simd", says=f"wavefronts per SIMD of {chip.max_waves_per_simd}, as the compiler prints", value=waves, unit="wavefronts",
               function="occupancy.cdna_occupancy", topic="occupancy"),
        Number(name="limiters", says="limiters", value=stops, function="occupancy.cdna_wave_limits", topic="occupancy"),
        Number(name="active_blocks", says="workgroups per CU", value=groups, unit="workgroups", function="occupancy.cdna_workgroups", topic="occupancy"),
    ]  # fmt: skip
    low = options.at_least is not None and resident < options.at_least
    problems: tuple[str, ...] = (
        (f"{100 * resident:g} % is less than {100 * options.at_least:g} %, by {stops}",) if low else ()
    )
    if groups == 0:
        problems += ("a workgroup does not fit: the kernel cannot start",)
    remarks = ("Accumulation registers and scalar registers are left out.",)
    return Answer(
        command="kernel",
        question=question,
        numbers=tuple(numbers),
        assumptions=assumed.rows,
        problems=problems,
        remarks=remarks,
    )
