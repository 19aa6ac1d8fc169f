"""Links from a term's first use on a chapter's page to the glossary, with the definition as a tooltip.

A link works in JupyterLab, in the book and with the keyboard. ``python -m course.teaching`` writes the links anew, so an
author writes the term alone. Linked are the terms of the glossary that name their practice: abbreviations on every chapter
that uses them, other words on the chapters that teach them, where they have the glossary's meaning.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from autograder import course_pages

COURSE = Path(__file__).resolve().parents[1]
GLOSSARY = COURSE / "glossary.ipynb"
ENTRY = re.compile(
    r'^<a id="(?P<anchor>[^"]+)"></a>\*\*(?P<term>[^*]+)\*\*(?: \((?P<other>[^)]+)\))?: (?P<text>.+) \*→ (?P<taught>.+); practice: .+\*$',
    re.M,
)
TOOLTIP = re.compile(r'\[([^\[\]\n]+)\]\(glossary\.ipynb#[^)\s]+ "[^"\n]*"\)')
# Where a link would be lost, stand in a name, or be read as something else.
OCCUPIED = re.compile(
    r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]+\$|!?\[[^\]\n]*\]\([^)\n]*\)|<details>|<summary>.*?</summary>"
    r"|<[^>\n]+>|(?<![*\w])\*(?!\*)[^*\n]+\*(?!\*)|^(?:#|>|\||\d+\. )[^\n]*|ring buffer",
    re.S | re.M,
)
PLAIN_CELLS = ("title", "setup-fails", "ex-", "second-")


@dataclass(frozen=True)
class Term:
    """Entry of the glossary: anchor, forms in which a page may use it, tooltip, and numbers of the chapters that teach it."""

    anchor: str
    forms: tuple[str, ...]
    tooltip: str
    taught: frozenset[int]

    @property
    def pattern(self):
        """Regular expression for any form of the term in prose; capital letters count where a form is an abbreviation."""
        spelled = sorted(self.forms, key=len, reverse=True)
        any_case = "|".join(
            f"(?i:{re.escape(form)})" if not _abbreviation(form) else re.escape(form) for form in spelled
        )
        return re.compile(rf"(?<![\w/.-])(?:{any_case})s?(?![\w-])")


def _abbreviation(form):
    return sum(letter.isupper() for letter in form.split()[0]) > 1


def _plain(text):
    """Return Markdown as the text of a tooltip: without links, emphasis, code marks and what stands in parentheses."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\s*\([^()]*\)", "", text)
    return re.sub(r'[*`"$]', "", text).strip()


@cache
def terms():
    """Return the terms that are linked, as `Term`."""
    text = "\n".join(
        "".join(cell["source"]) for cell in course_pages.cells(GLOSSARY) if cell["cell_type"] == "markdown"
    )
    found = []
    for entry in ENTRY.finditer(text):
        others = entry["other"].split(", ") if entry["other"] else []
        # One everyday word as a synonym ("interval") has other meanings elsewhere.
        forms = (entry["term"], *(one for one in others if " " in one or "-" in one or _abbreviation(one)))
        sentences = re.split(r"(?<=[.!?])\s+(?=[A-Z])", _plain(entry["text"]))
        repeated = sentences[0].rstrip(".").casefold() in {form.casefold() for form in forms}  # MTBF
        first = sentences[1 if repeated and sentences[1:] else 0]
        heads = [entry["term"], *(form for form in forms if _abbreviation(form) != _abbreviation(entry["term"]))][:2]
        taught = frozenset(int(number) for number in re.findall(r"\[(\d+)\]", entry["taught"]))
        found.append(Term(entry["anchor"], forms, f"{', '.join(heads)}: {first}", taught))
    return tuple(sorted(found, key=lambda term: -max(map(len, term.forms))))  # "mixture of experts" before "expert"


def linked(cells, number):
    """Return the cells of a chapter's page with a link at the first use of each term.

    ``cells`` are a notebook's, as JSON holds them; ``number`` is the chapter's. Links that are there already are made anew.
    """
    cells = [dict(cell) for cell in cells]
    texts = {
        place: TOOLTIP.sub(r"\1", "".join(cell["source"]))
        for place, cell in enumerate(cells)
        if cell["cell_type"] == "markdown"
    }
    open_places = [
        place
        for place, text in texts.items()
        if not cells[place]["id"].startswith(PLAIN_CELLS) and "### Exercise" not in text
    ]
    for term in terms():
        for place in open_places:
            text = _with_link(texts[place], term, number, cells[place]["metadata"].get("claims", {}))
            if text != texts[place]:
                texts[place] = text
                break
    for place, text in texts.items():
        cells[place]["source"] = text.splitlines(keepends=True)
    return cells


def _with_link(text, term, number, claims):
    free = OCCUPIED.sub(lambda match: "\0" * len(match[0]), text)
    for match in term.pattern.finditer(free):
        if number not in term.taught and not any(
            _abbreviation(form) and len(form) > 2 for form in term.forms if form in match[0]
        ):
            continue
        link = f'[{match[0]}](glossary.ipynb#{term.anchor} "{term.tooltip}")'
        changed = text[: match.start()] + link + text[match.end() :]
        if all(claim in changed for claim in claims if claim in text):
            return changed
    return text


def pages():
    """Return the chapters' pages with their text, links made anew: a dict from path to JSON."""
    found = {}
    for path in course_pages.chapters():
        book = json.loads(path.read_text(encoding="utf-8"))
        book["cells"] = linked(book["cells"], course_pages.number(path))
        found[path] = json.dumps(book, indent=1, ensure_ascii=False) + "\n"
    return found


def outdated():
    """Return the pages whose links are not those that `pages` makes."""
    return [path for path, text in pages().items() if path.read_text(encoding="utf-8") != text]


def write():
    """Write the pages that are out of date; return their paths."""
    changed = {path: text for path, text in pages().items() if path.read_text(encoding="utf-8") != text}
    for path, text in changed.items():
        path.write_text(text, encoding="utf-8")
    return list(changed)
