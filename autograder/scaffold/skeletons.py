"""Write the skeletons of chapters, exercises, labs, assignments, explorers and pictures."""

import json
import keyword
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from chip2cluster._pages import FIRST, chapters

from .. import lab_names
from ..course_pages import lab_notebook
from .notebook import insert_exercise, insert_explorer
from .template import fill_template

NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
ASSIGNMENT = re.compile(rf"(\d+_({NAME.pattern}))(?:\.({NAME.pattern}))?")
CONFIG = "nbgrader_config.py"
CHAPTERS = "course/chip2cluster/chapters"
EXPLORE, DRAW = "course/chip2cluster/explore", "course/chip2cluster/draw"
PICTURES = f"{DRAW}/pictures"
# Names that chip2cluster.explore, chip2cluster.chapters and chip2cluster.draw define themselves.
RESERVED_NAMES = ("explorers", "file_of", "files", "module", "topics")
RESERVED_DRAW_NAMES = ("pictures",)
OWN_EXERCISES = "exercises"  # folder of an instructor's own exercises, in their course folder

RUBRIC = "answer.rubric.toml"  # after the answer cell of both skeletons

WrittenFiles = list[tuple[Path, str]]  # each file, and "new" or "grown"


def write_chapter(root: Path, name: str) -> WrittenFiles:
    """Write a notebook with the next free number, its explorer, its prediction, its first exercise and its goals.

    Parameters
    ----------
    root : path
        Course folder.
    name : str
        Topic of the chapter, such as ``"memory"``; all its parts are found by it.

    Returns
    -------
    list of (Path, str)
        Each file with "new".

    Raises
    ------
    ValueError
        If the name is invalid or taken, or the chapter exists.
    """
    root, topic = _course(root), _checked_name(name, "the topic of a chapter", "memory")
    if topic.endswith("_lab"):
        raise ValueError(f"{topic!r} is the name of a lab's exercises; call the chapter {topic.removesuffix('_lab')!r}")
    if page := _page(root, topic):
        raise ValueError(f"there is a chapter on {topic!r} already: {page.relative_to(root)}")
    folder = root / CHAPTERS / topic
    _refuse_taken_explorer(root, topic, folder, "chapter")
    number = 1 + max(map(_number, chapters(root / "course").values()), default=0)
    words = {"number": number, "topic": topic, "title": _title(topic), **_explorer_words(topic)}
    page = root / "course" / f"{number:02d}_{topic}.ipynb"
    files = {
        page: fill_template("chapter.ipynb", **words),
        folder / "__init__.py": fill_template("chapter.py.template", **words),
        folder / "explorers/__init__.py": fill_template("explorers.py.template", **words),
        folder / "explorers" / f"{topic}.py": fill_template("explorer.py.template", **words),
        _explorer_test(root, topic): fill_template("explorer_test.py.template", **words),
        folder / "predictions.py": fill_template("predictions.py.template", **words),
        folder / "exercises/__init__.py": fill_template("exercises.py.template", **words),
        folder / "goals.toml": fill_template("goals.toml.template", **words),
    }
    return _write(files | _exercise(root, topic, "first", page, files[page], graded=False))


def write_lab(root: Path, name: str) -> WrittenFiles:
    """Write the lab of a chapter, with its first task, the notes for instructors and the rubric.

    Parameters
    ----------
    root : path
        Course folder.
    name : str
        Topic of a chapter.

    Returns
    -------
    list of (Path, str)
        Each file with "new".

    Raises
    ------
    ValueError
        If the topic has no chapter, or the lab exists.
    """
    root, topic = _course(root), _checked_name(name, "the topic of a lab", "memory")
    page = _page(root, topic)
    if page is None:
        raise ValueError(
            f"a lab belongs to a chapter, and there is none on {topic!r}: first `autograder new chapter {topic}`"
        )
    source = _lab(root, page)
    words = {"number": _number(page), "topic": topic, "words": _words(topic), "file": source.name}
    files = {
        source: fill_template("lab.ipynb", **words),
        source.parent / "INSTRUCTOR.md": fill_template("INSTRUCTOR.md.template", **words),
        source.parent / RUBRIC: fill_template("rubric.toml.template"),
        root / CHAPTERS / topic / "lab/__init__.py": fill_template("tasks.py.template", **words),
    }
    return _write(files | _exercise(root, topic, "first", source, files[source], graded=True))


