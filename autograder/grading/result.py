"""What grading one submission gives: plain data, the same on every machine."""

from dataclasses import asdict, dataclass, field

from chip2cluster.renamed import EXERCISES, current

GRADED, WITH_ERRORS, UNREADABLE = "graded", "graded_with_errors", "unreadable"


@dataclass
class Result:
    """One student's lab, graded.

    Attributes
    ----------
    lab, student : str
    status : str
        ``"graded"``; ``"graded_with_errors"`` when a cell failed, was stopped or
        never ran; ``"unreadable"`` when the file could not be read as a notebook.
    sandbox : str
        ``"bubblewrap"`` or ``"unsandboxed"``.
    repairs : list of str
        What was put back as released, a sentence each.
    exercises : dict
        For each exercise id ``{"score", "max_score", "verdict", "message", "mistake"}``.
    notebook : dict
        The rebuilt notebook with capped outputs and the verdicts in its check cells.
    catalogue : str
        Version of the chips' figures, `chip2cluster.specs.data_version`; empty where nobody wrote it down.
    digest : str
        Of everything that the verdicts depend on: submission, lab, exercises, seed.
    seconds : float
        How long it took; not part of `row`, so that two runs compare equal.
    """

    lab: str
    student: str
    status: str
    sandbox: str
    repairs: list = field(default_factory=list)
    exercises: dict = field(default_factory=dict)
    notebook: dict = field(default_factory=dict)
    catalogue: str = ""
    digest: str = ""
    seconds: float = 0.0

    @property
    def score(self):
        return round(sum(one["score"] for one in self.exercises.values()), 6)

    @property
    def max_score(self):
        return sum(one["max_score"] for one in self.exercises.values())

    def row(self):
        """The public part, as it stands in the report of a run."""
        public = ("score", "max_score", "verdict", "message")
        return {
            "status": self.status,
            "score": self.score,
            "max_score": self.max_score,
            "catalogue": self.catalogue,
            "repairs": self.repairs,
            "exercises": {id: {key: one[key] for key in public} for id, one in self.exercises.items()},
        }

    def to_json(self):
        return asdict(self)

    @classmethod
    def from_json(cls, data):
        result = cls(**data)
        result.exercises = {current(name, EXERCISES): row for name, row in result.exercises.items()}
        return result
