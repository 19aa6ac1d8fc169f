"""Outcome of one grading run: its counts, the sentences for the instructor, and its JSON report."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...atomic_write import raising_disk_full, write_text
from ...sandbox import SandboxType
from ..result import GRADED, Result
from ..sanitize.terminal_text import printable

if TYPE_CHECKING:
    from ..gradebook.unknown_students import UnknownStudent


@dataclass
class GradingRun:
    """Outcome of one grading run.

    Attributes
    ----------
    lab : str
    rows : dict
        `Result.row` of each submission, sorted by student.
    sandbox : SandboxType
        ``UNSANDBOXED`` if any submission was graded without a sandbox.
    graded, reused : int
        Number of submissions graded now, and number of unchanged ones.
    repeated, not_repeated : int
        Number of submissions in which the wall clock ended something: those that were graded a second
        time with nothing else running, and those for which there was no time.
    failures : dict
        Error message by student whose result could not be written to the gradebook; the next run tries again.
    kept : list of str
        Students on whose work the grader itself failed, and whose earlier result and marks stay.
    not_graded : list of str
        Students on whose work the grader itself failed, and who have no earlier result.
    undated : int
        Number of submissions without a timestamp in a lab with a due date; they count as in time.
    earlier_releases : dict
        Students by the name of the earlier release that they worked on, see `releases.release_name`.
    release_notices : list of str
        Sentences about these students.
    unknown_students : list of UnknownStudent
        Rows of the table of dates whose student nobody knows: a misspelled id costs somebody an extension.
    waiting_penalties : list of str
        Late students whom such a row may mean, and whose penalty was therefore not changed.
    locked : dict
        Sentence by student on whose work nothing was graded, because this account may not read it.
    late_days_moved : dict
        Students by other lab whose late penalty there has changed, because late days are counted over all labs.
    """

    lab: str
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    sandbox: SandboxType = SandboxType.BUBBLEWRAP
    graded: int = 0
    reused: int = 0
    repeated: int = 0
    not_repeated: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    not_graded: list[str] = field(default_factory=list)
    undated: int = 0
    unknown_students: "list[UnknownStudent]" = field(default_factory=list)
    waiting_penalties: list[str] = field(default_factory=list)
    locked: dict[str, str] = field(default_factory=dict)
    late_days_moved: dict[str, list[str]] = field(default_factory=dict)
    earlier_releases: dict[str, list[str]] = field(default_factory=dict)
    release_notices: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether everything was graded without errors and is in the gradebook."""
        return not (self.failures or self.kept or self.not_graded or self.unknown_students) and all(
            row["status"] == GRADED for row in self.rows.values()
        )

    @property
    def notices(self) -> list[str]:
        """Sentences that the instructor should read, whichever command graded."""
        lines = [printable(sentence, 2000) for sentence in self.release_notices]
        if self.locked:
            lines.append(f"Need you: {len(self.locked)}. This account may not read their work, so they got no mark:")
            lines += [
                f"  {printable(student)}: {sentence} "
                + ("Earlier marks are kept. " if student in self.kept else "Exports leave the mark empty. ")
                + "Then grade again."
                for student, sentence in self.locked.items()
            ]
        kept = [student for student in self.kept if student not in self.locked]
        not_graded = [student for student in self.not_graded if student not in self.locked]
        if kept:
            lines.append(
                f"The grader itself failed on the work of {', '.join(map(printable, kept))}. Their earlier results and "
                "marks are kept; the next `autograder grade` tries again."
            )
        if not_graded:
            lines.append(
                f"The grader itself failed on the work of {', '.join(map(printable, not_graded))}, which had no marks yet. "
                "The tasks concerned wait for you or for the next `autograder grade`, and exports leave the mark empty."
            )
        lines += self.date_notices
        if self.waiting_penalties:
            names = ", ".join(map(printable, self.waiting_penalties))
            lines.append(
                f"Late without that, and given no penalty for it until the table is corrected: {names}. Then grade again."
            )
        if self.undated:
            lines.append(
                f"{self.lab} has a due date, but for {self.undated} of its submissions nobody wrote down when they came, "
                f"so they count as in time. Put the times into autograder/work/dates/{self.lab}.csv (student,received,due), "
                "or see docs/instructors/dates-and-groups.md on timestamp.txt."
            )
        lines += [
            f"Late days are counted over all labs, so the late penalty in {other} changed for {', '.join(map(printable, names))}."
            for other, names in self.late_days_moved.items()
        ]
        return lines

    @property
    def date_notices(self) -> list[str]:
        """Sentences about rows of the table of dates that apply to nobody; known before anything is graded."""
        if not self.unknown_students:
            return []
        return [
            f"Need you: {len(self.unknown_students)} in the table of dates.",
            *(f"  {one.sentence(self.lab)}" for one in self.unknown_students),
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the report of a run, which does not depend on the order of grading."""
        return {"lab": self.lab, "sandbox": self.sandbox, "students": self.rows}

    def add(self, result: Result) -> None:
        """Add a result to the report."""
        self.rows[result.student] = result.row() | ({"kept": True} if result.student in self.kept else {})
        if result.made_from:
            self.earlier_releases.setdefault(result.made_from, []).append(result.student)
        if result.sandbox != SandboxType.BUBBLEWRAP:
            self.sandbox = SandboxType.UNSANDBOXED


@raising_disk_full()
def write_report(run: GradingRun, file: str | Path) -> None:
    """Write the JSON report of a run to a file atomically."""
    import json

    write_text(Path(file), json.dumps(run.to_json(), indent=1, ensure_ascii=False) + "\n")
