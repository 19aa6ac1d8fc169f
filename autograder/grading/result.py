"""Result of grading one submission: plain data, the same on every machine."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NotRequired, TypedDict

from chip2cluster.exercise.verdict_codes import Ruling
from chip2cluster.renamed import EXERCISES, current

from ..sandbox import SandboxType


class SubmissionStatus(StrEnum):
    """Status of a graded submission; stored results and run reports contain these values."""

    GRADED = "graded"
    WITH_ERRORS = "graded_with_errors"
    UNREADABLE = "unreadable"


GRADED, WITH_ERRORS, UNREADABLE = SubmissionStatus.GRADED, SubmissionStatus.WITH_ERRORS, SubmissionStatus.UNREADABLE


class ExerciseMark(TypedDict):
    """Mark of one exercise.

    ``place`` is the position of its answer on the exercise's board, if there is one. ``fault`` is true if the grader itself
    failed: then the score of 0 is not a mark.
    """

    score: float
    max_score: float
    verdict: Ruling
    message: str
    mistake: str
    place: NotRequired[list[float]]
    fault: NotRequired[bool]


@dataclass
class Result:
    """Result of one student's lab.

    Attributes
    ----------
    lab, student : str
    status : Status
        "graded_with_errors" if a cell failed, was stopped or never ran; "unreadable" if the
        file could not be read as a notebook.
    sandbox : SandboxType or None
        None if the marks come from another grader.
    repairs : list of str
        Sentences about what was restored to the released state.
    exercises : dict
        An `ExerciseMark` for each exercise id.
    notebook : dict
        The rebuilt notebook with shortened outputs and the verdicts in its check cells.
    hints : dict
        Number of hints read by exercise id, according to the submitted notebook; not part of `row`.
    found : dict
        Places of written answers that stood outside their cell, by the ``grade_id`` of that cell; not part of `row`.
    catalogue : str
        Version of the accelerator data, `chip2cluster.specs.data_version`; empty if it was not recorded.
    made_from : str
        Name of the earlier release that the submission was made from, see `releases.release_name`; empty if it was
        the current release or is unknown.
    digest : str
        Checksum of everything that the verdicts depend on: submission, lab, exercises, seed.
    seconds : float
        Duration of grading; not part of `row`, so that two runs compare equal.
    by_clock : bool
        Whether the wall clock ended something that had CPU time left; not part of `row`.
    """

    lab: str
    student: str
    status: SubmissionStatus
    sandbox: SandboxType | None
    repairs: list[str] = field(default_factory=list)
    exercises: dict[str, ExerciseMark] = field(default_factory=dict)
    notebook: dict[str, Any] = field(default_factory=dict)
    hints: dict[str, int] = field(default_factory=dict)
    found: dict[str, list[str]] = field(default_factory=dict)
    catalogue: str = ""
    made_from: str = ""
    digest: str = ""
    seconds: float = 0.0
    by_clock: bool = False

    @property
    def score(self) -> float:
        """Points of all exercises."""
        return round(sum(marked["score"] for marked in self.exercises.values()), 6)

    @property
    def max_score(self) -> float:
        """Maximum points of all exercises."""
        return sum(marked["max_score"] for marked in self.exercises.values())

    @property
    def fault(self) -> bool:
        """Whether the grader itself failed on an exercise, so that this result is not a mark."""
        return any(marked.get("fault", False) for marked in self.exercises.values())

    def row(self) -> dict[str, Any]:
        """Return the public part, as the report of a run contains it."""
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
        """Return all fields as JSON data."""
        return dict(vars(self))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Result":
        """Restore a result from `to_json`.

        Raises
        ------
        ValueError, TypeError, KeyError
            If the data are anything else, or contain values that this version does not know.
        """
        result = cls(**data)
        result.status = SubmissionStatus(result.status)
        result.sandbox = SandboxType(result.sandbox) if result.sandbox else None
        result.exercises = {current(name, EXERCISES): marked for name, marked in result.exercises.items()}
        for marked in result.exercises.values():
            marked["verdict"] = Ruling(marked["verdict"])
        return result
