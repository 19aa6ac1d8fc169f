"""Every public name of every model is used by a test or by an example in a docstring."""

import ast
import dataclasses
import doctest
import inspect
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import chip2cluster

TESTS = Path(__file__).parent
PACKAGE = Path(chip2cluster.__file__).parent
MODELS = [name for name in chip2cluster.__all__ if name not in ("draw", "explore", "predict")]
NAMES = [(model, name) for model in MODELS for name in import_module(f"chip2cluster.{model}").__all__]


def used_by_examples(model):
    """Names that the docstrings of a model's files use after ``>>>``."""
    home = PACKAGE / model
    for path in home.glob("*.py") if home.is_dir() else [home.with_suffix(".py")]:
        for example in doctest.DocTestParser().get_examples(path.read_text(encoding="utf-8")):
            for node in ast.walk(ast.parse(example.source)):
                if isinstance(node, ast.Name):
                    yield node.id
                elif isinstance(node, ast.Attribute):
                    yield node.attr


def used_by_tests(path):
    """Pairs of model and name that a test file imports, or takes from an imported model."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    models = {}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module == "chip2cluster":
            models |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("chip2cluster."):
            yield from ((node.module.split(".")[1], alias.name) for alias in node.names)
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in models:
            yield models[node.value.id], node.attr


@cache
def used():
    by_tests = {pair for path in TESTS.glob("*.py") for pair in used_by_tests(path)}
    names = by_tests | {(model, name) for model in MODELS for name in used_by_examples(model)}
    # A record that nobody makes by hand is used where something is that gives it.
    records = {pair for pair in NAMES if is_record(*pair)} - names
    while more := {
        pair
        for pair in records
        if any(other in names and other[0] == pair[0] and gives(other, pair[1]) for other in NAMES)
    }:
        names, records = names | more, records - more
    return names


def is_record(model, name):
    value = getattr(import_module(f"chip2cluster.{model}"), name)
    return dataclasses.is_dataclass(value) or hasattr(value, "_fields")


def gives(pair, record):
    """Whether the source of a public function or class names a record, as one that returns it does."""
    return re.search(rf"\b{record}\b", source(pair)) is not None


@cache
def source(pair):
    """The source of what has a public name; empty for what has none."""
    value = inspect.unwrap(getattr(import_module(f"chip2cluster.{pair[0]}"), pair[1]))
    return inspect.getsource(value) if callable(value) else ""


@pytest.mark.parametrize("model", MODELS)
def test_each_public_name_is_used_by_a_test_or_an_example(model):
    unused = [name for other, name in NAMES if other == model and (model, name) not in used()]
    assert not unused, f"no file of tests/models and no docstring's example uses {model}.{', '.join(unused)}"
