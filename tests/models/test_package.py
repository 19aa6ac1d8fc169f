"""What counts as a model, and what does not: exercises in the package stay private, and no model depends on them."""

import ast
import subprocess
import sys
from importlib.util import resolve_name
from pathlib import Path

import pytest

import chip2cluster
from autograder.sandbox.page_files import VIEWS
from chip2cluster._package import PRIVATE, is_model, is_private

PACKAGE = Path(chip2cluster.__file__).parent


@pytest.mark.parametrize(
    "name", ["", ".units", ".roofline", ".roofline.bounds", ".chapters_of", ".exercises", "._pages"]
)
def test_is_model_takes_the_package_and_its_models(name):
    assert is_model(f"chip2cluster{name}") and not is_private(f"chip2cluster{name}")


@pytest.mark.parametrize("name", ["", ".x", ".roofline.lab"])
@pytest.mark.parametrize("subpackage", PRIVATE)
def test_is_model_refuses_exercises(subpackage, name):
    module = f"chip2cluster.{subpackage}{name}"
    assert not is_model(module) and is_private(module)


@pytest.mark.parametrize(
    "module",
    [
        "",
        "chip2clusterx",
        "chip2clusterx.chapters",
        "autograder.checking.judge",
        "x.chip2cluster",
        "chapters",
        "__main__",
    ],
)
def test_is_model_refuses_other_packages(module):
    assert not is_model(module) and not is_private(module)


def test_package_lists_no_private_subpackage(tmp_path):
    """A copy of the package's first module beside planted subpackages lists the models among them."""
    (tmp_path / "chip2cluster").mkdir()
    for name in ("__init__.py", "_deferred.py", "_package.py"):
        (tmp_path / "chip2cluster" / name).write_bytes((PACKAGE / name).read_bytes())
    for name in (*PRIVATE, "roofline"):
        (tmp_path / "chip2cluster" / name).mkdir()
        (tmp_path / "chip2cluster" / name / "__init__.py").touch()
    program = "import sys, chip2cluster; print(*chip2cluster.__all__, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["roofline", "units", "False"]
    assert not set(PRIVATE) & set(chip2cluster.__all__)


def imported(source, package):
    """Full names of all modules that a module of ``package`` may import."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            yield from (f"{module}.{alias.name}" for alias in node.names)


def private_imports(files):
    """Files of the package, relative to it, that are models other than the views and import exercises."""
    for file in files:
        parts = file.relative_to(PACKAGE).with_suffix("").parts
        source = file.read_text(encoding="utf-8")
        if not is_model(".".join(["chip2cluster", *parts])) or not any(name in source for name in PRIVATE):
            continue
        if parts[0] not in VIEWS and any(map(is_private, imported(source, ".".join(["chip2cluster", *parts[:-1]])))):
            yield file


def test_models_import_no_exercises():
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 100 and list(private_imports(files)) == []


@pytest.mark.parametrize(
    "line", ["from ..chapters.roofline import lab", "import chip2cluster.exercise as e", "from .. import chapters"]
)
def test_search_for_private_imports_finds_them(line, monkeypatch, tmp_path):
    monkeypatch.setattr(sys.modules[__name__], "PACKAGE", tmp_path)
    for name in ("roofline/late.py", "chapters/roofline.py", "explore/views.py"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(f"def late():\n    {line}\n")
    assert list(private_imports(sorted(tmp_path.rglob("*.py")))) == [tmp_path / "roofline/late.py"]
