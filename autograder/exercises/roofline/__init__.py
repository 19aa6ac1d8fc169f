"""The exercises of chapter 3, the roofline."""

from .attainable import ATTAINABLE
from .batch import BATCH
from .bound import BOUND
from .decode import DECODE
from .gemm import GEMM
from .ridge import RIDGE
from .sweep import SWEEP

EXERCISES = (RIDGE, ATTAINABLE, GEMM, BOUND, SWEEP, BATCH, DECODE)
