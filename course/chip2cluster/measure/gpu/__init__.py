"""Experiments on a GPU, each one call: a series with a table and a picture beside the recorded H100 and H200."""

from .experiments import (
    gpu_attention,
    gpu_copies,
    gpu_launches,
    gpu_power,
    gpu_products,
    gpu_steps,
    gpu_training,
    gpu_triad,
)
from .recorded import recorded_gpu, recorded_gpus, recorded_table
from .report import GpuReport, gpu_text, measure_gpu, own_gpu, read_gpu
from .series import GpuSeries
from .timing import DeviceSample, device_benchmark

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
