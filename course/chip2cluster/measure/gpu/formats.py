"""Number formats of the experiments."""

DTYPES = ("bf16", "fp16", "fp32", "tf32", "fp64")
