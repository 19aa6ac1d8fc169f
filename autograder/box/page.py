"""The files that a box may see of the course: what the page needs, and no answer."""

import ast
import json
import re
import shutil
from pathlib import Path

import chip2cluster

from .. import answers
from . import wire

PACKAGE = Path(chip2cluster.__file__).parent
INSIDE = Path(__file__).parent / "inside"
# These only show things; a page that calls them must go on without.
VIEWS = ("draw", "explore", "predict")
# Always warm: nearly every page uses the first, and the catalogue's tables the second.
WARM = ("numpy", "pandas")


def build(folder, lab):
    """Write the box's view of the course into an empty folder.

    Parameters
    ----------
    folder : path
        Gets ``page/`` (modules, files of the lab, ``page.json``) and ``inside/`` (the box's own program).
    lab : grading.lab.Lab

    Returns
    -------
    Path
        The folder ``page``.
    """
    page = Path(folder) / "page"
    package = page / "chip2cluster"
    package.mkdir(parents=True)
    kept = modules(lab.allowed)
    for file in sorted(kept):
        _copy(PACKAGE / file, package / file)
    texts = "".join((PACKAGE / file).read_text(encoding="utf-8") for file in kept)
    for name in set(re.findall(r'"(\w+\.json)"', texts)):
        if (PACKAGE / "data" / name).exists():
            _copy(PACKAGE / "data" / name, package / "data" / name)
    _copy(INSIDE / "absent.py", package / "_absent.py")
    for name in chip2cluster.__all__:
        if not (package / name).exists() and not (package / f"{name}.py").exists():
            maker = "silent" if name in VIEWS else "attribute"
            (package / f"{name}.py").write_text(
                f"from ._absent import {maker}\n\n__getattr__ = {maker}('chip2cluster.{name}')\n"
            )
    _copy(INSIDE / "learner.py", page / "autograder" / "__init__.py")

    program = Path(folder) / "inside"
    program.mkdir()
    for file in ("zygote", "session", "shell", "answer", "isolate"):
        _copy(INSIDE / f"{file}.py", program / f"{file}.py")
    _copy(Path(wire.__file__), program / "wire.py")
    _copy(Path(answers.__file__), program / "answers.py")

    for file in sorted(lab.folder.rglob("*")):
        if file.is_file() and file.suffix != ".ipynb" and ".ipynb_checkpoints" not in file.parts:
            _copy(file, page / "files" / file.relative_to(lab.folder))
    (page / "page.json").write_text(json.dumps({"warm": [*WARM, *_imported(lab.released)]}))
    return page


def modules(allowed):
    """Files of the package that the allowed modules need, relative to it; always with ``__init__.py``."""
    wanted, found = [name.partition(".")[2].replace(".", "/") for name in allowed], set()
    queue = [Path("__init__.py"), *(file for name in wanted for file in _files(name))]
    while queue:
        file = queue.pop()
        if file not in found:
            found.add(file)
            queue += _needs(file)
    return found


def _files(name):
    """The files of a module by its path: one file, or all of a folder."""
    if (PACKAGE / f"{name}.py").exists():
        return [Path(f"{name}.py")]
    return [file.relative_to(PACKAGE) for file in (PACKAGE / name).rglob("*.py")]


def _needs(file):
    """Files that a file of the package imports from the package, with the packages on the way."""
    here = ["chip2cluster", *file.parts[:-1]]
    for node in ast.walk(ast.parse((PACKAGE / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*here[: len(here) - node.level + 1], *(node.module or "").split(".")]
            for name in ["", *(alias.name for alias in node.names)]:
                stem = Path(*[part for part in [*base, name] if part][1:])
                for candidate in (stem.with_suffix(".py"), stem / "__init__.py"):
                    if stem.parts and (PACKAGE / candidate).is_file():
                        yield candidate


def _imported(notebook):
    """Third-party and package modules that the released page itself imports."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            try:
                tree = ast.parse("".join(cell["source"]))
            except SyntaxError:
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.Import):
                    yield from (alias.name for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    yield node.module
                    yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
