"""Names for what the models take and give; read by type checkers and editors alone.

Other modules import it under ``TYPE_CHECKING``, so that none needs NumPy for its
annotations. A model takes scalars and arrays alike, and gives a plain number for
scalars. Which of the two a call gives cannot be told from one signature, so the array
stands as `Any`: a caller who gave scalars need not prove that a number came back, and
an editor completes what a number can do.
"""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, TypeVar

from numpy.typing import ArrayLike, NDArray

T = TypeVar("T")

FloatOrArray: TypeAlias = float | Any
IntOrArray: TypeAlias = int | Any
BoolOrArray: TypeAlias = bool | Any

# One array where all ranks hold equally much, else one for each rank.
Vectors: TypeAlias = NDArray[Any] | Sequence[NDArray[Any]]

Operation: TypeAlias = Literal["sum", "prod", "max", "min"]
Scheme: TypeAlias = Literal["sharded", "leader"]
Dataflow: TypeAlias = Literal["weight_stationary", "output_stationary"]
Recompute: TypeAlias = Literal["none", "selective", "full"]
SelectiveRule: TypeAlias = Literal["rerun", "paper"]
Convention: TypeAlias = Literal["6n", "palm", "torchtitan", "megatron"]

__all__ = [
    "ArrayLike",
    "BoolOrArray",
    "Convention",
    "Dataflow",
    "FloatOrArray",
    "IntOrArray",
    "NDArray",
    "Operation",
    "Recompute",
    "Scheme",
    "SelectiveRule",
    "T",
    "Vectors",
]
