"""Personal constants on a student's laptop: the class is in the instructor's zip, the id is set once."""

import json
import os
import subprocess
import sys
import zipfile

import pytest

from autograder import given
from autograder.__main__ import main
from autograder.grading.lab import load
from autograder.grading.student_seeds import secrets_for
from autograder.secret import values_key
from autograder.student import membership
from tests.grading.course import LAB, ROOT

CLASS = ["ann", "bob", "çelik", "4711"]
PERSONAL = "lab.roofline.own_chip"


@pytest.fixture
def instructor(monkeypatch):
    """Constants of each student in grading, and the class of the bundle; then simulate a student's laptop."""
    for name in ("CHIP2CLUSTER_VALUES_KEY", "CHIP2CLUSTER_STUDENT", "JUPYTERHUB_USER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "the instructor's")
    lab = load(ROOT, LAB)
    numbers = {name: secrets_for(lab, name).given[PERSONAL] for name in CLASS}
    told = json.dumps(membership.class_data(values_key(), CLASS)).encode()
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "another, as on every laptop")
    return numbers, told


@pytest.fixture
def laptop(instructor, tmp_path, monkeypatch):
    """Function that unpacks the zip and works in one of its labs."""

    def unpack(name="one"):
        folder = tmp_path / name / "my_labs" / LAB
        folder.mkdir(parents=True)
        (tmp_path / name / "class.json").write_bytes(instructor[1])
        monkeypatch.chdir(folder)
        return tmp_path / name

    return unpack


def test_each_student_has_the_numbers_that_grading_has(instructor, laptop, capsys):
    numbers = instructor[0]
    assert len(set(map(str, numbers.values()))) == len(CLASS)
    for name in CLASS:
        laptop(name)
        assert main(["identify", name]) == 0 and f"those of {name}." in capsys.readouterr().out
        assert given(PERSONAL) == numbers[name]


def test_member_ignores_case_and_surrounding_spaces(instructor, laptop):
    laptop()
    assert main(["identify", " Ann "]) == 0 and given(PERSONAL) == instructor[0]["ann"]


def test_given_without_a_student_asks_for_an_id(laptop):
    laptop()
    with pytest.raises(
        membership.UnknownStudent, match=r"no student is set here: run `%run -m autograder identify YOUR-ID`"
    ):
        given(PERSONAL)


def test_a_wrong_name_is_told_and_changes_nothing(instructor, laptop, capsys):
    top = laptop()
    assert main(["identify", "anm"]) == 2
    assert "no student of this class has the id 'anm'" in capsys.readouterr().err
    assert not (top / "student.txt").exists()
    assert main(["identify", "ann"]) == 0
    assert main(["identify", "anm"]) == 2 and given(PERSONAL) == instructor[0]["ann"]
    (top / "student.txt").write_text("anm")
    with pytest.raises(membership.UnknownStudent, match="no student of this class has the id 'anm'"):
        given(PERSONAL)


def test_two_students_on_one_laptop_have_a_folder_each(instructor, laptop, monkeypatch, capsys):
    first = laptop("first")
    assert main(["identify", "ann"]) == 0
    assert main(["identify", "bob"]) == 2
    assert "belongs to ann. For bob unpack the zip again" in capsys.readouterr().err
    laptop("second")
    assert main(["identify", "bob"]) == 0 and given(PERSONAL) == instructor[0]["bob"]
    monkeypatch.chdir(first)
    assert given(PERSONAL) == instructor[0]["ann"]
    # A student who typed a neighbour's id can change it.
    assert main(["identify", "bob", "--change"]) == 0 and given(PERSONAL) == instructor[0]["bob"]


def test_the_hub_says_who_it_is_and_a_damaged_file_is_told(instructor, laptop, monkeypatch):
    top = laptop()
    monkeypatch.setenv("JUPYTERHUB_USER", "bob")
    assert given(PERSONAL) == instructor[0]["bob"]
    monkeypatch.setenv("JUPYTERHUB_USER", "jovyan")
    with pytest.raises(membership.UnknownStudent, match="no student of this class has the id 'jovyan'"):
        given(PERSONAL)
    (top / "class.json").write_text('{"values_key": 1}')
    with pytest.raises(membership.UnknownStudent, match="is damaged; take it from your instructor's zip"):
        given(PERSONAL)


def test_outside_a_class_nothing_asks(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert membership.find_class() is None
    assert main(["identify", "ann"]) == 2 and "so no id is needed" in capsys.readouterr().err
    assert os.listdir(tmp_path) == []


def test_class_file_reveals_neither_secret_nor_students(instructor):
    told = json.loads(instructor[1])
    assert set(told) == {"values_key", "students"} and "instructor" not in told["values_key"]
    assert not any(name in instructor[1].decode() for name in ("ann", "bob", "çelik", "4711", "the instructor's"))


@pytest.mark.parametrize("size", [1, 31, 300])
@pytest.mark.parametrize("spelling", ["{:05}", "jd{:05}", "JD{:05}", "Jd{:05}", "jd{}@example.edu"])
def test_digests_notice_nine_of_ten_wrong_ids(size, spelling):
    ids = [spelling.format(number) for number in range(size)]
    found = membership.CourseClass(ROOT, "key", frozenset(membership.class_data("key", ids)["students"]))
    assert all(found.member(f" {one} ") == one for one in ids)
    # Anyone who has the file finds so many others that it proves nobody's membership.
    others = [spelling.format(number) for number in range(10_000, 14_000)]
    fits = sum(found.member(one) is not None for one in others) / len(others)
    assert 0.05 < fits < 0.2


def test_digest_is_as_long_as_the_class_needs():
    def bits(size):
        return {one.split("-")[1] for one in membership.class_data("key", map(str, range(size)))["students"]}

    assert (bits(31), bits(300)) == ({"8"}, {"12"})


def test_wrong_id_in_any_spelling_fits_one_class_in_ten(monkeypatch):
    ids = [f"s{number:03}" for number in range(31)]
    fits = 0
    for number in range(1000):
        found = membership.CourseClass(
            ROOT, str(number), frozenset(membership.class_data(str(number), ids)["students"])
        )
        fits += found.member(" S999\n") is not None
    assert 0.05 < fits / 1000 < 0.2


def test_class_file_of_an_earlier_version_is_read():
    file = ROOT / "tests/compatibility/data/student/class.json"
    found = membership.find_class(file.parent)
    assert all(len(one) == 4 for one in found.digests) and found.member("ANN") == "ann" and found.member("eve") is None


@pytest.mark.prove
def test_only_the_zip_of_a_class_contains_the_class_file(tmp_path):
    (tmp_path / "students.csv").write_text("id,first_name\nann,Ann\nbob,Bob\n")
    command = [sys.executable, "-m", "course.publish", "bundle", str(tmp_path)]
    environment = os.environ | {"CHIP2CLUSTER_SECRET": "41" * 3 + "b9d60f27ac358e" * 5}
    environment.pop("CHIP2CLUSTER_VALUES_KEY", None)
    subprocess.run([*command, "--students", str(tmp_path / "students.csv")], cwd=ROOT, env=environment, check=True)
    (made,) = tmp_path.glob("*-class.zip")
    with zipfile.ZipFile(made) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("/class.json")]
        assert name.count("/") == 1
        told = json.loads(archive.read(name))
    found = membership.CourseClass(tmp_path, told["values_key"], frozenset(told["students"]))
    assert found.member("ann") == "ann" and found.member("cid") is None
