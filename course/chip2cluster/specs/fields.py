"""Fields of an accelerator: their labels and display units."""

from __future__ import annotations

from .precisions import precision

# Human units exist only here: field -> (label, unit, SI units in one of it).
PLAIN: dict[str, tuple[str, str, float | None]] = {
    "year": ("year", "", 1),
    "compute_capability": ("compute capability", "", None),
    "memory_bytes": ("memory", "GB", 1e9),
    "memory_type": ("memory type", "", None),
    "memory_bandwidth": ("memory bandwidth", "GB/s", 1e9),
    "scale_up_link": ("scale-up link", "", None),
    "scale_up_links": ("scale-up links", "", 1),
    "scale_up_bandwidth_one_way": ("scale-up one way", "GB/s", 1e9),
    "scale_up_bandwidth_both_ways": ("scale-up both ways", "GB/s", 1e9),
    "tdp_watts": ("TDP", "W", 1),
    "peak_watts": ("peak power", "W", 1),
    "tdp_covers": ("TDP covers", "", None),
    "boost_clock_hz": ("boost clock", "MHz", 1e6),
    "max_clock_hz": ("maximum clock", "MHz", 1e6),
    "compute_units": ("compute units", "", 1),
}
KINDS = ("gpu", "tpu", "npu", "apu", "cpu")
# Fields that hold one value per name: "peak_flops_dense" of "bf16".
GROUPS = ("peak_flops_dense", "peak_flops_sparse", "compute_unit_counts")


def label(field: str, name: str | None = None) -> str:
    """Return the label of a field, without its unit.

    >>> label("tdp_watts"), label("peak_flops_sparse", "fp8"), label("compute_unit_counts", "XCD")
    ('TDP', 'fp8 sparse', 'XCD')
    """
    if name is None:
        return PLAIN[field][0]
    words = name.replace("_", " ")
    return f"{words} {field.removeprefix('peak_flops_')}" if field.startswith("peak") else words


def unit(field: str, name: str | None = None) -> tuple[str, float | None]:
    """Return the display unit of a field and its size in SI units (None for text).

    >>> unit("memory_bytes"), unit("peak_flops_dense", "int8")
    (('GB', 1000000000.0), ('TOP/s', 1000000000000.0))
    """
    if name is None:
        return PLAIN[field][1:]
    if field == "compute_unit_counts":
        return "", 1
    return ("TOP/s" if precision(name).is_integer else "TFLOP/s"), 1e12
