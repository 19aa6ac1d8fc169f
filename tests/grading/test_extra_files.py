"""Modules and small tables are graded together with the notebook; no other file is opened."""

import os

import pytest

from autograder.grading.intake.archive import pack_submission, unpack_submission
from autograder.grading.intake.extra_files import (
    MAX_FILE_BYTES,
    MAX_FILES,
    MAX_TOTAL_BYTES,
    read_extra_files,
    without_unused_notebooks,
)
from autograder.grading.runs.fingerprint import submission_digest


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "ann"
    folder.mkdir()
    (folder / "lab.ipynb").write_text("{}")
    (folder / "mine.py").write_bytes(b"x = 1")
    return folder


def test_modules_and_tables_of_the_folder_and_of_those_in_it(folder):
    for name in (
        "a.CSV",
        "b.npy",
        "c.json",
        "timestamp.txt",
        ".hidden.py",
        "picture.png",
        "script.sh",
        "Other.ipynb",
        "d.pkl",
    ):
        (folder / name).write_bytes(b"1")
    for name in ("data", "__pycache__", ".git", "deep/deeper"):
        (folder / name).mkdir(parents=True)
        (folder / name / "t.csv").write_bytes(b"2")
    assert read_extra_files(folder).files == {
        "a.CSV": b"1",
        "b.npy": b"1",
        "c.json": b"1",
        "d.pkl": b"1",
        "lab.ipynb": b"{}",
        "Other.ipynb": b"1",
        "mine.py": b"x = 1",
        "data/t.csv": b"2",
    }
    assert read_extra_files(folder).notes == ()


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
    assert list(read_extra_files(folder).files) == ["mine.py", "lab.ipynb"]
    os.symlink(folder, tmp_path / "bob")
    assert read_extra_files(tmp_path / "bob").files == {} and read_extra_files(tmp_path / "nobody").files == {}


@pytest.mark.parametrize(
    "count, size", [(1, MAX_FILE_BYTES + 1), (MAX_FILES + 5, 1), (10, MAX_TOTAL_BYTES // 5), (3000, 1)]
)
def test_there_is_room_for_so_much_and_the_rest_is_named(folder, count, size):
    for number in range(count):
        (folder / f"t{number:04}.csv").write_bytes(bytes(size))
    found = read_extra_files(folder)
    assert len(found.files) <= MAX_FILES and sum(map(len, found.files.values())) <= MAX_TOTAL_BYTES
    (sentence,) = found.notes
    assert f"`{found.left_out[0]}`" in sentence and len(sentence) < 500 and found.files["mine.py"] == b"x = 1"


def test_on_another_machine_the_same_is_there(folder, tmp_path):
    (folder / "data").mkdir()
    (folder / "data" / "t.csv").write_bytes(b"2")
    (folder / "huge.csv").write_bytes(bytes(MAX_FILE_BYTES + 1))
    there = unpack_submission(pack_submission(folder, "lab"), tmp_path)
    assert read_extra_files(there) == read_extra_files(folder) and read_extra_files(there).notes


def test_notebook_comes_along_only_if_the_code_names_it():
    files = {"mine.py": b"", "helpers.ipynb": b"", "parts/more.ipynb": b"", "lab-Copy1.ipynb": b""}
    kept = without_unused_notebooks(files, ["%run helpers.ipynb", "%run parts/more.ipynb"])
    assert list(kept) == ["mine.py", "helpers.ipynb", "parts/more.ipynb"]


def test_notebooks_take_no_place_of_other_files(folder):
    for number in range(MAX_FILES):
        (folder / f"a{number:02}.ipynb").write_bytes(b"1")
    (folder / "z.csv").write_bytes(b"1")
    found = read_extra_files(folder)
    assert {"mine.py", "z.csv"} <= set(found.files) and len(found.files) == MAX_FILES and found.notes == ()


def test_a_changed_module_is_graded_again(folder):
    before = submission_digest(folder, "lab", "")
    (folder / "timestamp.txt").write_text("later")
    assert submission_digest(folder, "lab", "") == before
    (folder / "mine.py").write_bytes(b"x = 2")
    assert submission_digest(folder, "lab", "") != before
