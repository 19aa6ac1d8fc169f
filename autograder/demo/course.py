"""A course folder of its own, with one lab and a class that never was."""

import contextlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from .. import lab_names
from ..grading.lab import load
from .submissions import Submission, submissions

SEED = 1


def made(root: Path, lab: str, to: Path, count: int, seed: int = SEED) -> list[Submission]:
    """Make a course folder with a lab and a class that has handed it in.

    Parameters
    ----------
    root : path
        The course folder that the lab comes from; nothing is written there.
    lab : str
        The lab's name.
    to : path
        A folder that does not exist, or is empty.
    count : int
        Students.
    seed : int
        The same seed gives the same class.

    Returns
    -------
    list of Submission

    Raises
    ------
    ValueError
        For a lab that does not exist, and a folder that holds something.
    """
    released = load(root, lab)
    solution = next(
        (file for name in (released.notebook, lab_names.other(released.notebook))
         if (file := root / "solutions" / lab / f"{name}.ipynb").is_file()), None
    )  # fmt: skip
    if solution is None:
        raise ValueError(f"{root / 'solutions' / lab} holds no notebook: a demo class needs the model answers")
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise ValueError(f"{to} holds something already, and stays as it is: name another folder with --to")
    class_ = submissions(released, json.loads(solution.read_text(encoding="utf-8")), count, seed)
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
def own_secret() -> Iterator[None]:
    """Grade with a secret of the moment: a class that never was tells nothing of the real ones."""
    before = os.environ.get("CHIP2CLUSTER_SECRET")
    os.environ["CHIP2CLUSTER_SECRET"] = secrets.token_hex(32)
    try:
        yield
    finally:
        if before is None:
            del os.environ["CHIP2CLUSTER_SECRET"]
        else:
            os.environ["CHIP2CLUSTER_SECRET"] = before
