"""Local runner: calls a function in this process and reports the outcomes.

For instant checks on the learner's own machine. It refuses accidental shortcuts; it does not stop a determined cheat.
"""

import ast
import copy
import inspect
import io
import signal
import sys
import sysconfig
import textwrap
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import chip2cluster
from chip2cluster._package import is_private
from chip2cluster.exercise.model import Case

from .outcome import (
    NONE_ON_PURPOSE,
    UNWRITTEN,
    Outcome,
    OutcomeKind,
    error_outcome,
    package_call_outcome,
    signature_outcome,
    timeout_outcome,
    value_outcome,
)

# Calls into any module below these are refused where an exercise does not allow them: models and exercises alike.
COURSE = ("chip2cluster.", "autograder.")
CPU_SECONDS = 5.0  # seconds of CPU time for one case
WALL_CLOCK_FACTOR = 3  # multiple of it in wall-clock time, for a function that waits


def call_on_cases(function: Callable[..., Any], cases: Sequence[Case], allowed: tuple[str, ...]) -> list[Outcome]:
    """Call ``function`` on each case, inputs in order, and return the outcomes.

    Printed text is shown for the first case only.
    """
    slow = timeout_outcome(CPU_SECONDS)
    outcomes = [_call(function, cases[0], allowed, slow)]
    with redirect_stdout(io.StringIO()):
        for case in cases[1:]:
            # A function that does not end would not end for the next case either.
            outcomes.append(slow if outcomes[-1] is slow else _call(function, case, allowed, slow))
    return outcomes


def _call(function: Callable[..., Any], case: Case, allowed: tuple[str, ...], slow: Outcome) -> Outcome:
    arguments = copy.deepcopy(list(case.inputs.values()))
    if not _accepts_arguments(function, arguments):
        return signature_outcome(case.inputs)
    called: list[str] = []
    before = sys.getprofile()

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and _module(frame).startswith(COURSE) and not _is_called_from(frame, allowed):
            called.append(f"{_module(frame)}.{frame.f_code.co_name}")

    try:
        # nbgrader gives 0 points if a cell writes to stderr, and a warning does not deserve that.
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()), _time_limit():
            warnings.simplefilter("ignore")
            sys.setprofile(watch)
            try:
                value = function(*arguments)
            finally:
                sys.setprofile(before)
    except NotImplementedError:
        return UNWRITTEN
    except _TimeLimitReached:
        return slow
    except Exception as error:
        return package_call_outcome(called[0]) if called else _exception_outcome(error)
    if called:
        return package_call_outcome(called[0])
    if value is None and _returns_value(function):
        return Outcome(OutcomeKind.UNUSABLE, text=NONE_ON_PURPOSE)
    return value_outcome(value)


def _returns_value(function: Callable[..., Any]) -> bool:
    """Return whether the source of a function has a ``return`` with a value."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):  # no source, or a part of a line
        return False
    return any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(tree))


def _module(frame: FrameType) -> str:
    return frame.f_globals.get("__name__", "")


def _is_called_from(frame: FrameType | None, allowed: tuple[str, ...]) -> bool:
    """Return whether a frame belongs to an allowed module, or was called by one."""
    while frame is not None and not _module(frame).endswith("autograder.checking.local_runner"):
        module = _module(frame)
        if _allows(allowed, module) or module.startswith(("importlib", "_frozen_importlib")):
            return True
        frame = frame.f_back
    return False


# Asked for each call that a function makes, so a long search would spend most of its time here.
@cache
def _allows(allowed: tuple[str, ...], module: str) -> bool:
    """Return whether a module or a package around it is allowed; an allowed package does not include its exercises."""
    return not is_private(module) and any(f"{module}.".startswith(f"{name}.") for name in allowed)


# Files of Python, of installed packages and of the course: an error raised there has its cause in the student's line.
_PACKAGE_FILES = (
    *{sysconfig.get_path(kind) for kind in ("stdlib", "purelib", "platlib")},
    str(Path(__file__).parents[1]),
    str(Path(chip2cluster.__file__).parent),
    "<frozen",
    "<__array_function__",
)


class _TimeLimitReached(BaseException):
    """Raised at the time limit; not an Exception, so that a student's ``except Exception`` does not catch it."""


@contextmanager
def _time_limit() -> Iterator[None]:
    """Stop after `CPU_SECONDS`, which a busy machine does not use up, or after a multiple of it in wall-clock time.

    Without timers (on Windows, in a thread, in a browser) nothing is stopped.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: object) -> None:
        raise _TimeLimitReached

    alarms = (
        (signal.ITIMER_PROF, signal.SIGPROF, CPU_SECONDS),
        (signal.ITIMER_REAL, signal.SIGALRM, WALL_CLOCK_FACTOR * CPU_SECONDS),
    )
    before = [signal.signal(number, ring) for _, number, _ in alarms]
    try:
        for timer, _, seconds in alarms:
            signal.setitimer(timer, seconds)
        yield
    finally:
        for timer, _, _ in alarms:
            signal.setitimer(timer, 0)
        for (_, number, _), handler in zip(alarms, before, strict=True):
            signal.signal(number, handler)


def _accepts_arguments(function: Callable[..., Any], arguments: list[Any]) -> bool:
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return False
    except ValueError:  # a built-in without a signature
        pass
    return True


def _exception_outcome(error: Exception) -> Outcome:
    """Return the outcome for an exception: its type and message, and the line of the student's own code."""
    lines = [
        frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_PACKAGE_FILES)
    ]
    where = f" in the line `{lines[-1].line.strip()}`" if lines and lines[-1].line else ""
    kind = type(error).__name__
    said = f": {error}" if str(error) else ""
    return error_outcome(f"{kind}{said}{where}.", brief=f"{kind}{where}.")
