"""Assumptions of a command: inputs of its answer, each with its origin, for the list that the answer prints."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from .answer import Assumption

if TYPE_CHECKING:
    from ..provenance import Source
    from ..specs import Accelerator

# Confidence of a source that is not confirmed.
_SURE = {"secondary": "from one table", "memory": "from memory", "low": "uncertain"}


class Assumptions:
    """Inputs of an answer: values of options or defaults, each with its origin."""

    def __init__(self, options: Namespace) -> None:
        self._options = options
        self._rows: dict[str, Assumption] = {}

    def value(self, name: str, says: str, default: Any, unit: str, kind: str, source: str) -> Any:
        """Return the value of an option, or its default; record it."""
        if getattr(self._options, name) is not None:
            return self.given(name, says, unit)
        self.note(name, says, default, unit, kind, source, flag(name))
        return default

    def given(self, name: str, says: str, unit: str) -> Any:
        """Return the value of a given option; record it."""
        value = getattr(self._options, name)
        self.note(name, says, value, unit, "given", "", flag(name))
        return value

    def note(self, name: str, says: str, value: Any, unit: str, kind: str, source: str, option: str = "") -> None:
        """Record a number that no option changes, or that comes from elsewhere."""
        self._rows[name] = Assumption(
            name=name, says=says, value=value, unit=unit, kind=kind, source=source, option=option
        )

    def sheet(self, chip: Accelerator, field: str, says: str, value: float, unit: str, precision: str = "") -> None:
        """Record a value of a chip's datasheet, with its confidence."""
        source = chip.source(field, precision) if precision else chip.source(field)
        kind = "given" if source.confidence == "given" else "sheet"
        self.note(field, says, value, unit, kind, cited(source))

    @property
    def rows(self) -> tuple[Assumption, ...]:
        """All recorded inputs, in order."""
        return tuple(self._rows.values())


def flag(name: str) -> str:
    """Return the option for a name."""
    return f"--{name.replace('_', '-')}"


def cited(source: Source) -> str:
    """Format a source: author and date."""
    when = f", {source.as_of}" if source.as_of and source.as_of not in source.citation else ""
    sure = f" ({_SURE[source.confidence]})" if source.confidence in _SURE else ""
    return f"{source.citation}{when}{sure}"
