"""Each lab is graded in the sandbox as it promises, and the lab doctor finds a faulty one."""

from contextlib import nullcontext
from dataclasses import replace

import pytest

from autograder.grading.lab import load
from autograder.grading.lab_doctor import examine_lab
from autograder.sandbox import Sandbox
from tests.grading.attacks.model import LAB, NAME, ROOT

pytestmark = pytest.mark.sandbox


@pytest.fixture(scope="module")
def box():
    with Sandbox(LAB) as box:
        yield box


LABS = sorted(folder.name for folder in (ROOT / "solutions").iterdir() if folder.is_dir())


# Other tests check for all labs that solutions earn full points and stubs none.
@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name == NAME else pytest.mark.prove) for name in LABS])
def test_lab_is_graded_as_promised(name, box):
    lab = load(ROOT, name)
    with nullcontext(box) if name == NAME else Sandbox(lab) as own:
        assert examine_lab(ROOT, lab, own) == []


def test_doctor_finds_a_check_of_the_wrong_function(box):
    first, second, *_ = LAB.tasks
    faulty = replace(LAB, tasks=(replace(first, function=second.function), second))
    complaints = examine_lab(ROOT, faulty, box)
    assert any("the solution got" in complaint and first.exercise in complaint for complaint in complaints)
