"""Who of the roster an arrival belongs to: what the instructor wrote, a number, an id, a name that only one has."""

import re
from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum

from .filenames import Arrival, Platform
from .roster import Person, plain
from .worksheet import Line


class How(StrEnum):
    """By what an arrival was given to a student."""

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
class Found:
    """A student's id, or "" and why there is none."""

    student: str
    how: How
    why: str = ""


def slug(text: str) -> str:
    """A name as Canvas writes it into a file's name: letters, digits and underscores, all small."""
    return re.sub(r"\W", "", plain(text))


class Roster:
    """Looks arrivals up among ``people``; where that is empty, every name is its own id."""

    def __init__(self, people: list[Person], lines: dict[str, Line] | None = None) -> None:
        self.people, self.lines = people, lines or {}
        self.ids = {one.student: one for one in people}
        self._by: dict[str, defaultdict[str, list[str]]] = {
            kind: defaultdict(list) for kind in ("id", "number", "email", "name", "slug")
        }
        for one in people:
            for kind, value in (
                *(
                    ("id", plain(one.student)),
                    ("number", one.number),
                    ("email", plain(one.email)),
                    ("name", plain(one.name)),
                ),
                *(("slug", slug(f"{one.last}{one.first}")), ("name", plain(f"{one.last}, {one.first}"))),
            ):
                if value and one.student not in self._by[kind][value]:
                    self._by[kind][value].append(one.student)

    def find(self, arrival: Arrival, platform: Platform, lab: str) -> Found:
        """Look one up; nothing that fits two students is given to either."""
        if platform is Platform.CANVAS:
            return self._of_canvas(arrival)
        if platform is Platform.MOODLE:
            return self._of_moodle(arrival)
        if platform is Platform.EXCHANGE or not self.people:
            how = How.ACCOUNT if platform is Platform.EXCHANGE else How.UNLISTED
            # So The Littlest JupyterHub calls the account of ann.
            plain_name = arrival.key.removeprefix("jupyter-")
            is_listed = arrival.key not in self.ids and plain_name in self.ids
            return Found(plain_name if is_listed else arrival.key, how)
        return self._of_folder(arrival.key, lab)

    def _of_canvas(self, arrival: Arrival) -> Found:
        if not arrival.number:
            return Found("", How.UNKNOWN, "Canvas kept the name back; turn anonymous grading off and download again.")
        if found := self._only("number", arrival.number, How.NUMBER):
            return found
        # Whoever has another number is another person of the same name.
        same = [who for who in self._by["slug"][slug(arrival.name)] if not self.ids[who].number]
        return self._one(same, How.NAME, f"the number {arrival.number} and the name {arrival.name}")

    def _of_moodle(self, arrival: Arrival) -> Found:
        if line := self.lines.get(arrival.number):
            for kind, value, how in (
                ("id", plain(line.own_number), How.WORKSHEET),
                ("email", plain(line.email), How.WORKSHEET),
                ("id", plain(line.email), How.WORKSHEET),
            ):
                if value and (found := self._only(kind, value, how)):
                    return found
        return self._one(self._by["name"][plain(arrival.name)], How.NAME, f"the name {arrival.name}")

    def _of_folder(self, key: str, lab: str) -> Found:
        for kind, how in (("id", How.ID), ("email", How.EMAIL), ("name", How.NAME)):
            if found := self._only(kind, plain(key), how):
                return found
        # The name of the lab is no part of anybody's.
        rest = plain(key).replace(f"lab_{lab}", " ").replace(lab, " ")
        within = {who for name in self._by["id"] for who in self._by["id"][name] if _stands_in(name, rest)}
        # An id that is a part of another's is not meant.
        within = {who for who in within if not any(who != one and _stands_in(plain(who), plain(one)) for one in within)}
        if within:
            return self._one(sorted(within), How.WITHIN, key)
        words = re.sub(r"[\W_]+", " ", rest).strip()
        names = {
            who for one in self.people for who in [one.student] if one.first and one.last and _has_name(one, words)
        }
        return self._one(sorted(names), How.NAME, f"the name {key}")

    def _only(self, kind: str, value: str, how: How) -> Found | None:
        students = self._by[kind].get(value, [])
        return Found(students[0], how) if len(students) == 1 else None

    @staticmethod
    def _one(students: list[str], how: How, what: str) -> Found:
        if len(students) == 1:
            return Found(students[0], how)
        if students:
            return Found("", How.UNKNOWN, f"{what} fits {' and '.join(students)}.")
        return Found("", How.UNKNOWN, f"nobody on the roster fits {what}.")


def _stands_in(name: str, text: str) -> bool:
    return re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", text) is not None


def _has_name(one: Person, words: str) -> bool:
    first, last = (re.sub(r"[\W_]+", " ", plain(part)).strip() for part in (one.first, one.last))
    return any(
        _stands_in(name, words) for name in (f"{first} {last}", f"{last} {first}", f"{last}{first}", f"{first}{last}")
    )
