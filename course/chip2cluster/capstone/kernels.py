"""The one fitted number of a step: the share of a chip's peak that kernels reach while they run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from statistics import median

from .._validate import choice
from ..provenance import Source
from ..specs import Accelerator, accelerator
from .prices import stored

ALIKE = {"fp16": "bf16"}  # 16-bit formats have one peak and one share
SPREAD = 1.25  # four of five published trainings lie within this factor of the model
CHOSEN = 1.26, 1.56  # times as long as the fastest layout of the model takes what people chose: the middle, nine of ten
UNKNOWN_SPREAD = 1.5  # by which it may be slower where no run of the chip was read


@dataclass(frozen=True)
class KernelShare:
    """Share of the dense peak that kernels reach, and what it was read off.

    ``spread`` is the factor within which four of five published trainings lie around what the model
    says with it; ``fitted_on`` names the runs. ``products`` is the share that the best matrix product reached which was
    measured on a chip without a run; None where none was read.
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
        """What speaks against the share, in words: it should not lie above that of the best matrix product."""
        if self.products is None or self.share <= self.products:
            return ""
        return (
            f"a search for the best matrix product of the {self.chip} found {100 * self.products:.0f} % of the peak, less than "
            f"the {100 * self.share:.0f} % that are taken for all kernels of a training: unless its software has become better, "
            "it takes longer than said here"
        )

    @property
    def faster(self) -> float:
        """The factor by which a training may be faster than the model says: no wider where no run of the chip was read."""
        return min(self.spread, SPREAD)

    @property
    def ends(self) -> tuple[float, float]:
        """Between which the share may lie: no higher than the best that was read off any chip."""
        best = max(one.share for one in _shares())
        return self.share / self.spread, max(self.share, min(self.share * self.faster, best))


def kernel_shares() -> tuple[KernelShare, ...]:
    """Shares of the peak that were read off runs, one for each chip and precision.

    Returns
    -------
    tuple of KernelShare

    Notes
    -----
    The only number of `evaluate` that is fitted to speeds. Each was read off one or two runs, and
    every other training on the chip is predicted with it. Ignores the size of the model, of the micro-batch, and the year of the software.
    Source: each one's ``source``.

    Examples
    --------
    >>> [(one.chip, one.share) for one in kernel_shares() if one.precision == "fp8"]
    [('H100 SXM', 0.405)]
    """
    return _shares()


def kernel_share(chip: Accelerator, precision: str = "bf16") -> KernelShare:
    """The share of a chip: read off its own runs, or the median of all chips where there are none.

    Parameters
    ----------
    chip : specs.Accelerator
    precision : str
        Of the products.

    Returns
    -------
    KernelShare
        For a chip without runs the median of the others, with a wider ``spread``; ``fitted_on`` says so.

    Raises
    ------
    PrecisionNotSupported
        The chip does not have the precision.

    Notes
    -----
    Ignores what `kernel_shares` ignores. Source: as there.

    Examples
    --------
    >>> from chip2cluster import specs
    >>> kernel_share(specs.accelerator("B200")).spread > kernel_share(specs.accelerator("H200 SXM")).spread
    True
    >>> kernel_share(specs.accelerator("MI300X")).doubt[:73]
    'a search for the best matrix product of the MI300X found 51 % of the peak'
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
            told = one.fitted_on if alike == name else f"{alike}, the same compute: {one.fitted_on}"
            return KernelShare(name, precision, one.share, one.spread, told, one.source)
    others = same or [one for one in _shares() if one.precision == choice("precision", "bf16", ("bf16",))]
    typical = round(median(one.share for one in others), 3)
    source = Source(
        f"The median of {', '.join(one.chip for one in others)}", "2026", "low", "no run of this chip was read"
    )
    return KernelShare(
        name, precision, typical, UNKNOWN_SPREAD, "no run of this chip: the median of the others", source,
        _products(name, precision),
    )  # fmt: skip


def _products(name: str, precision: str) -> float | None:
    """Share of the peak of the best matrix product that was measured on a chip."""
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
