"""A whole machine for a training: what it takes, what it costs, whether it fits.

>>> from chip2cluster import capstone
>>> asked = capstone.Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512, deadline_seconds=60 * 86400)
>>> out = capstone.evaluate(capstone.Design(chip="H100 SXM", nodes=16, spares=1), asked)
>>> out.meets, round(out.days)
(True, 11)
"""

from .design import Design
from .evaluate import evaluate
from .kernels import KernelShare, kernel_share, kernel_shares
from .outcome import Constraint, Outcome, Problem, Term
from .prices import FailureRates, Prices, chip_prices
from .scenario import Scenario

__all__ = [
    "Constraint",
    "Design",
    "FailureRates",
    "KernelShare",
    "Outcome",
    "Prices",
    "Problem",
    "Scenario",
    "Term",
    "chip_prices",
    "evaluate",
    "kernel_share",
    "kernel_shares",
]
