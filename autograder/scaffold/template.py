"""Texts to be filled in, and how to tell whether they have been."""

import re
from pathlib import Path
from string import Template

MARK = "FILL IN"
_FOLDER = Path(__file__).parent / "templates"
_MARKED = re.compile(rf"{MARK}(?: [^\"\\:;,.|*?)]*)?")


class _Text(Template):
    """Formulas are full of dollars, so a place for a word begins with another sign."""

    delimiter = "@"


def written(template: str, /, **words: object) -> str:
    """The text of a template, with its words in their places."""
    return _Text((_FOLDER / template).read_text(encoding="utf-8")).substitute(words)


def unfilled(file: Path) -> list[str]:
    """What a file still says that its author must fill in, in its order."""
    return [place.strip() for place in _MARKED.findall(Path(file).read_text(encoding="utf-8"))]
