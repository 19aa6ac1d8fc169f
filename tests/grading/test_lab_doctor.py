"""Each lab marks as it says in the box, and the lab doctor can find a sick one."""

from dataclasses import replace

import pytest

from autograder.box import Box
from autograder.grading.lab import load
from autograder.grading.lab_doctor import examine_lab
from tests.grading.attacks.model import LAB, ROOT

LABS = sorted(folder.name for folder in (ROOT / "solutions").iterdir() if folder.is_dir())


@pytest.mark.parametrize("name", LABS)
def test_lab_marks_as_it_says(name):
    lab = load(ROOT, name)
    with Box(lab) as box:
        assert examine_lab(ROOT, lab, box) == []


def test_a_check_that_asks_the_wrong_function_is_found():
    first, second, *_ = LAB.tasks
    sick = replace(LAB, tasks=(replace(first, function=second.function), second))
    with Box(LAB) as box:
        complaints = examine_lab(ROOT, sick, box)
    assert any("the solution got" in complaint and first.exercise in complaint for complaint in complaints)
