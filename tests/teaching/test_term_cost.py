"""What a term costs its markers: hours follow from the labs that are set, errors from the theory of samples."""

import itertools
import math
import statistics

import pytest

from autograder import course_pages
from course.teaching import term_cost
from tests.teaching.test_terms import NAMES, known


@pytest.mark.parametrize("name", NAMES)
def test_answers_are_those_that_nbgrader_leaves_to_a_person(name):
    folders = {work.lab.folder for week in known()[name].weeks for work in week.work}
    cells = [cell for file in course_pages.labs() if file.parent.name in folders for cell in course_pages.cells(file)]
    marks = [cell["metadata"].get("nbgrader", {}) for cell in cells]
    assert term_cost.answers(known()[name]) == sum(bool(one.get("grade") and one.get("solution")) for one in marks)


def test_hours_of_a_class_of_120():
    # 13 labs, 120 students, two minutes each: 52 hours, computed by an instructor.
    rows = {(row["term"], row["students"]): row for row in term_cost.costs(known().values())}
    assert rows["14 weeks", 120]["marking"] == "52" and rows["14 weeks", 120]["answers"] == 13


@pytest.mark.parametrize("marked", range(1, 7))
def test_standard_error_is_that_of_all_samples_of_a_term(marked):
    marks = [3.0, 4.5, 6.0, 2.0, 5.5, 4.0]
    means = [statistics.fmean(sample) for sample in itertools.combinations(marks, marked)]
    # The spread divides by n - 1, as Cochran, Sampling Techniques (1977), theorem 2.2 has it.
    assert term_cost.standard_error(marked, len(marks), statistics.stdev(marks)) == pytest.approx(
        math.sqrt(statistics.pvariance(means)), abs=1e-12
    )


def test_no_way_down_costs_more_than_marking_all():
    first, *others = term_cost.ways_down(known()["14 weeks"], 120)
    hours = [[int(one) for one in way["hours"].split(" to ")] for way in others]
    assert all(max(one) <= int(first["hours"]) for one in hours) and all(way["loses"] for way in others)
