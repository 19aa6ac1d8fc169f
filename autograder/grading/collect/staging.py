"""Put submissions into ``submitted/``: earlier work is moved aside, never overwritten, and `undo` brings it back."""

import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...atomic_write import write_text
from ..result_store import file_name


@dataclass
class Batch:
    """Changes that one collection of a lab made.

    Attributes
    ----------
    folder : Path
        Folder ``work/collected/LAB/N`` of the collection.
    placed : dict of str to str
        Paths of the submissions that were put into the course, by student.
    moved : dict of str to str
        Former paths of the submissions that were moved aside into ``before``, by student.
    keys : dict of str to str
        Name under which each student's work was handed in, by student.
    """

    folder: Path
    placed: dict[str, str] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)

    @property
    def has_changes(self) -> bool:
        """Whether there is anything that `undo` would take back."""
        return bool(self.placed or self.moved or (self.folder / "dates-after.csv").exists())

    def put(self, student: str, key: str, target: Path, files: dict[tuple[str, ...], bytes]) -> str:
        """Put a submission, which was handed in under the name ``key``, into the course.

        Returns
        -------
        str
            State of the submission: "new", "same" if the course has the same files, or "replaced" if others were moved aside.

        Raises
        ------
        OSError
            If the student's folder is a link or cannot be written.
        """
        if os.path.islink(target.parent):
            raise OSError(f"{target.parent} is a link, which is never followed; remove it")
        self.keys[student] = key
        if _read_files(target) == files:
            self.save()
            return "same"
        draft = self.folder / "draft"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        for parts, data in files.items():
            path = draft.joinpath(*parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        moved = self.move_aside(student, target)
        target.parent.mkdir(parents=True, exist_ok=True)
        # Saved before the move, so that a run that is killed in between can be undone.
        self.placed[student] = str(target)
        self.save()
        shutil.move(draft, target)
        return "replaced" if moved else "new"

    def move_aside(self, student: str, target: Path) -> bool:
        """Move a student's submission into ``before``; return whether there was one."""
        if not os.path.lexists(target):
            return False
        before = self.folder / "before" / file_name(student)
        before.parent.mkdir(parents=True, exist_ok=True)
        self.moved[student] = str(target)
        self.save()
        shutil.move(target, before)
        _remove_if_empty(target.parent)
        return True

    def save(self) -> None:
        """Record the changes so far in ``batch.json``."""
        record = {"placed": self.placed, "moved": self.moved, "keys": self.keys}
        write_text(self.folder / "batch.json", json.dumps(record))

    def undo(self) -> tuple[list[str], list[str]]:
        """Take the batch back: submissions that it put move to ``after``, those in ``before`` return.

        Returns
        -------
        list of str
            Students whose submission was taken out of the course.
        list of str
            Students whose earlier submission is back.
        """
        removed, restored = [], []
        for student, path in self.placed.items():
            after = self.folder / "after" / file_name(student)
            if os.path.lexists(path) and not os.path.lexists(after):
                after.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(path, after)
                removed.append(student)
        for student, path in self.moved.items():
            before = self.folder / "before" / file_name(student)
            if os.path.lexists(before) and not os.path.lexists(path):
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                shutil.move(before, path)
                restored.append(student)
        for target in self.placed.values():
            _remove_if_empty(Path(target).parent)
        return removed, restored


def new_batch(parent: Path) -> Batch:
    """Create the next batch in a folder; its number is one more than the highest."""
    parent.mkdir(parents=True, exist_ok=True)
    batch = Batch(parent / str(max([0, *_numbers(parent)]) + 1))
    batch.folder.mkdir()
    return batch


def active_batches(parent: Path) -> list[Batch]:
    """Load the batches that were not undone, the oldest first."""
    batches = []
    for number in sorted(_numbers(parent)):
        folder = parent / str(number)
        if not (folder / "undone").exists() and (folder / "batch.json").is_file():
            record: dict[str, Any] = json.loads((folder / "batch.json").read_text(encoding="utf-8"))
            batches.append(Batch(folder, record["placed"], record["moved"], record["keys"]))
    return batches


def current_keys(batches: Iterable[Batch]) -> dict[str, str]:
    """Name under which each student's present submission was handed in, by student."""
    keys: dict[str, str] = {}
    for batch in batches:
        for student in batch.moved.keys() - batch.placed.keys():
            keys.pop(student, None)
        keys |= batch.keys
    return keys


def _remove_if_empty(folder: Path) -> None:
    """Remove a student's empty folder, which would count as a submission otherwise."""
    if folder.is_dir() and not folder.is_symlink() and not os.listdir(folder):
        folder.rmdir()


def _numbers(parent: Path) -> Iterable[int]:
    return [int(one.name) for one in parent.iterdir() if one.name.isdecimal()] if parent.is_dir() else []


def _read_files(folder: Path) -> dict[tuple[str, ...], bytes] | None:
    """Read all files of a folder; None unless it is a folder of regular files."""
    if folder.is_symlink() or not folder.is_dir():
        return None
    files: dict[tuple[str, ...], bytes] = {}
    try:
        for parent, folders, names in os.walk(folder):
            for name in [*names, *folders]:
                path = Path(parent, name)
                if path.is_symlink() or not (path.is_file() or path.is_dir()):
                    return None
            files |= {Path(parent, name).relative_to(folder).parts: Path(parent, name).read_bytes() for name in names}
    except OSError:
        return None
    return files
