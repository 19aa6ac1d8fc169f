"""Questions on the machine."""

from math import ceil

from chip2cluster import hierarchy, specs
from chip2cluster._validate import known
from chip2cluster.predict.question import Question

_WEIGHTS = 60e9  # bytes: 30 billion parameters in bf16
# An image training on a node of eight: images a second on each GPU, core seconds an image.
_RATE, _WORK, _GPUS = 2500, 6e-3, 8
_INSTALLED = 2 * 56  # cores: two Xeon Platinum 8480C in a DGX H100


def _peak():
    return specs.accelerator("H100 SXM").peak_flops_dense("bf16")


def _hbm():
    return hierarchy.system("DGX H100").tier("HBM")


def _one_byte():
    return _peak() * _hbm().latency_seconds / 1e6


def _why_one_byte(truth):
    return (
        f"{_hbm().latency_seconds * 1e9:.0f} ns pass before the byte arrives, and {_peak() / 1e12:.0f} TFLOP/s are almost a "
        "billion operations a microsecond. The byte itself would cost only a few hundred: nearly all of the wait is "
        "latency. So no program should request one byte at a time."
    )


def _storage():
    remote, own = _moves()
    return remote / own


def _moves():
    """Seconds from the remote storage and from HBM."""
    moves = hierarchy.time_to_move("DGX H100", _WEIGHTS)
    return tuple(known("seconds", moves[tier].seconds) for tier in ("remote storage", "HBM"))


def _why_storage(truth):
    remote, own = _moves()
    tier = hierarchy.system("DGX H100").tier("remote storage")
    share = known("bandwidth_one_way", tier.bandwidth_one_way)
    return (
        f"From its memory a GPU reads them in {own * 1e3:.0f} ms. A storage built for this node delivers "
        f"40 GB/s to all eight GPUs, {share / 1e9:.0f} GB/s to each: {remote:.0f} s. The other tiers of this "
        "chapter are in between."
    )


def _cores():
    return float(ceil(round(_RATE * _WORK * _GPUS, 9)))


def _why_cores(truth):
    return (
        f"A GPU that uses {_RATE:,} images a second, {_WORK * 1e3:.0f} ms of work each, keeps {_RATE * _WORK:.0f} cores busy, "
        f"and eight keep {truth:.0f} busy. A DGX H100 has {_INSTALLED}, and they have "
        "other work too, so its GPUs would wait."
    )


QUESTIONS = (
    Question(
        "machine.one_byte",
        "One H100 requests a single byte that is in no cache from its own memory, and waits for it. How many million FLOP "
        "could it have done in the meantime (bf16, dense)?",
        "million FLOP", _one_byte, _why_one_byte,
    ),
    Question(
        "machine.storage",
        "A model's weights take 60 GB. One GPU of a DGX H100 reads them from its own memory, or fetches them from"
        " the cluster's storage while its seven neighbors do the same. How many times as long is the second?",
        "times", _storage, _why_storage,
    ),
    Question(
        "machine.cores",
        "Each of eight GPUs trains on 2,500 images a second. A core of the host needs 6 ms to read, decode and crop one. How "
        "many cores keep all eight fed?",
        "cores", _cores, _why_cores,
    ),
)  # fmt: skip
