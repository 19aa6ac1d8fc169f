"""Work on its way into ``submitted/``: what is there is moved aside, never overwritten, and comes back with `undo`."""

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
    """One collection of a lab.

    Attributes
    ----------
    folder : Path
        ``work/collected/LAB/N``.
    placed, moved : dict of str to str
        Students whose submission was put there, or moved aside (into ``before``); each with its place.
    keys : dict of str to str
        Under which name a student's work came.
    """

    folder: Path
    placed: dict[str, str] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)

    @property
    def did(self) -> bool:
        """Whether it changed anything that can be taken back."""
        return bool(self.placed or self.moved or (self.folder / "dates-after.csv").exists())

    def put(self, student: str, key: str, target: Path, files: dict[tuple[str, ...], bytes]) -> str:
        """Put a submission, which came under the name ``key``, into its place.

        Returns
        -------
        str
            "new", "same" where it is there already, or "replaced" where another one was moved aside.

        Raises
        ------
        OSError
            When something of the student's stands in the way.
        """
        if os.path.islink(target.parent):
            raise OSError(f"{target.parent} is a link, which is never followed; remove it")
        self.keys[student] = key
        if _files(target) == files:
            self.note()
            return "same"
        draft = self.folder / "draft"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        for parts, data in files.items():
            path = draft.joinpath(*parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        moved = self.aside(student, target)
        target.parent.mkdir(parents=True, exist_ok=True)
        # Written down first: a run that is killed in between can be undone.
        self.placed[student] = str(target)
        self.note()
        shutil.move(draft, target)
        return "replaced" if moved else "new"

    def aside(self, student: str, target: Path) -> bool:
        """Move what is in a submission's place, whatever it is; return whether there was anything."""
        if not os.path.lexists(target):
            return False
        before = self.folder / "before" / file_name(student)
        before.parent.mkdir(parents=True, exist_ok=True)
        self.moved[student] = str(target)
        self.note()
        shutil.move(target, before)
        _without_empty(target.parent)
        return True

    def note(self) -> None:
        """Write down what was done so far."""
        noted = {"placed": self.placed, "moved": self.moved, "keys": self.keys}
        write_text(self.folder / "batch.json", json.dumps(noted))

    def undo(self) -> tuple[list[str], list[str]]:
        """Take the batch back: what it put away goes to ``after``, what it moved aside returns.

        Returns
        -------
        list of str
            Students whose work was taken away again.
        list of str
            Students whose earlier work is back.
        """
        away, back = [], []
        for student, place in self.placed.items():
            after = self.folder / "after" / file_name(student)
            if os.path.lexists(place) and not os.path.lexists(after):
                after.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(place, after)
                away.append(student)
        for student, place in self.moved.items():
            before = self.folder / "before" / file_name(student)
            if os.path.lexists(before) and not os.path.lexists(place):
                Path(place).parent.mkdir(parents=True, exist_ok=True)
                shutil.move(before, place)
                back.append(student)
        for target in self.placed.values():
            _without_empty(Path(target).parent)
        return away, back


def new(above: Path) -> Batch:
    """The next batch below a folder; its number is one more than any before."""
    above.mkdir(parents=True, exist_ok=True)
    batch = Batch(above / str(max([0, *_numbers(above)]) + 1))
    batch.folder.mkdir()
    return batch


def standing(above: Path) -> list[Batch]:
    """The batches that were not taken back, the oldest first."""
    found = []
    for number in sorted(_numbers(above)):
        folder = above / str(number)
        if not (folder / "undone").exists() and (folder / "batch.json").is_file():
            noted: dict[str, Any] = json.loads((folder / "batch.json").read_text(encoding="utf-8"))
            found.append(Batch(folder, noted["placed"], noted["moved"], noted["keys"]))
    return found


def holders(batches: Iterable[Batch]) -> dict[str, str]:
    """Under which name the work came that a student has now, by student."""
    keys: dict[str, str] = {}
    for batch in batches:
        for student in batch.moved.keys() - batch.placed.keys():
            keys.pop(student, None)
        keys |= batch.keys
    return keys


def _without_empty(folder: Path) -> None:
    """Remove a student's folder with nothing in it, which would count as handed in otherwise."""
    if folder.is_dir() and not folder.is_symlink() and not os.listdir(folder):
        folder.rmdir()


def _numbers(above: Path) -> Iterable[int]:
    return [int(one.name) for one in above.iterdir() if one.name.isdecimal()] if above.is_dir() else []


def _files(folder: Path) -> dict[tuple[str, ...], bytes] | None:
    """Everything in a folder, or None for what is no folder of plain files."""
    if folder.is_symlink() or not folder.is_dir():
        return None
    found: dict[tuple[str, ...], bytes] = {}
    try:
        for here, folders, names in os.walk(folder):
            for name in [*names, *folders]:
                path = Path(here, name)
                if path.is_symlink() or not (path.is_file() or path.is_dir()):
                    return None
            found |= {Path(here, name).relative_to(folder).parts: Path(here, name).read_bytes() for name in names}
    except OSError:
        return None
    return found
