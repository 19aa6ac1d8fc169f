"""What the calculation of `occupancy` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .arguments import LARGEST, operations

if TYPE_CHECKING:
    from .._typing import BoolOrArray, FloatOrArray, IntOrArray

UNLIMITED = LARGEST  # a kernel that uses none of a resource; NVIDIA's calculator says INT_MAX


class BlockLimits(NamedTuple):
    """How many blocks each resource alone would allow; `UNLIMITED` where none is used."""

    warps: IntOrArray
    registers: IntOrArray
    shared_memory: IntOrArray
    blocks: IntOrArray
    barriers: IntOrArray


# One shared set for each combination: bit i stands for the i-th field of BlockLimits.
_SETS = np.array(
    [frozenset(name for bit, name in enumerate(BlockLimits._fields) if mask >> bit & 1) for mask in range(32)],
    dtype=object,
)


@dataclass(frozen=True)
class Occupancy:
    """Result of `occupancy`: ints for scalars, int64 arrays of the broadcast shape otherwise.

    Attributes
    ----------
    active_blocks : int or array
        Blocks that live on one multiprocessor together; 0: the block does not fit.
    active_warps : int or array
        Warps of those blocks.
    max_warps : int
        Warps that the multiprocessor could hold.
    block_limits : BlockLimits
        Blocks that each resource alone would allow.
    registers_per_block, shared_memory_per_block : int or array
        What a block is really given, after rounding: registers and bytes.
    """

    active_blocks: IntOrArray
    active_warps: IntOrArray
    max_warps: int
    block_limits: BlockLimits
    registers_per_block: IntOrArray
    shared_memory_per_block: IntOrArray

    @property
    def occupancy(self) -> FloatOrArray:
        """Active warps over the most that fit, 0 to 1 (not the ratio of blocks)."""
        return self.active_warps / self.max_warps

    @property
    def limiters(self) -> frozenset[str] | Any:
        """The set of limiting factors, all of them in a tie; an array of sets for arrays.

        As NVIDIA's calculator reports it: barriers are counted last, and where they
        cut deeper than the rest, the factors that would have held without them stay
        in the set. `block_limits` says what each factor alone allows.
        """
        mask = sum(self.limited_by(name) << bit for bit, name in enumerate(BlockLimits._fields))
        return _SETS[mask]

    def limited_by(self, factor: str) -> BoolOrArray:
        """Whether ``factor`` is one of `limiters`: a bool, or an array of them.

        ``factor`` is ``"warps"``, ``"registers"``, ``"shared_memory"``, ``"blocks"``
        or ``"barriers"``.
        """
        if factor not in BlockLimits._fields:
            raise ValueError(f"factor must be one of {', '.join(map(repr, BlockLimits._fields))}, got {factor!r}")
        *others, barriers = self.block_limits
        if factor == "barriers":
            return barriers == self.active_blocks
        return getattr(self.block_limits, factor) == operations(*others).least_of(others)
