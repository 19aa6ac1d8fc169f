"""Result of the occupancy calculation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._validate import LARGEST_COUNT
from .array_operations import operations

if TYPE_CHECKING:
    from .._typing import BoolOrArray, FloatOrArray, IntOrArray

UNLIMITED = LARGEST_COUNT  # limit by a resource that a kernel does not use; INT_MAX in NVIDIA's calculator


class BlockLimits(NamedTuple):
    """Number of blocks that each resource alone allows; `UNLIMITED` for a resource that is not used."""

    warps: IntOrArray
    registers: IntOrArray
    shared_memory: IntOrArray
    blocks: IntOrArray
    barriers: IntOrArray


# One shared set for each combination: bit i represents the i-th field of BlockLimits.
_SETS = np.array(
    [frozenset(name for bit, name in enumerate(BlockLimits._fields) if mask >> bit & 1) for mask in range(32)],
    dtype=object,
)


@dataclass(frozen=True)
class Occupancy:
    """Result of `occupancy`: int for scalars, int64 arrays of the broadcast shape otherwise.

    Attributes
    ----------
    active_blocks : int or array
        Number of blocks resident on one SM; 0 if the block does not fit.
    active_warps : int or array
        Number of warps of those blocks.
    max_warps : int
        Maximum number of warps on the SM.
    block_limits : BlockLimits
        Number of blocks that each resource alone allows.
    registers_per_block : int or array
        Registers allocated to a block, after rounding.
    shared_memory_per_block : int or array
        Shared memory allocated to a block, after rounding, bytes.
    """

    active_blocks: IntOrArray
    active_warps: IntOrArray
    max_warps: int
    block_limits: BlockLimits
    registers_per_block: IntOrArray
    shared_memory_per_block: IntOrArray

    @property
    def occupancy(self) -> FloatOrArray:
        """Active warps over the maximum number of warps, 0 to 1 (not the ratio of blocks)."""
        return self.active_warps / self.max_warps

    @property
    def limiters(self) -> frozenset[str] | Any:
        """Set of limiting factors, all of them in a tie; an array of sets for arrays.

        As in NVIDIA's calculator, barriers are counted last: if they limit more than the
        other factors, those that would limit without them stay in the set. `block_limits`
        has the limit of each factor.
        """
        mask = sum(self.limited_by(name) << bit for bit, name in enumerate(BlockLimits._fields))
        return _SETS[mask]

    def limited_by(self, factor: str) -> BoolOrArray:
        """Return whether ``factor`` is one of `limiters`, as a bool or an array of bool.

        ``factor`` is ``"warps"``, ``"registers"``, ``"shared_memory"``, ``"blocks"``
        or ``"barriers"``.
        """
        if factor not in BlockLimits._fields:
            raise ValueError(f"factor must be one of {', '.join(map(repr, BlockLimits._fields))}, got {factor!r}")
        *others, barriers = self.block_limits
        if factor == "barriers":
            return barriers == self.active_blocks
        return getattr(self.block_limits, factor) == operations(*others).minimum_of(others)
