"""Match submissions to the students of the roster: by number, id, address, or a name that only one student has."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from .student_names import Person, bare_number, join_name, normalize_name, shortens


class MatchMethod(StrEnum):
    """How a submission was matched to a student; the value stands in the table of names."""

    HAND = "by hand"
    NUMBER = "Canvas number"
    WORKSHEET = "worksheet"
    ID = "id"
    EMAIL = "address"
    NAME = "name"
    WITHIN = "id within the name"
    ACCOUNT = "account"
    UNLISTED = "no roster"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class StudentMatch:
    """Id of the student to whom a submission belongs, or an empty id and the reason."""

    student: str
    method: MatchMethod
    reason: str = ""


@dataclass(frozen=True)
class WorksheetLine:
    """Participant in a grading worksheet; ``received`` is in UTC without a zone."""

    name: str
    email: str
    student_id: str
    late: bool | None
    received: datetime | None


class StudentMatcher:
    """Index of the roster by id, number, address and name.

    Parameters
    ----------
    people : list of Person
        Students in the gradebook; empty before `autograder roster`.
    worksheet : dict of str to WorksheetLine
        Lines of a grading worksheet by participant's number.
    """

    def __init__(self, people: list[Person], worksheet: dict[str, WorksheetLine] | None = None) -> None:
        self.people, self.worksheet = people, worksheet or {}
        self.by_id = {one.student: one for one in people}
        self._index: dict[str, defaultdict[str, list[str]]] = {
            kind: defaultdict(list) for kind in ("id", "bare_id", "number", "email", "name", "joined_name")
        }
        for one in people:
            for kind, value in (
                ("id", normalize_name(one.student)),
                ("bare_id", bare_number(one.student)),
                ("number", one.number),
                ("email", normalize_name(one.email)),
                ("name", normalize_name(one.name)),
                ("name", normalize_name(f"{one.last}, {one.first}")),
                ("joined_name", join_name(f"{one.last}{one.first}")),
            ):
                if value and one.student not in self._index[kind][value]:
                    self._index[kind][value].append(one.student)

    def students_with(self, kind: str, value: str) -> list[str]:
        """Ids of the students whose "id", "number", "email", "name" or "joined_name" has a normalized value."""
        return self._index[kind].get(value, [])

    def changed_by_spreadsheet(self, text: str) -> list[str]:
        """Ids that a spreadsheet may have turned into a text, by dropping leading zeros or all but some digits."""
        if text in self.by_id:
            return []
        return self.students_with("bare_id", bare_number(text)) or [one for one in self.by_id if shortens(text, one)]

    def only_student_with(self, kind: str, value: str, method: MatchMethod) -> StudentMatch | None:
        """Match the only student with a value; None if nobody or more than one student has it."""
        students = self.students_with(kind, value)
        return StudentMatch(students[0], method) if len(students) == 1 else None


def match_only(students: Iterable[str], method: MatchMethod, description: str) -> StudentMatch:
    """Match the only candidate; with none or several, say so: nothing is guessed.

    Parameters
    ----------
    students : iterable of str
        Ids of the candidates.
    method : MatchMethod
        How the candidates were found.
    description : str
        Text that the candidates fit, such as "the name Jane Doe".
    """
    candidates = list(students)
    if len(candidates) == 1:
        return StudentMatch(candidates[0], method)
    if candidates:
        return StudentMatch("", MatchMethod.UNKNOWN, f"{description} fits {' and '.join(candidates)}.")
    return StudentMatch("", MatchMethod.UNKNOWN, f"nobody on the roster fits {description}.")
