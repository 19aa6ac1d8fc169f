"""Call a function in this very process and report plain outcomes.

For instant checks on the learner's own machine: it refuses slips and short cuts,
it is no wall against a determined cheat.
"""

import copy
import inspect
import io
import signal
import sys
import sysconfig
import threading
import traceback
import warnings
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import chip2cluster

from .answers import Unusable, plain
from .judge import Outcome

PACKAGE = "chip2cluster."
LIMIT = 5  # seconds for one case
TOO_SLOW = Outcome("raised", text=f"Still running after {LIMIT} s. Does your loop end for every input?")


def ask(function, cases, allowed):
    """Call ``function`` on each case, inputs in order, and return the outcomes.

    What the function prints is shown for the first case alone.
    """
    outcomes = [_ask(function, cases[0], allowed)]
    with redirect_stdout(io.StringIO()):
        for case in cases[1:]:
            # A function that does not end would not end for the next case either.
            slow = outcomes[-1] is TOO_SLOW
            outcomes.append(TOO_SLOW if slow else _ask(function, case, allowed))
    return outcomes


def _ask(function, case, allowed):
    arguments = copy.deepcopy(list(case.inputs.values()))
    if problem := _arity(function, case):
        return Outcome("raised", text=problem)
    called = []
    before = sys.getprofile()

    def watch(frame, event, _):
        if event == "call" and _module(frame).startswith((PACKAGE, "autograder.")) and not _within(frame, allowed):
            called.append(f"{_module(frame)}.{frame.f_code.co_name}")

    try:
        # stderr is a zero mark for nbgrader, and a warning is no reason for one.
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()), _time_limit():
            warnings.simplefilter("ignore")
            sys.setprofile(watch)
            try:
                value = function(*arguments)
            finally:
                sys.setprofile(before)
    except NotImplementedError:
        return Outcome("unwritten")
    except _TooSlow:
        return TOO_SLOW
    except Exception as error:
        return Outcome("package", text=called[0]) if called else _raised(error)
    if called:
        return Outcome("package", text=called[0])
    try:
        return Outcome("value", plain(value))
    except Unusable as problem:
        return Outcome("unusable", text=str(problem))


def _module(frame):
    return frame.f_globals.get("__name__", "")


def _within(frame, allowed):
    """Whether a frame belongs to an allowed module, or was called by one on the way."""
    while frame is not None and not _module(frame).endswith("autograder.ask"):
        if _module(frame).startswith((*allowed, "importlib", "_frozen_importlib")):
            return True
        frame = frame.f_back
    return False


# Files of Python, of installed packages, of this one: an error may come up there, but its cause is in the student's line.
_NOT_THEIRS = (
    *{sysconfig.get_path(kind) for kind in ("stdlib", "purelib", "platlib")},
    str(Path(__file__).parent),
    str(Path(chip2cluster.__file__).parent),
    "<frozen",
    "<__array_function__",
)


class _TooSlow(BaseException):
    """Not an Exception, so that a student's own ``except Exception`` lets it through."""


@contextmanager
def _time_limit():
    """Stop after `LIMIT` seconds where the system has alarms (not on Windows, in a thread or in a browser)."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_):
        raise _TooSlow

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _arity(function, case):
    try:
        inspect.signature(function).bind(*case.inputs)
    except TypeError:
        wanted = ", ".join(case.inputs)
        return f"Your function must take {len(case.inputs)} arguments, in this order: {wanted}."
    except ValueError:
        pass
    return ""


def _raised(error):
    """Say what was raised and on which line of the student's own code."""
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_NOT_THEIRS)]
    where = f" in the line `{lines[-1].line.strip()}`" if lines and lines[-1].line else ""
    kind = type(error).__name__
    return Outcome("raised", text=f"{kind}: {error}{where}.", brief=f"{kind}{where}.")
