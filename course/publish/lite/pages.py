"""The course's own pages, as the lab in a browser shows them: the committed ones with links and one note more.

What somebody saves there is kept by the browser and covers the page of the site, so an update never meets work.
"""

import json
import shutil

from autograder.workspace import Workspace
from autograder.workspace.navigation import LinkTargets, NavigationLinks

NOTE_ID = "in-your-browser"
_NOTE = """**This page runs in your browser.** There is no server: the next cell fetches Python's libraries first, {size}, \
and shows `[*]` meanwhile. The first time that may take a minute; after that your browser has most of them. If `[*]` is still there after two minutes, \
your network may keep Pyodide's host away: take Binder, or your own machine. What you \
write and your progress stay in this browser alone: *File > Download* takes a page along, and \
`progress(export_to="/drive/my-progress.json")` your record. A page that you have saved stays as you left it, also \
when the course has a newer one; download it, then delete it in the list of files and load this address again, and the course's own is back. A loop that never ends is stopped by *Kernel > Restart Kernel*. \
Tested here are the explorers, the predictions, and the exercises that need no NumPy; the others are tested on a computer only, because NumPy comes from Pyodide's host."""
_LAB = (
    " `check` works here. Labs are graded elsewhere: download this page and hand it in where your course asks for it."
)


def write(root, target, size):
    """Copy chapters, their images and the labs of the checkout at ``root`` into the folder ``target``."""
    course = Workspace(root, target)
    files = {lab.parent.name: lab.name for lab in course.labs}
    ways = NavigationLinks(
        course.chapters, course.labs, LinkTargets(lambda lab: f"labs/{lab}/{files.get(lab, lab)}", "../..")
    )
    for page in sorted((root / "course").glob("*.ipynb")):
        _copy(page, target / page.name, ways, size)
    shutil.copytree(root / "course/images", target / "images")
    for page in course.labs:
        _copy(page, target / "labs" / page.relative_to(root / "labs"), ways, size, _LAB)
    return target


def _copy(source, target, ways, size, more=""):
    page = ways.with_links(json.loads(source.read_text(encoding="utf-8")), source)
    text = _NOTE.format(size=size) + more
    note = {"cell_type": "markdown", "id": NOTE_ID, "metadata": {}, "source": text.splitlines(keepends=True)}
    cells = page["cells"]
    first = next((index for index, cell in enumerate(cells) if cell["cell_type"] == "code"), None)
    if first is not None:  # a page without code has nothing to wait for
        cells.insert(first, note)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(page, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
