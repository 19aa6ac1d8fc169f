"""Crash consistency of checkpoints: the files that a restart may find after a crash during a save."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pandas import DataFrame

    from .._typing import NDArray

LATEST, FIRST = "latest", "ckpt-1"  # the manifest, and the checkpoint that it names at first
LEGAL = "'write NAME', 'write NAME CHECKPOINT', 'sync NAME', 'sync .', 'rename OLD NEW' or 'delete NAME'"
_WORDS = {"write": (2, 3), "sync": (2,), "rename": (3,), "delete": (2,)}


@dataclass
class _File:
    """File behind a name: name at creation, checkpoint that it points to, and whether it is complete for certain."""

    name: str
    names: str | None = None
    whole: bool = False


def fatal_crashes(steps: Iterable[str]) -> NDArray[np.int64]:
    """Find the steps of a save after which a crash may leave no usable checkpoint.

    Before the first step there are a complete checkpoint ``ckpt-1`` and a manifest ``latest`` that points to it. A
    restart reads the manifest and then the checkpoint that it points to.

    Parameters
    ----------
    steps : sequence of str
        Steps in order: ``"write NAME"``, for a manifest ``"write NAME CHECKPOINT"``; ``"sync NAME"`` for a file,
        ``"sync ."`` for the directory; ``"rename OLD NEW"``; ``"delete NAME"``.

    Returns
    -------
    array of int, shape (steps,)
        1 if a crash right after the step can be fatal, 0 if every restart finds a complete checkpoint.

    Raises
    ------
    ValueError
        A step has another form or refers to a file that does not exist.

    Notes
    -----
    A written file may be torn until it is synced; writing to an existing name truncates that file. A name that was
    created, changed or deleted may still have its old state until the directory is synced, independently for each
    name; a rename is atomic. Ignores stronger guarantees: many file systems keep directory changes in order. Source: POSIX, ``fsync`` and ``rename``; T. Pillai et al., "All file systems are not
    created equal", OSDI 2014.

    Examples
    --------
    The new checkpoint gets its own name, and the manifest is overwritten in place.

    >>> fatal_crashes(["write ckpt-2", "sync ckpt-2", "sync .", "write latest ckpt-2", "sync latest"]).tolist()
    [0, 0, 0, 1, 0]
    """
    return np.array([int(None in found) for found in _possible_restarts(steps)])


def crash_table(steps: Iterable[str]) -> DataFrame:
    """Tabulate for each step of a save what a restart may find after a crash.

    Parameters
    ----------
    steps : sequence of str
        Steps, same as in `fatal_crashes`.

    Returns
    -------
    pandas.DataFrame
        One row per step, in order.

    Notes
    -----
    Ignores the same effects as `fatal_crashes`; same sources.

    Examples
    --------
    >>> crash_table(["write ckpt-2", "sync ckpt-2", "write latest ckpt-2"])["a restart may find"].tolist()
    ['ckpt-1', 'ckpt-1', 'nothing whole']
    """
    import pandas  # imported here because the models do not need it

    steps = list(steps) if not isinstance(steps, str) else steps
    states = [" or ".join(name or "nothing whole" for name in found) for found in _possible_restarts(steps)]
    table = pandas.DataFrame({"step": range(1, len(states) + 1), "a crash after": steps, "a restart may find": states})
    return table.set_index("step")


def _possible_restarts(steps: Iterable[str]) -> list[list[str | None]]:
    """Return for each step the checkpoints that a restart may find, sorted; None (last) for no complete one."""
    if isinstance(steps, str):
        raise TypeError(f"steps must be a list of texts, got {steps!r}")
    now = {FIRST: _File(FIRST, whole=True), LATEST: _File(LATEST, FIRST, whole=True)}
    after: dict[str, list[_File | None]] = {name: [file] for name, file in now.items()}
    found = []
    for step in steps:
        _apply_step(step, now, after)
        restarts = {_loadable(manifest, after) for manifest in after.get(LATEST, [None])}
        names = {name for outcome in restarts for name in outcome}
        found.append(sorted(names, key=lambda name: (name is None, name or "")))
    if not found:
        raise ValueError("steps must hold at least one step, got none")
    return found


def _loadable(manifest: _File | None, after: dict[str, list[_File | None]]) -> frozenset[str | None]:
    """Return the checkpoints that a restart may load with this manifest."""
    if manifest is None or not manifest.whole or manifest.names is None:
        return frozenset({None})
    checkpoints = after.get(manifest.names, [None])
    return frozenset(manifest.names if file is not None and file.whole else None for file in checkpoints)


def _apply_step(step: str, now: dict[str, _File], after: dict[str, list[_File | None]]) -> None:
    """Apply one step to ``now``, the state that programs see, and ``after``, the possible states after a crash."""
    words = step.split() if isinstance(step, str) else []
    if not words or len(words) not in _WORDS.get(words[0], ()):
        raise ValueError(f"steps must be {LEGAL}, got {step!r}")
    verb, name = words[0], words[1]
    if verb != "write" and name not in now and (verb, name) != ("sync", "."):
        raise ValueError(f"steps must refer to files that exist, got {step!r}; there are {', '.join(sorted(now))}")
    if verb == "write":
        file = now.setdefault(name, _File(name))
        file.names, file.whole = (words[2] if len(words) == 3 else None), False
        _add_possible(after, name, file)
    elif name == ".":
        after.clear()
        after.update({name: [file] for name, file in now.items()})
    elif verb == "sync":
        now[name].whole = True
    else:
        file = now.pop(name)
        _add_possible(after, name, None)
        if verb == "rename":
            now[words[2]] = file
            _add_possible(after, words[2], file)


def _add_possible(after: dict[str, list[_File | None]], name: str, file: _File | None) -> None:
    """Add one possible file of a name after a crash."""
    before = after.setdefault(name, [None])
    if not any(known is file for known in before):
        before.append(file)
