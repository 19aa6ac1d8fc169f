"""What belongs to a chapter, an exercise and a lab, and where each part of it lies."""

import json
import keyword
import re
from pathlib import Path

from chip2cluster._pages import FIRST, chapters

from ..pages import lab_in
from .notebook import with_cells
from .template import written

NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")


def chapter(root: Path, name: str) -> list[tuple[Path, str]]:
    """Write a page with the next free number, its explorer, its question and its first exercise.

    Parameters
    ----------
    root : path
        The course folder.
    name : str
        The topic, such as ``"memory"``: all parts are found by it.

    Returns
    -------
    list of (Path, str)
        Each file with "new".

    Raises
    ------
    ValueError
        For a name that is none, or a chapter that exists.
    """
    root, topic = _course(root), _name(name, "the topic of a chapter", "memory")
    if topic.endswith("_lab"):
        raise ValueError(f"{topic!r} is the name of a lab's exercises; call the chapter {topic.removesuffix('_lab')!r}")
    taken = [root / folder / f"{topic}.py" for folder in ("autograder/exercises", "course/chip2cluster/explore")]
    if topic == "explorers" or any(file.exists() for file in taken):
        raise ValueError(f"{topic!r} is the name of a part of the packages already; call the chapter otherwise")
    if page := _page(root, topic):
        raise ValueError(f"there is a chapter on {topic!r} already: {page.relative_to(root)}")
    number = 1 + max(map(_number, chapters(root / "course").values()), default=0)
    kind = topic.title().replace("_", "")
    words = {"number": number, "topic": topic, "title": _title(topic), "words": _words(topic), "kind": kind}
    page = root / "course" / f"{number:02d}_{topic}.ipynb"
    package = root / "course/chip2cluster"
    files = {
        page: written("chapter.ipynb", **words),
        package / "explore/views" / f"{topic}.py": written("view.py.template", **words),
        package / "predict/questions" / f"{topic}.py": written("questions.py.template", **words),
        root / "autograder/exercises" / topic / "__init__.py": written("exercises.py.template", **words),
    }
    return _write(files | _exercise(root, topic, "first", page, files[page], graded=False))


def lab(root: Path, name: str) -> list[tuple[Path, str]]:
    """Write the lab of a chapter, with its first task and the notes for instructors.

    Parameters
    ----------
    root : path
        The course folder.
    name : str
        The topic of a chapter.

    Returns
    -------
    list of (Path, str)
        Each file with "new".

    Raises
    ------
    ValueError
        For a topic without a chapter, or a lab that exists.
    """
    root, topic = _course(root), _name(name, "the topic of a lab", "memory")
    page = _page(root, topic)
    if page is None:
        raise ValueError(
            f"a lab belongs to a chapter, and there is none on {topic!r}: first `autograder new chapter {topic}`"
        )
    source = _lab(root, page)
    words = {"number": _number(page), "topic": topic, "words": _words(topic), "file": source.name}
    files = {
        source: written("lab.ipynb", **words),
        source.parent / "INSTRUCTOR.md": written("INSTRUCTOR.md.template", **words),
        root / "autograder/exercises" / f"{topic}_lab" / "__init__.py": written("tasks.py.template", **words),
    }
    return _write(files | _exercise(root, topic, "first", source, files[source], graded=True))


def exercise(root: Path, name: str) -> list[tuple[Path, str]]:
    """Write an exercise, and its cells behind the last exercise of its page.

    Parameters
    ----------
    root : path
        The course folder.
    name : str
        The id: ``"memory.refresh"`` for a chapter, ``"lab.memory.refresh"`` for a lab.

    Returns
    -------
    list of (Path, str)
        The file with "new", and its page with "grown".

    Raises
    ------
    ValueError
        For an id that is none, a topic without a page, or an exercise that exists.
    """
    root, (*first, topic, function) = _course(root), ["", *name.split(".")][-3:]
    if first not in ([""], ["lab"]) or name.count(".") != 1 + (first == ["lab"]):
        raise ValueError(f"the id of an exercise is TOPIC.NAME, or lab.TOPIC.NAME for a lab, got {name!r}")
    graded = first == ["lab"]
    for part in (topic, function):
        _name(part, "each part of an id", "memory.refresh")
    chapter_page = _page(root, topic)
    page = chapter_page and (_lab(root, chapter_page) if graded else chapter_page)
    if not page or not page.is_file():
        kind = "lab" if graded else "chapter"
        raise ValueError(f"there is no {kind} on {topic!r}: first `autograder new {kind} {topic}`")
    files = _exercise(root, topic, function, page, page.read_text(encoding="utf-8"), graded)
    return _write(files, grown=page)


def _exercise(root, topic, function, page, text, graded):
    """The file of an exercise, and its page with three cells more, as texts."""
    name = f"lab.{topic}.{function}" if graded else f"{topic}.{function}"
    words = {"id": name, "name": function, "slug": function.replace("_", "-"), "constant": function.upper()}
    kind = "task" if graded else "exercise"
    folder = root / "autograder/exercises" / (f"{topic}_lab" if graded else topic)
    cells = json.loads(written(f"{kind}.ipynb", place="@place", **words))["cells"]
    return {
        folder / f"{function}.py": written(f"{kind}.py.template", **words),
        page: with_cells(text, cells, behind="setup" if graded else "derive"),
    }


def _write(files, grown=None):
    """Write all files or none; only ``grown`` may exist."""
    if there := [file for file in files if file != grown and file.exists()]:
        raise ValueError(f"{there[0]} exists already, so nothing was written")
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return [(file, "grown" if file == grown else "new") for file in files]


def _course(root):
    root = Path(root)
    if not (root / "course" / FIRST).is_file():
        raise ValueError(f"{root} is no course folder: there is no course/{FIRST} in it; say which with --root")
    return root


def _name(name, what, example):
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        raise ValueError(
            f"{what} is written in lower case, with digits and single underscores, and is no word of Python, as in {example!r}; got {name!r}"
        )
    return name


def _page(root, topic):
    return chapters(root / "course").get(topic)


def _number(page):
    return int(page.name.partition("_")[0])


def _lab(root, page):
    return lab_in(root / "solutions" / page.stem)


def _words(topic):
    return topic.replace("_", " ")


def _title(topic):
    return _words(topic).capitalize()
