"""Text that some readers must not get: where it is defined, and a search for it that line breaks don't mislead.

A test that finds none of it proves something only if the same search finds it in the source.
"""

import inspect
import re
import sys
from functools import cache
from pathlib import Path

from autograder.exercises import Exercise, exercises

SHORTEST = 40  # letters; a shorter text may be anywhere by accident


def exercise_file(exercise):
    """Return the file that defines an exercise."""
    return _exercise_files()[exercise.id]


@cache
def _exercise_files():
    files = {}
    known = exercises()
    # Only a chapter defines exercises; a test module that has been collected may hold one under a name of its own.
    chapters = [module for name, module in sys.modules.items() if name.startswith("chip2cluster.chapters.")]
    for module in chapters:
        held = [one for one in vars(module).values() if isinstance(one, Exercise) and known.get(one.id) is one]
        # A chapter may import the exercise of another, but only one file writes its id.
        source = Path(module.__file__).read_text(encoding="utf-8") if held else ""
        files |= {one.id: Path(module.__file__) for one in held if f'"{one.id}"' in source}
    return files


@cache
def exercise_texts(exercise):
    """Return the hints, the explanation and what is said of each mistake, as far as they are literals of the source."""
    source = plain(exercise_file(exercise).read_bytes())
    said = (exercise.explanation, *exercise.hints, *(mistake.message for mistake in exercise.mistakes))
    return [text for text in said if len(text) > SHORTEST and plain(text) in source]


def question_file(question):
    """Return the file that defines a written question."""
    return Path(inspect.getsourcefile(question.draw))


def question_texts(question):
    """Return what its model answer says for each explanation and against it."""
    return [text for one in question.explanations for text in (one.why, one.refute)]


def plain(content):
    """Return the text of a file, or a text, on one line: string literals joined and white space collapsed."""
    text = content if isinstance(content, str) else content.decode(errors="replace")
    return re.sub(r"\s+", " ", re.sub(r"""(["'])\s*\n\s*[rf]?\1""", "", text))


def found(texts, files):
    """Return the names of those files that hold one of the texts. ``files`` maps names to contents."""
    wanted = [plain(text) for text in texts]
    lines = {name: plain(content) for name, content in files.items()}
    return [name for name, line in lines.items() if any(text in line for text in wanted)]


def tail(file):
    """Return the last two parts of a path, by which a search can tell its file from others of the same name."""
    return "/".join(Path(file).parts[-2:])
