"""Kinds of kernels by their names in cuBLAS, cuDNN, CUTLASS, PyTorch, Triton, NCCL and ROCm."""

from __future__ import annotations

import re

# What a kernel does, by its name; the first pattern that is found decides.
KINDS = {
    "communication": r"nccl|rccl|nvshmem|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|sendrecv",
    "attention": r"flash_|fmha|sdpa|attention|_attn|mha_|dot_do_o|convert_dq",
    "convolution": r"conv(?:olution)?[123]?d?_|implicit_convolve|winograd|cudnn.*conv(?!ert)",
    "matrix products": r"gemm|gemv|nvjet|cutlass|cublas|xmma|wgmma|Cijk_|splitk|dot_kernel|_mm_|triton_tem",
    "optimizer": r"adam(?!ard)|sgd|lamb(?!da)|adagrad|multi_tensor_apply|optimizer",
    "normalization": r"layer_?norm|rms_?norm|batch_?norm|group_?norm|GammaBeta|welford",
    "softmax and loss": r"softmax|nll_loss|cross_entropy",
    "layout copies": r"nocast<.*copy_kernel|CatArray|transpose|permute|im2col",
    "conversions": r"copy_kernel|to_copy|convert|cast_kernel",
    "embedding and indexing": r"gather|scatter|index|embedding|sort|topk|radix",
    "reductions": r"reduce|_red_|norm_kernel",
    "elementwise": r"elementwise|pointwise|gelu|relu|silu|dropout|triton_poi|fill|add_|mul_|distribution",
}
_PATTERNS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in KINDS.items()}
OTHER = "other"


def kernel_kind(name: str) -> str:
    """Guess what a kernel does from its name.

    Parameters
    ----------
    name : str
        Name of the kernel, with or without its template arguments.

    Returns
    -------
    str
        A key of `KINDS`, or ``"other"``.

    Notes
    -----
    Source: names of cuBLAS, cuDNN, CUTLASS, PyTorch, Triton, NCCL and ROCm kernels.

    Examples
    --------
    >>> kernel_kind("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT"), kernel_kind("ncclDevKernel_AllReduce_Sum_f32_RING_LL")
    ('matrix products', 'communication')
    """
    return next((kind for kind, pattern in _PATTERNS.items() if pattern.search(name)), OTHER)
