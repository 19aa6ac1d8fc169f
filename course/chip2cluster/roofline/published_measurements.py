"""Published measurements of chips compared with their datasheets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from .. import specs
from .._kernel_records import source, stored
from .._validate import choice

if TYPE_CHECKING:
    from pandas import DataFrame

    from ..provenance import Source

MeasurementKind = Literal["matrix product", "triad", "attention"]
KINDS = ("matrix product", "triad", "attention")


@dataclass(frozen=True)
class Measurement:
    """A published measurement on one chip.

    Attributes
    ----------
    chip : str
        Name of the chip in the catalogue.
    kind : {"matrix product", "triad", "attention"}
        Kind of kernel.
    precision : str or None
        Precision of the products; None for a triad.
    rate : float
        Measured rate, FLOP/s, for a triad bytes/s.
    setting, software : str
        Shapes or options of the measurement, and the software that ran.
    source : Source
        Citation of the measurement.
    """

    chip: str
    kind: MeasurementKind
    precision: str | None
    rate: float
    setting: str
    software: str
    source: Source

    @property
    def sheet(self) -> float:
        """Datasheet rate in the catalogue: dense peak, FLOP/s, or memory bandwidth, bytes/s."""
        chip = specs.accelerator(self.chip)
        return chip.memory_bandwidth if self.precision is None else chip.peak_flops_dense(self.precision)

    @property
    def share(self) -> float:
        """Measured rate as a fraction of the datasheet rate."""
        return self.rate / self.sheet


@dataclass(frozen=True)
class MeasuredRoofs:
    """Measured roofs of a chip.

    Attributes
    ----------
    peak_flops : float
        Rate of the best matrix product, FLOP/s.
    memory_bandwidth : float
        Rate of the best triad, bytes/s.
    product, triad : Measurement
        The measurements of the two rates.
    """

    peak_flops: float
    memory_bandwidth: float
    product: Measurement
    triad: Measurement


def measurements(
    chip: str | specs.Accelerator | None = None, kind: MeasurementKind | None = None, precision: str | None = None
) -> tuple[Measurement, ...]:
    """Return published measurements, optionally of one chip, kind or precision.

    Parameters
    ----------
    chip : str or Accelerator, optional
        Chip, by any name that `specs.accelerator` takes.
    kind : {"matrix product", "triad", "attention"}, optional
        Kind: a large product and attention in FLOP/s, the triad of STREAM in bytes/s.
    precision : str, optional
        Precision, such as "bf16"; triads have none.

    Returns
    -------
    tuple of Measurement
        Measurements; empty if none was published.

    Notes
    -----
    A product is the best of a search over shapes, a triad the best of a sweep: your own
    programs reach less. Source: each row's ``source``.

    Examples
    --------
    >>> [round(row.share, 2) for row in measurements("H100 SXM", "matrix product")]
    [0.8, 0.71]
    """
    name = None if chip is None else specs.accelerator(chip).name
    if kind is not None:
        choice("kind", kind, KINDS)
    return tuple(
        row
        for row in _all()
        if name in (None, row.chip) and kind in (None, row.kind) and precision in (None, row.precision)
    )


def measured_roofs(chip: str | specs.Accelerator, precision: str = "bf16") -> MeasuredRoofs:
    """Return the measured roofs of a chip: its best matrix product and its best triad.

    Parameters
    ----------
    chip : str or Accelerator
        Chip, by any name that `specs.accelerator` takes.
    precision : str
        Precision of the product.

    Returns
    -------
    MeasuredRoofs
        Both rates and their measurements.

    Raises
    ------
    LookupError
        If a product or a triad is missing; the message names the chips that have both.

    Notes
    -----
    Product and triad may come from two machines with the same chip. Source: each
    row's ``source``.

    Examples
    --------
    >>> roofs = measured_roofs("H100 SXM")
    >>> roofs.peak_flops / 1e12, roofs.memory_bandwidth / 1e12
    (794.5, 2.97)
    """
    return _roofs(specs.accelerator(chip).name, precision)


@cache
def _roofs(chip: str, precision: str) -> MeasuredRoofs:
    known = chip in {row.chip for row in _all()}  # a custom chip has a name that the catalogue lacks
    products = measurements(chip, "matrix product", precision) if known else ()
    triads = measurements(chip, "triad") if known else ()
    if not products or not triads:
        both = {row.chip for row in measurements(kind="matrix product", precision=precision)}
        both &= {row.chip for row in measurements(kind="triad")}
        missing = "matrix product" if not products else "triad"
        raise LookupError(
            f"no {missing} of the {chip} was measured in {precision}; "
            f"both roofs are known for {', '.join(sorted(both)) or 'no chip'}"
        )
    product, triad = (max(rows, key=lambda row: row.rate) for rows in (products, triads))
    return MeasuredRoofs(product.rate, triad.rate, product, triad)


def measured_table(kind: MeasurementKind, precision: str | None = None) -> DataFrame:
    """Tabulate measured and datasheet rates, one row per measurement, sorted by decreasing fraction.

    Parameters
    ----------
    kind : {"matrix product", "triad", "attention"}
        Kind of kernel.
    precision : str, optional
        Precision, such as "bf16"; triads have none.

    Returns
    -------
    pandas.DataFrame
        Units are in the headers.

    Notes
    -----
    Ignores that the rows were measured with other software at other times.

    Examples
    --------
    >>> measured_table("triad")["share (%)"].iloc[0].item()
    95
    """
    import pandas  # imported here because the models do not need it

    unit, scale = ("GB/s", 1e9) if kind == "triad" else ("TFLOP/s", 1e12)
    rows = sorted(measurements(kind=kind, precision=precision), key=lambda row: -row.share)
    columns = ("chip", f"measured ({unit})", f"sheet ({unit})", "share (%)", "what", "software")
    return pandas.DataFrame(
        [
            (
                row.chip,
                round(row.rate / scale),
                round(row.sheet / scale),
                round(100 * row.share),
                row.setting,
                row.software,
            )
            for row in rows
        ],
        columns=list(columns),
    )


@cache
def _all() -> tuple[Measurement, ...]:
    return tuple(Measurement(**{**row, "source": source(row["source"])}) for row in stored()["measurements"])
