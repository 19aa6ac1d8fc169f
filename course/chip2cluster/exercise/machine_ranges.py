"""Ranges of numbers for tasks on paper, in printed units: each is met in real machines of 2017 and later.

Use ``replace(PEAK, per=1e12)`` where an argument has another unit than the paper.
"""

from .paper_task import Number

__all__ = [
    "CHIPS_OF_JOB",
    "CLOCK",
    "HOUR_PRICE",
    "LINK",
    "LINK_LATENCY",
    "MEMORY",
    "MEMORY_BANDWIDTH",
    "MFU",
    "MODEL",
    "NODE_LINK",
    "PEAK",
    "PUE",
    "TOKENS_TRAINED",
]

PEAK = Number("TFLOP/s", 120, 2500)  # dense, 16 bits: V100 to B200
MEMORY_BANDWIDTH = Number("TB/s", 0.9, 8)  # HBM: V100 to B200
MEMORY = Number("GB", values=(40, 64, 80, 96, 128, 141, 192, 288))
LINK = Number("Gbit/s", values=(100, 200, 400, 800))  # one port of a network, one direction
NODE_LINK = Number("GB/s", values=(150, 300, 450, 900))  # NVLink 2 to 5, one direction
LINK_LATENCY = Number("µs", 1.2, 12)
CLOCK = Number("MHz", 1200, 2100)
MODEL = Number("billion", 6, 420)  # parameters of a dense model
TOKENS_TRAINED = Number("trillion", 0.5, 18)
MFU = Number("%", 22, 58, per=0.01)
CHIPS_OF_JOB = Number("", values=(256, 512, 768, 1024, 2048, 3072, 4096, 8192, 16384), whole=True)
HOUR_PRICE = Number("dollars", 1.3, 6.5)  # of one accelerator for an hour
PUE = Number("", 1.06, 1.6)
