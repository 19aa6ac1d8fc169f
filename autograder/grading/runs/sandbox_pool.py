"""Warm boxes of one process, kept between tasks: a box serves one thread at a time."""

import atexit
import json
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...sandbox import Sandbox
from ..lab import Lab

# Open boxes with what closes them, by all that a box depends on.
_idle: dict[tuple[Any, ...], list[tuple[Any, Sandbox]]] = {}
_lock = threading.Lock()


@contextmanager
def borrow_sandbox(
    lab: Lab, files: dict[str, bytes], version: str, sandbox: str, open_box: Callable[..., Any]
) -> Iterator[Sandbox]:
    """Lend an open box for a lab; boxes of other labs that nobody uses are closed.

    Parameters
    ----------
    lab : Lab
        Its folder need not exist on this machine.
    files : dict
        What lies beside the lab's notebook: bytes by path.
    version : str
        Of the code; a box of other code is not used.
    sandbox : str
    open_box : callable
    """
    key = (
        version,
        sandbox,
        lab.name,
        json.dumps(lab.released, sort_keys=True),
        lab.tasks,
        lab.private,
        tuple(files.items()),
        open_box,
    )
    with _lock:
        strangers = [context for other in [*_idle] if other != key for context, _ in _idle.pop(other)]
        mine = _idle.get(key)
        idle = mine.pop() if mine else None
    for stranger in strangers:
        stranger.__exit__(None, None, None)
    context, box = idle or _opened(lab, files, sandbox, open_box)
    try:
        yield box
    except BaseException as problem:
        context.__exit__(type(problem), problem, problem.__traceback__)
        raise
    with _lock:
        _idle.setdefault(key, []).append((context, box))


def _opened(lab: Lab, files: dict[str, bytes], sandbox: str, open_box: Callable[..., Any]) -> tuple[Any, Sandbox]:
    # A box copies what it needs when it opens.
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        context = open_box(replace(lab, folder=Path(folder)), sandbox=sandbox)
        return context, context.__enter__()


@atexit.register
def close_idle() -> None:
    """Close the boxes that nobody uses."""
    with _lock:
        contexts = [context for key in [*_idle] for context, _ in _idle.pop(key)]
    for context in contexts:
        context.__exit__(None, None, None)
