"""What chips were measured to reach, beside what their sheets print."""

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

Kind = Literal["matrix product", "triad", "attention"]
KINDS = ("matrix product", "triad", "attention")


@dataclass(frozen=True)
class Measurement:
    """A published measurement on one chip.

    ``rate`` is in FLOP/s, for a triad in bytes/s; ``sheet`` is the dense peak or the
    memory bandwidth that the catalogue has for this chip.
    """

    chip: str
    kind: Kind
    precision: str | None
    rate: float
    setting: str
    software: str
    source: Source

    @property
    def sheet(self) -> float:
        chip = specs.accelerator(self.chip)
        return chip.memory_bandwidth if self.precision is None else chip.peak_flops_dense(self.precision)

    @property
    def share(self) -> float:
        """Measured over sheet, 0 to 1."""
        return self.rate / self.sheet


@dataclass(frozen=True)
class MeasuredRoofs:
    """The two roofs of a chip as measured: the best matrix product (FLOP/s), the best triad (bytes/s)."""

    peak_flops: float
    memory_bandwidth: float
    product: Measurement
    triad: Measurement


def measurements(
    chip: str | specs.Accelerator | None = None, kind: Kind | None = None, precision: str | None = None
) -> tuple[Measurement, ...]:
    """Return published measurements, all of them or those of a chip, a kind, a precision.

    Parameters
    ----------
    chip : str or Accelerator, optional
        Any name that `specs.accelerator` takes.
    kind : {"matrix product", "triad", "attention"}, optional
        A large product and attention in FLOP/s, the triad of STREAM in bytes/s.
    precision : str, optional
        Such as "bf16"; triads have none.

    Returns
    -------
    tuple of Measurement
        Empty where nobody has measured.

    Raises
    ------
    ValueError
        For an unknown chip or kind; the message names the choices.

    Notes
    -----
    A product is the best of a search over shapes, a triad the best of a sweep: what
    a program of yours reaches lies below. Source: each row's ``source``.

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
    """Return the roofs of a chip as measured: its best matrix product and its best triad.

    Parameters
    ----------
    chip : str or Accelerator
        Any name that `specs.accelerator` takes.
    precision : str
        Of the product.

    Returns
    -------
    MeasuredRoofs

    Raises
    ------
    LookupError
        Where a product or a triad is missing; the message names the chips that have both.
    ValueError
        For an unknown chip.

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
    known = chip in {row.chip for row in _all()}  # one of the reader's own has a name that the catalogue lacks
    products = measurements(chip, "matrix product", precision) if known else ()
    triads = measurements(chip, "triad") if known else ()
    if not products or not triads:
        both = {row.chip for row in measurements(kind="matrix product", precision=precision)}
        both &= {row.chip for row in measurements(kind="triad")}
        missing = "matrix product" if not products else "triad"
        raise LookupError(
            f"no {missing} of the {chip} was measured in {precision}; "
            f"both roofs are known of {', '.join(sorted(both)) or 'no chip'}"
        )
    product, triad = (max(rows, key=lambda row: row.rate) for rows in (products, triads))
    return MeasuredRoofs(product.rate, triad.rate, product, triad)


def measured_table(kind: Kind, precision: str | None = None) -> DataFrame:
    """Measured beside printed, one row a measurement, the largest share first.

    Parameters
    ----------
    kind, precision
        As `measurements`.

    Returns
    -------
    pandas.DataFrame
        Units are in the headers.

    Raises
    ------
    ValueError
        As `measurements`.

    Notes
    -----
    Ignores that the rows were measured with other software at other times.

    Examples
    --------
    >>> measured_table("triad")["share (%)"].iloc[0].item()
    95
    """
    import pandas  # here, because the models do not need it

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
