"""Functions that run in another process: their calls go to the grader, which has them made there.

Only values pass. Neither the code of such a function nor a name from it is in the process that calls it.
"""

import builtins
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from . import message_protocol

MOST_BYTES = 1 << 26  # of a value, which comes from the grader


def remote_functions(names: Iterable[str], line: socket.socket, nonce: str) -> dict[str, Callable[..., Any]]:
    """Return a function for each name; all of them send their calls over one socket.

    Parameters
    ----------
    names : iterable of str
    line : socket
        The socket on which the grader waits for a reply.
    nonce : str
        Token that the grader expects in each message.
    """
    lock = threading.Lock()

    def remote(name: str) -> Callable[..., Any]:
        def ask(*arguments: Any, **keywords: Any) -> Any:
            message = {
                "asks": name,
                "arguments": [pack_argument(argument) for argument in arguments],
                "keywords": {word: pack_argument(argument) for word, argument in keywords.items()},
            }
            with lock:
                message_protocol.send(line, {**message, "n": nonce})
                reply = message_protocol.receive(line, MOST_BYTES)
            if "raised" in reply:
                raise _exception(reply["raised"])
            return message_protocol.unpack(reply["value"])

        ask.__name__ = name
        return ask

    return {name: remote(name) for name in names}


def _exception(name: str) -> Exception:
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, UnicodeError):
        return kind("raised by the correct function")
    return RuntimeError("raised by the correct function")


def pack_argument(value: Any) -> Any:
    """Pack plain values and arrays, and what can be turned into one: a range, a generator, a series of a table."""
    try:
        return message_protocol.pack(value)
    except TypeError:
        if hasattr(value, "__array__"):
            return message_protocol.pack(np.asarray(value))
        if isinstance(value, Mapping):
            return message_protocol.pack(dict(value))
        if isinstance(value, Iterable):
            return [pack_argument(item) for item in value]
        raise


def call_packed(namespace: Mapping[str, Any], message: Mapping[str, Any]) -> dict[str, Any]:
    """Call a function with packed arguments, where it is defined.

    Parameters
    ----------
    namespace : dict
    message : dict
        The function's name, under ``call``, its ``arguments`` and its ``keywords``.

    Returns
    -------
    dict
        The packed value under ``value``, or under ``raised`` the name of an exception, without its text.
    """
    try:
        arguments = [message_protocol.unpack(argument) for argument in message["arguments"]]
        keywords = {word: message_protocol.unpack(argument) for word, argument in message["keywords"].items()}
        return {"value": message_protocol.pack(namespace[message["call"]](*arguments, **keywords))}
    except Exception as problem:
        return {"raised": type(problem).__name__}
