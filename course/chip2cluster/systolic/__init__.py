"""The systolic array: a grid of multiply-accumulate cells that only talk to their neighbours.

`WeightStationary` and `OutputStationary` step through a real product cycle by cycle;
the other functions give the same cycles and utilization in closed form, for scalars
and arrays. A product is C[m, n] = A[m, k] B[k, n] throughout.

Sources: H. T. Kung, "Why systolic architectures?", IEEE Computer 15(1), 1982;
N. Jouppi et al., "In-datacenter performance analysis of a tensor processing unit",
ISCA 2017; A. Samajdar et al., "A systematic methodology for characterizing
scalability of DNN accelerators using SCALE-Sim", ISPASS 2020.
"""

from ._shape import DATAFLOWS
from .array import SystolicArray
from .dataflows import OutputStationary, WeightStationary, simulator
from .padding import padded_size, padded_utilization, padding_loss
from .rate import useful_rate
from .state import State
from .timing import cycles, peak_ops, tile_cycles, tiles, utilization

__all__ = [
    "DATAFLOWS",
    "OutputStationary",
    "State",
    "SystolicArray",
    "WeightStationary",
    "cycles",
    "padded_size",
    "padded_utilization",
    "padding_loss",
    "peak_ops",
    "simulator",
    "tile_cycles",
    "tiles",
    "useful_rate",
    "utilization",
]
