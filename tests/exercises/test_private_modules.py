"""Exercises in the package are neither called by an answer nor shown by `reveal`."""

import pkgutil
import sys
from dataclasses import replace
from types import ModuleType

import pytest

import autograder
import chip2cluster
from autograder.checking.local_runner import call_on_cases
from autograder.checking.outcome import OutcomeKind
from autograder.exercises import exercise, exercises
from autograder.exercises.model import Case
from autograder.grading.check_cells import GradedTask
from autograder.grading.lab import Lab
from autograder.student.help import solution_card

REFERENCE = "def reference(number):\n    return 2 * number\n"


@pytest.fixture
def plant(monkeypatch):
    """Create a module with one function under any name."""

    def plant(name):
        module = ModuleType(name)
        exec(REFERENCE, vars(module))
        monkeypatch.setitem(sys.modules, name, module)
        return module

    return plant


@pytest.mark.parametrize(
    "name, allowed, kind",
    [
        ("chip2cluster.roofline.tides", ("chip2cluster.roofline",), OutcomeKind.VALUE),
        ("chip2cluster.roofline.tides", ("chip2cluster",), OutcomeKind.VALUE),
        ("chip2cluster.roofline.tides", ("chip2cluster.roof",), OutcomeKind.PACKAGE),
        ("chip2cluster.chapters.tides", (), OutcomeKind.PACKAGE),
        ("chip2cluster.chapters.tides", ("chip2cluster", "chip2cluster.chapters"), OutcomeKind.PACKAGE),
        ("chip2cluster.exercise", ("chip2cluster.exercise",), OutcomeKind.PACKAGE),
        ("autograder.student.given", ("autograder.student.given",), OutcomeKind.VALUE),
        ("autograder.exercises.tides", ("chip2cluster",), OutcomeKind.PACKAGE),
        ("chip2clusterx.tides", (), OutcomeKind.VALUE),
    ],
)
def test_ask_refuses_calls_into_exercises(plant, name, allowed, kind):
    module = plant(name)
    (outcome,) = call_on_cases(lambda number: module.reference(number), [Case({"number": 3.0}, "any")], allowed)
    assert outcome.kind is kind


def test_lab_allows_models_alone(monkeypatch):
    named = (
        "chip2cluster.chapters.roofline",
        "chip2cluster.specs",
        "chip2cluster.exercise",
        "autograder.student.given",
    )
    known = replace(exercise("roofline.ridge"), allowed=(*named, "chip2clusterx"))
    monkeypatch.setattr(GradedTask, "definition", known)
    lab = Lab("01_x", "lab_01_x", {"cells": []}, (GradedTask("a", known.id, "ridge", 1.0),), {}, None)
    assert lab.allowed == ("chip2cluster.specs",)


def test_solution_shows_no_source_of_exercises(plant, monkeypatch):
    shown = "chip2cluster.roofline.tides"
    source = dict.fromkeys((shown, "chip2cluster.chapters.tides", "chip2cluster.exercise.tides"), REFERENCE)
    monkeypatch.setattr("inspect.getsource", lambda function: f"# {function.__module__}\n{source[function.__module__]}")
    functions = tuple(plant(name).reference for name in source)
    card = solution_card(replace(exercise("roofline.ridge"), shows=functions))
    assert card.folded == f"# {shown}\n{REFERENCE}".rstrip()


def test_allowed_modules_exist():
    """A name that is nowhere allows nothing, and a student's call is refused without a reason."""
    known = {one.name for one in pkgutil.walk_packages(chip2cluster.__path__, "chip2cluster.")}
    known |= {one.name for one in pkgutil.walk_packages(autograder.__path__, "autograder.")}
    names = {(task.id, name) for task in exercises().values() for name in task.allowed}
    assert {(task, name) for task, name in names if name not in known and name.rpartition(".")[0] not in known} == set()
