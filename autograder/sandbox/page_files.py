"""The files that a box may see of the course: what the page needs, and no answer."""

import ast
import json
import re
import shutil
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chip2cluster
from chip2cluster._package import is_model
from chip2cluster.exercise import answers

if TYPE_CHECKING:
    from ..grading.lab import Lab

PACKAGE = Path(chip2cluster.__file__).parent
INSIDE = Path(__file__).parent / "inside"
STUDENT = Path(__file__).parents[1] / "student"
# In the page, what runs in the box has the names that it has here.
OWN = Path("autograder")
PROGRAM = OWN / "sandbox" / "inside" / "zygote.py"
# These only show things; a page that calls them must go on without.
VIEWS = ("draw", "explore", "predict")
# Always warm, since nearly every page uses it.
WARM = "numpy"
# Warm where a page imports anything of the package, which makes its tables with it. It takes as long as all else, and
# makes each copy of the interpreter twice as dear.
TABLES = "pandas"


def build(folder: str | Path, lab: "Lab") -> Path:
    """Write the box's view of the course into an empty folder.

    Parameters
    ----------
    folder : path
        Gets ``page/``: modules, the box's own program among them, files of the lab, ``page.json``.
    lab : grading.lab.Lab

    Returns
    -------
    Path
        The folder ``page``.
    """
    page = Path(folder) / "page"
    package = page / "chip2cluster"
    package.mkdir(parents=True)
    needed = modules(lab.allowed)
    for file in sorted(needed):
        _copy(PACKAGE / file, package / file)
    texts = "".join((PACKAGE / file).read_text(encoding="utf-8") for file in needed)
    for name in set(re.findall(r'"(?:data/)?(\w+\.json)"', texts)):
        if (PACKAGE / "data" / name).exists():
            _copy(PACKAGE / "data" / name, package / "data" / name)
    for name in chip2cluster.__all__:
        if not (package / name).exists() and not (package / f"{name}.py").exists():
            maker = "silent" if name in VIEWS else "attribute"
            # A package, as there, or the page would not know the name; its modules then are as absent.
            (package / name).mkdir()
            (package / name / "__init__.py").write_text(
                f"from autograder.sandbox.inside.stub_modules import {maker}\n\n"
                f"SILENT = {name in VIEWS}\n__getattr__ = {maker}('chip2cluster.{name}')\n"
            )
    _program(page / OWN)
    for file in sorted(lab.folder.rglob("*")):
        if file.is_file() and file.suffix != ".ipynb" and ".ipynb_checkpoints" not in file.parts:
            _copy(file, page / "files" / file.relative_to(lab.folder))
    (page / "page.json").write_text(json.dumps({"warm": warm(lab.released)}))
    return page


def warm(notebook: dict[str, Any]) -> list[str]:
    """Modules that a page needs, which are imported before anybody's time counts.

    Parameters
    ----------
    notebook : dict
        The released page.

    Returns
    -------
    list of str
        Some may not exist; the page will meet that itself.
    """
    imported = list(_imported(notebook))
    tables = any(map(is_model, imported))
    return [WARM, *([TABLES] if tables else []), *imported]


def _program(own: Path) -> None:
    """What runs in the box: `inside` as a whole, what it imports, and the learner's names wherever they are here."""
    for file in INSIDE.glob("*.py"):
        _copy(file, own / "sandbox" / "inside" / file.name)
    _copy(Path(answers.__file__), own / "answers.py")
    (own / "sandbox" / "__init__.py").touch()
    names = "from autograder.sandbox.inside.learner_names import check, given, hint, progress, reveal\n"
    (own / "__init__.py").write_text(names)
    _copy(STUDENT / "__init__.py", own / "student" / "__init__.py")
    # What else is in a module of the learner's only shows things.
    names += "from autograder.sandbox.inside.stub_modules import silent\n\n__getattr__ = silent(__name__)\n"
    for file in STUDENT.glob("[!_]*.py"):
        (own / "student" / file.name).write_text(names)


def modules(allowed: Iterable[str]) -> set[Path]:
    """Files of the package that the allowed modules need, relative to it; always with ``__init__.py``.

    Exercises are never among them. Code that imports one gets the stub of `inside.absent` in its place.
    """
    wanted = [name.partition(".")[2].replace(".", "/") for name in allowed]
    queue = [Path("__init__.py"), *(file for name in wanted for file in _files(name))]
    needed: set[Path] = set()
    while queue:
        file = queue.pop()
        if file not in needed and _is_model(file):
            needed.add(file)
            queue += _needs(file)
    return needed


def _files(name: str) -> list[Path]:
    """The files of a module by its path: one file, or all of a folder."""
    if (PACKAGE / f"{name}.py").exists():
        return [Path(f"{name}.py")]
    return [file.relative_to(PACKAGE) for file in (PACKAGE / name).rglob("*.py")]


def _is_model(file: Path) -> bool:
    """Whether a file, relative to the package, belongs to a model."""
    return is_model(".".join([chip2cluster.__name__, *file.with_suffix("").parts]))


@cache
def _needs(file: Path) -> list[Path]:
    """Files that a file of the package imports from the package, with the packages on the way."""
    here = ["chip2cluster", *file.parts[:-1]]
    needed = []
    for node in _statements(ast.parse((PACKAGE / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*here[: len(here) - node.level + 1], *(node.module or "").split(".")]
            for name in ["", *(alias.name for alias in node.names)]:
                stem = "/".join([part for part in [*base, name] if part][1:])
                both = Path(f"{stem}.py"), Path(stem, "__init__.py")
                needed += [candidate for candidate in both if (PACKAGE / candidate).is_file()]
    return needed


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements of a file, wherever they are nested: they are few, and no import is part of anything else."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            yield node
            yield from _statements(node)


def _imported(notebook: dict[str, Any]) -> Iterator[str]:
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


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
