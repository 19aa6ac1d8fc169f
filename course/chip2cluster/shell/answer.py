"""What a command answers: numbers, each with its function and its page, and what was assumed for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

# Where an assumed number comes from, from firm to loose.
KINDS = ("given", "sheet", "payload", "measured", "fitted", "illustrative")
MET, NOT_MET = 0, 1


@dataclass(frozen=True, kw_only=True)
class Number:
    """One number of an answer.

    Attributes
    ----------
    name : str
        Its key; says the unit where that is not SI.
    says : str
        What it is, in words.
    value : float, int or str
    unit : str
        Base unit: ``"s"``, ``"B"``, ``"B/s"``, ``"FLOP"``, ``"J"``, ``"kg"``, ``"dollars"``, ``"share"`` or what is counted.
    low, high : float, optional
        Between what it lies; one of them alone is a bound.
    function : str
        Of this package, that gives it.
    topic : str
        Of the chapter that explains it.
    group : str
        A heading over several of them; empty for the answer itself.
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
    """One number that was not asked for but used: its value, where it comes from, and the option that changes it."""

    name: str
    says: str
    value: Any
    unit: str = ""
    kind: str
    source: str = ""
    option: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class Answer:
    """An answer to one command; a console or a notebook shows it as a terminal does.

    Attributes
    ----------
    command, question : str
    numbers : tuple of Number
    assumptions : tuple of Assumption
    problems : tuple of str
        Why it does not fit, or which wish is not met; empty where all is.
    remarks : tuple of str
        What the numbers leave out.
    """

    command: str
    question: str
    numbers: tuple[Number, ...]
    assumptions: tuple[Assumption, ...] = ()
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = field(default=())

    def __repr__(self) -> str:
        from .shown import text  # here, because that file reads answers

        return text(self)

    @property
    def met(self) -> bool:
        """Whether it fits, and every wish is met."""
        return not self.problems

    @property
    def exit_code(self) -> int:
        """0, or 1 for what does not fit or is not met."""
        return MET if self.met else NOT_MET

    def __getitem__(self, name: str) -> Any:
        """The value of one number by its name.

        Parameters
        ----------
        name : str

        Returns
        -------
        float, int or str
            In its base unit.

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
        """The numbers as a table, in base units.

        Returns
        -------
        pandas.DataFrame
            One row a number, by its name.
        """
        import pandas  # here, because the command does not need it

        frame = pandas.DataFrame([_record(one) for one in self.numbers]).set_index("name")
        return frame[["says", "value", "unit", "low", "high", "function", "topic"]]

    def as_dict(self) -> dict[str, Any]:
        """The answer as JSON takes it: base units, None for what is not finite.

        Returns
        -------
        dict
        """
        return {
            "command": self.command,
            "question": self.question,
            "met": self.met,
            "problems": list(self.problems),
            "numbers": [_record(one) for one in self.numbers],
            "assumptions": [_record(one) for one in self.assumptions],
            "remarks": list(self.remarks),
        }


def _record(one: Number | Assumption) -> dict[str, Any]:
    return {name: _finite(getattr(one, name)) for name in one.__dataclass_fields__}


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not isfinite(value) else value
