"""Frames of plain data between the grader and its box: JSON, arrays as .npy without pickle.

The same file is used on both sides. Nothing here ever builds an object of a class
that the other side names.
"""

import base64
import io
import json
import select
import socket
import struct
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

_LENGTH = struct.Struct(">I")


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


def receive(sock: socket.socket, limit: int, look: Look | None = None) -> dict[str, Any]:
    """Receive one message of at most ``limit`` bytes; without ``look`` it waits for ever."""
    (length,) = _LENGTH.unpack(_exactly(sock, _LENGTH.size, look))
    if length > limit:
        raise Malformed(f"a message of {length} bytes, more than {limit}")
    body = _exactly(sock, length, look)
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        raise Malformed("a message that is not JSON") from None
    if not isinstance(message, dict):
        raise Malformed("a message that is no object")
    return message


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
        return {"scalar": _npy(np.asarray(value))}
    if isinstance(value, np.ndarray):
        return {"array": _npy(value)}
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
    """Undo `pack`; raises `Malformed` for anything else."""
    if isinstance(value, list):
        return [unpack(item) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"array": str(text), **rest} if not rest:
            return _array(text)
        case {"scalar": str(text), **rest} if not rest:
            return _array(text)[()]
        case {"tuple": list(items), **rest} if not rest:
            return tuple(unpack(item) for item in items)
        case {"dict": list(items), **rest} if not rest:
            return _dict(items)
    raise Malformed("an unknown kind of value")


def _dict(items: list[Any]) -> dict[Any, Any]:
    try:
        return {unpack(key): unpack(item) for key, item in items}
    except (TypeError, ValueError):  # no pairs, or keys that cannot be keys
        raise Malformed("a dict that is not one") from None


def _npy(array: NDArray[Any]) -> str:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return base64.b64encode(stream.getvalue()).decode()


def _array(text: str) -> NDArray[Any]:
    """Read a .npy whose header promises no more bytes than there are."""
    try:
        data = base64.b64decode(text, validate=True)
        stream = io.BytesIO(data)
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError
        shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
        count = 1
        for extent in shape:
            count *= extent
        if dtype.hasobject or dtype.kind not in "biufU" or count * dtype.itemsize != len(data) - stream.tell():
            raise ValueError
        stream.seek(0)
        return np.load(stream, allow_pickle=False)
    except (ValueError, TypeError, KeyError, EOFError, SyntaxError, RecursionError, OverflowError, MemoryError):
        raise Malformed("an array that is not one") from None
