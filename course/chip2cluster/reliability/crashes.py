"""What a restart finds after a crash in the middle of saving: files may be torn, names may be old."""

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
    """What a name stands for: where it was written, which checkpoint it names, and whether it surely is whole."""

    name: str
    names: str | None = None
    whole: bool = False


def fatal_crashes(steps: Iterable[str]) -> NDArray[np.int64]:
    """Say after which steps of a save a crash may leave nothing to restart from.

    Before the first step there are a whole checkpoint ``ckpt-1`` and a manifest ``latest`` that names it. A restart
    reads the manifest and then the checkpoint that this one names.

    Parameters
    ----------
    steps : sequence of str
        In order: ``"write NAME"``, for a manifest ``"write NAME CHECKPOINT"``; ``"sync NAME"`` for a file,
        ``"sync ."`` for the directory; ``"rename OLD NEW"``; ``"delete NAME"``.

    Returns
    -------
    array of int, shape (steps,)
        1 where a crash right after the step can be fatal, 0 where every restart finds a whole checkpoint.

    Raises
    ------
    FileNotFoundError
        ``read_from`` does not exist.

    Notes
    -----
    A file that was written is torn until it is synced; writing to a name that exists empties that file. A name that
    was made, changed or deleted may still be the old one until the directory is synced, each name for itself; a
    rename leaves no moment without either file. Ignores the machine's promises beyond these: many file systems keep
    directory changes in order. Source: POSIX, ``fsync`` and ``rename``; T. Pillai et al., "All file systems are not
    created equal", OSDI 2014.

    Examples
    --------
    The checkpoint is written beside the old one, the manifest over the old one.

    >>> fatal_crashes(["write ckpt-2", "sync ckpt-2", "sync .", "write latest ckpt-2", "sync latest"]).tolist()
    [0, 0, 0, 1, 0]
    """
    return np.array([int(None in found) for found in _play(steps)])


def crash_table(steps: Iterable[str]) -> DataFrame:
    """Tell for each step of a save what a restart may find after a crash right then.

    Parameters
    ----------
    steps : sequence of str
        As `fatal_crashes`.

    Returns
    -------
    pandas.DataFrame
        One row a step, in order.

    Notes
    -----
    Ignores what `fatal_crashes` ignores. Source: as there.

    Examples
    --------
    >>> crash_table(["write ckpt-2", "sync ckpt-2", "write latest ckpt-2"])["a restart may find"].tolist()
    ['ckpt-1', 'ckpt-1', 'nothing whole']
    """
    import pandas  # here, because the models do not need it

    steps = list(steps) if not isinstance(steps, str) else steps
    told = [" or ".join(name or "nothing whole" for name in found) for found in _play(steps)]
    table = pandas.DataFrame({"step": range(1, len(told) + 1), "a crash after": steps, "a restart may find": told})
    return table.set_index("step")


def _play(steps: Iterable[str]) -> list[list[str | None]]:
    """After each step the checkpoints that a restart may find, sorted; None for nothing whole, last."""
    if isinstance(steps, str):
        raise TypeError(f"steps must be a list of texts, got {steps!r}")
    now = {FIRST: _File(FIRST, whole=True), LATEST: _File(LATEST, FIRST, whole=True)}
    after: dict[str, list[_File | None]] = {name: [file] for name, file in now.items()}
    found = []
    for step in steps:
        _do(step, now, after)
        restarts = {_loads(manifest, after) for manifest in after.get(LATEST, [None])}
        names = {name for outcome in restarts for name in outcome}
        found.append(sorted(names, key=lambda name: (name is None, name or "")))
    if not found:
        raise ValueError("steps must hold at least one step, got none")
    return found


def _loads(manifest: _File | None, after: dict[str, list[_File | None]]) -> frozenset[str | None]:
    """What a restart may end up with that finds this manifest."""
    if manifest is None or not manifest.whole or manifest.names is None:
        return frozenset({None})
    checkpoints = after.get(manifest.names, [None])
    return frozenset(manifest.names if file is not None and file.whole else None for file in checkpoints)


def _do(step: str, now: dict[str, _File], after: dict[str, list[_File | None]]) -> None:
    """One step: ``now`` is what programs see, ``after`` what each name may stand for when a crash comes."""
    words = step.split() if isinstance(step, str) else []
    if not words or len(words) not in _WORDS.get(words[0], ()):
        raise ValueError(f"steps must be {LEGAL}, got {step!r}")
    verb, name = words[0], words[1]
    if verb != "write" and name not in now and (verb, name) != ("sync", "."):
        raise ValueError(f"steps must speak of files that are there, got {step!r}; there are {', '.join(sorted(now))}")
    if verb == "write":
        file = now.setdefault(name, _File(name))
        file.names, file.whole = (words[2] if len(words) == 3 else None), False
        _may_be(after, name, file)
    elif name == ".":
        after.clear()
        after.update({name: [file] for name, file in now.items()})
    elif verb == "sync":
        now[name].whole = True
    else:
        file = now.pop(name)
        _may_be(after, name, None)
        if verb == "rename":
            now[words[2]] = file
            _may_be(after, words[2], file)


def _may_be(after: dict[str, list[_File | None]], name: str, file: _File | None) -> None:
    """From now on the name may stand for this, or still for what it may have been before."""
    before = after.setdefault(name, [None])
    if not any(known is file for known in before):
        before.append(file)
