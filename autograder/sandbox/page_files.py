"""Files of the course that the sandbox may see: what the page needs, and no answer."""

import ast
import json
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import chip2cluster
from chip2cluster._package import PRIVATE, is_model
from chip2cluster.exercise import answers

PACKAGE = Path(chip2cluster.__file__).parent
INSIDE = Path(__file__).parent / "inside"
STUDENT = Path(__file__).parents[1] / "student"
# In the page, the sandbox's own modules keep the names that they have here.
OWN = Path("autograder")
PROGRAM = OWN / "sandbox" / "inside" / "zygote.py"
# Packages that only display; a page that calls them must run without them.
VIEWS = ("draw", "explore", "predict")
ALL_MODELS = tuple(f"chip2cluster.{name}" for name in chip2cluster.__all__ if name not in (*VIEWS, *PRIVATE))
# Imported before the time of a submission counts, because nearly every page uses it.
PRELOADED = "numpy"
# Preloaded if a page imports any model of the package, because models return DataFrames. It takes as long to import as
# everything else together, and doubles the cost of each fork of the interpreter.
TABLES = "pandas"


class LabContent(Protocol):
    """Members of a lab that the sandbox reads; `grading.lab.Lab` has them."""

    @property
    def released(self) -> dict[str, Any]:
        """Released notebook."""

    @property
    def allowed(self) -> tuple[str, ...]:
        """Modules of the package that answers may call."""

    @property
    def folder(self) -> Path:
        """Folder of the released notebook and its data files."""

    @property
    def private(self) -> tuple[Path, ...]:
        """Folders that must stay hidden."""


@dataclass(frozen=True)
class OtherModels:
    """Content of a lab with other callable models than the lab's own.

    Attributes
    ----------
    released : dict
    folder : Path
    private : tuple of Path
    allowed : tuple of str
        Models that may be called. With `ALL_MODELS`, cells are run for people to see; exercises and chapters, with their
        answers, are never among them.
    """

    released: dict[str, Any]
    folder: Path
    private: tuple[Path, ...]
    allowed: tuple[str, ...]


def build(folder: str | Path, lab: LabContent) -> Path:
    """Write the files of the course that the sandbox sees into an empty folder.

    Parameters
    ----------
    folder : path
        Empty folder. It gets ``page/`` with modules, the sandbox's own program, files of the lab, and ``page.json``.
    lab : LabContent

    Returns
    -------
    Path
        The folder ``page``.
    """
    page = Path(folder) / "page"
    package = page / "chip2cluster"
    package.mkdir(parents=True)
    needed = model_files(lab.allowed)
    for file in sorted(needed):
        _copy(PACKAGE / file, package / file)
    for file in _data_files(needed, lab.allowed):
        _copy(PACKAGE / file, package / file)
    for name in chip2cluster.__all__:
        if not (package / name).exists() and not (package / f"{name}.py").exists():
            maker = "null_attributes" if name in VIEWS else "refusing_attributes"
            # A package, as in the course, or the page would not find the name; its modules are stubs as well.
            (package / name).mkdir()
            (package / name / "__init__.py").write_text(
                f"from autograder.sandbox.inside.stub_modules import {maker}\n\n"
                f"DISPLAY_ONLY = {name in VIEWS}\n__getattr__ = {maker}('chip2cluster.{name}')\n"
            )
    _program(page / OWN)
    for file in sorted(lab.folder.rglob("*")):
        if file.is_file() and file.suffix != ".ipynb" and ".ipynb_checkpoints" not in file.parts:
            _copy(file, page / "files" / file.relative_to(lab.folder))
    (page / "page.json").write_text(json.dumps({"preload": modules_to_preload(lab.released)}))
    return page


def modules_to_preload(notebook: dict[str, Any]) -> list[str]:
    """Return the modules that a released page imports; they are imported before the time of a submission counts.

    Some may not exist; the page raises the error when it imports them.
    """
    imported = list(_imported(notebook))
    tables = any(map(is_model, imported))
    return [PRELOADED, *([TABLES] if tables else []), *imported]


def _program(own: Path) -> None:
    """Write the package ``autograder`` of the page: `inside`, what it imports, and stubs of the learner's functions."""
    for file in INSIDE.glob("*.py"):
        _copy(file, own / "sandbox" / "inside" / file.name)
    _copy(Path(answers.__file__), own / "answers.py")
    (own / "sandbox" / "__init__.py").touch()
    names = "from autograder.sandbox.inside.learner_names import check, given, hint, progress, reveal\n"
    (own / "__init__.py").write_text(names)
    _copy(STUDENT / "__init__.py", own / "student" / "__init__.py")
    # Everything else in the learner's modules only displays.
    names += "from autograder.sandbox.inside.stub_modules import null_attributes\n\n__getattr__ = null_attributes(__name__)\n"
    for file in STUDENT.glob("[!_]*.py"):
        (own / "student" / file.name).write_text(names)


def model_files(allowed: Iterable[str]) -> set[Path]:
    """Return the files of the package that the allowed modules need, relative to it; always with ``__init__.py``.

    Exercises are never among them. Code that imports one gets a stub of `inside.stub_modules` in its place.
    """
    if {*ALL_MODELS} <= {*allowed}:
        # Without a look into each of them, which would take longer than to start the sandbox.
        return {file for file in _files("") if _is_model(file) and file.parts[0] not in VIEWS}
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
    """Return the files of a module by its path: one file, or all of a folder."""
    if (PACKAGE / f"{name}.py").exists():
        return [Path(f"{name}.py")]
    return [file.relative_to(PACKAGE) for file in (PACKAGE / name).rglob("*.py")]


def _data_files(needed: Iterable[Path], allowed: Iterable[str]) -> list[Path]:
    """Return the data files that the needed modules name, relative to the package; all of them for all models."""
    if {*ALL_MODELS} <= {*allowed}:
        return [file.relative_to(PACKAGE) for file in (PACKAGE / "data").rglob("*") if file.is_file()]
    texts = "".join((PACKAGE / file).read_text(encoding="utf-8") for file in needed)
    named = [Path("data", name) for name in set(re.findall(r'"(?:data/)?(\w+\.json)"', texts))]
    return [file for file in named if (PACKAGE / file).exists()]


def _is_model(file: Path) -> bool:
    """Return whether a file, relative to the package, belongs to a model."""
    return is_model(".".join([chip2cluster.__name__, *file.with_suffix("").parts]))


@cache
def _needs(file: Path) -> list[Path]:
    """Return the files that a file of the package imports from the package, and those of the packages around them."""
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
    """Yield all statements of a file, nested ones too: they are few, and an import is never part of an expression."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            yield node
            yield from _statements(node)


def _imported(notebook: dict[str, Any]) -> Iterator[str]:
    """Yield the modules that the released page itself imports."""
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