def write_assignment(root: Path, name: str) -> WrittenFiles:
    """Write an instructor's own assignment with its first task, in the instructor's own course folder.

    Parameters
    ----------
    root : path
        Course folder; a new one gets the course's ``nbgrader_config.py``.
    name : str
        Such as ``"20_power"``, or ``"20_power.bill"`` with the name of the first task's function.

    Returns
    -------
    list of (Path, str)
        Each file with "new".

    Raises
    ------
    ValueError
        If the name is invalid or the course has it, or a file exists.
    """
    if not (match := ASSIGNMENT.fullmatch(name)):
        raise ValueError(f"an assignment is called NUMBER_TOPIC, in lower case, as in '20_power'; got {name!r}")
    name, topic, function = match[1], match[2], match[3] or "first"
    for part in (topic, function):
        _checked_name(part, "each part of the name of an assignment", "20_power.bill")
    root = Path(root)
    ours = Path(__file__).resolve().parents[2]
    if (ours / CHAPTERS / topic / "lab").exists() or (root / "labs" / name).exists():
        raise ValueError(f"the course has {name!r} or a lab on {topic!r} already; call yours otherwise")
    if not (ours / CONFIG).is_file():
        raise ValueError(f"{ours} is not a copy of the course: get its repository, and use the autograder of that one")
    source = root / "solutions" / name / f"{lab_names.notebook_name(name)}.ipynb"
    words = {"topic": topic, "words": _title(topic), "file": source.name}
    files = {
        source: fill_template("assignment.ipynb", **words),
        source.parent / "INSTRUCTOR.md": fill_template("ASSIGNMENT.md.template", **words),
        source.parent / RUBRIC: fill_template("rubric.toml.template"),
        root / OWN_EXERCISES / f"{topic}_lab" / "__init__.py": fill_template("tasks.py.template", **words),
    }
    files |= _exercise(root, topic, function, source, files[source], graded=True, home=OWN_EXERCISES)
    written = _write(files)
    if not (root / CONFIG).exists():
        shutil.copy(ours / CONFIG, root / CONFIG)
        written.append((root / CONFIG, "new"))
    return written


def write_exercise(root: Path, name: str) -> WrittenFiles:
    """Write an exercise, and insert its cells behind the last exercise of its notebook.

    Parameters
    ----------
    root : path
        Course folder.
    name : str
        Id of the exercise: ``"memory.refresh"`` in a chapter, ``"lab.memory.refresh"`` in a lab.

    Returns
    -------
    list of (Path, str)
        The file with "new", and its notebook with "grown".

    Raises
    ------
    ValueError
        If the id is invalid, the topic has no notebook, or the exercise exists.
    """
    root, (*first, topic, function) = Path(root), ["", *name.split(".")][-3:]
    own = first == ["lab"] and (root / OWN_EXERCISES / f"{topic}_lab").is_dir()
    root = root if own else _course(root)
    if first not in ([""], ["lab"]) or name.count(".") != 1 + (first == ["lab"]):
        raise ValueError(f"the id of an exercise is TOPIC.NAME, or lab.TOPIC.NAME for a lab, got {name!r}")
    graded = first == ["lab"]
    for part in (topic, function):
        _checked_name(part, "each part of an id", "memory.refresh")
    if own:
        folders = sorted((root / "solutions").glob(f"*_{topic}"))
        page = next((lab_notebook(one) for one in folders if one.name.partition("_")[2] == topic), None)
        if page is None or not page.is_file():
            raise ValueError(
                f"{root / 'solutions'} holds no assignment on {topic!r}: first `autograder new assignment NUMBER_{topic}`"
            )
        files = _exercise(root, topic, function, page, page.read_text(encoding="utf-8"), graded, home=OWN_EXERCISES)
        return _write(files, grown=page)
    chapter_page = _page(root, topic)
    page = chapter_page and (_lab(root, chapter_page) if graded else chapter_page)
    if not page or not page.is_file():
        kind = "lab" if graded else "chapter"
        raise ValueError(f"there is no {kind} on {topic!r}: first `autograder new {kind} {topic}`")
    files = _exercise(root, topic, function, page, page.read_text(encoding="utf-8"), graded)
    return _write(files, grown=page)


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
    root, (topic, dot, explorer) = _course(root), name.partition(".")
    if not dot:
        raise ValueError(f"an explorer is called TOPIC.NAME, as in 'memory.refresh'; got {name!r}")
    for part in (topic, explorer):
        _checked_name(part, "each part of the name of an explorer", "memory.refresh")
    page = _page(root, topic)
    if page is None:
        raise ValueError(f"there is no chapter on {topic!r}: first `autograder new chapter {topic}`")
    folder = root / CHAPTERS / topic
    _refuse_taken_explorer(root, explorer, folder, "explorer")
    words = {"topic": topic, "slug": explorer.replace("_", "-"), "name": explorer, **_explorer_words(explorer)}
    cells = json.loads(fill_template("explorer.ipynb", **words))["cells"]
    files = {
        folder / "explorers" / f"{explorer}.py": fill_template("explorer.py.template", **words),
        _explorer_test(root, explorer): fill_template("explorer_test.py.template", **words),
        page: insert_explorer(page.read_text(encoding="utf-8"), cells, behind="explore"),
    }
    return _write(files, grown=page)


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
    root, picture = _course(root), _checked_name(name, "the name of a picture", "refresh_rows")
    if picture in RESERVED_DRAW_NAMES or (root / DRAW / f"{picture}.py").exists():
        raise ValueError(f"{picture!r} is the name of a part of chip2cluster.draw already; call the picture otherwise")
    words = {"name": picture, "words": _words(picture)}
    return _write(
        {
            root / PICTURES / f"{picture}.py": fill_template("picture.py.template", **words),
            root / "tests/models" / f"test_draw_{picture}.py": fill_template("picture_test.py.template", **words),
        }
    )


