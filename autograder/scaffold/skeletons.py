"""What belongs to a chapter, an exercise, a lab and an assignment of one's own, and where each part of it lies."""

import json
import keyword
import re
import shutil
from pathlib import Path

from chip2cluster._pages import FIRST, chapters

from .. import lab_names
from ..course_pages import lab_in
from .notebook import insert_cells
from .template import written

NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
ASSIGNMENT = re.compile(rf"(\d+_({NAME.pattern}))(?:\.({NAME.pattern}))?")
CONFIG = "nbgrader_config.py"
CHAPTERS = "course/chip2cluster/chapters"
TAKEN = ("explorers", "files", "module", "topics")  # functions of chip2cluster.explore and chip2cluster.chapters
OWN = "exercises"  # of an instructor's own, in their course folder


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
        For an invalid name, one that the packages or an explorer have, or a chapter that exists.
    """
    root, topic = _course(root), _name(name, "the topic of a chapter", "memory")
    if topic.endswith("_lab"):
        raise ValueError(f"{topic!r} is the name of a lab's exercises; call the chapter {topic.removesuffix('_lab')!r}")
    if topic in TAKEN or (root / "course/chip2cluster/explore" / f"{topic}.py").exists():
        raise ValueError(f"{topic!r} is the name of a part of the packages already; call the chapter otherwise")
    if page := _page(root, topic):
        raise ValueError(f"there is a chapter on {topic!r} already: {page.relative_to(root)}")
    folder = root / CHAPTERS / topic
    for other in (root / CHAPTERS).glob(f"*/explorers/{topic}.py"):
        if not other.is_relative_to(folder):
            raise ValueError(
                f"{other.relative_to(root)} is an explorer called {topic!r} already; call the chapter otherwise"
            )
    number = 1 + max(map(_number, chapters(root / "course").values()), default=0)
    kind = topic.title().replace("_", "")
    words = {"number": number, "topic": topic, "title": _title(topic), "words": _words(topic), "kind": kind}
    page = root / "course" / f"{number:02d}_{topic}.ipynb"
    files = {
        page: written("chapter.ipynb", **words),
        folder / "__init__.py": written("chapter.py.template", **words),
        folder / "explorers/__init__.py": written("explorers.py.template", **words),
        folder / "explorers" / f"{topic}.py": written("explorer.py.template", **words),
        folder / "predictions.py": written("predictions.py.template", **words),
        folder / "exercises/__init__.py": written("exercises.py.template", **words),
        folder / "goals.toml": written("goals.toml.template", **words),
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
        root / CHAPTERS / topic / "lab/__init__.py": written("tasks.py.template", **words),
    }
    return _write(files | _exercise(root, topic, "first", source, files[source], graded=True))


def assignment(root: Path, name: str) -> list[tuple[Path, str]]:
    """Write an assignment of an instructor's own with its first task, in a course folder of their own.

    Parameters
    ----------
    root : path
        A course folder, or one that becomes one: it gets the course's ``nbgrader_config.py`` where it has none.
    name : str
        Such as ``"20_power"``, or ``"20_power.bill"`` with the name of the first task's function.

    Returns
    -------
    list of (Path, str)
        Each file with "new".

    Raises
    ------
    ValueError
        For a name that is none or that the course has, or a file that exists.
    """
    if not (match := ASSIGNMENT.fullmatch(name)):
        raise ValueError(f"an assignment is called NUMBER_TOPIC, in lower case, as in '20_power'; got {name!r}")
    name, topic, function = match[1], match[2], match[3] or "first"
    for part in (topic, function):
        _name(part, "each part of the name of an assignment", "20_power.bill")
    root = Path(root)
    ours = Path(__file__).resolve().parents[2]
    if (ours / CHAPTERS / topic / "lab").exists() or (root / "labs" / name).exists():
        raise ValueError(f"the course has {name!r} or a lab on {topic!r} already; call yours otherwise")
    if not (ours / CONFIG).is_file():
        raise ValueError(f"{ours} is no copy of the course: get its repository, and use the autograder of that one")
    source = root / "solutions" / name / f"{lab_names.notebook(name)}.ipynb"
    words = {"topic": topic, "words": _title(topic), "file": source.name}
    files = {
        source: written("assignment.ipynb", **words),
        source.parent / "INSTRUCTOR.md": written("ASSIGNMENT.md.template", **words),
        root / OWN / f"{topic}_lab" / "__init__.py": written("tasks.py.template", **words),
    }
    files |= _exercise(root, topic, function, source, files[source], graded=True, home=OWN)
    made = _write(files)
    if not (root / CONFIG).exists():
        shutil.copy(ours / CONFIG, root / CONFIG)
        made.append((root / CONFIG, "new"))
    return made


def exercise(root: Path, name: str) -> list[tuple[Path, str]]:
    """Write an exercise, and insert its cells behind the last exercise of its page.

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
    root, (*first, topic, function) = Path(root), ["", *name.split(".")][-3:]
    own = first == ["lab"] and (root / OWN / f"{topic}_lab").is_dir()
    root = root if own else _course(root)
    if first not in ([""], ["lab"]) or name.count(".") != 1 + (first == ["lab"]):
        raise ValueError(f"the id of an exercise is TOPIC.NAME, or lab.TOPIC.NAME for a lab, got {name!r}")
    graded = first == ["lab"]
    for part in (topic, function):
        _name(part, "each part of an id", "memory.refresh")
    if own:
        folders = sorted((root / "solutions").glob(f"*_{topic}"))
        page = next((lab_in(one) for one in folders if one.name.partition("_")[2] == topic), None)
        if page is None or not page.is_file():
            raise ValueError(
                f"{root / 'solutions'} holds no assignment on {topic!r}: first `autograder new assignment NUMBER_{topic}`"
            )
        files = _exercise(root, topic, function, page, page.read_text(encoding="utf-8"), graded, home=OWN)
        return _write(files, grown=page)
    chapter_page = _page(root, topic)
    page = chapter_page and (_lab(root, chapter_page) if graded else chapter_page)
    if not page or not page.is_file():
        kind = "lab" if graded else "chapter"
        raise ValueError(f"there is no {kind} on {topic!r}: first `autograder new {kind} {topic}`")
    files = _exercise(root, topic, function, page, page.read_text(encoding="utf-8"), graded)
    return _write(files, grown=page)


def _exercise(root, topic, function, page, text, graded, home=CHAPTERS):
    """The file of an exercise, and its page with three cells more, as texts."""
    name = f"lab.{topic}.{function}" if graded else f"{topic}.{function}"
    words = {"id": name, "name": function, "slug": function.replace("_", "-"), "constant": function.upper()}
    kind = "task" if graded else "exercise"
    own = f"{topic}_lab"
    folder = root / home / own if home == OWN else root / home / topic / ("lab" if graded else "exercises")
    cells = json.loads(written(f"{kind}.ipynb", place="@place", **words))["cells"]
    return {
        folder / f"{function}.py": written(f"{kind}.py.template", **words),
        page: insert_cells(text, cells, behind="setup" if graded else "derive"),
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
