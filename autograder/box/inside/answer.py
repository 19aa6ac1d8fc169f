"""Call the student's function on what the grader sends, and say what came of it. Judges nothing."""

import inspect
import re
import socket
import traceback
import warnings
from collections.abc import Mapping
from typing import Any

from ...answers import Unusable, plain
from . import wire
from .absent import Absent
from .codes import Reply

MOST_BYTES = 1 << 26  # of the calls, which the grader has written


def answer(namespace: Mapping[str, Any], name: str, line: socket.socket) -> None:
    """Answer the calls that come on ``line``, one message each."""
    warnings.simplefilter("ignore")
    message = wire.receive(line, MOST_BYTES)
    for number, call in enumerate(message["calls"]):
        wire.send(line, {**_call(namespace, name, wire.unpack(call)), "n": message["n"], "number": number})


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
    except NotImplementedError:
        return {"reply": Reply.UNWRITTEN}
    except Absent as absent:
        return {"reply": Reply.PACKAGE, "name": absent.name}
    except BaseException as error:
        return {"reply": Reply.RAISED, "type": type(error).__name__, "line": _line(error)}
    try:
        return {"reply": Reply.VALUE, "value": wire.pack(plain(value))}
    except Unusable as unfit:
        return {"reply": Reply.UNUSABLE, "reason": unfit.reason, "type": unfit.type_name}
    except Exception:
        # Such as an answer that is nested too deeply.
        return {"reply": Reply.UNUSABLE}


def _line(error: BaseException) -> list[int] | None:
    """Where in the notebook it happened, as [cell, line]: the last place on the way in the function's own cell."""
    place = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if match := re.fullmatch(r"<cell (\d+)>", frame.f_code.co_filename):
            cell = int(match[1])
            # The function itself is the first on the way that is in a cell.
            place = [cell, line] if place is None or place[0] == cell else place
    return place
