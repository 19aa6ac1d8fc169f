"""What grading one submission gives: plain data, the same on every machine."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NotRequired, TypedDict

from chip2cluster.exercise.verdict_codes import Ruling
from chip2cluster.renamed import EXERCISES, current

from ..sandbox import SandboxType


class Status(StrEnum):
    """What became of a submission; a stored result and the report of a run hold these words."""

    GRADED = "graded"
    WITH_ERRORS = "graded_with_errors"
    UNREADABLE = "unreadable"


GRADED, WITH_ERRORS, UNREADABLE = Status.GRADED, Status.WITH_ERRORS, Status.UNREADABLE


class Marked(TypedDict):
    """One exercise of a submission; ``place`` is where its answer stands on the exercise's board, if it has one."""

    score: float
    max_score: float
    verdict: Ruling
    message: str
    mistake: str
    place: NotRequired[list[float]]


@dataclass
class Result:
    """One student's lab, graded.

    Attributes
    ----------
    lab, student : str
    status : Status
        With errors when a cell failed, was stopped or never ran; unreadable when the
        file could not be read as a notebook.
    sandbox : SandboxType or None
        None where the marks were not given by this grader.
    repairs : list of str
        What was put back as released, a sentence each.
    exercises : dict
        A `Marked` for each exercise id.
    notebook : dict
        The rebuilt notebook with capped outputs and the verdicts in its check cells.
    hints : dict
        Hints read by exercise id, as far as the notebook handed in says so; not part of `row`.
    catalogue : str
        Version of the chips' figures, `chip2cluster.specs.data_version`; empty where nobody wrote it down.
    made_from : str
        The earlier release of the lab that it was made from, `releases.name_of`; empty where it was the present one, or nobody knows.
    digest : str
        Of everything that the verdicts depend on: submission, lab, exercises, seed.
    seconds : float
        How long it took; not part of `row`, so that two runs compare equal.
    by_clock : bool
        Whether the clock ended something that had computing left; not part of `row`.
    """

    lab: str
    student: str
    status: Status
    sandbox: SandboxType | None
    repairs: list[str] = field(default_factory=list)
    exercises: dict[str, Marked] = field(default_factory=dict)
    notebook: dict[str, Any] = field(default_factory=dict)
    hints: dict[str, int] = field(default_factory=dict)
    catalogue: str = ""
    made_from: str = ""
    digest: str = ""
    seconds: float = 0.0
    by_clock: bool = False

    @property
    def score(self) -> float:
        return round(sum(marked["score"] for marked in self.exercises.values()), 6)

    @property
    def max_score(self) -> float:
        return sum(marked["max_score"] for marked in self.exercises.values())

    def row(self) -> dict[str, Any]:
        """The public part, as it stands in the report of a run."""
        return {
            "status": self.status,
            "score": self.score,
            "max_score": self.max_score,
            "catalogue": self.catalogue,
            "repairs": self.repairs,
            "exercises": {
                name: {key: value for key, value in marked.items() if key not in ("mistake", "place")}
                for name, marked in self.exercises.items()
            },
        }

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Result":
        """Read what `to_json` gave.

        Raises
        ------
        ValueError, TypeError, KeyError
            For anything else, words that this version does not know included.
        """
        result = cls(**data)
        result.status = Status(result.status)
        result.sandbox = SandboxType(result.sandbox) if result.sandbox else None
        result.exercises = {current(name, EXERCISES): marked for name, marked in result.exercises.items()}
        for marked in result.exercises.values():
            marked["verdict"] = Ruling(marked["verdict"])
        return result
