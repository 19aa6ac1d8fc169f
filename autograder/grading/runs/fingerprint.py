"""Checksums of everything that a verdict depends on; a submission with the same checksum is not graded again."""

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
# No verdict depends on these modules. Leaving one out costs only an unnecessary regrade.
IRRELEVANT = (
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
    "grading/runs/",
    "grading/gradebook/",
    "grading/nbgrader_compat/",
    "grading/reports/",
    "grading/result_store",
    "grading/spreadsheet",
    "grading/lab_doctor",
    "grading/usable_exercises",
)


def submission_digest(folder: str | Path, notebook: str, lab_checksum: str) -> str:
    """Return a checksum of everything that one submission's verdicts depend on.

    Parameters
    ----------
    folder : path
        The submitted folder.
    notebook : str
        Name of the lab's notebook without its suffix.
    lab_checksum : str
        Checksum of the lab, see `lab_digest`.
    """
    digest = hashlib.sha256(f"{lab_checksum}\0".encode())
    for name, kind, content in pack_submission(folder, notebook):
        digest.update(f"{name!a}\0{kind}\0".encode())
        digest.update(content if isinstance(content, bytes) else repr(content).encode())
    return digest.hexdigest()


def lab_digest(lab: Lab) -> str:
    """Return a checksum of a released lab, its exercises, the models, the grader, and the course secret."""
    digest = hashlib.sha256(json.dumps([lab.name, lab.notebook, lab.released, lab.by_hand], sort_keys=True).encode())
    digest.update(repr(lab.tasks).encode())
    digest.update(str(seed_for("fingerprint")).encode())
    digest.update(source_digest(lab).encode())
    _add_files(digest, lab.folder, _files(lab.folder, "*"))
    return digest.hexdigest()


def source_digest(lab: Lab) -> str:
    """Return a checksum of a lab's exercises, the models and the grader, the same on every machine.

    It covers the source of the course, not the versions of NumPy or Python.
    """
    return _source_digest(frozenset(task.exercise for task in lab.tasks))


@cache
def _source_digest(wanted: frozenset[str]) -> str:
    # Cached, because a process uses the modules that it has imported, whatever happens to the files.
    digest = hashlib.sha256()
    for top, files in (
        (PACKAGE, _grader_files()),
        *((folder, _files(folder, "*.py")) for folder in _exercise_folders(wanted)),
        (Path(chip2cluster.__file__).parent, _model_files()),
    ):
        _add_files(digest, top, files)
    return digest.hexdigest()


def _add_files(digest: "hashlib._Hash", top: Path, files: Iterable[Path]) -> None:
    for file in files:
        digest.update(f"{file.relative_to(top).as_posix()}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())


def _files(folder: Path, pattern: str) -> list[Path]:
    generated = {"__pycache__", ".ipynb_checkpoints"}
    return sorted(file for file in folder.rglob(pattern) if file.is_file() and not generated & set(file.parts))


def _grader_files() -> Iterator[Path]:
    """Yield the source files of the grader that verdicts depend on."""
    for file in _files(PACKAGE, "*.py"):
        if not file.relative_to(PACKAGE).as_posix().startswith(IRRELEVANT):
            yield file


def _exercise_folders(wanted: frozenset[str]) -> Iterator[Path]:
    """Yield the packages of these exercises and of their chapters."""
    topics = exercises.topics()
    containing = {topic for topic, members in topics.items() if wanted & {exercise.id for exercise in members}}
    # The exercises of a lab may import those of its chapter.
    yield from (
        exercises.topic_folder(topic)
        for topic in sorted(containing | {name.removesuffix("_lab") for name in containing})
    )


def _model_files() -> Iterator[Path]:
    """Yield the files of the models, without exercises, pictures and explorers."""
    folder = Path(chip2cluster.__file__).parent
    for file in _files(folder, "*"):
        # `_exercise_folders` adds the exercises of the lab.
        if not file.relative_to(folder).as_posix().startswith(("draw/", "explore/", "chapters/")):
            yield file
