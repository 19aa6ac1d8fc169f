"""Students of a course, and their names in the forms in which they are compared."""

import re
import unicodedata
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


def join_name(text: str) -> str:
    """Keep only the letters, digits and underscores of a name, in lower case, as in Canvas's file names.

    >>> join_name("O'Neil, Zoë")
    'oneilzoë'
    """
    return re.sub(r"\W", "", normalize_name(text))
