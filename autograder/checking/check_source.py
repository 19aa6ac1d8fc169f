"""Check the lines that a reader typed into a page of the book: from source to verdict, in a browser.

Pyodide calls `check_source` in a worker. It is `check` of a notebook with three differences: the exercise is a recorded
one, the lines run here first, and nothing is written to the reader's record, which the page keeps.
"""

import ast
import io
import json
import linecache
import traceback
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from typing import Any

from chip2cluster.exercise.model import Exercise
from chip2cluster.exercise.verdict_codes import NOT_WRITTEN, RAISES

from .exercise_record import restore
from .judge import grade_outcomes
from .local_runner import call_on_cases
from .verdict import Verdict

FILE = "<your answer>"
UNWRITTEN = "Put your own lines in place of `raise NotImplementedError`, then press *Run*."
STUCK = "Stuck? Press *Hint*."
MOST_PRINTED = 4000  # characters
# Parts of the package that work without NumPy.
PLAIN = ("specs", "units")
FETCHED = ("numpy", "pandas")


def missing_packages(recorded: Mapping[str, Any], source: str, imports: Mapping[str, str]) -> list[str]:
    """Return the packages that a browser must fetch before the lines can run.

    Parameters
    ----------
    recorded, source, imports
        Same as for `check_source`.
    """
    modules = [*_imported(source), *(module for line in _used(source, imports) for module in _imported(line))]
    fetched = {name for name in FETCHED if any(module.split(".")[0] == name for module in modules)}
    models = [module.split(".")[1] for module in modules if module.startswith("chip2cluster.")]
    if "array" in _types_of_inputs(recorded) or any(model not in PLAIN for model in models):
        fetched.add("numpy")
    return sorted(fetched)


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


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.Module([], [])


def _imported(source: str) -> Iterator[str]:
    """Yield the modules that the lines import; ``chip2cluster.specs`` for ``from chip2cluster import specs``."""
    for node in ast.walk(_parsed(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _used(source: str, imports: Mapping[str, str]) -> list[str]:
    """Return the imports of the chapter whose names the lines use and don't define."""
    nodes = [*ast.walk(_parsed(source))]
    own = {node.arg for node in nodes if isinstance(node, ast.arg)}
    own |= {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    names = {node.id for node in nodes if isinstance(node, ast.Name)} - own
    return [line for name, line in imports.items() if name in names]


def check_source(recorded: Mapping[str, Any], source: str, imports: Mapping[str, str]) -> dict[str, Any]:
    """Run a reader's lines and judge the function that they define.

    Parameters
    ----------
    recorded : Mapping
        Exercise, as `exercise_record.record` wrote it.
    source : str
        Lines of the reader.
    imports : Mapping of str to str
        Imports of the chapter's first cell by the names that they define; the lines may use these names.

    Returns
    -------
    dict
        ``html`` and ``text`` of the verdict, its ``heading`` and ``mistake``, whether it is ``correct`` and whether
        something was ``written``, what the lines ``printed``, and the packages that were ``missing``.
    """
    exercise = restore(recorded)
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        verdict = _judge(exercise, source, _used(source, imports))
    if verdict.verdict == NOT_WRITTEN:
        verdict = replace(verdict, message=UNWRITTEN)
    elif not verdict.correct:
        verdict = replace(verdict, after=STUCK)
    text = printed.getvalue()
    return {
        "html": verdict._repr_html_(),
        "text": repr(verdict),
        "heading": verdict.heading,
        "mistake": verdict.mistake if verdict.mistake in exercise.messages else "",
        "correct": verdict.correct,
        "written": verdict.verdict != NOT_WRITTEN,
        "missing": [name for name in FETCHED if f"No module named '{name}" in verdict.message],
        "printed": text if len(text) <= MOST_PRINTED else f"{text[:MOST_PRINTED]}…",
    }


def missing_packages_json(recorded: str, source: str, imports: str) -> str:
    """Return `missing_packages` for texts, as a page hands them over."""
    return json.dumps(missing_packages(json.loads(recorded), source, json.loads(imports)))


def check_source_json(recorded: str, source: str, imports: str) -> str:
    """Return `check_source` for texts, as a page hands them over."""
    return json.dumps(check_source(json.loads(recorded), source, json.loads(imports)))


def _judge(exercise: Exercise, source: str, imports: list[str]) -> Verdict:
    # Tracebacks and `inspect` look up the lines of a reader's function here.
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        exec("\n".join(imports), names)
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
