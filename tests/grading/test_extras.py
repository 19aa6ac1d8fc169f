"""Of what lies beside a notebook modules and small tables travel with it; nothing else is opened."""

import os

import pytest

from autograder.grading.intake.archive import pack, unpack
from autograder.grading.intake.extras import MOST_BYTES, MOST_FILES, MOST_TOGETHER, extras
from autograder.grading.runs.fingerprint import of_submission


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "ann"
    folder.mkdir()
    (folder / "lab.ipynb").write_text("{}")
    (folder / "mine.py").write_bytes(b"x = 1")
    return folder


def test_modules_and_tables_of_the_folder_and_of_those_in_it(folder):
    for name in ("a.CSV", "b.npy", "c.json", "timestamp.txt", ".hidden.py", "picture.png", "script.sh", "Other.ipynb"):
        (folder / name).write_bytes(b"1")
    for name in ("data", "__pycache__", ".git", "deep/deeper"):
        (folder / name).mkdir(parents=True)
        (folder / name / "t.csv").write_bytes(b"2")
    assert extras(folder).files == {
        "a.CSV": b"1",
        "b.npy": b"1",
        "c.json": b"1",
        "mine.py": b"x = 1",
        "data/t.csv": b"2",
    }
    assert extras(folder).notes == ()


def test_what_is_no_file_of_the_students_is_not_opened(folder, tmp_path):
    (tmp_path / "secret.py").write_text("s")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "t.csv").write_text("s")
    os.symlink(tmp_path / "secret.py", folder / "link.py")
    os.symlink(tmp_path / "outside", folder / "data")
    os.mkfifo(folder / "pipe.py")
    (folder / "folder.py").mkdir()
    (folder / os.fsdecode(b"M\xfcller.py")).write_text("s")
    (folder / "esc\x1b[1m.py").write_text("s")
    assert list(extras(folder).files) == ["mine.py"]
    os.symlink(folder, tmp_path / "bob")
    assert extras(tmp_path / "bob").files == {} and extras(tmp_path / "nobody").files == {}


@pytest.mark.parametrize("count, size", [(1, MOST_BYTES + 1), (MOST_FILES + 5, 1), (10, MOST_TOGETHER // 5), (3000, 1)])
def test_there_is_room_for_so_much_and_the_rest_is_named(folder, count, size):
    for number in range(count):
        (folder / f"t{number:04}.csv").write_bytes(bytes(size))
    found = extras(folder)
    assert len(found.files) <= MOST_FILES and sum(map(len, found.files.values())) <= MOST_TOGETHER
    (sentence,) = found.notes
    assert f"`{found.left_out[0]}`" in sentence and len(sentence) < 500 and found.files["mine.py"] == b"x = 1"


def test_on_another_machine_the_same_is_there(folder, tmp_path):
    (folder / "data").mkdir()
    (folder / "data" / "t.csv").write_bytes(b"2")
    (folder / "huge.csv").write_bytes(bytes(MOST_BYTES + 1))
    there = unpack(pack(folder, "lab"), tmp_path)
    assert extras(there) == extras(folder) and extras(there).notes


def test_a_changed_module_is_graded_again(folder):
    before = of_submission(folder, "lab", "")
    (folder / "timestamp.txt").write_text("later")
    assert of_submission(folder, "lab", "") == before
    (folder / "mine.py").write_bytes(b"x = 2")
    assert of_submission(folder, "lab", "") != before
