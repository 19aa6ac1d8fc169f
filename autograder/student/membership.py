"""Whose numbers count on this computer: the class that an instructor's bundle is for, and who of it works here.

An instructor's bundle holds ``class.json``: the key of all students' own numbers, and marks of the students' ids. A mark
has sixteen bits: enough to notice a slip, and too few to tell from the file who is in the class.
"""

import hashlib
import hmac
import json
import os
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE, NAME = "class.json", "student.txt"
LONGEST = 255


class NotSaid(ValueError):
    """Nobody can tell whose numbers are meant; the message says what to do."""

    def _render_traceback_(self) -> list[str]:
        """Show one line in a notebook, and not where it was raised."""
        return [str(self)]


@dataclass(frozen=True)
class Class:
    """A class, as the bundle's folder knows it.

    Attributes
    ----------
    folder : Path
        Where its file lies; who works there stands beside it.
    key : str
        From `autograder.secret.values_key`.
    marks : frozenset of str
    """

    folder: Path
    key: str
    marks: frozenset[str]

    def member(self, name: str) -> str | None:
        """A name as the class has it, capitals and spaces around it apart; None for whoever is not in it."""
        plain = unicodedata.normalize("NFC", name).strip()
        spellings = dict.fromkeys((name, plain, plain.lower(), plain.upper()))
        return next((one for one in spellings if _mark(self.key, one) in self.marks), None)

    def student(self) -> str:
        """Who works here: as they said, or as the hub calls them.

        Raises
        ------
        NotSaid
            In words that say what to write, where nobody has said it or the class does not know the name.
        """
        file = self.folder / NAME
        try:
            name = file.read_text(encoding="utf-8")[:LONGEST]
        except FileNotFoundError:
            name = os.environ.get("CHIP2CLUSTER_STUDENT") or os.environ.get("JUPYTERHUB_USER") or ""
        except (OSError, UnicodeDecodeError):
            raise NotSaid(f"{file} cannot be read; delete it, then {_how()}") from None
        if not name:
            raise NotSaid(f"these numbers are each student's own, and nobody has said who works here: {_how()}")
        if (known := self.member(name)) is None:
            raise NotSaid(f"nobody in this class has the id {name.strip()!r}: {_how()}")
        return known


def described(key: str, students: Iterable[str]) -> dict[str, Any]:
    """What ``class.json`` says of these students."""
    return {"values_key": key, "students": sorted({_mark(key, one) for one in students})}


def here(folder: Path | None = None) -> Class | None:
    """The class whose folder this is, or lies around it; None where there is none.

    Raises
    ------
    NotSaid
        For a file that is no class's.
    """
    start = (folder or Path.cwd()).absolute()
    file = next((file for place in (start, *start.parents) if (file := place / FILE).is_file()), None)
    if file is None:
        return None
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        return Class(file.parent, str(told["values_key"]), frozenset(map(str, told["students"])))
    except (OSError, ValueError, KeyError, TypeError):
        raise NotSaid(f"{file} is damaged; take it from your instructor's zip once more") from None


def enter(name: str, folder: Path | None = None, *, change: bool = False) -> str:
    """Write down who works in this folder; gives the id as the class has it.

    Raises
    ------
    NotSaid
        Outside a class, for a name that is not in it, and where the folder is somebody else's; then nothing changes.
    """
    found = here(folder)
    if found is None:
        raise NotSaid(f"there is no {FILE} here or in a folder above, so nothing here asks who you are")
    known = found.member(name)
    if known is None:
        raise NotSaid(
            f"nobody in this class has the id {name!r}; write it as your instructor's list does, where it is often the name "
            "that you log in with. Who joined the class lately needs its new zip"
        )
    file = found.folder / NAME
    before = file.read_text(encoding="utf-8", errors="replace").strip() if file.exists() else known
    if before != known and not change:
        raise NotSaid(
            f"{found.folder} is {before}'s. For {known} unpack the zip once more, into another folder; or, if {before} was a "
            "slip, add --change"
        )
    file.write_text(f"{known}\n", encoding="utf-8")
    return known


def _mark(key: str, student: str) -> str:
    words = f"member\0{student}".encode("utf-8", "surrogatepass")
    return hmac.new(key.encode(), words, hashlib.sha256).hexdigest()[:4]


def _how() -> str:
    return "run `%run -m autograder identify YOUR-ID` in a cell, once, with the id that your instructor's list has"
