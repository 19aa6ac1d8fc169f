"""Asynchronous checkpoint simulated with one rule changed: the answers of the named mistakes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Disk:
    """Files as programs see them, and all that each name may stand for after a crash; a file is [whole, what it names]."""

    torn: bool = True  # what was written is torn until it is synced
    late: bool = True  # names may stay old until the directory is synced
    rename_syncs: bool = False
    rename_lasts: bool = False  # a renamed file has its name for good
    writes_new: bool = False  # writing to a name that exists makes another file
    short: bool = False  # of what a name stood for only the last is remembered
    file_syncs_name: bool = False
    directory_syncs_files: bool = False
    nothing: bool = True  # a name that was just made may stand for nothing
    together: bool = False  # all names fall back to one moment
    gap: bool = False  # a rename has a moment without either file
    kept: bool = False  # a manifest that is written over stays
    manifest: bool = True  # which checkpoint the manifest names counts
    checkpoint: bool = True  # whether the checkpoint is whole counts
    pick: Callable[[Iterable[Any]], bool] = all
    now: dict = field(default_factory=lambda: {"ckpt-1": [True, None], "latest": [True, "ckpt-1"]})
    after: dict = field(init=False)
    moments: list = field(init=False)  # the whole directory at each change since its last sync

    def __post_init__(self):
        self._sync_names()

    def do(self, step):
        verb, name, *rest = step.split()
        if verb == "write":
            self._write(name, rest[0] if rest else None)
        elif verb == "sync":
            self._sync(name)
        else:
            self._move(name, rest[0] if rest else None)
        self.moments.append(dict(self.now))

    def fatal(self):
        if self.together:
            notes = [(names, names.get("latest")) for names in self.moments]
            fine = all(self._good(note) and self._good(names.get(note[1])) for names, note in notes)
        elif not self.manifest:
            fine = any(self.pick(map(self._good, self.after.get(name, [None]))) for name in ("ckpt-1", "ckpt-2"))
        else:
            fine = self.pick(
                self._good(note) and (not self.checkpoint or self._good(file))
                for note in self.after["latest"]
                for file in (self.after.get(note[1], [None]) if note else [None])
            )
        return 0 if fine else 1

    def _good(self, file):
        return file is not None and (file[0] or not self.torn)

    def _changed(self, name, file):
        before = self.after.get(name, [None] if self.nothing else [])
        self.after[name] = [*(before[-1:] if self.short else before), file] if self.late else [file]

    def _write(self, name, what):
        if name not in self.now or self.writes_new:
            self.now[name] = [False, None]
            self._changed(name, self.now[name])
        if not (self.kept and name == "latest"):
            self.now[name][:] = [False, what]

    def _sync(self, name):
        if name == ".":
            self._sync_names()
            for file in self.now.values():
                file[0] = file[0] or self.directory_syncs_files
            return
        self.now[name][0] = True
        if self.file_syncs_name:
            self.after[name] = [self.now[name]]

    def _sync_names(self):
        self.after, self.moments = {name: [file] for name, file in self.now.items()}, []

    def _move(self, old, new):
        file = self.now.pop(old)
        self._changed(old, None)
        if new:
            file[0] = file[0] or self.rename_syncs
            if self.gap:
                self._changed(new, None)
            self.now[new] = file
            self._changed(new, file)
            if self.rename_lasts:
                self.after |= {old: [None], new: [file]}


def played(before=False, **rules):
    """What somebody answers who plays a save by these rules, or asks before each step."""

    def wrong(steps):
        disk, found = Disk(**rules), []
        for step in steps:
            if before:
                found.append(disk.fatal())
            disk.do(step)
            if not before:
                found.append(disk.fatal())
        return np.array(found)

    return wrong
