"""Write the skeletons of chapters, exercises, labs and assignments."""

import json
import re
import shutil
from pathlib import Path

from chip2cluster._pages import chapters

from .. import lab_names
from ..course_pages import lab_notebook
from .explorers import explorer_test, explorer_words, refuse_taken_explorer
from .notebook import insert_exercise
from .skeleton_files import (
    CHAPTERS,
    NAME,
    WrittenFiles,
    chapter_number,
    checked_name,
    course_folder,
    lab_of,
    notebook_of,
    title_of,
    words_of,
    write_files,
)
from .template import fill_template

ASSIGNMENT = re.compile(rf"(\d+_({NAME.pattern}))(?:\.({NAME.pattern}))?")
CONFIG = "nbgrader_config.py"
OWN_EXERCISES = "exercises"  # folder of an instructor's own exercises, in their course folder
RUBRIC = "answer.rubric.toml"  # after the answer cell of both skeletons


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
    root, topic = course_folder(root), checked_name(name, "the topic of a chapter", "memory")
    if topic.endswith("_lab"):
        raise ValueError(f"{topic!r} is the name of a lab's exercises; call the chapter {topic.removesuffix('_lab')!r}")
    if page := notebook_of(root, topic):
        raise ValueError(f"there is a chapter on {topic!r} already: {page.relative_to(root)}")
    folder = root / CHAPTERS / topic
    refuse_taken_explorer(root, topic, folder, "chapter")
    number = 1 + max(map(chapter_number, chapters(root / "course").values()), default=0)
    words = {"number": number, "topic": topic, "title": title_of(topic), **explorer_words(topic)}
    page = root / "course" / f"{number:02d}_{topic}.ipynb"
    files = {
        page: fill_template("chapter.ipynb", **words),
        folder / "__init__.py": fill_template("chapter.py.template", **words),
        folder / "explorers/__init__.py": fill_template("explorers.py.template", **words),
        folder / "explorers" / f"{topic}.py": fill_template("explorer.py.template", **words),
        explorer_test(root, topic): fill_template("explorer_test.py.template", **words),
        folder / "predictions.py": fill_template("predictions.py.template", **words),
        folder / "exercises/__init__.py": fill_template("exercises.py.template", **words),
        folder / "goals.toml": fill_template("goals.toml.template", **words),
    }
    return write_files(files | exercise_files(root, topic, "first", page, files[page], graded=False))


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
    root, topic = course_folder(root), checked_name(name, "the topic of a lab", "memory")
    page = notebook_of(root, topic)
    if page is None:
        raise ValueError(
            f"a lab belongs to a chapter, and there is none on {topic!r}: first `autograder new chapter {topic}`"
        )
    source = lab_of(root, page)
    words = {"number": chapter_number(page), "topic": topic, "words": words_of(topic), "file": source.name}
    files = {
        source: fill_template("lab.ipynb", **words),
        source.parent / "INSTRUCTOR.md": fill_template("INSTRUCTOR.md.template", **words),
        source.parent / RUBRIC: fill_template("rubric.toml.template"),
        root / CHAPTERS / topic / "lab/__init__.py": fill_template("tasks.py.template", **words),
    }
    return write_files(files | exercise_files(root, topic, "first", source, files[source], graded=True))


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
        checked_name(part, "each part of the name of an assignment", "20_power.bill")
    root = Path(root)
    ours = Path(__file__).resolve().parents[2]
    if (ours / CHAPTERS / topic / "lab").exists() or (root / "labs" / name).exists():
        raise ValueError(f"the course has {name!r} or a lab on {topic!r} already; call yours otherwise")
    if not (ours / CONFIG).is_file():
        raise ValueError(f"{ours} is not a copy of the course: get its repository, and use the autograder of that one")
    source = root / "solutions" / name / f"{lab_names.notebook_name(name)}.ipynb"
    words = {"topic": topic, "words": title_of(topic), "file": source.name}
    files = {
        source: fill_template("assignment.ipynb", **words),
        source.parent / "INSTRUCTOR.md": fill_template("ASSIGNMENT.md.template", **words),
        source.parent / RUBRIC: fill_template("rubric.toml.template"),
        root / OWN_EXERCISES / f"{topic}_lab" / "__init__.py": fill_template("tasks.py.template", **words),
    }
    files |= exercise_files(root, topic, function, source, files[source], graded=True, home=OWN_EXERCISES)
    written = write_files(files)
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
    root = root if own else course_folder(root)
    if first not in ([""], ["lab"]) or name.count(".") != 1 + (first == ["lab"]):
        raise ValueError(f"the id of an exercise is TOPIC.NAME, or lab.TOPIC.NAME for a lab, got {name!r}")
    graded = first == ["lab"]
    for part in (topic, function):
        checked_name(part, "each part of an id", "memory.refresh")
    if own:
        folders = sorted((root / "solutions").glob(f"*_{topic}"))
        page = next((lab_notebook(one) for one in folders if one.name.partition("_")[2] == topic), None)
        if page is None or not page.is_file():
            raise ValueError(
                f"{root / 'solutions'} holds no assignment on {topic!r}: first `autograder new assignment NUMBER_{topic}`"
            )
        files = exercise_files(
            root, topic, function, page, page.read_text(encoding="utf-8"), graded, home=OWN_EXERCISES
        )
        return write_files(files, grown=page)
    chapter_page = notebook_of(root, topic)
    page = chapter_page and (lab_of(root, chapter_page) if graded else chapter_page)
    if not page or not page.is_file():
        kind = "lab" if graded else "chapter"
        raise ValueError(f"there is no {kind} on {topic!r}: first `autograder new {kind} {topic}`")
    files = exercise_files(root, topic, function, page, page.read_text(encoding="utf-8"), graded)
    return write_files(files, grown=page)


def exercise_files(
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
