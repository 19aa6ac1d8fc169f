"""Navigation links: a line under each title and one at the end of a copy, with links that fit its folder.

The order of the chapters follows from the names of their files only, so no notebook of the course itself has these
lines: they are written when a notebook is copied.
"""

import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from chip2cluster._pages import FIRST

from .. import course_pages

TOP, END = "nav-top", "nav-end"
MAP = f"{FIRST}#The-map"
_LAB_TITLE = re.compile(r"\A# (.+)$", re.M)
_TO_LAB = re.compile(r"\]\(\.\./labs/([^/)\s]+)/[^)\s]+\)")


@dataclass(frozen=True)
class LinkTargets:
    """Relative paths between copies: from a chapter to a lab's notebook, by the lab's folder, and from a lab to chapters."""

    to_lab: Callable[[str], str]
    to_chapters: str


@dataclass(frozen=True)
class NavigationLinks:
    """Lines of links for the notebooks of a course.

    Attributes
    ----------
    chapters, labs : sequence of Path
        Notebooks of the course itself, in order.
    layout : LinkTargets
    """

    chapters: Sequence[Path]
    labs: Sequence[Path]
    layout: LinkTargets

    def with_links(self, notebook: dict, file: Path) -> dict:
        """Return a copy of a notebook of the course with the links for its new folder."""
        made = copy.deepcopy(notebook)
        is_lab = file in self.labs
        if not is_lab:
            for cell in made["cells"]:
                if cell["cell_type"] == "markdown":
                    text = _TO_LAB.sub(lambda match: f"]({self.layout.to_lab(match[1])})", "".join(cell["source"]))
                    cell["source"] = text.splitlines(keepends=True)
        line = self._lab_line(file) if is_lab else self._chapter_line(file)
        top, end = made["cells"][:1], made["cells"][1:]
        if file.name != FIRST:  # it is the map
            top = [*top, _cell(TOP, line)]
        made["cells"] = [*top, *end, _cell(END, line)]
        return made

    def _chapter_line(self, file):
        links = ["" if file.name == FIRST else f"[The map]({MAP})"]
        if file in self.chapters:
            place = self.chapters.index(file)
            before, after = self.chapters[:place][-1:], self.chapters[place + 1 :][:1]
            links = [f"[← {_named(page)}]({page.name})" for page in before] + links
            labs = [lab for lab in self.labs if lab.parent.name == file.stem]
            links += [f"[{_lab_title(lab)}]({self.layout.to_lab(lab.parent.name)})" for lab in labs]
            links += [f"[{_named(page)} →]({page.name})" for page in after]
        elif file.name == FIRST:
            links += [f"[{_named(page)} →]({page.name})" for page in self.chapters[:1]]
        return " · ".join(filter(None, links))

    def _lab_line(self, file):
        place = self.layout.to_chapters
        own = [page for page in self.chapters if page.stem == file.parent.name]
        after = [page for one in own for page in self.chapters[self.chapters.index(one) + 1 :][:1]]
        links = [f"[← {_named(page)}]({place}/{page.name})" for page in own]
        links += [f"[The map]({place}/{MAP})", *(f"[{_named(page)} →]({place}/{page.name})" for page in after)]
        return " · ".join(links)


def _named(page):
    """Return the number and the name of a chapter."""
    name, _ = course_pages.title(page) or (course_pages.topic(page).replace("_", " ").capitalize(), "")
    return f"{course_pages.number(page)} · {name}"


def _lab_title(lab):
    match = _LAB_TITLE.search(course_pages.markdown_text(lab))
    return match[1] if match else f"Lab {lab.parent.name}"


def _cell(name, text):
    return {
        "cell_type": "markdown",
        "id": name,
        "metadata": {"deletable": False, "editable": False},
        "source": text.splitlines(keepends=True),
    }
