"""Messages between the grader and the sandbox: length-prefixed JSON, with arrays as their bytes in base64.

The same file is used on both sides. Nothing here builds an object of a class that the other side names. The grader
sends anything that `pack` takes; a reply is one of few types, and `unpack_answer` reads nothing else.
"""

import base64
import json
import math
import re
import select
import socket
import struct
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...answers import MOST_AXES, MOST_ITEMS, Answer

_LENGTH = struct.Struct(">I")
_DTYPE = re.compile(r"[<>|][biufU]\d{1,9}")
DEPTH = 100  # of JSON in JSON
DIGITS = 400  # of an integer; parsing takes time that grows with their square


class ConnectionClosed(Exception):
    """The other side has closed the connection."""


class TimedOut(Exception):
    """The time to wait for a whole message is over."""


class Malformed(Exception):
    """The data is not a message of this protocol, or is larger than allowed."""


# Called before each wait; returns how many seconds to wait at most, or raises `TimedOut`.
DeadlineCheck: TypeAlias = Callable[[], float]


def send(sock: socket.socket, message: dict[str, Any]) -> None:
    """Send one message, a dict of plain data."""
    body = json.dumps(message).encode()
    try:
        sock.sendall(_LENGTH.pack(len(body)) + body)
    except OSError as problem:
        raise ConnectionClosed(str(problem)) from None


def receive(
    sock: socket.socket, limit: int, check: DeadlineCheck | None = None, most_values: int | None = None
) -> dict[str, Any]:
    """Receive one message.

    Parameters
    ----------
    sock : socket
    limit : int
        Largest size, bytes.
    check : callable, optional
        Deadline check that is called before each wait; without one there is no deadline.
    most_values : int, optional
        Largest number of JSON values to build; separators within text count as well.

    Raises
    ------
    ConnectionClosed
        If the other side closes the connection.
    TimedOut
        If ``check`` ends the wait.
    Malformed
        If the message is invalid or too large.
    """
    (length,) = _LENGTH.unpack(_receive_exactly(sock, _LENGTH.size, check))
    if length > limit:
        raise Malformed(f"a message of {length} bytes, more than {limit}")
    body = _receive_exactly(sock, length, check)
    if most_values is not None and sum(body.count(mark) for mark in (b",", b":", b"[", b"{")) > most_values:
        # For example [[],[],[], …, which grows twentyfold when it is parsed.
        raise Malformed(f"a message of more than {most_values} values")
    try:
        message = json.loads(body.decode(), parse_int=_parse_int)
    except (ValueError, RecursionError):
        raise Malformed("a message that is not JSON") from None
    if not isinstance(message, dict) or _deeper_than(DEPTH, message):
        raise Malformed("a message that is not an object, or nested too deeply")
    return message


def _parse_int(digits: str) -> int:
    if len(digits) > DIGITS:
        raise Malformed("a number of too many digits")
    return int(digits)


def _deeper_than(depth: int, value: Any) -> bool:
    """Return whether lists and objects are nested deeper; checked level by level, so that no depth is too much."""
    level = [value]
    while level and depth:
        inner = (item.values() if isinstance(item, dict) else item for item in level if isinstance(item, (dict, list)))
        level, depth = [item for items in inner for item in items], depth - 1
    return any(isinstance(item, (dict, list)) for item in level)


def _receive_exactly(sock: socket.socket, count: int, check: DeadlineCheck | None) -> bytes:
    parts, missing = [], count
    while missing:
        # Before each part, so that a process that sends byte by byte is stopped as well.
        while check is not None and not select.select([sock], [], [], check())[0]:
            pass
        try:
            part = sock.recv(min(missing, 1 << 16))
        except OSError as problem:
            raise ConnectionClosed(str(problem)) from None
        if not part:
            raise ConnectionClosed("the other side closed the connection")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def pack(value: Any) -> Any:
    """Convert numbers, text, lists, tuples, dicts and arrays to values for JSON."""
    if isinstance(value, np.generic):
        return {"scalar": _pack_array(np.asarray(value))}
    if isinstance(value, np.ndarray):
        return {"array": _pack_array(value)}
    if isinstance(value, tuple):
        return {"tuple": [pack(item) for item in value]}
    if isinstance(value, list):
        return [pack(item) for item in value]
    if isinstance(value, dict):
        return {"dict": [[pack(key), pack(item)] for key, item in value.items()]}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"a {type(value).__name__} cannot be sent to the sandbox; use numbers, text, lists or arrays")


def unpack(value: Any) -> Any:
    """Undo `pack` inside the sandbox; raise `Malformed` for anything else."""
    if isinstance(value, list):
        return [unpack(item) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"array": [str(dtype), list(shape), str(text)], **rest} if not rest:
            return _array(dtype, shape, text)
        case {"scalar": [str(dtype), [], str(text)], **rest} if not rest:
            return _array(dtype, [], text)[()]
        case {"tuple": list(items), **rest} if not rest:
            return tuple(unpack(item) for item in items)
        case {"dict": list(items), **rest} if not rest:
            return _dict(items)
    raise Malformed("a value of an unknown type")


def unpack_answer(value: Any) -> Answer:
    """Parse an answer from the sandbox, in time and memory proportional to its bytes.

    Raises
    ------
    Malformed
        If the value is not a number, a truth value, text, a list of names or an array of numbers.
    """
    match value:
        case bool() | int() | float():
            return value
        case str() if len(value) <= MOST_ITEMS:
            return value
        case [*names] if all(isinstance(name, str) for name in names) and sum(map(len, names)) <= MOST_ITEMS:
            return names
        case {"array": ["<f8" | ">f8" as dtype, list(shape), str(text)], **rest} if not rest:
            return _array(dtype, shape, text)
    raise Malformed("a value that cannot be an answer")


def _dict(items: list[Any]) -> dict[Any, Any]:
    try:
        return {unpack(key): unpack(item) for key, item in items}
    except (TypeError, ValueError):  # not pairs, or keys that are not hashable
        raise Malformed("an invalid dict") from None


def _pack_array(array: NDArray[Any]) -> list[Any]:
    if not _DTYPE.fullmatch(array.dtype.str):
        raise TypeError(f"an array of {array.dtype} cannot be sent to the sandbox; use numbers or text")
    return [array.dtype.str, list(array.shape), base64.b64encode(array.tobytes()).decode()]


def _array(dtype: str, shape: list[Any], text: str) -> NDArray[Any]:
    """Build an array of exactly the received bytes."""
    try:
        data = base64.b64decode(text, validate=True)
        extents = [extent for extent in shape if type(extent) is int and extent >= 0]
        if not _DTYPE.fullmatch(dtype) or len(extents) != len(shape) or len(shape) > MOST_AXES:
            raise ValueError
        kind = np.dtype(dtype)
        if not kind.itemsize or math.prod(extents) * kind.itemsize != len(data):
            raise ValueError
        return np.ndarray(extents, kind, bytearray(data))
    except (ValueError, TypeError, OverflowError):
        raise Malformed("an invalid array") from None
