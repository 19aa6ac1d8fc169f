"""What grading knows and a student doesn't: keys of the hidden cases, and each student's own constants."""

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
    """Keys by exercise id, and constants by exercise id; the course secret itself stays where it is."""

    keys: dict[str, bytes]
    given: dict[str, dict[str, Any]]

    def seeds(self, work: str) -> dict[str, int]:
        """Seeds of the hidden cases by exercise id, for the `code_digest` of a submission."""
        return {name: hidden_seed(key, work) for name, key in self.keys.items()}


def secrets_for(lab: Lab, student: str) -> Secrets:
    """Draw them for one student and lab."""
    names = [task.exercise for task in lab.tasks if task.known]
    personal = [exercise(name) for name in names if exercise(name).constants]
    given = {one.id: one.given(student_seed(student, one.numbers_of or one.id)) for one in personal}
    # A page handed out before a rename asks under the old id.
    given |= {old: given[now] for old in EXERCISES if (now := current(old, EXERCISES)) in given}
    return Secrets({name: hidden_key(student, name) for name in names}, given)


def code_digest(notebook: Mapping[str, Any], files: Mapping[str, bytes] | None = None) -> str:
    """Checksum of the code in a rebuilt notebook and of the files beside it: all that answers come from.

    Text, outputs and metadata are left out, so that who corrects a sentence is asked the
    same questions again.

    Parameters
    ----------
    notebook : dict
        From `rebuild`; each source is one string.
    files : dict, optional
        The modules and tables that were handed in beside it, by name.
    """
    cells = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code" and cell["source"].strip()]
    beside = {name: hashlib.sha256(content).hexdigest() for name, content in (files or {}).items()}
    return hashlib.sha256(json.dumps([cells, beside], sort_keys=True).encode()).hexdigest()
