"""Fill in templates, and find what an author has not filled in yet."""

import re
from pathlib import Path
from string import Template

MARK = "FILL IN"
_FOLDER = Path(__file__).parent / "templates"
_MARKED = re.compile(rf"{MARK}(?: [^\"\\:;,.|*?)]*)?")


class _AtTemplate(Template):
    """Template with ``@`` before a placeholder, because formulas are full of dollars."""

    delimiter = "@"


def fill_template(template: str, /, **words: object) -> str:
    """Return the text of a template with its placeholders replaced."""
    return _AtTemplate((_FOLDER / template).read_text(encoding="utf-8")).substitute(words)


def unfilled(file: Path) -> list[str]:
    """Return each text that begins with `MARK` in a file, in order: what its author must still write."""
    return [place.strip() for place in _MARKED.findall(Path(file).read_text(encoding="utf-8"))]
