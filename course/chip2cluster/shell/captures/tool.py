"""Interface between the readers of captured output and the ``read`` command."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..answer import Number


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Numbers of a capture, what is wrong, and what to look at."""

    numbers: tuple[Number, ...]
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Context:
    """Expected machine, as far as it was given."""

    chip: str | None = None
    rate: float | None = None  # one direction of the link under test, bytes/s


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One kind of capture.

    Attributes
    ----------
    name : str
        Name of the tool.
    marks : str
        Regular expression of a text that only this tool prints.
    read : callable
        Returns the finding of a text in a context; raises ValueError for a text that is cut or of another tool.
    example : str
        Short output in the tool's form.
    uses : tuple of {"chip", "rate"}
        Options of the command that the reader uses; the others are refused.
    """

    name: str
    marks: str
    read: Callable[[str, Context], Finding]
    example: str
    uses: tuple[str, ...] = ()

    def recognizes(self, text: str) -> bool:
        """Return whether the text has the marks of the tool."""
        return re.search(self.marks, text, re.MULTILINE) is not None


class Rows:
    """Numbers that one function reads and one chapter explains."""

    def __init__(self, function: str, topic: str) -> None:
        self._function, self._topic = function, topic
        self.numbers: list[Number] = []

    def add(self, name: str, says: str, value: Any, unit: str = "", **more: Any) -> None:
        """Add a number, unless there is none."""
        if value is not None:
            self.numbers.append(
                Number(name=name, says=says, value=value, unit=unit, function=self._function, topic=self._topic, **more)
            )
