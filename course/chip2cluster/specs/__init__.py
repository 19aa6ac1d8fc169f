"""Published figures of real accelerators, each value with its own source.

Peaks are FLOP/s (OP/s for integers), dense and sparse kept apart; memory is
bytes, bandwidths are bytes/s, links count one way and both ways under two names.
A value that no vendor publishes is None, and a precision that a part lacks
raises `PrecisionNotSupported`; nothing is guessed.

>>> from chip2cluster import specs
>>> h100 = specs.accelerator("H100 SXM")
>>> h100.peak_flops_dense("bf16"), h100.memory_bandwidth
(989400000000000.0, 3350000000000.0)
>>> h100.source("memory_bandwidth").confidence
'confirmed'

A chip that is not among them is made with `own`, and all that takes one of these takes it.
The figures live in ``data/accelerators.json``; `table` shows them side by side, and
`data_version` says which edition of them this is.
"""

from ..provenance import Source
from .accelerator import Accelerator, PrecisionNotSupported
from .lookup import UnknownAccelerator, accelerator, accelerators, data_version
from .own import own
from .precisions import bytes_of
from .tables import table

__all__ = [
    "Accelerator",
    "PrecisionNotSupported",
    "Source",
    "UnknownAccelerator",
    "accelerator",
    "accelerators",
    "bytes_of",
    "data_version",
    "own",
    "table",
]
