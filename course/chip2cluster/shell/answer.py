"""Answer of a command: numbers with their functions and chapters, and assumptions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

    from ..draw import Picture

# Origins of an assumed number, from most to least certain.
KINDS = ("given", "sheet", "payload", "measured", "fitted", "illustrative")
MET, NOT_MET = 0, 1


@dataclass(frozen=True, kw_only=True)
class Number:
    """One number of an answer.

    Attributes
    ----------
    name : str
        Key; includes the unit if that is not SI.
    says : str
        Description.
    value : float, int or str
        Value in the unit.
    unit : str
        Base unit: ``"s"``, ``"B"``, ``"B/s"``, ``"FLOP"``, ``"J"``, ``"kg"``, ``"dollars"``, ``"share"`` or a counted noun.
    low, high : float, optional
        Range of the value; a single one is a bound.
    function : str
        Public function that computes it.
    topic : str
        Topic of the chapter that explains it.
    group : str
        Heading of a group of numbers; empty for the main result.
    """

    name: str
    says: str
    value: Any
    unit: str = ""
    low: float | None = None
    high: float | None = None
    function: str
    topic: str
    group: str = ""


@dataclass(frozen=True, kw_only=True)
class Assumption:
    """One assumed number: its value, its origin, and the option that changes it."""

    name: str
    says: str
    value: Any
    unit: str = ""
    kind: str
    source: str = ""
    option: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class Answer:
    """Answer to one command; its repr is the text shown in a terminal.

    Attributes
    ----------
    command, question : str
        Name of the command, and its question.
    numbers : tuple of Number
        Results.
    assumptions : tuple of Assumption
        Assumed inputs.
    problems : tuple of str
        Reasons why it does not fit, or requirements that are not met; empty if there are none.
    remarks : tuple of str
        Limits of the results.
    options : mapping of str to float, int, str or bool
        Options of the command that were given, in base units; `compare` shows which differ.
    picture : callable, optional
        Draws the curve of the answer; None without one.
    """

    command: str
    question: str
    numbers: tuple[Number, ...]
    assumptions: tuple[Assumption, ...] = ()
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = field(default=())
    options: Mapping[str, Any] = field(default_factory=dict)
    picture: Callable[[], Picture] | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        """Return the text form."""
        from .text_format import answer_text  # here, to avoid a circular import

        return answer_text(self)

    @property
    def met(self) -> bool:
        """Whether it fits and every requirement is met."""
        return not self.problems

    @property
    def exit_code(self) -> int:
        """Exit code: 0, or 1 if it does not fit or a requirement is not met."""
        return MET if self.met else NOT_MET

    def __getitem__(self, name: str) -> Any:
        """Return the value of one number.

        Parameters
        ----------
        name : str
            Key of the number.

        Returns
        -------
        float, int or str
            Value in its base unit.

        Raises
        ------
        KeyError
            The name is unknown; the message lists the names.
        """
        for number in self.numbers:
            if number.name == name:
                return number.value
        raise KeyError(f"no number {name!r} in this answer; there are {', '.join(one.name for one in self.numbers)}")

    def table(self) -> DataFrame:
        """Tabulate the numbers in base units.

        Returns
        -------
        pandas.DataFrame
            One row per number, indexed by name.
        """
        import pandas  # here, because the command does not need it

        frame = pandas.DataFrame([_record(one) for one in self.numbers]).set_index("name")
        return frame[["says", "value", "unit", "low", "high", "function", "topic"]]

    def as_dict(self) -> dict[str, Any]:
        """Convert to a JSON-serializable dict: base units, None for non-finite values.

        Returns
        -------
        dict
            Command, question, numbers, assumptions, problems, remarks and the given options.
        """
        return {
            "command": self.command,
            "question": self.question,
            "met": self.met,
            "problems": list(self.problems),
            "numbers": [_record(one) for one in self.numbers],
            "assumptions": [_record(one) for one in self.assumptions],
            "remarks": list(self.remarks),
            "options": {name: _finite(value) for name, value in self.options.items()},
        }


def _record(one: Number | Assumption) -> dict[str, Any]:
    return {name: _finite(getattr(one, name)) for name in one.__dataclass_fields__}


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not isfinite(value) else value
