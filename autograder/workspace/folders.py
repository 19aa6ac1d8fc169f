"""Notebooks of a course, and the paths of their copies."""

import json
import os
import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

from chip2cluster import _pages

from .. import course_pages, lab_names
from .navigation import LinkTargets, NavigationLinks

COURSE, LABS = "my_course", "my_labs"
_PICTURE = re.compile(r"\bimages/[\w./-]+\.(?:png|svg|jpe?g|gif|webp)\b")


@dataclass(frozen=True)
class PageCopy:
    """Notebook of the course: its file, and the path of its copy."""

    file: Path
    copy: Path

    @property
    def name(self) -> str:
        """Name without the suffix, such as ``03_roofline`` or ``lab_03_roofline``."""
        return self.file.stem


@dataclass(frozen=True)
class Workspace:
    """Course folder and a reader's folders.

    Attributes
    ----------
    root : Path
        Folder with ``course/`` and ``labs/``.
    to : Path
        Folder that gets ``my_course/`` and ``my_labs/``.
    """

    root: Path
    to: Path

    @cached_property
    def chapters(self) -> tuple[Path, ...]:
        """Chapters, in order."""
        return tuple(_pages.chapters(self.root / "course").values())

    @cached_property
    def labs(self) -> tuple[Path, ...]:
        """Notebooks of the released labs, in order."""
        found = (
            course_pages.lab_notebook(folder) for folder in sorted((self.root / "labs").glob("*")) if folder.is_dir()
        )
        return tuple(file for file in found if file.is_file())

    @cached_property
    def pages(self) -> tuple[PageCopy, ...]:
        """Every notebook: those of ``course/`` first, then labs."""
        course = sorted((self.root / "course").glob("*.ipynb"))
        own = [PageCopy(file, self.to / COURSE / file.name) for file in course]
        return (*own, *(PageCopy(file, self._lab_copy(file)) for file in self.labs))

    def chosen(self, names: list[str], *, with_labs: bool = False) -> list[PageCopy]:
        """Return the notebooks with these names, chapter numbers, topics or files; ``with_labs`` adds each chapter's lab.

        Raises
        ------
        ValueError
            If no notebook has one of the names.
        """
        found = []
        for name in names:
            *folders, wanted = re.split(r"[/\\]", name.removesuffix(".ipynb"))
            same = [page for page in self.pages if wanted in _names(page)]
            if {LABS, "labs"} & {*folders}:
                same = [page for page in same if page.file in self.labs]
            if not same:
                raise ValueError(f"no page is called {name!r}; {self._suggestion(wanted)}")
            lab = same[0].name
            same = same[:1] + [page for page in self.pages if with_labs and page.file.parent.name == lab]
            found += [page for page in same if page not in found]
        return found

    def _suggestion(self, wanted: str) -> str:
        names = {name.lower(): page.name for page in self.pages for name in _names(page)}
        near = list(dict.fromkeys(names[name] for name in get_close_matches(wanted.lower(), names, cutoff=0.5)))
        if near:
            return f"did you mean {' or '.join(near)}?"
        return "say a number (13), a topic (scheduling) or a name (13_scheduling, lab_13_scheduling)"

    def rendered(self, page: PageCopy) -> dict:
        """Return a notebook with the links that its copy needs."""
        return self._links.with_links(json.loads(page.file.read_text(encoding="utf-8")), page.file)

    def extra_files(self, page: PageCopy) -> list[tuple[Path, Path]]:
        """Return the files that a notebook needs, each with the path of its copy: a chapter's pictures, a lab's other files."""
        if page.file.parent.parent == self.root / "labs":
            files = sorted(file for file in page.file.parent.rglob("*") if file.is_file() and file.suffix != ".ipynb")
        else:
            named = sorted(set(_PICTURE.findall(page.file.read_text(encoding="utf-8"))))
            files = [file for name in named if (file := page.file.parent / name).is_file()]
        return [(file, page.copy.parent / file.relative_to(page.file.parent)) for file in files]

    @cached_property
    def _links(self):
        copies = {file.parent.name: self._lab_copy(file).name for file in self.labs}
        to_lab = lambda lab: f"../{LABS}/{lab}/{copies.get(lab, lab_names.notebook_name(lab) + '.ipynb')}"
        return NavigationLinks(self.chapters, self.labs, LinkTargets(to_lab, f"../../{COURSE}"))

    def _lab_copy(self, file):
        """Return the path of a lab's copy; one that was begun under the lab's older name keeps it."""
        place = self.to / LABS / file.parent.name
        older = place / f"{lab_names.other_name(file.stem)}.ipynb"
        return older if older.exists() and not (place / file.name).exists() else place / file.name


def _names(page: PageCopy) -> set[str]:
    """Return what a reader may call a page: its name, its file's, and a chapter's number with and without zero, its topic."""
    number, _, topic = page.name.partition("_")
    short = {number, number.lstrip("0") or "0", topic} if number.isdigit() and topic else set()
    return {page.name, page.copy.stem, *short}


def course_folder() -> Path:
    """Return the course folder: the one with this package, else the current folder or one around it.

    Raises
    ------
    ValueError
        If there is none.
    """
    here = Path.cwd()
    for place in (Path(__file__).resolve().parents[2], here, *here.parents):
        if os.path.isfile(place / "course" / _pages.FIRST):
            return place
    raise ValueError(
        "the pages of the course are not here; go to the folder that you unpacked or cloned, which holds course/ and labs/, "
        "or name it with --from"
    )
