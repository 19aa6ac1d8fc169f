"""The exercises of chapter 9, utilization."""

from .audit import AUDIT
from .days import DAYS
from .flops import FLOPS
from .hfu import HFU
from .mfu import MFU
from .parameters import PARAMETERS
from .step import STEP

EXERCISES = (PARAMETERS, FLOPS, MFU, HFU, STEP, DAYS, AUDIT)
