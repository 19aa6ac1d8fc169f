"""Public docstrings have numpydoc's form, stand alone line by line, and hold the terms that people search for."""

import ast
import dataclasses
import inspect
import re
import subprocess
from enum import Enum
from itertools import pairwise
from pathlib import Path

import pytest
from numpydoc.validate import validate

import chip2cluster
from chip2cluster import explore

ROOT = Path(__file__).resolve().parents[1]
# Groups of numpydoc's checks: general form, summary line, parameters, returns.
CHECKS = re.compile(r"GL|SS03|PR|RT")
FRAGMENT = re.compile(r" +(Of|In|That|As|From|Which|Whose|What|Where|By|To|On|With|At)\b")


def public(package):
    """Return the functions and classes that a package exports, by their full names."""
    module = getattr(chip2cluster, package)
    members = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
    return {
        f"{module.__name__}.{name}": one
        for name, one in members.items()
        if callable(one) and getattr(one, "__module__", "").startswith("chip2cluster.")
    }


@pytest.mark.parametrize("package", chip2cluster.__all__)
def test_public_docstrings_have_the_form_of_numpydoc(package):
    problems, names = [], public(package)
    assert names or not hasattr(getattr(chip2cluster, package), "__all__")
    for name, one in names.items():
        problems += [
            f"{name}: {code} {text}"
            for code, text in validate(name)["errors"]
            if CHECKS.match(code) and not (code in ("PR01", "PR02", "PR04") and _documents_its_fields(one))
        ]
    assert problems == []


def _documents_its_fields(one):
    """Return whether it is a class whose fields, start values or inherited parameters need no Parameters section."""
    return isinstance(one, type) and (
        "__init__" not in vars(one)
        or dataclasses.is_dataclass(one)
        or issubclass(one, (tuple, Enum, BaseException, explore.Explorer))
    )


def fragments(text):
    """Return the descriptions in a docstring's sections that begin in the middle of a sentence; questions are whole."""
    lines = text.splitlines()
    return [
        line.strip()
        for before, line in pairwise(lines)
        if FRAGMENT.match(line) and "?" not in line and not before.startswith(" ")
    ]


def docstrings():
    """Yield the file and the docstring of every module, class and function of the two packages."""
    names = subprocess.run(["git", "ls-files", "autograder", "course"], cwd=ROOT, capture_output=True, text=True)
    for name in names.stdout.splitlines():
        if name.endswith(".py"):
            for node in ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8"))):
                if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield name, inspect.cleandoc(ast.get_docstring(node, clean=True) or "")


def test_descriptions_in_docstrings_stand_alone():
    texts = list(docstrings())
    assert len(texts) > 5000
    found = [f"{name}: {line}" for name, text in texts for line in fragments(text)]
    assert found == []
    assert fragments("Do it.\n\nParameters\n----------\nnodes\n    Of the machine.") == ["Of the machine."]
