"""What belongs to one chapter, besides its page and its physics: a folder for each chapter.

A folder has the topic of its page for its name, such as ``roofline`` for ``03_roofline.ipynb``, and holds

* ``explorers/``: interactive views, one a file, named after it;
* ``predictions.py``: the questions that the page asks before it shows anything, as ``QUESTIONS``;
* ``exercises/`` and ``lab/``: the exercises of the page and of its lab;
* ``written_question.py``: a second written question for the lab, as ``QUESTION``; students are not given it;
* ``paper_tasks.py``: exercises in words for an exam on paper, as ``TASKS``;
* ``goals.toml``: what the chapter teaches, where and by which exercises.

Nothing lists the chapters: a new folder is found. Nothing is imported before it is asked for.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

FOLDER = Path(__path__[0])


@cache
def topics() -> tuple[str, ...]:
    """Return the topics of all chapters, in alphabetical order."""
    return tuple(sorted(found.name for found in iter_modules(__path__) if found.ispkg))


def module(topic: str, name: str) -> ModuleType | None:
    """Import a module of a chapter, such as ``module("roofline", "predictions")``; None where it has none."""
    full = f"{__name__}.{topic}.{name}"
    return import_module(full) if topic in topics() and find_spec(full) else None


@cache
def files(topic: str, folder: str) -> tuple[str, ...]:
    """Return the names of the modules in a folder of a chapter, in alphabetical order."""
    return tuple(sorted(found.name for found in iter_modules([str(FOLDER / topic / folder)])))
