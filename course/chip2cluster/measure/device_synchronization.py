"""Detect calls that return before the work that they started on a device has ended."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple


class Waiter(NamedTuple):
    """Function that waits for a device, and its name as the user would write it."""

    name: str
    wait: Callable[[], Any]


def waiters(result: Any = None) -> tuple[Waiter, ...]:
    """Find how to wait for the devices that this process uses.

    Parameters
    ----------
    result : object, optional
        Result of the timed call; an array with ``block_until_ready`` (JAX) can be waited for.

    Returns
    -------
    tuple of Waiter
        One per library that is imported and has used a device; empty on a machine without one.

    Notes
    -----
    Imports nothing and starts no device. Ignores libraries other than PyTorch, CuPy and JAX.
    Source: their documents on asynchronous execution.

    Examples
    --------
    >>> waiters([1, 2])
    ()
    """
    found = []
    torch = sys.modules.get("torch")
    for device in ("cuda", "xpu", "mps"):
        part = getattr(torch, device, None)
        if part is not None and _used(part):
            found.append(Waiter(f"torch.{device}.synchronize", part.synchronize))
    cupy = sys.modules.get("cupy")
    if cupy is not None and _allocated(cupy):
        found.append(Waiter("cupy.cuda.Device().synchronize", lambda: cupy.cuda.Device().synchronize()))
    leaves = result if isinstance(result, (tuple, list)) else (result,)
    arrays = [leaf for leaf in leaves if callable(getattr(type(leaf), "block_until_ready", None))]
    if arrays:
        found.append(Waiter("jax.block_until_ready", lambda: [leaf.block_until_ready() for leaf in arrays]))
    return tuple(found)


def _used(part: Any) -> bool:
    """Tell whether a device of PyTorch has been used; the question starts none."""
    if not callable(getattr(part, "synchronize", None)):
        return False
    if hasattr(part, "is_initialized"):
        return bool(part.is_initialized())
    if hasattr(part, "current_allocated_memory"):  # Apple's has no is_initialized
        return bool(part.is_available()) and part.current_allocated_memory() > 0
    return bool(part.is_available()) if hasattr(part, "is_available") else False


def _allocated(cupy: Any) -> bool:
    try:
        return bool(cupy.get_default_memory_pool().total_bytes() > 0)
    except AttributeError:
        return hasattr(cupy, "cuda")