def _exercise(
    root: Path, topic: str, function: str, page: Path, text: str, graded: bool, home: str = CHAPTERS
) -> dict[Path, str]:
    """Return the file of an exercise, and its notebook with three more cells, as texts."""
    name = f"lab.{topic}.{function}" if graded else f"{topic}.{function}"
    words = {"id": name, "name": function, "slug": function.replace("_", "-"), "constant": function.upper()}
    kind = "task" if graded else "exercise"
    own = f"{topic}_lab"
    folder = root / home / own if home == OWN_EXERCISES else root / home / topic / ("lab" if graded else "exercises")
    cells = json.loads(fill_template(f"{kind}.ipynb", place="@place", **words))["cells"]
    return {
        folder / f"{function}.py": fill_template(f"{kind}.py.template", **words),
        page: insert_exercise(text, cells, behind="setup" if graded else "derive"),
    }


def _refuse_taken_explorer(root: Path, name: str, folder: Path, kind: str) -> None:
    """Refuse the name of an explorer that a chapter in another folder or the package `chip2cluster.explore` has."""
    if name in RESERVED_NAMES or (root / EXPLORE / f"{name}.py").exists():
        raise ValueError(f"{name!r} is the name of a part of the packages already; call the {kind} otherwise")
    for other in (root / CHAPTERS).glob(f"*/explorers/{name}.py"):
        if not other.is_relative_to(folder):
            raise ValueError(
                f"{other.relative_to(root)} is an explorer called {name!r} already; call the {kind} otherwise"
            )


def _explorer_words(name: str) -> dict[str, str]:
    return {"name": name, "words": _words(name), "kind": name.title().replace("_", "")}


def _explorer_test(root: Path, name: str) -> Path:
    return root / "tests/notebooks" / f"test_explore_{name}.py"


def _write(files: Mapping[Path, str], grown: Path | None = None) -> WrittenFiles:
    """Write all files or none; only ``grown`` may exist."""
    if existing := [file for file in files if file != grown and file.exists()]:
        raise ValueError(f"{existing[0]} exists already, so nothing was written")
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return [(file, "grown" if file == grown else "new") for file in files]


def _course(root: Path) -> Path:
    root = Path(root)
    if not (root / "course" / FIRST).is_file():
        raise ValueError(f"{root} is not a course folder, because it has no course/{FIRST}; name one with --root")
    return root


def _checked_name(name: str, what: str, example: str) -> str:
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        raise ValueError(
            f"{what} is written in lower case, with digits and single underscores, and is not a Python keyword, as in {example!r}; got {name!r}"
        )
    return name


def _page(root: Path, topic: str) -> Path | None:
    return chapters(root / "course").get(topic)


def _number(page: Path) -> int:
    return int(page.name.partition("_")[0])


def _lab(root: Path, page: Path) -> Path:
    return lab_notebook(root / "solutions" / page.stem)


def _words(topic: str) -> str:
    return topic.replace("_", " ")


def _title(topic: str) -> str:
    return _words(topic).capitalize()
