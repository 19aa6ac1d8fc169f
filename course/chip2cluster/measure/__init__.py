"""Your own machine, measured: a benchmark that can be trusted, and how far.

Times are seconds, sizes bytes, rates per second.

* `benchmark`: warm up, repeat, stop in time; `Sample`: best, median, quantiles, confidence, a verdict.
* `confidence_ranks`: which two of the sorted times enclose a median.
* `fit_regimes`: a latency and a bandwidth for small messages, and others for large ones.
* `recorded`, `recordings`: runs of collectives, by name, with their sources.
"""

from .benchmark import benchmark
from .recorded import Recording, recorded, recordings
from .regimes import Regimes, fit_regimes
from .sample import Ranks, Sample, confidence_ranks

__all__ = [
    "Ranks",
    "Recording",
    "Regimes",
    "Sample",
    "benchmark",
    "confidence_ranks",
    "fit_regimes",
    "recorded",
    "recordings",
]
