"""Pool of warm sandboxes of one process; a sandbox serves one thread at a time."""

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

# Open sandboxes with their context managers, by everything that a sandbox depends on.
_idle: dict[tuple[Any, ...], list[tuple[Any, Sandbox]]] = {}
_lock = threading.Lock()


@contextmanager
def borrow_sandbox(
    lab: Lab, files: dict[str, bytes], version: str, mode: str, open_sandbox: Callable[..., Any]
) -> Iterator[Sandbox]:
    """Lend an open sandbox for a lab, and close idle sandboxes of other labs.

    Parameters
    ----------
    lab : Lab
        A lab whose folder need not exist on this machine.
    files : dict
        Other files of the lab's release folder: bytes by path.
    version : str
        Version of the code; a sandbox with other code is not used.
    mode : str
        Sandbox mode, as `autograder.sandbox.Sandbox` takes it.
    open_sandbox : callable
        Function that opens a sandbox.
    """
    key = (
        version,
        mode,
        lab.name,
        json.dumps(lab.released, sort_keys=True),
        lab.tasks,
        lab.private,
        tuple(files.items()),
        open_sandbox,
    )
    with _lock:
        others = [context for other in [*_idle] if other != key for context, _ in _idle.pop(other)]
        available = _idle.get(key)
        idle = available.pop() if available else None
    for context in others:
        context.__exit__(None, None, None)
    context, sandbox = idle or _open(lab, files, mode, open_sandbox)
    try:
        yield sandbox
    except BaseException as problem:
        context.__exit__(type(problem), problem, problem.__traceback__)
        raise
    with _lock:
        _idle.setdefault(key, []).append((context, sandbox))


def _open(lab: Lab, files: dict[str, bytes], mode: str, open_sandbox: Callable[..., Any]) -> tuple[Any, Sandbox]:
    # A sandbox copies the files that it needs when it opens.
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        context = open_sandbox(replace(lab, folder=Path(folder)), sandbox=mode)
        return context, context.__enter__()


@atexit.register
def close_idle() -> None:
    """Close all idle sandboxes."""
    with _lock:
        contexts = [context for key in [*_idle] for context, _ in _idle.pop(key)]
    for context in contexts:
        context.__exit__(None, None, None)
