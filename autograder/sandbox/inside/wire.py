"""Frames of plain data between the grader and its box: JSON, arrays as their bytes in base64.

The same file is used on both sides. Nothing here ever builds an object of a class
that the other side names. Towards the box goes whatever `pack` takes; what comes out
of it is an answer, which is one of few kinds, and `unpack_answer` reads nothing else.
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
DIGITS = 400  # of a whole number; to read one takes time that grows with their square


class Closed(Exception):
    """The other side is gone."""


class TooLate(Exception):
    """Whoever watches the line does not wait any longer for a whole frame."""


class Malformed(Exception):
    """What came is no frame of this protocol, or a larger one than agreed."""


# Called before each wait; returns how many seconds to wait at most, or raises `TooLate`.
Look: TypeAlias = Callable[[], float]


def send(sock: socket.socket, message: dict[str, Any]) -> None:
    """Send one message, a dict of plain data."""
    body = json.dumps(message).encode()
    try:
        sock.sendall(_LENGTH.pack(len(body)) + body)
    except OSError as problem:
        raise Closed(str(problem)) from None


def receive(
    sock: socket.socket, limit: int, look: Look | None = None, most_values: int | None = None
) -> dict[str, Any]:
    """Receive one message.

    Parameters
    ----------
    sock : socket
    limit : int
        The most bytes that it may have.
    look : callable, optional
        Watches the time; without it this waits for ever.
    most_values : int, optional
        The most JSON values that are built of it; marks within text count as well.

    Raises
    ------
    Closed, TooLate, Malformed
    """
    (length,) = _LENGTH.unpack(_exactly(sock, _LENGTH.size, look))
    if length > limit:
        raise Malformed(f"a message of {length} bytes, more than {limit}")
    body = _exactly(sock, length, look)
    if most_values is not None and sum(body.count(mark) for mark in (b",", b":", b"[", b"{")) > most_values:
        # Such as [[],[],[], …, which grows twentyfold when it is read.
        raise Malformed(f"a message of more than {most_values} values")
    try:
        message = json.loads(body.decode(), parse_int=_whole)
    except (ValueError, RecursionError):
        raise Malformed("a message that is not JSON") from None
    if not isinstance(message, dict) or _deeper_than(DEPTH, message):
        raise Malformed("a message that is no object, or one too deep")
    return message


def _whole(digits: str) -> int:
    if len(digits) > DIGITS:
        raise Malformed("a number of too many digits")
    return int(digits)


def _deeper_than(depth: int, value: Any) -> bool:
    """Whether lists and objects are nested deeper; level by level, so that no depth is too much for this."""
    level = [value]
    while level and depth:
        inner = (item.values() if isinstance(item, dict) else item for item in level if isinstance(item, (dict, list)))
        level, depth = [item for items in inner for item in items], depth - 1
    return any(isinstance(item, (dict, list)) for item in level)


def _exactly(sock: socket.socket, count: int, look: Look | None) -> bytes:
    parts, missing = [], count
    while missing:
        # Before each part: who sends byte by byte is watched as well.
        while look is not None and not select.select([sock], [], [], look())[0]:
            pass
        try:
            part = sock.recv(min(missing, 1 << 16))
        except OSError as problem:
            raise Closed(str(problem)) from None
        if not part:
            raise Closed("the other side closed the line")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def pack(value: Any) -> Any:
    """Turn numbers, text, lists, tuples, dicts and arrays into what JSON can carry."""
    if isinstance(value, np.generic):
        return {"scalar": _packed(np.asarray(value))}
    if isinstance(value, np.ndarray):
        return {"array": _packed(value)}
    if isinstance(value, tuple):
        return {"tuple": [pack(item) for item in value]}
    if isinstance(value, list):
        return [pack(item) for item in value]
    if isinstance(value, dict):
        return {"dict": [[pack(key), pack(item)] for key, item in value.items()]}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"a {type(value).__name__} cannot cross into the box; use numbers, text, lists or arrays")


def unpack(value: Any) -> Any:
    """Undo `pack` in the box; raises `Malformed` for anything else."""
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
    raise Malformed("an unknown kind of value")


def unpack_answer(value: Any) -> Answer:
    """Take what a box gives as an answer, in time and memory that grow with its bytes alone.

    Raises
    ------
    Malformed
        For anything but a number, a truth value, text, a list of names or an array of numbers.
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
    raise Malformed("a value that is no answer")


def _dict(items: list[Any]) -> dict[Any, Any]:
    try:
        return {unpack(key): unpack(item) for key, item in items}
    except (TypeError, ValueError):  # no pairs, or keys that cannot be keys
        raise Malformed("a dict that is not one") from None


def _packed(array: NDArray[Any]) -> list[Any]:
    if not _DTYPE.fullmatch(array.dtype.str):
        raise TypeError(f"an array of {array.dtype} cannot cross into the box; use numbers or text")
    return [array.dtype.str, list(array.shape), base64.b64encode(array.tobytes()).decode()]


def _array(dtype: str, shape: list[Any], text: str) -> NDArray[Any]:
    """Make an array of exactly the bytes that came."""
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
        raise Malformed("an array that is not one") from None
