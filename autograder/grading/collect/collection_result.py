"""Outcome of a collection."""

from dataclasses import dataclass, field
from pathlib import Path

from ..platforms import Platform
from .mapping_table import MappingRow


@dataclass
class CollectionResult:
    """Outcome of a collection: the table of names, and the students who need the instructor.

    Attributes
    ----------
    platform : Platform
        Platform whose rules the download was read by.
    file : Path
        Table of names and students.
    rows : list of MappingRow
        Rows of the table, those that need the instructor first.
    unresolved : list of MappingRow
        Submissions without a known student, or of which it is unknown which one counts.
    late, unreadable, replaced : list of str
        Students whose submission is late, cannot be read, replaced an earlier one.
    absent : list of str
        Students who handed in nothing.
    notes : list of str
        Sentences about the download as a whole that need the instructor.
    remarks : list of str
        Sentences about the download as a whole that need nobody.
    new, same : int
        Numbers of submissions that were put into the course, and that were in it already.
    lacks_due_date : bool
        Whether work is late while the lab has no due date, so that being late costs nothing.
    """

    platform: Platform
    file: Path
    rows: list[MappingRow] = field(default_factory=list)
    unresolved: list[MappingRow] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    new: int = 0
    same: int = 0
    lacks_due_date: bool = False

    @property
    def clean(self) -> bool:
        """Whether nothing needs the instructor."""
        return not (self.unresolved or self.unreadable or self.notes)
