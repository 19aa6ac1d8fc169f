"""File of an exam: its folder, and how it is written and read."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from chip2cluster.exercise.answers import Answer, normalize

from .. import atomic_write
from .drawing import ExamRequest
from .exam import Exam, ExamTask
from .question import Comparison, MistakeAnswer, PaperQuestion, StepAnswer

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,40}")
FILE = "exam.json"


def exam_folder(root: str | Path, name: str) -> Path:
    """Return the folder of an exam: in the work folder, which is not published.

    Raises
    ------
    ValueError
        If the name is not a plain word.
    """
    if not NAME.fullmatch(name):
        raise ValueError(
            f"an exam's name has small letters, digits, - and _, such as final-2027, and at most 41 of them; got {name!r}"
        )
    return Path(root) / "autograder" / "work" / "exams" / name


def save_exam(exam: Exam, file: Path) -> None:
    """Write an exam; the file contains the answers of all papers."""
    data = asdict(exam)
    data["papers"] = {
        who: [
            {
                **asdict(one),
                "answer": _json_value(one.answer),
                "slips": [{**asdict(slip), "answer": _json_value(slip.answer)} for slip in one.slips],
            }
            for one in papers
        ]
        for who, papers in exam.papers.items()
    }
    atomic_write.write_text(file, json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def _json_value(answer: Answer) -> Any:
    return answer.tolist() if isinstance(answer, np.ndarray) else answer


def load_exam(file: Path) -> Exam:
    """Read an exam.

    Raises
    ------
    ValueError
        If there is none, or its file is damaged.
    """
    if not file.is_file():
        known = sorted(one.parent.name for one in file.parent.parent.glob(f"*/{FILE}"))
        raise ValueError(
            f"no exam is called {file.parent.name!r}; there are {', '.join(known) or 'none'}. Draw it with "
            f"`autograder exam {file.parent.name} --students FILE`"
        )
    try:
        data = json.loads(file.read_text(encoding="utf-8-sig"))
        papers = {who: tuple(map(_read, questions)) for who, questions in data["papers"].items()}
        wish = ExamRequest(**{**data["wish"], "topics": tuple(data["wish"]["topics"])})
        tasks = tuple(map(_read_task, data["tasks"]))
        if any(len(questions) != len(tasks) for questions in papers.values()) or not all(
            math.isfinite(task.points) for task in tasks
        ):
            raise ValueError(file)
        return Exam(**{**data, "papers": papers, "wish": wish, "tasks": tasks})
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{file} is damaged: put a copy of yours in its place, or draw the exam again") from None


def _read(data: Mapping[str, Any]) -> PaperQuestion:
    slips = tuple(MistakeAnswer(**{**slip, "answer": normalize(slip["answer"])}) for slip in data["slips"])
    steps = tuple(StepAnswer(**step) for step in data.get("steps", ()))
    stored = data.get("comparison")  # an exam of an earlier version has none
    comparison = stored and Comparison(
        tuple(stored["answers"]), tuple(stored["statements"]), tuple(stored["names"]), stored["keeps"]
    )
    return PaperQuestion(
        **{**data, "answer": normalize(data["answer"]), "slips": slips, "steps": steps, "comparison": comparison}
    )


def _read_task(data: Mapping[str, Any]) -> ExamTask:
    steps = tuple((str(name), float(share)) for name, share in data.get("steps", ()))
    return ExamTask(**{**data, "steps": steps, "words": tuple(data.get("words", ()))})
