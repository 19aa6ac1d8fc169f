"""What a verdict depends on, as one checksum: as long as it stands, nothing is graded again."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import chip2cluster

from ... import exercises
from ...secret import seed_for
from ..intake.archive import pack_submission
from ..lab import Lab

PACKAGE = Path(exercises.__file__).parent.parent
# These make, show or carry; no verdict depends on them. One that is missing here costs a regrade, no more.
IRRELEVANT = (
    *(
        "student/",
        "exercises/",
        "atomic_write",
        "commands",
        "__main__",
        "doctor/",
        "workspace/",
        "scaffold/",
        "questions/",
        "course_pages",
        "help_policy",
    ),
    *(
        "grading/runs/",
        "grading/gradebook/",
        "grading/reports/",
        "grading/result_store",
        "grading/spreadsheet",
        "grading/lab_doctor",
    ),
)


def submission_digest(folder: str | Path, notebook: str, lab_checksum: str) -> str:
    """Checksum of all that one submission's verdicts depend on.

    Parameters
    ----------
    folder : path
        The submitted folder.
    notebook : str
    lab_checksum : str
        From `lab_digest`.
    """
    digest = hashlib.sha256(f"{lab_checksum}\0".encode())
    for name, kind, content in pack_submission(folder, notebook):
        digest.update(f"{name!a}\0{kind}\0".encode())
        digest.update(content if isinstance(content, bytes) else repr(content).encode())
    return digest.hexdigest()


def lab_digest(lab: Lab) -> str:
    """Checksum of a lab as released, its exercises, the models and grader behind them, and the course secret."""
    digest = hashlib.sha256(json.dumps([lab.name, lab.notebook, lab.released, lab.by_hand], sort_keys=True).encode())
    digest.update(repr(lab.tasks).encode())
    digest.update(str(seed_for("fingerprint")).encode())
    digest.update(source_digest(lab).encode())
    _add_files(digest, lab.folder, _files(lab.folder, "*"))
    return digest.hexdigest()


def source_digest(lab: Lab) -> str:
    """Checksum of a lab's exercises and of the models and grader behind them, the same on every machine.

    Only the course's own source is looked at, not the versions of NumPy or Python.
    """
    return _of_code(frozenset(task.exercise for task in lab.tasks))


@cache
def _of_code(wanted: frozenset[str]) -> str:
    # Once for each process: what it has imported stays, whatever happens to the files.
    digest = hashlib.sha256()
    for top, files in (
        (PACKAGE, _grader()),
        *((folder, _files(folder, "*.py")) for folder in _exercise_folders(wanted)),
        (Path(chip2cluster.__file__).parent, _models()),
    ):
        _add_files(digest, top, files)
    return digest.hexdigest()


def _add_files(digest: "hashlib._Hash", top: Path, files: Iterable[Path]) -> None:
    for file in files:
        digest.update(f"{file.relative_to(top).as_posix()}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())


def _files(folder: Path, pattern: str) -> list[Path]:
    made = {"__pycache__", ".ipynb_checkpoints"}
    return sorted(file for file in folder.rglob(pattern) if file.is_file() and not made & set(file.parts))


def _grader() -> Iterator[Path]:
    for file in _files(PACKAGE, "*.py"):
        if not file.relative_to(PACKAGE).as_posix().startswith(IRRELEVANT):
            yield file


def _exercise_folders(wanted: frozenset[str]) -> Iterator[Path]:
    """Packages that hold these exercises; those of other labs may change freely."""
    topics = exercises.topics()
    homes = {topic for topic, members in topics.items() if wanted & {exercise.id for exercise in members}}
    # A lab builds on what its chapter has.
    yield from (exercises.topic_folder(topic) for topic in sorted(homes | {name.removesuffix("_lab") for name in homes}))


def _models() -> Iterator[Path]:
    folder = Path(chip2cluster.__file__).parent
    for file in _files(folder, "*"):
        # The exercises that matter to a lab are those of `_exercise_folders`.
        if not file.relative_to(folder).as_posix().startswith(("draw/", "explore/", "chapters/")):
            yield file
