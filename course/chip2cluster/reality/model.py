"""What a comparison is made of: a publication, a measured row, a kind of rows with its band."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIDENCE = (
    "A",
    "B",
)  # A: a whole table or the maker's own words were read; B: an excerpt, rounded or partly inferred
ACCOUNTING, BOUND, ESTIMATE = HOW = ("accounting", "bound", "estimate")


@dataclass(frozen=True)
class Publication:
    """Where a measurement was published, by whom, when, under which terms, and how far to trust it."""

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
        Its table and its place in it.
    label, system, software : str
        What was measured, on what, with what.
    measured : float
        SI base unit of the kind.
    given : mapping
        What the prediction may know, SI base units.
    fitted : bool
        Whether a number of the prediction was read off this row; such a row never counts.
    publication : Publication
    note : str
        What was read into the source.
    uncounted : str
        Why a row does not count although nothing was fitted to it: it is no measurement, or counts elsewhere.
    why : mapping
        Reasons of a miss by its direction, ``"high"`` or ``"low"``; ours, not the source's.
    counts : bool
        Whether the row is held against the prediction.
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
        """The table that it stands in."""
        return self.id.rpartition("-")[0]

    @property
    def counts(self) -> bool:
        """Neither fitted nor set aside."""
        return not self.fitted and not self.uncounted


@dataclass(frozen=True)
class LeftOut:
    """Rows of a source that are not carried: how many (0: not counted), which, and why."""

    rows: int
    what: str
    because: str


@dataclass(frozen=True)
class Band:
    """How near the predictions of a kind must be: the same for all kinds, wider for a whole training.

    The median of the factors by which they miss is at most ``median_factor``, and
    ``share`` of them are within ``within``.
    """

    median_factor: float
    within: float
    share: float
    because: str


@dataclass(frozen=True)
class Kind:
    """Measurements of one kind and what is compared with them.

    Attributes
    ----------
    name, title, short, family, quantity : str
        ``short`` is the title in two or three words. The family is ``"wires"``, ``"memory"``, ``"arithmetic"``,
        ``"training"`` or ``"serving"``.
    unit : str
        As people print it; ``scale`` of it is one SI base unit.
    how : str
        ``"bound"``: nothing should beat it; ``"estimate"``: what should be seen;
        ``"accounting"``: the speed is an input, and the books are what is tested.
    predicted, fitted : str
        What a prediction means here, and which of its numbers were read off rows.
    models : tuple of str
        The public functions that it tests.
    band : Band
    meets : bool
        Whether the rows that were held out lie in the band; ``reason`` says why not.
    rows : tuple of Row
    left_out : tuple of LeftOut
        What the sources have beyond the rows.
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
        """Whether anything is forecast; accounting is given the speed."""
        return self.how != ACCOUNTING


@dataclass(frozen=True)
class Point:
    """A measurement beside its prediction, both in the SI base unit of the kind."""

    kind: Kind = field(repr=False)
    row: Row
    predicted: float

    @property
    def ratio(self) -> float:
        """Predicted over measured."""
        return self.predicted / self.row.measured

    @property
    def factor(self) -> float:
        """How far off the prediction is, at least 1: too high and too low count alike."""
        return max(self.ratio, 1 / self.ratio)

    @property
    def way(self) -> str:
        """``"high"`` or ``"low"``."""
        return "high" if self.ratio > 1 else "low"

    @property
    def why(self) -> str:
        """The reason given for a miss in this direction; empty where none is known."""
        return self.row.why.get(self.way, "")
