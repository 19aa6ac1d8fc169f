"""The controls an explorer can have. Each maps a typed value to what a browser shows and back.

A browser only ever sends an index or a truth value; what these mean is decided here.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from .. import units
from .._validate import whole


@dataclass(frozen=True, kw_only=True)
class Control:
    """What all controls share. ``more`` puts it behind the "More" button."""

    name: str
    label: str
    default: object = None
    unit: str = ""
    more: bool = False

    def settle(self, value, values):
        """Return ``value``, or the nearest thing that the other values still allow."""
        return value

    def reason(self, value, values):
        """Why a value is no option here, where that is known, and else nothing."""
        return ""

    def _shown(self, kind, value, **extra):
        shown = {"kind": kind, "name": self.name, "label": self.label, "unit": self.unit, "more": self.more}
        return {**shown, "value": value, **extra}


@dataclass(frozen=True, kw_only=True)
class Choice(Control):
    """One of several options.

    ``options`` is a tuple, or a function of the values chosen so far that returns
    one; ``prefer`` says what to fall back on when an option disappears. ``text``
    turns an option into what a reader sees, ``parse`` what a caller wrote into an option.
    ``why`` says of a value and the values chosen so far why it is no option, or nothing.
    """

    options: tuple | Callable
    prefer: tuple = ()
    text: Callable = str
    parse: Callable | None = None
    why: Callable | None = None
    kind = "select"

    def choices(self, values):
        """Return the options for the values of the other controls."""
        return tuple(self.options(values) if callable(self.options) else self.options)

    def check(self, value, values):
        """Return a value of the caller as the control holds it; raise an error that names the options."""
        choices = self.choices(values)
        value = self.parse(value) if self.parse else value
        # 1 == True and 1 == 1.0: only the same kind of value counts.
        if any(value == choice and isinstance(value, bool) == isinstance(choice, bool) for choice in choices):
            return choices[choices.index(value)]
        if reason := self.reason(value, values):
            raise ValueError(f"{self.name} {self.text(value)} is not offered here: {reason}")
        raise ValueError(f"{self.name} must be one of {self._listed(choices)}; got {value!r}")

    def _listed(self, choices):
        return ", ".join(map(repr, choices))

    def settle(self, value, values):
        """Return the value, or the option nearest to it."""
        choices = self.choices(values)
        return next((option for option in (value, self.default, *self.prefer) if option in choices), choices[0])

    def reason(self, value, values):
        """Return the reason why a value is not an option, or an empty text."""
        return (self.why and self.why(value, values)) or ""

    def describe(self, value, values):
        """Return the control as the script needs it, with its present value."""
        choices = self.choices(values)
        return self._shown(self.kind, choices.index(value), texts=[self.written(choice) for choice in choices])

    def written(self, choice):
        """An option as a reader sees it, with its unit."""
        return f"{self.text(choice)} {self.unit}".strip()

    def receive(self, raw, values):
        """Return the value of a message from the script; raise an error if it is not an option."""
        choices = self.choices(values)
        if type(raw) is not int or not 0 <= raw < len(choices):
            raise ValueError(f"{self.name} has {len(choices)} options, got number {raw!r}")
        return choices[raw]


@dataclass(frozen=True, kw_only=True)
class Slider(Choice):
    """A range over a list of values, evenly spaced on the screen whatever they are; ``plays`` gives it a button that moves it."""

    text: Callable = "{:,}".format
    plays: bool = False
    kind = "range"

    def _shown(self, kind, value, **extra):
        return super()._shown(kind, value, **extra, **({"plays": True} if self.plays else {}))

    def _listed(self, choices):
        if len(choices) <= 12:
            return super()._listed(choices)
        return f"{super()._listed(choices[:5])}, … {choices[-1]!r}"


class Nearest(Slider):
    """A range that moves to the nearest number that the other values still allow."""

    def settle(self, value, values):
        """Return the value, or the option nearest to it."""
        return min(self.choices(values), key=lambda choice: (abs(choice - value), choice))


def in_bytes(size):
    """A size as a caller may write it, for ``parse``: a number of bytes, or a text with its unit.

    >>> in_bytes("1 MiB") == in_bytes(2**20) == 2**20
    True
    """
    return units.parse(size, "B") if isinstance(size, str) else size


@dataclass(frozen=True, kw_only=True)
class Toggle(Control):
    """On or off."""

    default: bool = False
    kind = "checkbox"

    def choices(self, values):
        """Return the options for the values of the other controls."""
        return (False, True)

    def written(self, value):
        """The state as a reader sees it."""
        return "on" if value else "off"

    def check(self, value, values):
        """Return a value of the caller as the control holds it; raise an error that names the options."""
        if isinstance(value, bool):
            return value
        raise ValueError(f"{self.name} must be True or False; got {value!r}")

    def describe(self, value, values):
        """Return the control as the script needs it, with its present value."""
        return self._shown(self.kind, value)

    def receive(self, raw, values):
        """Return the value of a message from the script; raise an error if it is not an option."""
        return self.check(raw, values)


def joined(controls, name, value):
    """The same controls, where ``value`` is among the options of the one of that name, in order.

    Parameters
    ----------
    controls : tuple of Control
    name : str
        Name of a `Choice` whose options stand fixed.
    value : int or str
        The reader's own: a whole number of at least 1, or a text, which goes to the front.

    Returns
    -------
    tuple of Control

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

    def with_it(options):
        if isinstance(value, str):
            return options if value in options else (value, *options)
        return tuple(sorted({*options, whole(name, value)}))

    return tuple(
        replace(control, options=with_it(control.options)) if control.name == name else control for control in controls
    )
