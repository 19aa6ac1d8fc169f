"""Unusual zip files: too large, too many, wrong sizes, encrypted, damaged, or with unsafe names."""

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.grading.intake.submission_reader import read_submission
from tests.grading.attacks.model import LAB, NAME
from tests.grading.test_odd_folders import FILE, put, zipped
from tests.grading.test_submission_reader import refused


def bomb(size):
    with zipfile.ZipFile(data := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive, archive.open(FILE, "w") as file:
        for _ in range(size >> 20):
            file.write(bytes(1 << 20))
    return data.getvalue()


def crowd(number):
    with zipfile.ZipFile(data := io.BytesIO(), "w") as archive:
        for one in range(number):
            archive.writestr(f"{one}.txt", "")
    return data.getvalue()


def lying():
    """Return a zip file with a wrong size of the notebook in its directory."""
    data = bytearray(zipped())
    at = data.rfind(b"PK\1\2", 0, data.rfind(b"PK\1\2"))
    data[at + 24 : at + 28] = (5).to_bytes(4, "little")
    return bytes(data)


def locked():
    data = bytearray(zipped())
    for mark, flag in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = -1
        while (at := data.find(mark, at + 1)) >= 0:
            data[at + flag] |= 1
    return bytes(data)


@pytest.mark.parametrize(
    "data, words",
    [
        (lambda: bomb(200 << 20), "MB, and the limit is"),
        (lambda: crowd(3000), "thousands of files"),
        (lambda: b"PK\3\4 but no zip", "not a zip file, or is damaged"),
        (lambda: zipped()[:-40], "not a zip file, or is damaged"),
        (lying, ""),
        (locked, "password"),
        (lambda: zipped(zipped(), "inner.zip"), "only lab.zip"),
        (lambda: zipped("no notebook"), "not valid JSON"),
        (lambda: crowd(3), "only lab.zip"),
    ],
)
def test_zips_that_are_refused(data, words, tmp_path):
    refused(read_submission(put(tmp_path, data(), "lab.zip"), f"lab_{NAME}", LAB.released), words)


def test_names_in_a_zip_lead_nowhere(tmp_path):
    for number, name in enumerate((f"../../{FILE}", f"/etc/{FILE}", "a\x1b]0;x\x07.ipynb")):
        found = read_submission(put(tmp_path / str(number), zipped(name=name), "lab.zip"), f"lab_{NAME}", LAB.released)
        assert found.notebook and all(note.isprintable() for note in found.notes)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["0", "1", "2", *3 * ["lab.zip"]]


@given(st.integers(0, 5000), st.binary(min_size=1, max_size=12))
def test_a_zip_that_was_damaged_anywhere(tmp_path_factory, where, new):
    data = bytearray(zipped())
    where %= len(data)
    data[where : where + len(new)] = new
    found = read_submission(put(tmp_path_factory.mktemp("zip"), bytes(data), "lab.zip"), f"lab_{NAME}", LAB.released)
    assert (found.notebook is None) == bool(found.problem)
