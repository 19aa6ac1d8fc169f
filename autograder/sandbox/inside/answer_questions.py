"""Call the student's function on what the grader sends, or run a test, and say what came of it. Judges nothing."""

import inspect
import re
import socket
import sys
import traceback
import warnings
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ...answers import Unusable, plain
from . import wire
from .codes import TEST, Reply
from .shell import Shell
from .stub_modules import Absent

MOST_BYTES = 1 << 26  # of the calls, which the grader has written
MOST_SHOWN = 10_000  # bytes of what a test shows, of which one number is read


def answer(shell: Shell, name: str, line: socket.socket) -> None:
    """Answer the calls that come on ``line``, one message each, or run the test that comes."""
    warnings.simplefilter("ignore")
    message = wire.receive(line, MOST_BYTES)
    for source in message["before"]:
        # One that a student's own names break leaves things as they were.
        with suppress(Exception):
            exec(compile(source, "<before>", "exec"), shell.user_ns)

    for number, call in enumerate(message["calls"]):
        test = message["test"]
        reply = _try(shell, test) if test else _call(shell.user_ns, name, wire.unpack(call))
        wire.send(line, {**reply, "n": message["n"], "number": number})


def _try(shell: Shell, source: str) -> dict[str, Any]:
    """Run a test as a cell: its last value counts where it is a number, as nbgrader counts it."""
    sys.last_value = None
    done = shell.run(source, TEST, MOST_SHOWN)
    if not done["ok"]:
        return _raised(sys.last_value or Exception())
    shown = [
        output["data"].get("text/plain", "") for output in done["outputs"] if output["output_type"] == "execute_result"
    ]
    with suppress(ValueError, IndexError):
        return {"reply": Reply.VALUE, "value": float(shown[0])}
    return {"reply": Reply.VALUE, "value": True}


def _call(namespace: Mapping[str, Any], name: str, arguments: list[Any]) -> dict[str, Any]:
    if name not in namespace:
        return {"reply": Reply.MISSING}
    function = namespace[name]
    if not callable(function):
        return {"reply": Reply.UNCALLABLE}
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return {"reply": Reply.ARITY}
    except ValueError:
        pass
    try:
        value = function(*arguments)
    except BaseException as error:
        return _raised(error)
    try:
        return {"reply": Reply.VALUE, "value": wire.pack(plain(value))}
    except Unusable as unfit:
        return {"reply": Reply.UNUSABLE, "reason": unfit.reason, "type": unfit.type_name}
    except Exception:
        # Such as an answer that is nested too deeply.
        return {"reply": Reply.UNUSABLE}


def _raised(error: BaseException) -> dict[str, Any]:
    match error:
        case NotImplementedError():
            return {"reply": Reply.UNWRITTEN}
        case Absent():
            return {"reply": Reply.PACKAGE, "name": error.name}
    return {"reply": Reply.RAISED, "type": type(error).__name__, "line": _line(error)}


def _line(error: BaseException) -> list[int] | None:
    """Where in the notebook it happened, as [cell, line]: the last place on the way in the function's own cell."""
    place = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if match := re.fullmatch(r"<cell (\d+)>", frame.f_code.co_filename):
            cell = int(match[1])
            # The function itself is the first on the way that is in a cell.
            place = [cell, line] if place is None or place[0] == cell else place
    return place
