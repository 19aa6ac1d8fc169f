"""Custom accelerators from the few numbers of a datasheet or a quote."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import _validate
from ..provenance import Source
from ..units_parse import parse
from .accelerator import Accelerator
from .fields import KINDS, PLAIN
from .lookup import UnknownAccelerator, accelerator
from .precisions import precision, precisions

if TYPE_CHECKING:
    from typing import TypeAlias

    Quantity: TypeAlias = "str | float"

GIVEN = "given by you"
SMALLEST = 1e6  # a smaller number is not in SI units: probably its unit is missing


def own(
    name: str,
    *,
    dense: Mapping[str, Quantity],
    memory: Quantity,
    memory_bandwidth: Quantity,
    sparse: Mapping[str, Quantity] | None = None,
    scale_up_one_way: Quantity | None = None,
    scale_up_link: str | None = None,
    power: Quantity | None = None,
    boost_clock: Quantity | None = None,
    compute_units: int | None = None,
    compute_unit: str = "unit",
    compute_capability: str | None = None,
    memory_type: str = "",
    kind: str = "gpu",
    vendor: str = "yours",
    year: int | None = None,
) -> Accelerator:
    """Return a custom accelerator, which every function that takes a chip accepts.

    Each quantity is a string with its unit, ``"400 TFLOP/s"``, or a plain number in SI
    units, ``400e12``. Omitted values are None, as for unpublished ones.

    Parameters
    ----------
    name : str
        Name of the accelerator; not one of the catalogue.
    dense : mapping of str to str or float
        Peak of a dense matrix product at each precision, FLOP/s (OP/s for integers).
    memory : str or float
        Capacity, bytes; 1 GB is 1e9 bytes.
    memory_bandwidth : str or float
        Memory bandwidth, bytes/s.
    sparse : mapping of str to str or float, optional
        Peak with structured sparsity, FLOP/s.
    scale_up_one_way : str or float, optional
        All links to its neighbours together, unidirectional, bytes/s: half of what most datasheets print.
    scale_up_link : str, optional
        Name of those links; "link" if only their rate is given.
    power : str or float, optional
        Thermal design power, W.
    boost_clock : str or float, optional
        Clock behind the peaks, Hz.
    compute_units : int, optional
        Number of multiprocessors, compute units or cores.
    compute_unit : str
        Unit that ``compute_units`` counts: ``"SM"``, ``"CU"``, ``"core"``.
    compute_capability : str, optional
        NVIDIA's compute capability, such as ``"9.0"``.
    memory_type : str
        Type of memory, ``"HBM3e"``, ``"GDDR6"``.
    kind : str
        ``"gpu"``, ``"tpu"``, ``"npu"``, ``"apu"`` or ``"cpu"``.
    vendor : str
        Name of the maker.
    year : int, optional
        Year of launch.

    Returns
    -------
    Accelerator
        Accelerator whose values all have the source "given by you" and the confidence ``"given"``.

    Raises
    ------
    ValueError
        If a unit has another dimension or two meanings, a number is so small that its unit is missing,
        a precision or kind is unknown, a sparse peak is below the dense one, or the catalogue has the name.

    Notes
    -----
    Ignores whether the figures fit each other: a peak is not computed from units and clock.

    Examples
    --------
    >>> from chip2cluster import roofline, specs
    >>> mine = specs.own("My card", dense={"bf16": "400 TFLOP/s"}, memory="48 GB", memory_bandwidth="0.9 TB/s")
    >>> mine
    <My card: yours; 400 TFLOP/s bf16 dense; 48 GB; 900 GB/s>
    >>> round(roofline.ridge_point(mine.peak_flops_dense("bf16"), mine.memory_bandwidth))
    444
    """
    peaks = {"peak_flops_dense": _peaks("dense", dense), "peak_flops_sparse": _peaks("sparse", sparse or {})}
    if not peaks["peak_flops_dense"]:
        raise ValueError("dense must name at least one precision, as in {'bf16': '400 TFLOP/s'}, got {}")
    for sparse_name, peak in peaks["peak_flops_sparse"].items():
        if peak < peaks["peak_flops_dense"].get(sparse_name, 0):
            raise ValueError(f"sparse[{sparse_name!r}] is below dense[{sparse_name!r}]: are the two exchanged?")
    one_way = _quantity("scale_up_one_way", scale_up_one_way, "B/s")
    if scale_up_link is not None and one_way is None:
        raise ValueError(f"scale_up_link {scale_up_link!r} has no rate: give scale_up_one_way with it")
    plain: dict[str, Any] = {
        "year": None if year is None else _validate.whole("year", year, minimum=1940),
        "compute_capability": compute_capability and _text("compute_capability", compute_capability),
        "memory_bytes": _quantity("memory", _required("memory", memory), "B"),
        "memory_type": _text("memory_type", memory_type),
        "memory_bandwidth": _quantity("memory_bandwidth", _required("memory_bandwidth", memory_bandwidth), "B/s"),
        "scale_up_link": None if one_way is None else _text("scale_up_link", scale_up_link or "link"),
        "scale_up_links": None,
        "scale_up_bandwidth_one_way": one_way,
        "scale_up_bandwidth_both_ways": None if one_way is None else 2 * one_way,
        "tdp_watts": _quantity("power", power, "W", smallest=0),
        "peak_watts": None,
        "tdp_covers": None,
        "boost_clock_hz": _quantity("boost_clock", boost_clock, "Hz"),
        "max_clock_hz": None,
        "compute_units": None if compute_units is None else _validate.whole("compute_units", compute_units),
    }
    keys: list[tuple[str, str | None]] = [(field, None) for field in PLAIN if plain[field]]
    keys += [(group, precision) for group, values in peaks.items() for precision in values]
    source = Source(GIVEN, "", "given")
    name = _name(name)
    return Accelerator(
        id=re.sub(r"[\W_]+", "-", name.casefold()).strip("-"),
        name=name,
        vendor=_text("vendor", vendor),
        kind=_validate.choice("kind", kind, KINDS),
        compute_unit=_text("compute_unit", compute_unit),
        announced=None,
        **plain,
        _groups={**peaks, "compute_unit_counts": {}},
        _sources=dict.fromkeys(keys, source),
        _gaps={},
    )


def _name(name: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"name must be a string, got {name!r}")
    if not re.search(r"\w", name):
        raise ValueError(f"name must have a letter or a digit, got {name!r}")
    try:
        known = accelerator(name)
    except UnknownAccelerator:
        return name.strip()
    raise ValueError(f"the catalogue has a {known.name}: choose another name than {name!r}")


def _peaks(argument: str, given: Mapping[str, Quantity]) -> dict[str, float]:
    if not isinstance(given, Mapping):
        raise TypeError(f"{argument} must give a peak for each precision, as in {{'bf16': 400e12}}, got {given!r}")
    peaks = {}
    for name, peak in given.items():
        try:
            known = precision(name)
        except (TypeError, ValueError):
            raise ValueError(f"{argument} must name precisions of {', '.join(precisions())}, got {name!r}") from None
        label = f"{argument}[{name!r}]"
        peaks[known.name] = _quantity(label, _required(label, peak), "OP/s" if known.is_integer else "FLOP/s")
    return peaks


def _required(argument: str, value: Quantity | None) -> Quantity:
    if value is None:
        raise TypeError(f"{argument} must be a number or a string with its unit, got None")
    return value


def _quantity(argument: str, given: Quantity | None, unit: str, smallest: float = SMALLEST) -> Any:
    if given is None:
        return None
    if isinstance(given, str):
        try:
            value = parse(given, unit)
        except ValueError as error:
            raise ValueError(f"{argument}: {error}") from None
        return _validate.positive(argument, value)
    value = _validate.one_positive(argument, given)
    if value < smallest:
        raise ValueError(f"{argument} must be in {unit}, and {given!r} is too small: write a string with its unit")
    return value


def _text(argument: str, given: str) -> str:
    if not isinstance(given, str):
        raise TypeError(f"{argument} must be a string, got {given!r}")
    return given
