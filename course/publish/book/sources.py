"""Executed notebooks as Sphinx wants them: links to pages of the book, numbered equations, a front page."""

import re
from pathlib import Path
from types import SimpleNamespace

import nbformat

from .mathml import TAG, anchor

COURSE = Path(__file__).resolve().parents[2]
FIRST = "00_start"
MAP = "## The map"
SET_UP = "setup"  # the cell with the imports
REFERENCE = "api"  # the page that reference.py writes
WAYS = "ways"  # where the front page says how to run the course; the template front.html comes there
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)((?: \"[^\"\n]*\")?\))")
NUMBER = r"\((\w+\.\d+)\)"
MENTION = re.compile(rf"\b[Ee]quations?\s{NUMBER}(?:(?:,| and|, and| or| to)\s{NUMBER})*")
WORK = re.compile(r"\b(?P<host>arXiv|doi):(?P<number>\d[\w./()-]*\w)")
FORMULA = re.compile(r"\$\$(.*?)\$\$", re.S)
# Code, formulas and links are not prose: nothing is replaced inside them, because a link cannot hold another one.
VERBATIM = re.compile(
    r"(```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]+\$|(?:\[[^\[\]]*)?\]\([^)\s]*(?: \"[^\"\n]*\")?\))", re.S
)


class BrokenReference(ValueError):
    """A page refers to something that is not there."""


def page(name):
    """The page of the book that a notebook becomes.

    >>> page("00_start.ipynb"), page("03_roofline")
    ('index', '03_roofline')
    """
    stem = name.removesuffix(".ipynb")
    return "index" if stem == FIRST else stem


def lab(folder, file):
    """Where a reader of the book can work on a lab.

    >>> lab("03_roofline", "lab_03_roofline.ipynb")
    'lite/lab/index.html?path=labs/03_roofline/lab_03_roofline.ipynb'
    """
    return f"lite/lab/index.html?path=labs/{folder}/{file}"


def prepare(folder, host, guides=()):
    """Rewrite the notebooks of a folder in place.

    ``host`` is the address of the repository's files, ``guides`` the entries of the guides in the side bar.
    """
    books = notebooks(folder)
    equations = _equations(books)
    for name, book in books.items():
        for cell in markdown(book):
            cell.source = linked(cell.source, COURSE / name, host)
            cell.source = _numbered(cell.source, name, equations)
            cell.source = _prose(cell.source, lambda text: WORK.sub(_address, text))
    for name, book in books.items():
        if name == FIRST:
            (folder / f"{name}.ipynb").unlink()
            front(book, books, guides)
        nbformat.write(book, folder / f"{page(name)}.ipynb")


def notebooks(folder):
    """The notebooks of a folder by name, in their order."""
    return {path.stem: nbformat.read(path, as_version=4) for path in sorted(folder.glob("*.ipynb"))}


def title(book):
    """The first heading of a notebook."""
    return re.search(r"^# (.+)$", book.cells[0].source, re.M)[1]


def markdown(book):
    """The Markdown cells of a notebook."""
    return [cell for cell in book.cells if cell.cell_type == "markdown"]


def _equations(books):
    """Page of each numbered equation. The numbers of a page run from 1 without a gap, after its chapter or first letter."""
    pages = {}
    for name, book in books.items():
        tags = [tag for cell in markdown(book) for text in FORMULA.findall(cell.source) for tag in TAG.findall(text)]
        chapter = int(name[:2]) if name[:2].isdigit() else name[0].upper()
        if tags != [f"{chapter}.{place}" for place in range(1, len(tags) + 1)]:
            raise BrokenReference(f"{name}: the equations are numbered {', '.join(tags)}")
        pages.update(dict.fromkeys(tags, name))
    return pages


def linked(text, file, host, guides=()):
    """Turn links to notebooks and guides into links to pages, and links to other files into links to the repository.

    Parameters
    ----------
    text : str
        Markdown of a notebook's cell or of a guide.
    file : Path
        File of the text; its links are relative to the file's folder.
    host : str
        Address of the repository's files.
    guides : dict
        Pages of the guides by their files.

    Raises
    ------
    BrokenReference
        If there is no such file in the repository.
    """

    def replace(match):
        opening, target, closing = match.groups()
        if ":" in target or opening.startswith("!") or target.startswith("#"):
            return match[0]
        address, _, fragment = target.partition("#")
        fragment = fragment and "#" + fragment
        place = (file.parent / address).resolve()
        if place in guides:
            return f"{opening}{guides[place]}.html{fragment}{closing}"
        if place.parent == COURSE and place.suffix == ".ipynb":
            return f"{opening}{page(place.name)}.html{fragment}{closing}"
        if not place.is_relative_to(COURSE.parent) or not place.exists():
            raise BrokenReference(f"{file.stem}: there is no file {target}")
        if place.parent.parent == COURSE.parent / "labs":
            return f"{opening}{lab(place.parent.name, place.name)}{closing}"
        return f"{opening}{host}/{place.relative_to(COURSE.parent).as_posix()}{fragment}{closing}"

    return LINK.sub(replace, text)


def _numbered(text, name, equations):
    """Turn every "equation (3.2)" into a link to it."""

    def link(match):
        words, number = match.groups()
        if number not in equations:
            raise BrokenReference(f"{name}: there is no equation ({number})")
        return f"[{words}({number})]({page(equations[number])}.html#{anchor(number)})"

    def mention(match):
        return re.sub(rf"([Ee]quations?\s|){NUMBER}", link, match[0])

    return _prose(text, lambda part: MENTION.sub(mention, part))


def _prose(text, change):
    """Change what is neither code nor formula."""
    return "".join(part if place % 2 else change(part) for place, part in enumerate(VERBATIM.split(text)))


def _address(work):
    """A work by the number that its publisher gave it, as a link."""
    host = "https://arxiv.org/abs/" if work["host"] == "arXiv" else "https://doi.org/"
    return f"[{work[0]}]({host}{work['number']})"


def front(book, books, guides=()):
    """Make the front page of the first notebook: a picture to play with, the map, ways to run it, how a page works."""
    sections = [SimpleNamespace(cells=[])]
    for cell in book.cells:
        for number, text in enumerate(
            re.split(r"^(?=## )", cell.source, flags=re.M) if cell.cell_type == "markdown" else [None]
        ):
            if text and text.startswith("## "):
                sections.append(SimpleNamespace(cells=[]))
            if text is None:
                sections[-1].cells.append(cell)
            elif text.strip():
                sections[-1].cells.append(
                    nbformat.v4.new_markdown_cell(text, id=f"{cell.id}-{number}", metadata=cell.metadata)
                )
    opening, *others = sections
    top = [cell for cell in opening.cells if cell.id != SET_UP]
    set_up = [cell for cell in opening.cells if cell.id == SET_UP]
    chart = next(section for section in others if section.cells[0].source.startswith(MAP))
    others.remove(chart)
    book.cells = [
        *top,
        _cell("contents", contents(books, guides)),
        *chart.cells,
        _cell("ways", f'<div id="{WAYS}"></div>'),
        *set_up,
    ]
    book.cells += [cell for section in others for cell in section.cells]


def contents(books, guides=()):
    """The tables of contents of the side bar; they show nothing on the page."""
    chapters = [name for name in sorted(books) if name[:2].isdigit() and name != FIRST]
    others = [name for name in ("notation", "glossary", "bibliography", "errors", "reality", "review") if name in books]
    titled = lambda names: [f"{short(title(books[name]))} <{name}>" for name in names]
    lists = {
        "Chapters": titled(chapters),
        "To look things up": [*titled(others), f"The package <{REFERENCE}>"],
        "Guides": guides,
    }
    return "\n\n".join(
        f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(entries) + "\n```"
        for caption, entries in lists.items()
        if entries
    )


def short(heading):
    """A title without its question, for the side bar.

    >>> short("3 · The roofline: which limit are you hitting?")
    '3 · The roofline'
    """
    return heading.partition(":")[0]


def _cell(name, text):
    return nbformat.v4.new_markdown_cell(text, id=name)
