"""Which pages a course has, and where the copy of each lies."""

import json
import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from chip2cluster import _pages

from .. import course_pages, lab_names
from .navigation import Layout, Ways

COURSE, LABS = "my_course", "my_labs"
_PICTURE = re.compile(r"\bimages/[\w./-]+\.(?:png|svg|jpe?g|gif|webp)\b")


@dataclass(frozen=True)
class Page:
    """A page of the course: its file, and its copy."""

    file: Path
    copy: Path

    @property
    def name(self) -> str:
        """What a reader calls it: ``03_roofline``, ``lab_03_roofline``."""
        return self.file.stem


@dataclass(frozen=True)
class Course:
    """A course and a reader's folders.

    Attributes
    ----------
    root : Path
        The folder that holds ``course/`` and ``labs/``.
    to : Path
        The folder that gets ``my_course/`` and ``my_labs/``.
    """

    root: Path
    to: Path

    @cached_property
    def chapters(self) -> tuple[Path, ...]:
        """The chapters, in order."""
        return tuple(_pages.chapters(self.root / "course").values())

    @cached_property
    def labs(self) -> tuple[Path, ...]:
        """The notebooks of the released labs, in order."""
        found = (course_pages.lab_in(folder) for folder in sorted((self.root / "labs").glob("*")) if folder.is_dir())
        return tuple(file for file in found if file.is_file())

    @cached_property
    def pages(self) -> tuple[Page, ...]:
        """Every page, chapters and what is beside them first."""
        course = sorted((self.root / "course").glob("*.ipynb"))
        own = [Page(file, self.to / COURSE / file.name) for file in course]
        return (*own, *(Page(file, self._lab_copy(file)) for file in self.labs))

    def chosen(self, names: list[str], *, with_labs: bool = False) -> list[Page]:
        """The pages of these names, or of these files; ``with_labs`` also the lab of each chapter.

        Raises
        ------
        ValueError
            For a name that no page has.
        """
        found = []
        for name in names:
            *folders, wanted = re.split(r"[/\\]", name.removesuffix(".ipynb"))
            same = [page for page in self.pages if wanted in (page.name, page.copy.stem)]
            if {LABS, "labs"} & {*folders}:
                same = [page for page in same if page.file in self.labs]
            if not same:
                known = ", ".join(page.name for page in self.pages)
                raise ValueError(f"no page is called {name!r}; there are {known}")
            same = same[:1] + [page for page in self.pages if with_labs and page.file.parent.name == wanted]
            found += [page for page in same if page not in found]
        return found

    def rendered(self, page: Page) -> dict:
        """A page as its copy shall be: with the links of the place in which that lies."""
        return self._ways.with_links(json.loads(page.file.read_text(encoding="utf-8")), page.file)

    def beside(self, page: Page) -> list[tuple[Path, Path]]:
        """Files that a page needs, each with the place of its copy: a chapter's pictures, what lies beside a lab."""
        if page.file.parent.parent == self.root / "labs":
            files = sorted(file for file in page.file.parent.rglob("*") if file.is_file() and file.suffix != ".ipynb")
        else:
            named = sorted(set(_PICTURE.findall(page.file.read_text(encoding="utf-8"))))
            files = [file for name in named if (file := page.file.parent / name).is_file()]
        return [(file, page.copy.parent / file.relative_to(page.file.parent)) for file in files]

    @cached_property
    def _ways(self):
        copies = {file.parent.name: self._lab_copy(file).name for file in self.labs}
        to_lab = lambda lab: f"../{LABS}/{lab}/{copies.get(lab, lab_names.notebook(lab) + '.ipynb')}"
        return Ways(self.chapters, self.labs, Layout(to_lab, f"../../{COURSE}"))

    def _lab_copy(self, file):
        """Work that was begun under the name that the lab had before goes on there."""
        place = self.to / LABS / file.parent.name
        older = place / f"{lab_names.other(file.stem)}.ipynb"
        return older if older.exists() and not (place / file.name).exists() else place / file.name


def course_folder() -> Path:
    """The folder of the course: the one beside this package, else the one that one stands in.

    Raises
    ------
    ValueError
        Where there is none.
    """
    here = Path.cwd()
    for place in (Path(__file__).resolve().parents[2], here, *here.parents):
        if os.path.isfile(place / "course" / _pages.FIRST):
            return place
    raise ValueError(
        "the pages of the course are not here; go to the folder that you unpacked or cloned, which holds course/ and labs/, "
        "or name it with --from"
    )
