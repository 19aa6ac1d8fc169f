"""Growth from one chip generation to the next, and the part of it due to narrower number formats."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from .. import _validate
from ..provenance import Source
from .lookup import accelerator
from .precisions import bytes_of, precision


@dataclass(frozen=True)
class Generation:
    """One generation of a vendor's chips, represented by one chip.

    Attributes
    ----------
    name, chip : str
        Name of the generation, and of the chip that represents it.
    year : int
        Year of that chip's launch.
    first : str
        New feature of the generation.
    peaks : Mapping of str to float
        Dense peaks of the floating-point formats, FLOP/s, widest first: the fastest
        units for each format, matrix units if there are any.
    memory_bandwidth : float
        Memory bandwidth, bytes/s.
    sources : Mapping of str to Source
        Source of each peak.
    """

    name: str
    chip: str
    year: int
    first: str
    peaks: Mapping[str, float] = field(hash=False)
    memory_bandwidth: float
    sources: Mapping[str, Source] = field(hash=False)

    @property
    def narrowest(self) -> str:
        """Floating-point format with the fewest bits: ``"fp16"``, ``"fp8"`` ..."""
        return narrowest(self.peaks)


def generations() -> tuple[Generation, ...]:
    """Return NVIDIA's data-centre generations from Fermi on, oldest first.

    Returns
    -------
    tuple of Generation
        Generations in the order of their year.

    Notes
    -----
    Ignores generations that were made for graphics first (Turing, Ada). Source: given for each generation;
    for chips of the catalogue, in the catalogue.

    Examples
    --------
    >>> [(one.name, one.narrowest) for one in generations()][3:7]
    [('Pascal', 'fp16'), ('Volta', 'fp16'), ('Ampere', 'bf16'), ('Hopper', 'fp8')]
    """
    return _generations()


def narrowest(precisions: Mapping[str, float] | tuple[str, ...]) -> str:
    """Return the floating-point format with the fewest bits; the first one if several tie.

    Parameters
    ----------
    precisions : iterable of str
        Names such as ``chip.precisions_dense``. Integers (``"int8"``) have no exponent
        and do not count; tf32 counts as 32, its size in memory.

    Returns
    -------
    str
        Name of the format.

    Raises
    ------
    ValueError
        If there is no floating-point format.

    Examples
    --------
    >>> narrowest(("fp64", "tf32", "bf16", "int4"))
    'bf16'
    """
    floats = [name for name in precisions if not precision(name).is_integer]
    if not floats:
        raise ValueError(f"precisions must hold a floating-point format, got {', '.join(precisions) or 'none'}")
    return min(floats, key=_bits)


def narrowing(old_peaks: Mapping[int, float], new_peaks: Mapping[int, float]) -> float:
    """Return the factor by which a new chip is faster only because its number formats are narrower.

    Headline growth, peak in the narrowest format over peak in the narrowest format, is
    growth at the old width times this factor (FP16 to FP8 to FP4: quantization).

    Parameters
    ----------
    old_peaks, new_peaks : mapping of int to float
        Dense peak, FLOP/s, by the bits of the floating-point format. The new chip must
        have the old one's narrowest.

    Returns
    -------
    float
        Factor, 1 if the narrowest format is the same.

    Notes
    -----
    Ignores the cost of the narrow format in scale factors and in accuracy. If the old
    chip had no matrix units for its narrowest format, they count as narrowing too.

    Examples
    --------
    >>> narrowing({32: 15.7e12, 16: 125e12}, {16: 2250e12, 8: 4500e12, 4: 9000e12})
    4.0
    """
    for name, peaks in (("old_peaks", old_peaks), ("new_peaks", new_peaks)):
        if not peaks:
            raise ValueError(f"{name} must give at least one peak by its bits, got {dict(peaks)}")
        for bits, peak in peaks.items():
            _validate.whole(f"bits in {name}", bits)
            _validate.positive(f"{name}[{bits}]", peak)
    width = min(old_peaks)
    if width not in new_peaks:
        raise ValueError(f"new_peaks must have the {width} bits of the old one's narrowest, got {sorted(new_peaks)}")
    return float(new_peaks[min(new_peaks)]) / float(new_peaks[width])


def by_bits(peaks: Mapping[str, float]) -> dict[int, float]:
    """Return the best peak at each width of floating-point formats, the input of `narrowing`.

    TF32 is left out: it is stored in 32 bits and multiplied in 19, so its peak is comparable neither to an
    FP32 peak nor to that of a 16-bit format.

    >>> by_bits({"fp32": 19.5e12, "tf32": 156e12, "bf16": 312e12, "int8": 624e12})
    {32: 19500000000000.0, 16: 312000000000000.0}

    Parameters
    ----------
    peaks : mapping of str to float
        Peaks by precision.

    Returns
    -------
    dict of int to float
        Best peak by bits.

    Examples
    --------
    >>> by_bits({"fp32": 19.5e12, "tf32": 156e12, "bf16": 312e12, "int8": 624e12})
    {32: 19500000000000.0, 16: 312000000000000.0}
    """
    best: dict[int, float] = {}
    for name, peak in peaks.items():
        if not precision(name).is_integer and name != "tf32":
            best[_bits(name)] = max(peak, best.get(_bits(name), 0.0))
    return best


def _bits(name: str) -> int:
    return round(8 * bytes_of(name))


@cache
def _generations() -> tuple[Generation, ...]:
    data = json.loads((files("chip2cluster") / "data" / "generations.json").read_text(encoding="utf-8"))
    found = []
    for record in data["generations"]:
        if "peaks" in record:
            peaks, bandwidth = record["peaks"], record["memory_bandwidth"]
            sources = dict.fromkeys(peaks, Source(**data["sources"][record["source"]]))
        else:
            chip = accelerator(record["chip"])
            peaks = {
                name: chip.peak_flops_dense(name) for name in chip.precisions_dense if not precision(name).is_integer
            }
            bandwidth = chip.memory_bandwidth
            sources = {name: chip.source("peak_flops_dense", name) for name in peaks}
        identity = {key: record[key] for key in ("name", "chip", "year", "first")}
        ordered = dict(sorted(peaks.items(), key=lambda item: -_bits(item[0])))
        found.append(
            Generation(
                **identity,
                peaks=MappingProxyType(ordered),
                memory_bandwidth=bandwidth,
                sources=MappingProxyType(sources),
            )
        )
    return tuple(found)
