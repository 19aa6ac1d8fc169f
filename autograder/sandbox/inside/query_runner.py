"""Query runner: calls the student's function with inputs from the grader, or runs a test, and replies without judging."""

import inspect
import re
import socket
import sys
import traceback
import warnings
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ...answers import UnusableAnswer, normalize
from . import message_protocol, remote_functions
from .notebook_shell import Shell
from .reply_codes import TEST, ReplyCode
from .stub_modules import NotAvailableInGrading

MOST_BYTES = 1 << 26  # of the calls, which the grader has written
MOST_SHOWN = 10_000  # bytes of a test's output, from which one number is read


def answer_query(shell: Shell, name: str, line: socket.socket) -> None:
    """Receive a query on ``line``; reply to each of its calls, or to its test, with one message."""
    warnings.simplefilter("ignore")
    message = message_protocol.receive(line, MOST_BYTES)
    for source in message["before"]:
        # A source that fails because of a student's own names changes nothing.
        with suppress(Exception):
            exec(compile(source, "<before>", "exec"), shell.user_ns)
    shell.user_ns |= remote_functions.remote_functions(message["corrected"], line, message["n"])

    for number, call in enumerate(message["calls"]):
        test = message["test"]
        reply = _run_test(shell, test) if test else _call(shell.user_ns, name, message_protocol.unpack(call))
        message_protocol.send(line, {**reply, "n": message["n"], "number": number})


def _run_test(shell: Shell, source: str) -> dict[str, Any]:
    """Run a test as a cell: its last value counts if it is a number, as in nbgrader."""
    sys.last_value = None
    done = shell.run(source, TEST, MOST_SHOWN)
    if not done["ok"]:
        return _raised(sys.last_value or Exception())
    shown = [
        output["data"].get("text/plain", "") for output in done["outputs"] if output["output_type"] == "execute_result"
    ]
    with suppress(ValueError, IndexError):
        return {"reply": ReplyCode.VALUE, "value": float(shown[0])}
    return {"reply": ReplyCode.VALUE, "value": True}


def _call(namespace: Mapping[str, Any], name: str, arguments: list[Any]) -> dict[str, Any]:
    if name not in namespace:
        return {"reply": ReplyCode.MISSING}
    function = namespace[name]
    if not callable(function):
        return {"reply": ReplyCode.UNCALLABLE}
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return {"reply": ReplyCode.ARITY}
    except ValueError:
        pass
    try:
        value = function(*arguments)
    except BaseException as error:
        return _raised(error)
    try:
        return {"reply": ReplyCode.VALUE, "value": message_protocol.pack(normalize(value))}
    except UnusableAnswer as unfit:
        return {"reply": ReplyCode.UNUSABLE, "reason": unfit.reason, "type": unfit.type_name}
    except Exception:
        # For example, an answer that is nested too deeply.
        return {"reply": ReplyCode.UNUSABLE}


def _raised(error: BaseException) -> dict[str, Any]:
    match error:
        case NotImplementedError():
            return {"reply": ReplyCode.UNWRITTEN}
        case NotAvailableInGrading():
            return {"reply": ReplyCode.PACKAGE, "name": error.name}
    return {"reply": ReplyCode.RAISED, "type": type(error).__name__, "line": _line(error)}


def _line(error: BaseException) -> list[int] | None:
    """Return where in the notebook an error was raised, as [cell, line]: the innermost line in the function's own cell."""
    position = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if match := re.fullmatch(r"<cell (\d+)>", frame.f_code.co_filename):
            cell = int(match[1])
            # The function itself is the outermost frame that is in a cell.
            position = [cell, line] if position is None or position[0] == cell else position
    return position
