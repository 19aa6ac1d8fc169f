"""Check the lines that a reader typed into a page of the book: from source to verdict, in a browser.

Pyodide calls `check_source` in a worker. It is `check` of a notebook with three differences: the exercise is a recorded
one, the lines run here first, and nothing is written to the reader's record, which the page keeps.
"""

import ast
import io
import linecache
import traceback
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from typing import Any

from chip2cluster.exercise.model import Exercise
from chip2cluster.exercise.verdict_codes import NOT_WRITTEN, RAISES

from .judge import grade_outcomes
from .recorded import restore
from .run_locally import call_on_cases
from .verdict import Verdict

FILE = "<your answer>"
STUCK = "Stuck? Press *Hint*."
MOST_PRINTED = 4000  # characters
# Parts of the package that work without NumPy.
PLAIN = ("specs", "units")


def needs_numpy(recorded: Mapping[str, Any], source: str) -> bool:
    """Return whether the lines, or the inputs that they get, need NumPy."""
    return "array" in _types_of_inputs(recorded) or any(
        module.startswith("numpy") or (module.startswith("chip2cluster.") and module.split(".")[1] not in PLAIN)
        for module in _imported(source)
    )


def _types_of_inputs(recorded: Mapping[str, Any]) -> set[str]:
    found: set[str] = set()
    waiting: list[Any] = [case["inputs"] for case in recorded["cases"]]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            found |= {*value}
        if isinstance(value, (dict, list)):
            waiting += value.values() if isinstance(value, dict) else value
    return found


def _imported(source: str) -> Iterator[str]:
    """Yield the modules that the lines import; ``chip2cluster.specs`` for ``from chip2cluster import specs``."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def check_source(recorded: Mapping[str, Any], source: str, preamble: str = "") -> dict[str, Any]:
    """Run a reader's lines and judge the function that they define.

    Parameters
    ----------
    recorded : Mapping
        Exercise, as `recorded.record` wrote it.
    source : str
        Lines of the reader.
    preamble : str
        Imports of the chapter's first cell, which the lines may use without writing them.

    Returns
    -------
    dict
        ``html`` and ``text`` of the verdict, its ``heading`` and ``mistake``, whether it is ``correct`` and whether
        something was ``written``, and what the lines ``printed``.
    """
    exercise = restore(recorded)
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        verdict = _judge(exercise, source, preamble)
    if not verdict.correct and verdict.verdict != NOT_WRITTEN:
        verdict = replace(verdict, after=STUCK)
    names = [mistake.name for mistake in exercise.mistakes]
    text = printed.getvalue()
    return {
        "html": verdict._repr_html_(),
        "text": repr(verdict),
        "heading": verdict.heading,
        "mistake": verdict.mistake if verdict.mistake in names else "",
        "correct": verdict.correct,
        "written": verdict.verdict != NOT_WRITTEN,
        "printed": text if len(text) <= MOST_PRINTED else f"{text[:MOST_PRINTED]}…",
    }


def _judge(exercise: Exercise, source: str, preamble: str) -> Verdict:
    # Tracebacks and `inspect` look up the lines of a reader's function here.
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(preamble, names)
    try:
        exec(compile(source, FILE, "exec"), names)
    except SyntaxError as error:
        return _stopped(exercise, f"Python can't read line {error.lineno}: {error.msg}.")
    except Exception as error:
        line = traceback.extract_tb(error.__traceback__)[-1].line
        where = f" in the line `{line.strip()}`" if line else ""
        return _stopped(exercise, f"{type(error).__name__}: {error}{where}.")
    function = names.get(exercise.function_name)
    if not callable(function):
        return _stopped(exercise, f"Your lines define no function called `{exercise.function_name}`.")
    cases = exercise.visible_cases
    return grade_outcomes(exercise, cases, call_on_cases(function, cases, exercise.allowed))


def _stopped(exercise: Exercise, message: str) -> Verdict:
    return Verdict(exercise.id, exercise.title, RAISES, message, 0.0, exercise.points)
