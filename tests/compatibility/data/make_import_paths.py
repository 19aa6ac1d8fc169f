"""Which modules and names the files of others import."""

import ast
import json
import re
import tomllib
from contextlib import suppress

PACKAGES = ("autograder", "chip2cluster")
GUIDES = (
    "README.md", "CONTRIBUTING.md", "Makefile", "postBuild", "autograder/*.md", "course/**/*.md", "deploy/**/*.md",
)  # fmt: skip
IMPORT = re.compile(r"\bfrom ((?:autograder|chip2cluster)[\w.]*) import ([\w, ]+)")
DOTTED = re.compile(r"\"((?:autograder|chip2cluster)(?:\.\w+)+)\"|--exporter (autograder[\w.]+)")


def import_paths(checkout, fixtures):
    """Return ``module:name`` for everything that is imported, with the files that do so."""
    found = {}
    for file, module, name in (*_fixtures(fixtures), *_installed(checkout), *_guides(checkout)):
        if module.split(".")[0] in PACKAGES:
            found.setdefault(f"{module}:{name}", set()).add(file)
    return {path: sorted(files) for path, files in sorted(found.items())}


def _fixtures(folder):
    """Configurations, own exercises, notebooks, and the cells in gradebooks."""
    for file in sorted(folder.glob("*/**/*")):
        name = file.relative_to(folder).as_posix()
        if file.suffix == ".py":
            text = file.read_text(encoding="utf-8")
            yield from ((name, *found) for found in (*_imports(ast.parse(text), file), *_written(text)))
        elif file.suffix == ".sql":
            yield from ((name, *found) for found in _written(file.read_text(encoding="utf-8")))
        elif file.suffix == ".ipynb" and not {"autograded", "releases"} & {*file.parts}:
            for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
                with suppress(SyntaxError):  # a student's cell
                    tree = ast.parse("".join(cell["source"]) if cell["cell_type"] == "code" else "")
                    yield from ((name, *found) for found in _imports(tree, file))


def _installed(checkout):
    """What the scripts and the server's configuration of an installation name."""
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for script, target in project["scripts"].items():
        yield f"installed script {script}", *target.split(":")
    extension = json.loads((checkout / "course/chip2cluster/serverextension.json").read_text(encoding="utf-8"))
    for module in extension["ServerApp"]["jpserver_extensions"]:
        yield "installed etc/jupyter/jupyter_server_config.d/chip2cluster.json", module, ""


def _guides(checkout):
    for pattern in GUIDES:
        for file in sorted(checkout.glob(pattern)):
            name = file.relative_to(checkout).as_posix()
            yield from ((name, *found) for found in _written(file.read_text(encoding="utf-8")))


def _written(text):
    """Imports and dotted names in a text."""
    for module, names in IMPORT.findall(text):
        yield from ((module, name.strip()) for name in names.split(","))
    for quoted, exporter in DOTTED.findall(text):
        module, _, name = (quoted or exporter).rpartition(".")
        yield module, name


def _imports(tree, file):
    """Imports of Python; a relative one is that of an own exercise, which is ``autograder.exercises.FOLDER.FILE``."""
    attributes = [
        node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = ["autograder", "exercises", file.parent.name][: 4 - node.level] if node.level else []
            module = ".".join([*package, *filter(None, [node.module])])
            for alias in node.names:
                yield module, alias.name
                # Verdicts are named as ``v.EDGES``.
                used = (one.attr for one in attributes if node.level and one.value.id == alias.asname)
                yield from ((f"{module}.{alias.name}", name) for name in used)
