"""Make a course folder with one lab and the submissions of an invented class."""

import contextlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from .. import lab_names
from ..grading.lab import load
from .submissions import DemoSubmission, make_submissions

SEED = 1


def make_course(root: Path, lab: str, to: Path, count: int, seed: int = SEED) -> list[DemoSubmission]:
    """Make a course folder with a lab and the submissions of an invented class.

    Parameters
    ----------
    root : path
        Course folder of the lab; nothing is written there.
    lab : str
        Name of the lab.
    to : path
        Folder to make; it may exist if it is empty.
    count : int
        Number of students.
    seed : int
        Seed of the class; the same seed gives the same submissions.

    Returns
    -------
    list of DemoSubmission
        Submissions in the order of the students.

    Raises
    ------
    ValueError
        If the lab does not exist, or the folder is not empty.
    """
    released = load(root, lab)
    solution = next(
        (file for name in (released.notebook, lab_names.other_name(released.notebook))
         if (file := root / "solutions" / lab / f"{name}.ipynb").is_file()), None
    )  # fmt: skip
    if solution is None:
        raise ValueError(f"{root / 'solutions' / lab} holds no notebook: a demo class needs the model answers")
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise ValueError(f"{to} holds something already, and stays as it is: name another folder with --to")
    class_ = make_submissions(released, json.loads(solution.read_text(encoding="utf-8")), count, seed)
    for name in ("solutions", "labs"):
        shutil.copytree(root / name / lab, to / name / lab, ignore=shutil.ignore_patterns(".*", "__pycache__"))
    shutil.copy(root / "nbgrader_config.py", to)
    for one in class_:
        for name, content in one.files.items():
            file = to / "autograder/work/submitted" / one.student / lab / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
    return class_


@contextlib.contextmanager
def temporary_secret() -> Iterator[None]:
    """Use a new secret while this lasts, so that an invented class reveals nothing about real hidden inputs."""
    before = os.environ.get("CHIP2CLUSTER_SECRET")
    os.environ["CHIP2CLUSTER_SECRET"] = secrets.token_hex(32)
    try:
        yield
    finally:
        if before is None:
            del os.environ["CHIP2CLUSTER_SECRET"]
        else:
            os.environ["CHIP2CLUSTER_SECRET"] = before
