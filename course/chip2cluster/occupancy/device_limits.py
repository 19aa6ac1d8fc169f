"""Limits of an SM or a CDNA compute unit, from the package data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from .._validate import choice
from ..provenance import Source


class _SourcedLimits:
    """Limits with a source for each field."""

    _sources: Mapping[str, Source]

    def source(self, name: str) -> Source:
        """Return the source of one field, such as ``"max_warps_per_sm"``."""
        return self._sources[choice("name", name, tuple(self._sources))]


@dataclass(frozen=True)
class Limits(_SourcedLimits):
    """Limits of one NVIDIA streaming multiprocessor (SM); see `limits`.

    Memory is in bytes; registers have 32 bits. ``barriers_per_sm`` is None if NVIDIA's
    calculator counts no barriers (before compute capability 9.0). ``carveout_sizes`` are
    the shared-memory sizes that an SM can be configured to.
    """

    compute_capability: str
    warp_size: int
    max_threads_per_block: int
    max_threads_per_sm: int
    max_warps_per_sm: int
    max_blocks_per_sm: int
    registers_per_sm: int
    max_registers_per_block: int
    max_registers_per_thread: int
    register_allocation_unit: int
    sub_partitions_per_sm: int
    shared_memory_per_sm: int
    shared_memory_per_block_default: int
    shared_memory_per_block_opt_in: int
    reserved_shared_memory_per_block: int
    shared_memory_allocation_unit: int
    carveout_sizes: tuple[int, ...]
    barriers_per_sm: int | None
    max_barriers_per_block: int
    _sources: Mapping[str, Source] = field(repr=False, compare=False)


@dataclass(frozen=True)
class CdnaLimits(_SourcedLimits):
    """Limits of one AMD CDNA compute unit (CU); see `cdna_limits`.

    ``vector_registers_per_lane`` are 32-bit registers of one SIMD lane, shared by its
    wavefronts. A unified file holds both kinds of registers (vector and accumulation);
    otherwise each kind has a file of that size. ``lds_per_cu`` (local data share) is in
    bytes.
    """

    target: str
    parts: tuple[str, ...]
    wavefront_size: int
    simds_per_cu: int
    max_waves_per_simd: int
    max_workgroup_size: int
    max_workgroups_with_barrier: int
    vector_registers_per_lane: int
    unified_register_file: bool
    max_registers_per_kind: int
    register_allocation_unit: int
    lds_per_cu: int
    _sources: Mapping[str, Source] = field(repr=False, compare=False)


def limits(compute_capability: str) -> Limits:
    """Return the limits of an SM: the resources that its blocks share, and their allocation units.

    Parameters
    ----------
    compute_capability : str
        Compute capability, ``"7.0"`` (V100) to ``"12.1"``: ``"8.0"`` is the A100, ``"9.0"``
        the H100 and H200, ``"10.0"`` the B200, ``"12.0"`` the RTX Blackwell cards.

    Returns
    -------
    Limits
        Warps, blocks, registers, shared memory and barriers.

    Notes
    -----
    Ignores tensor memory (`tensor_memory_blocks`), clusters (`active_clusters`) and warps
    reserved by tools. Sources: NVIDIA CCCL ``arch_traits.h`` and ``cuda_occupancy.h``; for
    each value see `Limits.source`.

    Examples
    --------
    >>> chip = limits("9.0")
    >>> chip.max_warps_per_sm, chip.shared_memory_per_sm // 1024
    (64, 228)
    >>> chip.source("registers_per_sm").citation
    'NVIDIA CCCL 13.3.5, cuda/__device/arch_traits.h'
    """
    table = _cuda()
    if isinstance(compute_capability, str) and compute_capability in table:
        return table[compute_capability]
    problem = _unknown("compute_capability", compute_capability, table)
    suggestion = _suggestion(compute_capability, table)
    raise type(problem)(f"{problem}; {suggestion}" if suggestion else str(problem))


def _suggestion(given: object, table: Iterable[str]) -> str:
    """Return a hint for a number, a compiler's name such as sm_90, or a chip's name; empty if nothing is similar."""
    digits = re.sub(r"^(sm|compute)?_?|[.]|[af]$", "", str(given).casefold())
    if same := [name for name in table if digits in (name.replace(".", ""), name.removesuffix(".0"))]:
        return f"write {same[0]!r}"
    from .. import specs  # the catalogue is loaded only if needed

    prefix = "".join(letter for letter in digits if letter.isalnum())
    chips: dict[str, str] = {}
    for chip in specs.accelerators():
        if chip.compute_capability and prefix and "".join(filter(str.isalnum, chip.name.casefold())).startswith(prefix):
            chips.setdefault(chip.compute_capability, chip.name)
    return " and ".join(f"the {name} has {capability!r}" for capability, name in chips.items())


def cdna_limits(target: str) -> CdnaLimits:
    """Return the limits of a CDNA compute unit (CU).

    Parameters
    ----------
    target : str
        Compiler target (``"gfx90a"``) or product (``"MI250X"``), in any case.

    Returns
    -------
    CdnaLimits
        Wavefronts, workgroups, registers and LDS.

    Notes
    -----
    Ignores scalar registers. Sources: the AMDGPU back end of LLVM; for each value see
    `CdnaLimits.source`.

    Examples
    --------
    >>> cdna_limits("MI300X").target, cdna_limits("gfx950").lds_per_cu
    ('gfx942', 163840)
    """
    table = _cdna()
    name = target.lower() if isinstance(target, str) else None
    if name in table:
        return table[name]
    targets = dict.fromkeys(record.target for record in table.values())
    parts = (part for name in targets for part in table[name].parts)
    raise _unknown("target", target, [*targets, *parts])


def _unknown(name: str, value: object, choices: Iterable[str]) -> Exception:
    kind = ValueError if isinstance(value, str) else TypeError
    return kind(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


@cache
def _data() -> dict[str, Any]:
    from importlib.resources import files  # slow to import

    return json.loads((files("chip2cluster") / "data" / "occupancy_limits.json").read_text(encoding="utf-8"))


def _record(kind: Any, own: dict[str, Any], **named: str) -> Any:
    sources = {key: Source(**record) for key, record in _data()["sources"].items()}
    values = {name: tuple(value) if isinstance(value, list) else value for name, (value, _) in own.items()}
    assert named.keys() | values.keys() | {"_sources"} == {f.name for f in fields(kind)}
    return kind(**named, **values, _sources={name: sources[source] for name, (_, source) in own.items()})


@cache
def _cuda() -> dict[str, Limits]:
    common = _data()["cuda_common"]
    return {name: _record(Limits, common | own, compute_capability=name) for name, own in _data()["cuda"].items()}


@cache
def _cdna() -> dict[str, CdnaLimits]:
    table: dict[str, CdnaLimits] = {}
    for target, own in _data()["cdna"].items():
        record = _record(CdnaLimits, own, target=target)
        table |= {name.lower(): record for name in (target, *record.parts)}
    return table
