"""Call the student's function on what the grader sends, and say what came of it. Judges nothing."""

import inspect
import re
import traceback
import warnings

import wire
from answers import Unusable, plain
from chip2cluster._absent import Absent


def answer(namespace, name, line, limit):
    """Answer the calls that come on ``line``, one message each."""
    warnings.simplefilter("ignore")
    message = wire.receive(line, limit)
    for at, call in enumerate(message["calls"]):
        wire.send(line, {**_call(namespace, name, wire.unpack(call)), "n": message["n"], "at": at})


def _call(namespace, name, arguments):
    if name not in namespace:
        return {"missing": name}
    function = namespace[name]
    if not callable(function):
        return {"uncallable": type(function).__name__}
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return {"arity": len(arguments)}
    except ValueError:
        pass
    try:
        value = function(*arguments)
    except NotImplementedError:
        return {"unwritten": True}
    except Absent as absent:
        return {"package": absent.name}
    except BaseException as error:
        return {"raised": type(error).__name__, "line": _line(error)}
    try:
        return {"value": wire.pack(plain(value))}
    except Unusable as problem:
        return {"unusable": str(problem)}
    except Exception:
        return {"unusable": ""}


def _line(error):
    """Where in the notebook it happened, as [cell, line]: the last place on the way that is in a cell."""
    found = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if match := re.fullmatch(r"<cell (\d+)>", frame.f_code.co_filename):
            found = [int(match[1]), line]
    return found
