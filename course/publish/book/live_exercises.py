"""What pages need to check exercises in the browser: Python, the judge, and the recorded cases of each chapter.

Python is Pyodide's, from a folder or from npm. Without either the book is built as before: the task, its hints, its
solution.
"""

import ast
import hashlib
import io
import json
import shutil
import subprocess
import tempfile
import zipfile
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import nbformat

import chip2cluster
from autograder import course_pages
from autograder.checking.check_source import FETCHED, missing_packages
from autograder.checking.exercise_record import record
from autograder.exercises import exercises
from autograder.student.critique_view import CritiqueView
from chip2cluster.exercise.critique_draws import DRAWS

from ..pyodide import CACHE, ENGINE, PYODIDE_CDN_URL, PYODIDE_LOCK
from . import solutions

HERE = Path(__file__).parent
EDITOR = HERE / "editor"
COURSE = HERE.parents[1]
PACKAGE = Path(chip2cluster.__file__).parent
JUDGE = COURSE.parent / "autograder/checking"
# Explorers, pictures and chapters, with the solutions, stay out; so do measurements that only pages show.
LEFT_OUT = ("chapters", "draw", "explore", "predict", "shell", "data/measure", "data/typeface", "data/slurm")
# A page's imports of these show something; an answer does not.
SHOWING = ("autograder", "draw", "explore", "predict")
COMPILED = ("python_stdlib.zip", "course.zip")
SAME_TIME = (1980, 1, 1, 0, 0, 0)  # two builds of one commit are alike


def write(static, distribution=None):
    """Write scripts, engine and recorded exercises into a folder of static files.

    Parameters
    ----------
    static : Path
        Folder ``_static`` of the site's source.
    distribution : Distribution, optional
        Pyodide. Without it only the settings are written, which say that there is no Python.
    """
    python = static / "python"
    python.mkdir(parents=True)
    for file in (*EDITOR.glob("*.js"), EDITOR / "CODEMIRROR-licence.txt"):
        shutil.copy(file, static)
    packages = {} if distribution is None else _closure(distribution.entries(), FETCHED)
    settings = {
        "available": distribution is not None,
        "packages": sorted(packages),
        "host": urlsplit(PYODIDE_CDN_URL).netloc if packages and distribution.afar else "",
    }
    (python / "settings.js").write_text(f"export default {json.dumps(settings)};\n", encoding="utf-8")
    if distribution is None:
        return
    for name in ENGINE:
        if name != PYODIDE_LOCK:
            shutil.copy(distribution.folder / name, python)
    for entry in packages.values():
        if not distribution.afar:
            shutil.copy(distribution.folder / Path(entry["file_name"]).name, python)
            entry["file_name"] = Path(entry["file_name"]).name
    lock = {**distribution.lock, "packages": packages}
    (python / "packages.json").write_text(json.dumps(lock), encoding="utf-8")
    (python / COMPILED[1]).write_bytes(_course())
    _compile(distribution.folder, python)
    folder = static / "exercises"
    folder.mkdir()
    for topic, chapter in _chapters().items():
        (folder / f"{topic}.json").write_text(json.dumps(chapter, separators=(",", ":")), encoding="utf-8")


def needs_numpy(task):
    """Return whether a reader who answers as the solution does needs NumPy."""
    return bool(missing_packages(record(task), task.solution, _imports(_pages()[task.id])))


@cache
def _pages():
    return {name: page for page in course_pages.chapters() for name in course_pages.checked_exercises(page)}


def _closure(entries, wanted):
    """Return the entries of these packages and of all that they depend on; of those that can be had."""
    found, waiting = {}, [name for name in wanted if name in entries]
    while waiting:
        name = waiting.pop()
        if name not in found and name in entries:
            found[name] = dict(entries[name])
            waiting += entries[name]["depends"]
    return found


def _compile(engine, python):
    """Put the bytecode of what a first verdict imports into both zips; without Node.js a page compiles it at each start."""
    if shutil.which("node") is None:
        return
    script, course = EDITOR / "precompile.mjs", python / COMPILED[1]
    made_of = (script, engine / COMPILED[0], course)
    kept = CACHE / "bytecode" / hashlib.sha256(b"".join(file.read_bytes() for file in made_of)).hexdigest()[:16]
    if not all((kept / name).exists() for name in COMPILED):
        kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept) as draft:
            subprocess.run(["node", script, engine.resolve(), course, draft], check=True)
            for name in COMPILED:
                shutil.move(Path(draft, name), kept / name)
    for name in COMPILED:
        shutil.copy(kept / name, python)


def _course():
    """Return a zip of the models and the judge."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(name, content):
            archive.writestr(zipfile.ZipInfo(name, SAME_TIME), content, zipfile.ZIP_DEFLATED)

        for file in sorted(PACKAGE.rglob("*")):
            name = file.relative_to(PACKAGE).as_posix()
            if file.suffix in (".py", ".json") and not name.startswith(tuple(f"{part}/" for part in LEFT_OUT)):
                add(f"chip2cluster/{name}", file.read_bytes())
        add("autograder/__init__.py", b"")
        for file in sorted(JUDGE.glob("*.py")):
            add(f"autograder/checking/{file.name}", file.read_bytes())
    return packed.getvalue()


def _chapters():
    """Return the recorded exercises of each chapter by their ids, with the imports of its first cell.

    An exercise that shows three answers has several draws: a reader gets one of them.

    Each record is a text within the text: JavaScript would read 7.0 as 7, and cannot read infinity.
    """
    found = {}
    for task in exercises().values():
        if task.id in _pages():
            topic = task.id.split(".")[0]
            chapter = found.setdefault(topic, {"imports": _imports(_pages()[task.id]), "exercises": {}, "draws": {}})
            chapter["exercises"][task.id] = _packed(task)
            if task.redraw:
                chapter["draws"][task.id] = [_draw(task.with_draw(number)) for number in range(DRAWS)]
    return found


def _draw(task):
    """Return one draw of three answers: its record, and what the page shows of it."""
    return {
        "record": _packed(task),
        "shown": CritiqueView(task.id, task.critique)._repr_html_(),
        "solution": solutions.html(task),
    }


def _packed(task):
    return json.dumps(record(task), separators=(",", ":"))


@cache
def _imports(page):
    """Return the imports of a page's set-up cell that an answer may use, by the names that they define."""
    notebook = nbformat.read(page, as_version=4)
    setup = next((cell.source for cell in notebook.cells if cell.get("id") == "setup"), "")
    found = {}
    for node in ast.parse(setup).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                module = getattr(node, "module", None)
                if module not in SHOWING and alias.name.split(".")[0] not in SHOWING:
                    alone = ast.ImportFrom(module, [alias], node.level) if module else ast.Import([alias])
                    found[alias.asname or alias.name] = ast.unparse(alone)
    return found
