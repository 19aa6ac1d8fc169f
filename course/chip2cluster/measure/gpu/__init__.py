"""Experiments on a GPU, each one call: a series with a table and a picture beside the recorded H100 and H200."""

from .kernel_chains import gpu_launches
from .memory import gpu_copies, gpu_triad
from .power import gpu_power
from .products import gpu_products, gpu_steps
from .records import recorded_gpu, recorded_gpus, recorded_table
from .report import GpuReport, gpu_text, measure_gpu, own_gpu, read_gpu
from .series import GpuSeries
from .timing import DeviceSample, device_benchmark
from .transformers import gpu_attention, gpu_training

__all__ = [
    "DeviceSample",
    "GpuReport",
    "GpuSeries",
    "device_benchmark",
    "gpu_attention",
    "gpu_copies",
    "gpu_launches",
    "gpu_power",
    "gpu_products",
    "gpu_steps",
    "gpu_text",
    "gpu_training",
    "gpu_triad",
    "measure_gpu",
    "own_gpu",
    "read_gpu",
    "recorded_gpu",
    "recorded_gpus",
    "recorded_table",
]
