"""Write the skeletons of explorers and pictures."""

import json
from pathlib import Path

from .notebook import insert_explorer
from .skeleton_files import CHAPTERS, WrittenFiles, checked_name, course_folder, notebook_of, words_of, write_files
from .template import fill_template

EXPLORE, DRAW = "course/chip2cluster/explore", "course/chip2cluster/draw"
PICTURES = f"{DRAW}/pictures"
# Names that chip2cluster.explore, chip2cluster.chapters and chip2cluster.draw define themselves.
RESERVED_NAMES = ("explorers", "file_of", "files", "module", "topics")
RESERVED_DRAW_NAMES = ("pictures",)


def write_explorer(root: Path, name: str) -> WrittenFiles:
    """Write an explorer of a chapter with its test, and insert its cells below the chapter's last explorer.

    Parameters
    ----------
    root : path
        Course folder.
    name : str
        Topic of the chapter and name of the explorer, such as ``"memory.refresh"`` for ``explore.refresh()``.

    Returns
    -------
    list of (Path, str)
        Explorer and test with "new", and the notebook with "grown".

    Raises
    ------
    ValueError
        If the name is invalid or taken, the topic has no chapter, or a file exists.
    """
    root, (topic, dot, explorer) = course_folder(root), name.partition(".")
    if not dot:
        raise ValueError(f"an explorer is called TOPIC.NAME, as in 'memory.refresh'; got {name!r}")
    for part in (topic, explorer):
        checked_name(part, "each part of the name of an explorer", "memory.refresh")
    page = notebook_of(root, topic)
    if page is None:
        raise ValueError(f"there is no chapter on {topic!r}: first `autograder new chapter {topic}`")
    folder = root / CHAPTERS / topic
    refuse_taken_explorer(root, explorer, folder, "explorer")
    words = {"topic": topic, "slug": explorer.replace("_", "-"), "name": explorer, **explorer_words(explorer)}
    cells = json.loads(fill_template("explorer.ipynb", **words))["cells"]
    files = {
        folder / "explorers" / f"{explorer}.py": fill_template("explorer.py.template", **words),
        explorer_test(root, explorer): fill_template("explorer_test.py.template", **words),
        page: insert_explorer(page.read_text(encoding="utf-8"), cells, behind="explore"),
    }
    return write_files(files, grown=page)


def write_picture(root: Path, name: str) -> WrittenFiles:
    """Write a picture, a function of `chip2cluster.draw`, with its test.

    Parameters
    ----------
    root : path
        Course folder.
    name : str
        Name of the function, such as ``"refresh_rows"`` for ``draw.refresh_rows``.

    Returns
    -------
    list of (Path, str)
        Each file with "new".

    Raises
    ------
    ValueError
        If the name is invalid or taken, or a file exists.
    """
    root, picture = course_folder(root), checked_name(name, "the name of a picture", "refresh_rows")
    if picture in RESERVED_DRAW_NAMES or (root / DRAW / f"{picture}.py").exists():
        raise ValueError(f"{picture!r} is the name of a part of chip2cluster.draw already; call the picture otherwise")
    words = {"name": picture, "words": words_of(picture)}
    return write_files(
        {
            root / PICTURES / f"{picture}.py": fill_template("picture.py.template", **words),
            root / "tests/models" / f"test_draw_{picture}.py": fill_template("picture_test.py.template", **words),
        }
    )


def refuse_taken_explorer(root: Path, name: str, folder: Path, kind: str) -> None:
    """Refuse the name of an explorer that a chapter in another folder or the package `chip2cluster.explore` has."""
    if name in RESERVED_NAMES or (root / EXPLORE / f"{name}.py").exists():
        raise ValueError(f"{name!r} is the name of a part of the packages already; call the {kind} otherwise")
    for other in (root / CHAPTERS).glob(f"*/explorers/{name}.py"):
        if not other.is_relative_to(folder):
            raise ValueError(
                f"{other.relative_to(root)} is an explorer called {name!r} already; call the {kind} otherwise"
            )


def explorer_words(name: str) -> dict[str, str]:
    """Return the words that the templates of an explorer need."""
    return {"name": name, "words": words_of(name), "kind": name.title().replace("_", "")}


def explorer_test(root: Path, name: str) -> Path:
    """Return the test file of an explorer."""
    return root / "tests/notebooks" / f"test_explore_{name}.py"
