"""Your own machine, measured: a benchmark that can be trusted, and how far.

Times are seconds, sizes bytes, rates per second.

* `benchmark`: warm up, repeat, stop in time; `Sample`: best, median, quantiles, confidence, a verdict.
* `confidence_ranks`: which two of the sorted times enclose a median.
"""

from .benchmark import benchmark
from .sample import Ranks, Sample, confidence_ranks

__all__ = ["Ranks", "Sample", "benchmark", "confidence_ranks"]
