"""Kernel efficiency, the one fitted number of a step: the fraction of a chip's peak that kernels reach while they run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from statistics import median

from ..provenance import Source
from ..specs import Accelerator, accelerator
from .prices import stored

ALIKE = {"fp16": "bf16"}  # 16-bit formats have one peak and one share
SPREAD = 1.25  # four of five published training runs are within this factor of the model
CHOSEN = 1.26, 1.56  # step time of published layouts over that of the model's fastest: median, 90th percentile
UNKNOWN_SPREAD = 1.5  # factor by which a run may be slower if no run on the chip was used


@dataclass(frozen=True)
class KernelShare:
    """Fraction of the dense peak that kernels reach, and the training runs it was derived from.

    Attributes
    ----------
    chip, precision : str
        Chip and precision of the peak.
    share : float
        Fraction of peak.
    spread : float
        Factor around the model's prediction that holds four of five published training runs.
    fitted_on : str
        Training runs that the share was derived from.
    source : Source
        Citation, date and confidence.
    products : float or None
        Fraction of peak of the best measured matrix product on a chip without a training run; None if there is none.
    """

    chip: str
    precision: str
    share: float
    spread: float
    fitted_on: str
    source: Source
    products: float | None = None

    @property
    def doubt(self) -> str:
        """Warning if the share is above that of the best measured matrix product; empty otherwise."""
        if self.products is None or self.share <= self.products:
            return ""
        return (
            f"a search for the best matrix product of the {self.chip} found {100 * self.products:.0f} % of the peak, less than "
            f"the {100 * self.share:.0f} % that are assumed for all kernels of a training run: unless its software has improved, "
            "the run takes longer than predicted here"
        )

    @property
    def faster(self) -> float:
        """Factor by which a training run may be faster than predicted; not widened for chips without a run."""
        return min(self.spread, SPREAD)

    @property
    def ends(self) -> tuple[float, float]:
        """Interval of the share, at most the best share of any chip."""
        best = max(one.share for one in _shares())
        return self.share / self.spread, max(self.share, min(self.share * self.faster, best))


def kernel_shares() -> tuple[KernelShare, ...]:
    """Kernel efficiency derived from published training runs, one for each chip and precision.

    Returns
    -------
    tuple of KernelShare
        Fractions of peak with their sources.

    Notes
    -----
    The only number of `evaluate` that is fitted to measured speeds. Each is derived from one or two runs and predicts
    every other training run on the chip. Ignores the size of the model and the micro-batch, and the software version.
    Source: the ``source`` of each entry.

    Examples
    --------
    >>> [(one.chip, one.share) for one in kernel_shares() if one.precision == "fp8"]
    [('H100 SXM', 0.405)]
    """
    return _shares()


def kernel_share(chip: Accelerator, precision: str = "bf16") -> KernelShare:
    """Kernel efficiency of a chip: from its own training runs, those of its family, or the median of all chips.

    Parameters
    ----------
    chip : specs.Accelerator
        Chip of the catalogue, or a custom one.
    precision : str
        Precision of the matrix products.

    Returns
    -------
    KernelShare
        Fraction of peak, with a wider ``spread`` for a chip without runs: the fraction of its vendor's previous
        generation, or the median of the other chips, at most that of the best measured matrix product.

    Raises
    ------
    PrecisionNotSupported
        The chip does not have the precision.

    Notes
    -----
    Ignores the same effects as `kernel_shares`; same sources.

    Examples
    --------
    >>> from chip2cluster import specs
    >>> kernel_share(specs.accelerator("B200")).spread > kernel_share(specs.accelerator("H200 SXM")).spread
    True
    >>> kernel_share(specs.accelerator("B200")).share == kernel_share(specs.accelerator("H100 SXM")).share
    True
    >>> round(kernel_share(specs.accelerator("MI300X")).share, 2)
    0.51
    """
    if not isinstance(chip, Accelerator):
        raise TypeError(f"chip must be a specs.Accelerator, got {chip!r}")
    chip.peak_flops_dense(precision)
    wanted = ALIKE.get(precision.strip().lower(), precision.strip().lower())
    return _share(chip.name, wanted)


@cache
def _share(name: str, precision: str) -> KernelShare:
    alike = stored("kernel_shares.json")["like"].get(name, name)
    same = [one for one in _shares() if one.precision == precision]
    for one in same:
        if one.chip == alike:
            fitted = one.fitted_on if alike == name else f"{alike}, the same compute: {one.fitted_on}"
            return KernelShare(name, precision, one.share, one.spread, fitted, one.source)
    products = _products(name, precision)
    before = stored("kernel_shares.json")["family"].get(name)
    for one in same:
        if one.chip == before:
            fitted = f"no training run on this chip: {before}, the generation before it: {one.fitted_on}"
            return KernelShare(name, precision, one.share, UNKNOWN_SPREAD, fitted, one.source, products)
    others = same or [one for one in _shares() if one.precision == "bf16"]
    typical = round(min(median(one.share for one in others), products or 1.0), 3)
    source = Source(
        f"The median of {', '.join(one.chip for one in others)}", "2026", "low", "no training run on this chip is known"
    )
    missing = "on this chip: the median of the others" if same else f"in {precision}: the median of other chips in bf16"
    capped = ", at most that of the best measured matrix product" if products else ""
    return KernelShare(name, precision, typical, UNKNOWN_SPREAD, f"no training run {missing}{capped}", source, products)


def _products(name: str, precision: str) -> float | None:
    """Return the fraction of peak of the best measured matrix product on a chip; None if there is none."""
    for row in stored("kernel_shares.json")["products"]:
        if (row["chip"], row["precision"]) == (name, precision):
            return row["flops_per_second"] / accelerator(name).peak_flops_dense(precision)
    return None


@cache
def _shares() -> tuple[KernelShare, ...]:
    data = stored("kernel_shares.json")
    return tuple(
        KernelShare(
            row["chip"],
            row["precision"],
            row["share"],
            SPREAD,
            row["fitted_on"],
            Source(**data["sources"][row["source"]]),
        )
        for row in data["shares"]
    )
