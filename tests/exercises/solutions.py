"""Solutions to the chapter exercises as a student would write them: a second witness beside the references."""

SOLUTIONS = {
    "roofline.ridge": """
def ridge(sparse_tflops, bandwidth_gbytes):
    return (sparse_tflops / 2 * 1e12) / (bandwidth_gbytes * 1e9)
""",
    "roofline.attainable": """
import numpy as np
def attainable(intensity, peak_flops, memory_bandwidth):
    return np.minimum(peak_flops, memory_bandwidth * intensity)
""",
    "roofline.gemm_intensity": """
def gemm_intensity(m, n, k, bytes_per_element):
    return 2 * m * n * k / (bytes_per_element * (m * k + k * n + m * n))
""",
    "roofline.bound_by": """
def bound_by(intensity, peak_flops, memory_bandwidth):
    return "compute" if intensity >= peak_flops / memory_bandwidth else "memory"
""",
    "roofline.sweep": """
import numpy as np
def sweep(batches, d_model, peak_flops, memory_bandwidth):
    intensity = 4 * d_model * batches / (4 * d_model + 5 * batches)
    return np.minimum(peak_flops, memory_bandwidth * intensity) / peak_flops
""",
    "roofline.smallest_batch": """
import math
def smallest_batch(d_in, d_out, peak_flops, memory_bandwidth):
    ridge = peak_flops / memory_bandwidth
    below = d_in * d_out - ridge * (d_in + d_out)
    return math.ceil(ridge * d_in * d_out / below) if below > 0 else math.inf
""",
    "roofline.decode_rate": """
def decode_rate(weights_gib, bandwidth_gbytes):
    return bandwidth_gbytes * 1e9 / (weights_gib * 2**30)
""",
}
