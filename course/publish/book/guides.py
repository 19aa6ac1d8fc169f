"""The guides of ``docs/`` as pages of the book."""

from pathlib import Path

from . import sources

DOCS = sources.COURSE.parent / "docs"
# The order of the side bar. The guides of a folder follow the guide of its name in the order of the links there.
FIRST = ("students", "instructors", "engineers", "at-work", "publishing")


def page(guide):
    """Return the page of the book that a guide becomes.

    >>> page(DOCS / "maintainers" / "tests.md")
    'guide-maintainers-tests'
    """
    return "-".join(["guide", *Path(guide).relative_to(DOCS).with_suffix("").parts])


def guides():
    """Return the files of all guides in the order of the side bar."""
    return sorted(DOCS.rglob("*.md"), key=_position)


def _position(guide):
    """Return the sort key of a guide."""
    top = guide.relative_to(DOCS).parts[0].removesuffix(".md")
    overview = DOCS / f"{top}.md"
    links = overview.read_text(encoding="utf-8") if guide != overview and overview.exists() else ""
    rank = FIRST.index(top) if top in FIRST else len(FIRST)
    return rank, top, guide != overview, links.find(f"]({top}/{guide.name}"), guide


def write(folder, host):
    """Write all guides into the source folder of the book; ``host`` is the address of the repository's files.

    Links to guides and notebooks become links to pages, links to other files lead to the repository.
    """
    for guide in guides():
        text = sources.linked(guide.read_text(encoding="utf-8"), guide, host, {path: page(path) for path in guides()})
        (folder / f"{page(guide)}.md").write_text(text, encoding="utf-8")


def entries():
    """Return the entries of the side bar, titles and pages."""
    return [
        f"{guide.read_text(encoding='utf-8').splitlines()[0].removeprefix('# ')} <{page(guide)}>" for guide in guides()
    ]
