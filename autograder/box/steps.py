"""What a box is told to do with a notebook, and what a cell gave."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """Run this source."""

    source: str


@dataclass(frozen=True)
class Question:
    """Ask ``function``, as it is at this point of the notebook, about each of ``calls`` (lists of arguments)."""

    function: str
    calls: list


@dataclass
class Ran:
    """What a cell gave: ``how`` is "ok", "error", "interrupted", "killed" or "not run"."""

    how: str
    outputs: list = field(default_factory=list)
