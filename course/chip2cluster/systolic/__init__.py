"""Systolic array: a grid of multiply-accumulate cells that communicate only with their neighbours.

`WeightStationary` and `OutputStationary` simulate a matrix product cycle by cycle; the
other functions give the same cycles and utilization in closed form, for scalars and
arrays. `tile_utilization` and `gpu_useful_rate` give tile and wave quantization on a GPU; `widest_copy`
gives what the alignment of its rows allows, and `product_steps` what was recorded.
A product is C[m, n] = A[m, k] B[k, n] throughout.

Sources: H. T. Kung, "Why systolic architectures?", IEEE Computer 15(1), 1982;
N. Jouppi et al., "In-datacenter performance analysis of a tensor processing unit",
ISCA 2017; A. Samajdar et al., "A systematic methodology for characterizing
scalability of DNN accelerators using SCALE-Sim", ISPASS 2020.
"""

from ._tiling import DATAFLOWS
from .alignment import COPIES, aligned, widest_copy
from .array import SystolicArray
from .dataflows import OutputStationary, WeightStationary, simulator
from .gpu_tiles import OddSize, gpu_useful_rate, odd_size_table, odd_sizes, tile_utilization
from .kernel_names import kernel_copy, kernel_tile
from .padding import padded_size, padded_utilization, padding_loss
from .recorded_steps import (
    ProductStep,
    alignment_slowdowns,
    alignment_table,
    product_step_bound,
    product_steps,
    varied_size,
)
from .state import ArrayState
from .timing import cycles, peak_ops, tile_cycles, tiles, utilization
from .useful_rate import useful_rate

__all__ = [
    "COPIES",
    "DATAFLOWS",
    "ArrayState",
    "OddSize",
    "OutputStationary",
    "ProductStep",
    "SystolicArray",
    "WeightStationary",
    "aligned",
    "alignment_slowdowns",
    "alignment_table",
    "cycles",
    "gpu_useful_rate",
    "kernel_copy",
    "kernel_tile",
    "odd_size_table",
    "odd_sizes",
    "padded_size",
    "padded_utilization",
    "padding_loss",
    "peak_ops",
    "product_step_bound",
    "product_steps",
    "simulator",
    "tile_cycles",
    "tile_utilization",
    "tiles",
    "useful_rate",
    "utilization",
    "varied_size",
    "widest_copy",
]
