"""Type aliases of the models, for type checkers and editors only.

Other modules import it under ``TYPE_CHECKING``, so annotations do not need NumPy. A model
accepts scalars and arrays, and returns a float for scalars. One signature cannot express
this, so the array is `Any`: callers with scalars need no cast, and editors complete the
methods of a number.
"""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, TypeVar

from numpy.typing import ArrayLike, NDArray

T = TypeVar("T")

FloatOrArray: TypeAlias = float | Any
IntOrArray: TypeAlias = int | Any
BoolOrArray: TypeAlias = bool | Any

# One array if all ranks hold equally many elements, else one per rank.
Vectors: TypeAlias = NDArray[Any] | Sequence[NDArray[Any]]

Operation: TypeAlias = Literal["sum", "prod", "max", "min"]
Scheme: TypeAlias = Literal["sharded", "leader"]
Dataflow: TypeAlias = Literal["weight_stationary", "output_stationary"]
Recompute: TypeAlias = Literal["none", "selective", "full"]
SelectiveRule: TypeAlias = Literal["rerun", "paper"]
Convention: TypeAlias = Literal["6n", "palm", "torchtitan", "megatron"]
Mixer: TypeAlias = Literal["full", "window", "linear", "none"]

__all__ = [
    "ArrayLike",
    "BoolOrArray",
    "Convention",
    "Dataflow",
    "FloatOrArray",
    "IntOrArray",
    "Mixer",
    "NDArray",
    "Operation",
    "Recompute",
    "Scheme",
    "SelectiveRule",
    "T",
    "Vectors",
]
