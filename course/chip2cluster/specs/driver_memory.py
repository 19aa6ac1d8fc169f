"""Memory of a chip as its driver reports it: a datasheet's 80 GB are often slightly less than 80 GiB."""

from __future__ import annotations

from ..provenance import Source

MIB, GIB = 2**20, 2**30

_SMI = Source(
    "memory.total of nvidia-smi in public logs; H100 SXM and H200 SXM also recorded by us", "2026-11", "secondary"
)
_SMI_MEMORY = Source("memory.total of nvidia-smi in public logs", "2026-11", "memory")
_ROCM = Source("VRAM Total Memory of rocm-smi in public logs", "2026-11", "memory")
_AT_MOST = Source("the datasheet's capacity read in GiB, the most that it can be", "2026-11", "low")

_PRINTED: dict[str, tuple[float, Source]] = {
    "T4": (15_360 * MIB, _SMI_MEMORY),
    "A100 SXM 40GB": (40_960 * MIB, _SMI),
    "A100 SXM 80GB": (81_920 * MIB, _SMI),
    "A100 PCIe 40GB": (40_960 * MIB, _SMI),
    "A100 PCIe 80GB": (81_920 * MIB, _SMI),
    "A10": (23_028 * MIB, _SMI_MEMORY),
    "A40": (46_068 * MIB, _SMI_MEMORY),
    "RTX 3090": (24_576 * MIB, _SMI),
    "RTX 4090": (24_564 * MIB, _SMI),
    "H100 SXM": (81_559 * MIB, _SMI),
    "H100 PCIe": (81_559 * MIB, _SMI),
    "H800": (81_559 * MIB, _SMI),
    "H20": (97_871 * MIB, _SMI_MEMORY),
    "H200 SXM": (143_771 * MIB, _SMI),
    "GH200 96GB": (97_871 * MIB, _SMI_MEMORY),
    "B200": (183_359 * MIB, _SMI),
    "GB200": (189_471 * MIB, _SMI_MEMORY),
    "L4": (23_034 * MIB, _SMI),
    "L40S": (46_068 * MIB, _SMI),
    "RTX PRO 6000 Workstation": (97_887 * MIB, _SMI_MEMORY),
    "MI210": (68_702_699_520, _ROCM),
    "MI250X": (2 * 68_702_699_520, _ROCM),
    "MI300X": (206_141_652_992, _ROCM),
}


def driver_memory(name: str, memory_bytes: float, kind: str) -> tuple[float, Source]:
    """Return the memory that a chip's driver reports, bytes, or an upper bound from its datasheet."""
    if name in _PRINTED:
        return _PRINTED[name]
    if kind == "cpu":
        return memory_bytes, _AT_MOST
    return memory_bytes * GIB / 1e9, _AT_MOST
