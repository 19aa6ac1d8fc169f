"""Secrets of grading: keys of a student's hidden cases, and the student's own constants."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chip2cluster.renamed import EXERCISES, current

from ..exercises import exercise
from ..secret import hidden_key, hidden_seed, student_seed
from .lab import Lab


@dataclass(frozen=True)
class Secrets:
    """Keys of the hidden cases and constants, each by exercise id; the course secret itself is not included."""

    keys: dict[str, bytes]
    given: dict[str, dict[str, Any]]

    def seeds(self, work: str) -> dict[str, int]:
        """Return the seeds of the hidden cases by exercise id, for the `code_digest` of a submission."""
        return {name: hidden_seed(key, work) for name, key in self.keys.items()}


def secrets_for(lab: Lab, student: str) -> Secrets:
    """Derive the secrets of one student and lab from the course secret."""
    names = [task.exercise for task in lab.tasks if task.definition]
    personal = [exercise(name) for name in names if exercise(name).constants]
    given = {one.id: one.given(student_seed(student, one.numbers_of or one.id)) for one in personal}
    # A notebook that was released before an exercise was renamed uses the old id.
    given |= {old: given[now] for old in EXERCISES if (now := current(old, EXERCISES)) in given}
    return Secrets({name: hidden_key(student, name) for name in names}, given)


def code_digest(notebook: Mapping[str, Any], files: Mapping[str, bytes] | None = None) -> str:
    """Return a checksum of the code in a rebuilt notebook and of its extra files.

    Text, outputs and metadata are left out, so that correcting a sentence does not change the
    hidden cases.

    Parameters
    ----------
    notebook : dict
        Rebuilt notebook; each source is one string.
    files : dict, optional
        Modules and tables that were handed in with the notebook, by path.
    """
    cells = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code" and cell["source"].strip()]
    extra = {name: hashlib.sha256(content).hexdigest() for name, content in (files or {}).items()}
    return hashlib.sha256(json.dumps([cells, extra], sort_keys=True).encode()).hexdigest()
