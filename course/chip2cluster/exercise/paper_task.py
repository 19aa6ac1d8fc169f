"""Task of an exam on paper: an exercise asked without its notebook, with the unit and the range of every number.

The answer and the named mistakes are those of the exercise. The text is complete by itself: placeholders such as
``{bandwidth}`` become numbers with their units.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from types import SimpleNamespace
from typing import Any

__all__ = ["Choice", "Number", "PaperTask", "Step"]

UNBROKEN = "\N{NO-BREAK SPACE}"  # keeps a number and its unit on one line


@dataclass(frozen=True)
class Number:
    """Number that a paper states.

    Attributes
    ----------
    unit : str
        Unit as printed; empty only for a plain number whose noun is in the text.
    low, high : float
        Ends of the range in the printed unit, both plausible for a real machine.
    per : float
        Value of one printed unit in the unit of the exercise's argument.
    digits : int
        Significant digits.
    values : tuple of float
        Possible values, in place of a range; such as the rates of a standard.
    whole : bool
        Whether the argument counts something.
    """

    unit: str
    low: float = 0.0
    high: float = 0.0
    per: float = 1.0
    digits: int = 3
    values: tuple[float, ...] = ()
    whole: bool = False

    def __post_init__(self) -> None:
        """Refuse an empty range."""
        if not self.values and not 0 < self.low < self.high:
            raise ValueError(f"a number needs values, or a range from more than 0; got {self.low:g} to {self.high:g}")

    @property
    def ends(self) -> tuple[float, float]:
        """Least and largest printed value."""
        return (min(self.values), max(self.values)) if self.values else (self.low, self.high)

    def draw(self, generator: Any) -> float:
        """Draw a printed value, each order of magnitude of the range equally often."""
        if self.values:
            return float(self.values[int(generator.integers(len(self.values)))])
        drawn = math.exp(generator.uniform(math.log(self.low), math.log(self.high)))
        rounded = float(f"{drawn:.{self.digits - 1}e}")
        return min(max(round(rounded) if self.whole else rounded, self.low), self.high)

    def show(self, value: float) -> str:
        """Return a printed value with its unit."""
        text = f"{value:,.0f}" if float(value).is_integer() else f"{value:,.6g}"
        return f"{text}{UNBROKEN * bool(self.unit)}{self.unit}"

    def argument(self, value: float) -> float:
        """Return a printed value in the unit of the exercise's argument."""
        return round(value * self.per) if self.whole else value * self.per


@dataclass(frozen=True)
class Choice:
    """One of several cases: the argument's value, and the words that the paper prints for it."""

    words: Mapping[Any, str]

    def draw(self, generator: Any) -> Any:
        """Draw a case."""
        return list(self.words)[int(generator.integers(len(self.words)))]

    def show(self, value: Any) -> str:
        """Return the words of a case."""
        return self.words[value]

    def argument(self, value: Any) -> Any:
        """Return the argument of a case."""
        return value


@dataclass(frozen=True)
class Step:
    """Step of the working, which earns a ``share`` of the points where the answer is wrong.

    ``value`` takes the exercise's inputs as attributes and returns the result in ``unit``. The last step is the answer.
    """

    name: str
    share: float
    value: Callable[[Any], Any]
    unit: str = ""


@dataclass(frozen=True, kw_only=True)
class PaperTask:
    """Exercise in words for paper.

    Attributes
    ----------
    exercise : str
        Id of the exercise.
    title : str
        Heading, without a number.
    text : str
        Markdown; ends with what the answer is.
    given : mapping of str to Number or Choice
        Numbers of the text, by placeholder.
    unit : str
        Unit of the answer on the paper.
    per : float or tuple of float
        Value of one unit on the paper in the unit of the exercise's answer; of several numbers, one each.
    steps : tuple of Step
        Their shares add up to 1.
    judges : bool
        Whether the task asks for a judgement: a log, a printed claim, or an interval.
    judgement : str
        For the key: the judgement that the text asks for in words beside the answer; empty if the answer is all.
    inputs : callable or None
        Takes the given values in the units of the arguments, as attributes; returns the exercise's inputs. By default they
        are the given values.
    prints : callable or None
        Takes the exercise's inputs as attributes; returns the texts of further placeholders, such as a log.
    plausible : callable or None
        Takes the exercise's inputs as attributes; returns whether they can belong to one machine.
    exact : bool
        Whether the answer is a count, which must be exact.
    words : tuple of str
        Possible answers, if the answer is one of several words.
    """

    exercise: str
    title: str
    text: str
    given: Mapping[str, Number | Choice]
    steps: tuple[Step, ...]
    unit: str = ""
    per: float | tuple[float, ...] = 1.0
    judges: bool = False
    judgement: str = ""
    inputs: Callable[[Any], Mapping[str, Any]] | None = None
    prints: Callable[[Any], Mapping[str, str]] | None = None
    plausible: Callable[[Any], bool] | None = None
    exact: bool = False
    words: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        """Refuse steps that are not worth all points, and numbers that no text states."""
        if not self.steps or abs(sum(step.share for step in self.steps) - 1) > 1e-9:
            raise ValueError(f"{self.exercise}: the shares of the steps must add up to 1")
        stated = {name for _, name, *_ in Formatter().parse(self.text) if name}
        if not self.prints and stated != {*self.given}:
            raise ValueError(f"{self.exercise}: the text states {sorted(stated)}, and given are {sorted(self.given)}")

    def draw(self, generator: Any) -> dict[str, Any]:
        """Draw the printed value of each given number or case."""
        return {name: one.draw(generator) for name, one in self.given.items()}

    def arguments(self, printed: Mapping[str, Any]) -> dict[str, Any]:
        """Return the exercise's inputs for printed values."""
        values = {name: one.argument(printed[name]) for name, one in self.given.items()}
        return dict(self.inputs(SimpleNamespace(**values))) if self.inputs else values

    def wording(self, printed: Mapping[str, Any]) -> str:
        """Return the text with printed values."""
        texts = {name: one.show(printed[name]) for name, one in self.given.items()}
        if self.prints:
            texts |= self.prints(SimpleNamespace(**self.arguments(printed)))
        return re.sub(r"(?<=\d) (?=%)", UNBROKEN, self.text.format_map(texts))
