"""Content of a design memo as data: sections of paragraphs, tables, points and ranges; `chip2cluster.draw.memo` draws them."""

from __future__ import annotations

from dataclasses import dataclass, field

from .outcome import Outcome


@dataclass(frozen=True)
class MemoTable:
    """Table of a memo: a header, and rows of text."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class MemoPoints:
    """Designs by days and million dollars, each with whether it is on the frontier, and the design of the memo."""

    designs: tuple[tuple[float, float, bool], ...]
    chosen: tuple[float, float]


@dataclass(frozen=True)
class MemoRanges:
    """Ranges of the days: name, low end, high end and reason of each, and the expected days."""

    rows: tuple[tuple[str, float, float, str], ...]
    expected: float


@dataclass(frozen=True)
class MemoLog:
    """Lines of a run's log."""

    text: str


Part = str | MemoTable | MemoPoints | MemoRanges | MemoLog


@dataclass(frozen=True)
class MemoSection:
    """Section of a memo; the parts are in reading order, and a string is a paragraph."""

    title: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Memo:
    """Content of a design memo; ``draw.memo`` draws it as a document to show, save and print.

    Attributes
    ----------
    outcome : Outcome
        Evaluated design.
    title : str
        Title of the memo.
    pages : tuple of tuples of MemoSection
        Sections of each printed page.
    """

    outcome: Outcome
    title: str
    pages: tuple[tuple[MemoSection, ...], ...] = field(repr=False)

    def __str__(self) -> str:
        """Return how to see the memo; a notebook of an earlier version shows this line."""
        return f'{self.title}: draw.memo(memo) shows it, and draw.memo(memo).save("design_memo.html") writes the file.'

    __repr__ = __str__

    def __getattr__(self, name: str) -> object:
        """Name the drawn form to a notebook of an earlier version, whose memo had ``html`` and ``save``."""
        if name in ("html", "save"):
            raise AttributeError(f"a memo has no {name}: draw it first, draw.memo(memo).{name}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
