"""Each lab marks as it says in the box, and the lab doctor can find a sick one."""

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


# That each solution earns every point and each stub none is tested for all labs, with their own kernels.
@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name == NAME else pytest.mark.prove) for name in LABS])
def test_lab_marks_as_it_says(name, box):
    lab = load(ROOT, name)
    with nullcontext(box) if name == NAME else Sandbox(lab) as own:
        assert examine_lab(ROOT, lab, own) == []


def test_a_check_that_asks_the_wrong_function_is_found(box):
    first, second, *_ = LAB.tasks
    sick = replace(LAB, tasks=(replace(first, function=second.function), second))
    complaints = examine_lab(ROOT, sick, box)
    assert any("the solution got" in complaint and first.exercise in complaint for complaint in complaints)
