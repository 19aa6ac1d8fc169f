"""Controls of an explorer that can be moved without a kernel, as in the book."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ALL = None  # every option of the control


@dataclass(frozen=True)
class Strip:
    """States of an explorer that are drawn when the book is built.

    ``reel`` is the name of the control that a reader moves most; all of its options are drawn unless ``steps`` lists some.
    ``beside`` maps the names of further controls, those that the chapter's text asks for, to their options or to `ALL`.
    Other controls are fixed in the book, and the page says so.
    """

    reel: str
    beside: Mapping[str, tuple[Any, ...] | None] = field(default_factory=dict)
    steps: tuple[Any, ...] | None = ALL

    @property
    def options(self) -> dict[str, tuple[Any, ...] | None]:
        """Options of every control that can be moved, by name."""
        return {self.reel: self.steps, **self.beside}
