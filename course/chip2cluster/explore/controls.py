"""The controls an explorer can have. Each maps a typed value to what a browser shows and back.

A browser only ever sends an index or a truth value; what these mean is decided here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from .. import units
from .._validate import whole


@dataclass(frozen=True, kw_only=True)
class Control:
    """Base of all controls. ``more`` puts a control behind the "More" button.

    ``values`` is the mapping from the names of the controls to their values, as far as they are chosen. ``idle`` takes the
    values of all controls and returns the reason why this one changes nothing there, or an empty text.
    """

    name: str
    label: str
    default: Any = None
    unit: str = ""
    more: bool = False
    text: Callable[[Any], str] = str
    idle: Callable[[Mapping[str, Any]], str] | None = None

    def settle(self, value: Any, values: Mapping[str, Any]) -> Any:
        """Return ``value``, or the nearest value that the other controls still allow."""
        return value

    def recalls(self, wishes: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
        """Return whether the control goes back to what was asked for before."""
        return False

    def reason(self, value: Any, values: Mapping[str, Any]) -> str:
        """Return the reason why a value is not an option, or an empty text."""
        return ""

    def check(self, value: Any, values: Mapping[str, Any]) -> Any:
        """Return a value of the caller as the control holds it; raise ValueError if it does not fit."""
        raise NotImplementedError

    def describe(self, value: Any, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the control as the script needs it, with its present value."""
        raise NotImplementedError

    def receive(self, raw: Any, values: Mapping[str, Any]) -> Any:
        """Return the value of a message from the script; raise ValueError if it is not an option."""
        raise NotImplementedError

    def written(self, value: Any) -> str:
        """Return a value as a reader sees it, with its unit."""
        raise NotImplementedError

    def _described(self, kind: str, value: Any, **extra: Any) -> dict[str, Any]:
        shown = {"kind": kind, "name": self.name, "label": self.label, "unit": self.unit, "more": self.more}
        return {**shown, "value": value, **extra}


def idle_reason(control: Control, values: Mapping[str, Any]) -> dict[str, str]:
    """Return the reason why a control changes nothing in a state, as the script needs it; empty if it changes something."""
    reason = control.idle(values) if control.idle else ""
    return {"idle": reason} if reason else {}


