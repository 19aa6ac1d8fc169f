"""Students of a course, and their names in the forms in which they are compared."""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class Person:
    """Student of the course.

    Attributes
    ----------
    student : str
        Id in the gradebook.
    first, last, email : str
        Names and address; empty where they are unknown.
    number : str
        The platform's own number of the student, nbgrader's ``lms_user_id``.
    """

    student: str
    first: str = ""
    last: str = ""
    email: str = ""
    number: str = ""

    @property
    def name(self) -> str:
        """First and last name."""
        return " ".join(filter(None, (self.first, self.last)))


def normalize_name(text: str) -> str:
    """Write a name in the form in which names are compared.

    Letter case, repeated spaces and the encoding of accents make no difference.

    >>> normalize_name("  Jane   DOE ")
    'jane doe'
    """
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def bare_number(text: str) -> str:
    """Digits of an id as a spreadsheet writes them, without leading zeros; empty if the id is not a number.

    >>> bare_number("0012345"), bare_number("12345.0"), bare_number("a12")
    ('12345', '12345', '')
    """
    found = re.fullmatch(r"0*(\d+?)(?:\.0)?", text.strip(), re.ASCII)
    return found[1] if found else ""


def find_student(typed: str, students: Collection[str]) -> str | None:
    """Return the only student whose id was typed, whatever a person's typing or a spreadsheet changes; None if none is.

    >>> find_student("ANN ", ["ann", "bob"]), find_student("12", ["0012", "bob"]), find_student("12", ["012", "0012"])
    ('ann', '0012', None)
    """
    if typed in students:
        return typed
    if typed.startswith("'"):
        return find_student(typed[1:], students)  # an apostrophe protects an id from a spreadsheet
    for form in (normalize_name, bare_number):
        if wanted := form(typed):
            found = [one for one in students if form(one) == wanted]
            if found:
                return found[0] if len(found) == 1 else None
    return None


def is_shortened_number(text: str) -> bool:
    """Whether a text is a number as a spreadsheet or a program shows it, and no longer an id.

    >>> [is_shortened_number(text) for text in ("1.23E+05", "12345.0", "12,345", "0012345")]
    [True, True, True, False]
    """
    return any(form.fullmatch(text.strip()) for form in (_SHORTENED, _WITH_POINT))


def shortens(text: str, student: str) -> bool:
    """Whether a spreadsheet can show an id as a text such as 1.23E+05.

    >>> shortens("1.23E+05", "0123456"), shortens("1,23E+05", "123456"), shortens("1.23E+05", "124000")
    (True, True, False)
    """
    shown, number = _SHORTENED.fullmatch(text.strip()), bare_number(student)
    if not shown or not number:
        return False
    digits = len(shown[2] or "")
    return f"{int(number):.{digits}E}" == f"{float(f'{shown[1]}.{shown[2] or 0}E{shown[3]}'):.{digits}E}"


_WITH_POINT = re.compile(r"\d+[.,]0+|\d{1,3}(?:[.,]\d{3})+", re.ASCII)
_SHORTENED = re.compile(r"(\d)(?:[.,](\d+))?[Ee]\+(\d{1,3})", re.ASCII)


def join_name(text: str) -> str:
    """Keep only the letters, digits and underscores of a name, in lower case, as in Canvas's file names.

    >>> join_name("O'Neil, Zoë")
    'oneilzoë'
    """
    return re.sub(r"\W", "", normalize_name(text))
