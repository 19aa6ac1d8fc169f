"""An id that is also a name, or resembles another id, gives nobody the work of a person with a similar name."""

import pytest

from autograder.grading.collect.collect import collect
from tests.grading.downloads import NOTEBOOK, import_list, lab_bytes
from tests.grading.fakes import submitted

CLASS = "id,first_name,last_name\nann,Ann,Adams\nx77,Ann,Smith\nann.b,Flo,Field\nlee,Kim,Park\nz9,Bo,Lee\n"


@pytest.mark.parametrize(
    ("folder", "candidates"),
    [
        ("Ann Marie Smith", {"ann", "x77"}),  # x77's second name
        ("smith_ann_m", {"ann", "x77"}),
        ("ann b", {"ann", "ann.b"}),
        ("Bo J. Lee", {"lee", "z9"}),
        ("\u0430nn", set()),  # the first letter is Cyrillic
        ("\uff41nn", set()),  # of full width
    ],
)
def test_id_within_anothers_name_needs_a_person(course, download, folder, candidates):
    import_list(course, CLASS)
    result = collect(
        course.root, "03_roofline", [download({f"{folder}/{NOTEBOOK}": lab_bytes(), f"z9/{NOTEBOOK}": b"{}"})]
    )
    (row,) = result.unresolved
    assert row.handed_in_as == folder and all(student in row.what for student in candidates)
    assert not any(submitted(course, student).exists() for student in ("ann", "x77", "ann.b", "lee"))


@pytest.mark.parametrize(
    ("folder", "student"),
    [
        ("ann_final", "ann"),
        ("Adams, Ann (ann)", "ann"),
        ("x77_Smith", "x77"),
        ("Ann Smith", "x77"),
        ("ann.b lab 3", "ann.b"),
        ("Kim Park lee", "lee"),
    ],
)
def test_id_within_a_name_finds_its_owner(course, download, folder, student):
    import_list(course, CLASS)
    collect(course.root, "03_roofline", [download({f"{folder}/{NOTEBOOK}": lab_bytes(), f"z9/{NOTEBOOK}": b"{}"})])
    assert (submitted(course, student) / NOTEBOOK).read_bytes() == lab_bytes()
