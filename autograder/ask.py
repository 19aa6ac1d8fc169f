"""Call a function in this very process and report plain outcomes.

For instant checks on the learner's own machine: it refuses slips and short cuts,
it is no wall against a determined cheat.
"""

import copy
import inspect
import io
import sys
import traceback
import warnings
from contextlib import redirect_stderr, redirect_stdout

from .answers import Unusable, plain
from .judge import Outcome

PACKAGE = "chip2cluster."
INNER = ("chip2cluster._validate", "autograder.ask")


def ask(function, cases, allowed):
    """Call ``function`` on each case, inputs in order, and return the outcomes.

    What the function prints is shown for the first case alone.
    """
    first, *rest = cases
    outcomes = [_ask(function, first, allowed)]
    with redirect_stdout(io.StringIO()):
        return outcomes + [_ask(function, case, allowed) for case in rest]


def _ask(function, case, allowed):
    arguments = copy.deepcopy(list(case.inputs.values()))
    if problem := _arity(function, case):
        return Outcome("raised", text=problem)
    called = []
    before = sys.getprofile()

    def watch(frame, event, _):
        if event == "call":
            module = frame.f_globals.get("__name__", "")
            if module.startswith((PACKAGE, "autograder.")) and not module.startswith((*allowed, *INNER)):
                called.append(f"{module}.{frame.f_code.co_name}")

    try:
        # stderr is a zero mark for nbgrader, and a warning is no reason for one.
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            sys.setprofile(watch)
            try:
                value = function(*arguments)
            finally:
                sys.setprofile(before)
    except NotImplementedError:
        return Outcome("unwritten")
    except Exception as error:
        return Outcome("package", text=called[0]) if called else _raised(error)
    if called:
        return Outcome("package", text=called[0])
    try:
        return Outcome("value", plain(value))
    except Unusable as problem:
        return Outcome("unusable", text=str(problem))


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
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if "autograder" not in frame.filename]
    where = f" in the line `{lines[-1].line.strip()}`" if lines and lines[-1].line else ""
    kind = type(error).__name__
    return Outcome("raised", text=f"{kind}: {error}{where}.", brief=f"{kind}{where}.")
