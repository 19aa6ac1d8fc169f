"""Student whose personal constants are used on this computer, and the class that an instructor's bundle is for.

The bundle contains ``class.json`` with the key of all students' constants and digests of the students' ids. A digest has
so few bits that about one in ten of all ids fits the class: enough to notice nine of ten typing errors, and too few to
find out from the file who is in the class. Earlier versions wrote 16 bits, and their files are still read.
"""

import hashlib
import hmac
import json
import math
import os
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

CLASS_FILE, STUDENT_FILE = "class.json", "student.txt"
LONGEST = 255


class UnknownStudent(ValueError):
    """It is unknown whose constants are meant; the message says what to do."""

    def _render_traceback_(self) -> list[str]:
        """Show one line in a notebook, and not where it was raised."""
        return [str(self)]


@dataclass(frozen=True)
class CourseClass:
    """Class of an instructor's bundle.

    Attributes
    ----------
    folder : Path
        Folder of ``class.json``, and of the file with the student's id.
    key : str
        Key of the constants, from `autograder.secret.values_key`.
    digests : frozenset of str
        Digests of the students' ids.
    """

    folder: Path
    key: str
    digests: frozenset[str]

    def member(self, name: str) -> str | None:
        """Return an id as the class spells it, ignoring case and surrounding spaces; None if it is not in the class.

        A wrong id is returned with a probability of about one in ten.
        """
        return next(
            (one for one in _spellings(name) if _digest(self.key, one, self._digest_bits) in self.digests), None
        )

    @cached_property
    def _digest_bits(self) -> int | None:
        """Bits of each digest; None in a file of an earlier version."""
        _, *bits = next(iter(self.digests), "").split("-")
        return int(bits[0]) if bits else None

    def student(self) -> str:
        """Return the id of the student who works here: the one that was set, or the name on the hub.

        Raises
        ------
        UnknownStudent
            If no student was set, or the class does not contain the name; the message says what to write.
        """
        file = self.folder / STUDENT_FILE
        try:
            name = file.read_text(encoding="utf-8")[:LONGEST]
        except FileNotFoundError:
            name = os.environ.get("CHIP2CLUSTER_STUDENT") or os.environ.get("JUPYTERHUB_USER") or ""
        except (OSError, UnicodeDecodeError):
            raise UnknownStudent(f"{file} cannot be read; delete it, then {_identify_command()}") from None
        if not name:
            raise UnknownStudent(
                f"these numbers differ from student to student, and no student is set here: {_identify_command()}"
            )
        if (known := self.member(name)) is None:
            raise UnknownStudent(f"no student of this class has the id {name.strip()!r}: {_identify_command()}")
        return known


def class_data(key: str, students: Iterable[str]) -> dict[str, Any]:
    """Return the content of ``class.json`` for these students."""
    ids = list(students)
    bits = _digest_bits(len(ids))
    return {"values_key": key, "students": sorted({_digest(key, one, bits) for one in ids})}


def find_class(folder: Path | None = None) -> CourseClass | None:
    """Return the class of this folder or of one around it; None if there is none.

    Raises
    ------
    UnknownStudent
        If the class's file is damaged.
    """
    start = (folder or Path.cwd()).absolute()
    file = next((file for place in (start, *start.parents) if (file := place / CLASS_FILE).is_file()), None)
    if file is None:
        return None
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        return CourseClass(file.parent, str(data["values_key"]), frozenset(map(str, data["students"])))
    except (OSError, ValueError, KeyError, TypeError):
        raise UnknownStudent(f"{file} is damaged; take it from your instructor's zip again") from None


def set_student(name: str, folder: Path | None = None, *, change: bool = False) -> str:
    """Set the student who works in this folder; return the id as the class spells it.

    Raises
    ------
    UnknownStudent
        If there is no class, the name is not in it, or the folder belongs to another student; then nothing changes.
    """
    found = find_class(folder)
    if found is None:
        raise UnknownStudent(f"there is no {CLASS_FILE} here or in a folder above, so no id is needed")
    known = found.member(name)
    if known is None:
        raise UnknownStudent(
            f"no student of this class has the id {name!r}; write it as your instructor's list does, where it is often the name "
            "that you log in with. If you joined the class late, you need its new zip"
        )
    file = found.folder / STUDENT_FILE
    before = file.read_text(encoding="utf-8", errors="replace").strip() if file.exists() else known
    if before != known and not change:
        raise UnknownStudent(
            f"{found.folder} belongs to {before}. For {known} unpack the zip again, into another folder; or add --change if "
            f"{before} was a mistake"
        )
    file.write_text(f"{known}\n", encoding="utf-8")
    return known


def _digest_bits(students: int) -> int:
    """Return the bits of a digest with which about one in ten of all ids fits a class of this size."""
    return max(1, round(math.log2(10 * max(1, students))))


def _spellings(name: str) -> Iterator[str]:
    """Yield an id as it was typed and as a class may spell it, each once."""
    typed = name.strip()
    plain = unicodedata.normalize("NFC", typed)
    yield from dict.fromkeys((typed, plain, plain.lower(), plain.upper()))


def _letter_case(student: str) -> str:
    """Return how an id is spelled, so that another spelling of it isn't compared with its digest."""
    return "lower" if student == student.lower() else "upper" if student == student.upper() else "mixed"


def _digest(key: str, student: str, bits: int | None) -> str:
    """Return the digest of an id, such as ``lower-8-3f``; with ``bits`` None the one of earlier versions, ``3f0a``."""
    found = hmac.new(key.encode(), f"member\0{student}".encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
    if bits is None:
        return found.hex()[:4]
    # A lower-case spelling is compared only with lower-case ids, and so on: otherwise each spelling of a wrong id
    # would fit one class in ten.
    return f"{_letter_case(student)}-{bits}-{int.from_bytes(found[:8], 'big') >> (64 - bits):x}"


def _identify_command() -> str:
    return "run `%run -m autograder identify YOUR-ID` in a cell, once, with the id that your instructor's list has"
