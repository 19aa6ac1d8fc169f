"""Data model of the validation: publications, measured rows, and kinds of measurements with their tolerance bands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIDENCE = (
    "A",
    "B",
)  # A: complete table or vendor's statement; B: excerpt, rounded or partly inferred
ACCOUNTING, BOUND, ESTIMATE = HOW = ("accounting", "bound", "estimate")


@dataclass(frozen=True)
class Publication:
    """Publication of a measurement: title, author, date, address, licence, and confidence."""

    title: str
    measured_by: str
    date: str
    address: str
    licence: str
    confidence: str


@dataclass(frozen=True)
class Row:
    """One measurement.

    Attributes
    ----------
    id : str
        Table and position in it.
    label, system, software : str
        Description of the measurement, of the machine, and of the software.
    measured : float
        Measured value, SI base unit of the kind.
    given : mapping
        Inputs of the prediction, SI base units.
    fitted : bool
        Whether a parameter of the predictor was fitted to this row; such a row never counts.
    publication : Publication
        Source of the row.
    note : str
        Interpretation of the source.
    uncounted : str
        Reason why a row that was not fitted does not count: not a measurement, or counted elsewhere.
    why : mapping
        Reasons for an error by its direction, ``"high"`` or ``"low"``; our own, not those of the source.
    counts : bool
        Whether the row is compared with the prediction.
    """

    id: str
    label: str
    system: str
    software: str
    measured: float
    given: Mapping[str, Any] = field(repr=False)
    fitted: bool
    publication: Publication = field(repr=False)
    note: str = ""
    uncounted: str = ""
    why: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def table(self) -> str:
        """Table of the row."""
        return self.id.rpartition("-")[0]

    @property
    def counts(self) -> bool:
        """Whether the row is neither fitted nor set aside."""
        return not self.fitted and not self.uncounted


@dataclass(frozen=True)
class LeftOut:
    """Rows of a source that are left out: number (0: unknown), description, and reason."""

    rows: int
    what: str
    because: str


@dataclass(frozen=True)
class Band:
    """Tolerance band of the predictions of a kind: the same for all kinds, wider for a whole training run.

    The median error factor is at most ``median_factor``, and a fraction ``share`` of the errors is within the factor
    ``within``.
    """

    median_factor: float
    within: float
    share: float
    because: str


@dataclass(frozen=True)
class Kind:
    """Measurements of one kind, and their predictor.

    Attributes
    ----------
    name, title, short, family, quantity : str
        Names and descriptions; ``short`` is the title in two or three words. The family is ``"wires"``, ``"memory"``, ``"arithmetic"``,
        ``"training"`` or ``"serving"``.
    unit : str
        Unit for display; ``scale`` is its size in SI base units.
    how : str
        ``"bound"``: a limit that no measurement should exceed; ``"estimate"``: an expected value;
        ``"accounting"``: the speed is an input, and only the arithmetic is tested.
    predicted, fitted : str
        Meaning of a prediction, and the parameters that were fitted to rows.
    models : tuple of str
        Public functions under test.
    band : Band
        Tolerance band.
    meets : bool
        Whether the held-out rows meet the band; ``reason`` explains a miss.
    rows : tuple of Row
        Measurements.
    left_out : tuple of LeftOut
        Rows of the sources that are left out.
    """

    name: str
    title: str
    short: str
    family: str
    quantity: str
    unit: str
    scale: float
    how: str
    predicted: str
    fitted: str
    models: tuple[str, ...]
    band: Band
    meets: bool
    reason: str
    rows: tuple[Row, ...] = field(repr=False)
    left_out: tuple[LeftOut, ...] = field(default=(), repr=False)

    @property
    def forecasts(self) -> bool:
        """Whether the kind forecasts a measurement; accounting does not."""
        return self.how != ACCOUNTING


@dataclass(frozen=True)
class Point:
    """Measurement and prediction, both in the SI base unit of the kind."""

    kind: Kind = field(repr=False)
    row: Row
    predicted: float

    @property
    def ratio(self) -> float:
        """Predicted over measured."""
        return self.predicted / self.row.measured

    @property
    def factor(self) -> float:
        """Error factor of the prediction, at least 1, in either direction."""
        return max(self.ratio, 1 / self.ratio)

    @property
    def way(self) -> str:
        """Direction of the error: ``"high"`` or ``"low"``."""
        return "high" if self.ratio > 1 else "low"

    @property
    def why(self) -> str:
        """Reason for an error in this direction; empty if none is known."""
        return self.row.why.get(self.way, "")