@dataclass(frozen=True, kw_only=True)
class Choice(Control):
    """One of several options.

    ``options`` is a tuple, or a function of the values chosen so far that returns one; ``prefer`` lists the options to
    fall back on when the chosen one disappears. ``text`` turns an option into the text that a reader sees, ``parse`` the
    input of a caller into an option. ``why`` takes a value and the values chosen so far, and returns the reason why the
    value is not an option, or nothing. ``group`` is the heading under which an option stands in a long list, such as the
    maker of a chip; an empty text for one that stands alone.
    """

    options: tuple[Any, ...] | Callable[[Mapping[str, Any]], tuple[Any, ...]]
    prefer: tuple[Any, ...] = ()
    parse: Callable[[Any], Any] | None = None
    why: Callable[[Any, Mapping[str, Any]], str | None] | None = None
    group: Callable[[Any], str] | None = None
    kind: ClassVar[str] = "select"
    remembered: ClassVar[bool] = True  # what was asked for comes back where it is offered again

    def choices(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the options for the values of the other controls."""
        return tuple(self.options(values) if callable(self.options) else self.options)

    def check(self, value: Any, values: Mapping[str, Any]) -> Any:
        """Return a value of the caller as the control holds it; raise an error that names the options."""
        choices = self.choices(values)
        value = self.parse(value) if self.parse else value
        # 1 == True and 1 == 1.0: only the same kind of value counts.
        if any(value == choice and isinstance(value, bool) == isinstance(choice, bool) for choice in choices):
            return choices[choices.index(value)]
        if reason := self.reason(value, values):
            raise ValueError(f"{self.name} {self.text(value)} is not offered here: {reason}")
        raise ValueError(f"{self.name} must be one of {self._listed(choices)}; got {value!r}")

    def _listed(self, choices: tuple[Any, ...]) -> str:
        return ", ".join(map(repr, choices))

    def settle(self, value: Any, values: Mapping[str, Any]) -> Any:
        """Return the value, or the option nearest to it."""
        choices = self.choices(values)
        return next((option for option in (value, self.default, *self.prefer) if option in choices), choices[0])

    def recalls(self, wishes: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
        """Return whether what was asked for before is an option again; a slider does not go back."""
        return self.remembered and self.name in wishes and wishes[self.name] in self.choices(values)

    def reason(self, value: Any, values: Mapping[str, Any]) -> str:
        """Return the reason why a value is not an option, or an empty text."""
        return (self.why and self.why(value, values)) or ""

    def describe(self, value: Any, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the control as the script needs it, with its present value."""
        choices = self.choices(values)
        groups = {"groups": [self.group(choice) for choice in choices]} if self.group else {}
        texts = [self.written(choice) for choice in choices]
        return self._described(self.kind, choices.index(value), texts=texts, **groups)

    def written(self, value: Any) -> str:
        """Return an option as a reader sees it, with its unit."""
        return f"{self.text(value)} {self.unit}".strip()

    def receive(self, raw: Any, values: Mapping[str, Any]) -> Any:
        """Return the value of a message from the script; raise an error if it is not an option."""
        choices = self.choices(values)
        if type(raw) is not int or not 0 <= raw < len(choices):
            raise ValueError(f"{self.name} has {len(choices)} options, got number {raw!r}")
        return choices[raw]


@dataclass(frozen=True, kw_only=True)
class Slider(Choice):
    """A slider over a list of values, which are evenly spaced on the screen.

    Where the values are a time or steps, ``plays`` is how long a step of the running process is shown, seconds; the
    slider then has buttons that move it.
    """

    text: Callable[[Any], str] = "{:,}".format
    plays: float = 0.0
    kind: ClassVar[str] = "range"
    remembered: ClassVar[bool] = False

    def _described(self, kind: str, value: Any, **extra: Any) -> dict[str, Any]:
        return super()._described(kind, value, **extra, **({"plays": round(1e3 * self.plays)} if self.plays else {}))

    def _listed(self, choices: tuple[Any, ...]) -> str:
        if len(choices) <= 12:
            return super()._listed(choices)
        return f"{super()._listed(choices[:5])}, … {choices[-1]!r}"


class Nearest(Slider):
    """A slider that moves to the nearest number that the other controls still allow."""

    def settle(self, value: Any, values: Mapping[str, Any]) -> Any:
        """Return the value, or the option nearest to it."""
        return min(self.choices(values), key=lambda choice: (abs(choice - value), choice))


def in_bytes(size: Any) -> Any:
    """Return a size in bytes from a number of bytes or a text with its unit; for ``parse`` of a control.

    >>> in_bytes("1 MiB") == in_bytes(2**20) == 2**20
    True
    """
    return units.parse(size, "B") if isinstance(size, str) else size


@dataclass(frozen=True, kw_only=True)
class Toggle(Control):
    """On or off."""

    default: bool = False
    kind: ClassVar[str] = "checkbox"

    def choices(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the options for the values of the other controls."""
        return (False, True)

    def written(self, value: Any) -> str:
        """Return the state as a reader sees it."""
        return "on" if value else "off"

    def check(self, value: Any, values: Mapping[str, Any]) -> Any:
        """Return a value of the caller as the control holds it; raise an error that names the options."""
        if isinstance(value, bool):
            return value
        raise ValueError(f"{self.name} must be True or False; got {value!r}")

    def describe(self, value: Any, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the control as the script needs it, with its present value."""
        return self._described(self.kind, value)

    def receive(self, raw: Any, values: Mapping[str, Any]) -> Any:
        """Return the value of a message from the script; raise an error if it is not an option."""
        return self.check(raw, values)


def joined(controls: tuple[Control, ...], name: str, value: int | str) -> tuple[Control, ...]:
    """Return the controls with ``value`` among the options of the one with that name, in order.

    Parameters
    ----------
    controls : tuple of Control
        All controls of an explorer.
    name : str
        Name of a `Choice` with a fixed tuple of options.
    value : int or str
        Custom option: a whole number of at least 1, or a text, which goes to the front.

    Returns
    -------
    tuple of Control
        Controls of the explorer with the custom option.

    Raises
    ------
    ValueError, TypeError
        For a number that is not whole.

    Examples
    --------
    >>> (control,) = joined((Slider(name="ranks", label="Ranks", options=(1, 8)),), "ranks", 6)
    >>> control.options
    (1, 6, 8)
    """

    def with_it(options: tuple[Any, ...]) -> tuple[Any, ...]:
        if isinstance(value, str):
            return options if value in options else (value, *options)
        return tuple(sorted({*options, whole(name, value)}))

    return tuple(
        replace(control, options=with_it(control.options))
        if isinstance(control, Choice) and isinstance(control.options, tuple) and control.name == name
        else control
        for control in controls
    )
