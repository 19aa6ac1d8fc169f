"""Catalogue of accelerators: published figures, each value with its own source.

Peaks are FLOP/s (OP/s for integers), with separate dense and sparse values; memory is bytes, bandwidths are
bytes/s, and links have separate unidirectional and bidirectional rates. A value that no vendor publishes is
None, and a precision that a part lacks raises `PrecisionNotSupported`; nothing is guessed.

>>> from chip2cluster import specs
>>> h100 = specs.accelerator("H100 SXM")
>>> h100.peak_flops_dense("bf16"), h100.memory_bandwidth
(989400000000000.0, 3350000000000.0)
>>> h100.source("memory_bandwidth").confidence
'confirmed'

`own` makes a custom chip, which every function that takes a chip accepts.
The figures are in ``data/accelerators.json`` (format it with ``python -m chip2cluster.specs``); `table` shows them
side by side, `precisions` lists the number formats, and `data_version` returns the version of the figures.
`generations` and `narrowing` show the growth over the years, `readings` which precision a printed total can be.
"""

from ..provenance import Source
from .accelerator import Accelerator, PrecisionNotSupported
from .custom_accelerator import own
from .generations import Generation, by_bits, generations, narrowest, narrowing
from .lookup import UnknownAccelerator, accelerator, accelerators, data_version
from .precisions import Precision, bytes_of, precision, precisions
from .printed_precisions import readings
from .tables import table

__all__ = [
    "Accelerator",
    "Generation",
    "Precision",
    "PrecisionNotSupported",
    "Source",
    "UnknownAccelerator",
    "accelerator",
    "accelerators",
    "by_bits",
    "bytes_of",
    "data_version",
    "generations",
    "narrowest",
    "narrowing",
    "own",
    "precision",
    "precisions",
    "readings",
    "table",
]
