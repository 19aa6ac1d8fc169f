"""Zips, lists and tables as Windows writes them: backslashes, capital letters, names of devices, UTF-16 and CRLF."""

import io
import json
import zipfile

import pytest

from autograder.__main__ import main
from autograder.grading.class_report.journals import read_journals
from autograder.grading.collect.collect import collect
from autograder.grading.collect.download_files import portable_parts, same_place
from autograder.grading.intake.documents import document_names
from autograder.grading.intake.submission_reader import read_submission
from autograder.grading.intake.text_files import prose_by_file
from tests.grading.attacks.model import SOLVED, notebook
from tests.grading.course import LAB
from tests.grading.downloads import NOTEBOOK
from tests.grading.fakes import submitted
from tests.grading.misplaced_answers import ESSAY
from tests.grading.notebooks import RELEASED
from tests.grading.test_class_report import a_journal

WORK, EMPTY = (json.dumps(notebook(base=base)).encode() for base in (SOLVED, None))


def windows_zip(*files):
    """Return a zip with exactly these names, which `zipfile` itself would change."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files:
            info = zipfile.ZipInfo("x")
            info.filename = name
            archive.writestr(info, data)
    return packed.getvalue()


@pytest.fixture
def collected(course, tmp_path):
    """Collect a download for ann, bob and zoe; returns the result and the files that each student has."""
    (tmp_path / "list.csv").write_bytes("id,first_name\r\nann,Ann\r\nbob,Bob\r\nzoe,Zoe\r\n".encode("utf-16"))
    assert main(["roster", str(tmp_path / "list.csv"), "--root", str(course.root)]) == 0

    def run(*files):
        (tmp_path / "download.zip").write_bytes(windows_zip(*files))
        result = collect(course.root, LAB, [tmp_path / "download.zip"])
        folders = {student: submitted(course, student) for student in ("ann", "bob", "zoe")}
        return result, {
            student: {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
            for student, folder in folders.items()
            if folder.is_dir()
        }

    return run


@pytest.mark.parametrize("above", ["", "C:\\Users\\me\\class\\", "..\\..\\", "class/"])
def test_zip_with_backslashes_is_collected(collected, above):
    files = [(f"{above}ann\\{NOTEBOOK}", WORK), (f"{above}bob\\{LAB}\\{NOTEBOOK}", EMPTY), (f"{above}empty\\", b"")]
    result, found = collected(*files)
    assert found == {"ann": {NOTEBOOK: WORK}, "bob": {NOTEBOOK: EMPTY}} and not result.unresolved


@pytest.mark.parametrize("first", [0, 1])
def test_names_that_differ_in_capitals_both_stay(collected, first):
    """On a disk that ignores capital letters, the second would take the place of the first."""
    files = [(f"ann/{NOTEBOOK}", WORK), (f"ann/{NOTEBOOK.upper()}", EMPTY), ("ann/A/x.txt", b"1"), ("ann/a", b"2")]
    result, found = collected(*(files if first else reversed(files)))
    assert found["ann"][NOTEBOOK] == WORK, "the name in small letters is the lab's"
    assert sorted(found["ann"].values()) == sorted(data for _, data in files)
    assert len({same_place(name.split("/")) for name in found["ann"]}) == len(files)
    assert not result.unreadable


def test_folders_that_differ_in_capitals_need_a_person(collected):
    result, found = collected((f"ann/{NOTEBOOK}", WORK), (f"Ann/{NOTEBOOK}", EMPTY), (f"BOB/{NOTEBOOK}", WORK))
    assert [*found] == ["bob"] and {row.handed_in_as for row in result.unresolved} == {"ann", "Ann"}


@pytest.mark.parametrize("name", [f"{NOTEBOOK}.", f"{NOTEBOOK} ", f"{NOTEBOOK}. ."])
def test_full_stops_and_blanks_at_an_end_are_dropped(collected, name):
    """Windows drops them, too."""
    _, found = collected(
        (f"ann/{name}", WORK), (f"bob./{NOTEBOOK}", WORK), (f"zoe/{NOTEBOOK}", EMPTY), (f"zoe/{name}", WORK)
    )
    assert found["ann"] == found["bob"] == {NOTEBOOK: WORK}
    assert found["zoe"] == {NOTEBOOK: EMPTY, f"again-{NOTEBOOK}": WORK}


@pytest.mark.parametrize("name", ["con.ipynb", "NUL", "aux.py", "Com1.txt", "lpt\u00b9.md"])
def test_names_of_devices_are_changed(collected, name):
    _, found = collected((f"ann/{name}", WORK), (f"ann/{NOTEBOOK}", EMPTY))
    assert found["ann"] == {f"_{name}": WORK, NOTEBOOK: EMPTY}
    assert portable_parts(["console.py", "com10", "a.nul"]) == ("console.py", "com10", "a.nul")


def test_files_of_windows_itself_are_left_out(collected):
    files = [f"{NOTEBOOK}:Zone.Identifier", "desktop.ini", "Thumbs.db", "~$essay.docx"]
    result, found = collected((f"ann/{NOTEBOOK}", WORK), *((f"ann/{name}", b"[x]") for name in files))
    assert found["ann"] == {NOTEBOOK: WORK} and [row.what for row in result.rows if row.student == "ann"] == [""]


def test_zip_with_backslashes_is_read_in_a_submission(tmp_path):
    files = [
        (f"C:\\work\\{NOTEBOOK}", WORK),
        (f"work\\__MACOSX\\._{NOTEBOOK}", b"x"),
        ("work\\README.txt", ESSAY.encode()),
    ]
    files += [("work\\essay.docx", b"x"), ("work\\essay.txt", ESSAY.encode()), ("work\\", b"")]
    (tmp_path / "work.zip").write_bytes(windows_zip(*files))
    found = read_submission(tmp_path, f"lab_{LAB}", RELEASED)
    assert found.notebook and "the only other notebook" in found.notes[0]
    assert document_names(tmp_path, f"lab_{LAB}") == ["work.zip/work/essay.docx", "work.zip/work/essay.txt"]
    assert [*prose_by_file(tmp_path, {})] == ["work.zip/work/essay.txt"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_journal_saved_by_windows_is_read(encoding, tmp_path):
    text = json.dumps(a_journal(1), indent=1).replace("\n", "\r\n")
    (tmp_path / "JOURNAL.JSON").write_bytes(text.encode(encoding))
    found, problems = read_journals([tmp_path / "JOURNAL.JSON"])
    assert len(found) == 1 and not problems


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_tables_saved_by_windows_are_read(encoding, collected, course, tmp_path, capsys):
    """Groups and the table of who is who, saved by a spreadsheet with semicolons."""
    collected((f"ann/{NOTEBOOK}", WORK), (f"stranger/{NOTEBOOK}", EMPTY))
    root = ["--root", str(course.root)]
    (tmp_path / "groups.csv").write_bytes("group;student\r\nred;ann\r\nred;bob\r\n".encode(encoding))
    assert main(["group", LAB, str(tmp_path / "groups.csv"), *root]) == 0
    table = course.root / f"autograder/work/collected/{LAB}.csv"
    rows = [line.split(",", 2) for line in table.read_text(encoding="utf-8").splitlines()]
    assert rows[0][:2] == ["handed_in_as", "student"]
    edited = [";".join(["stranger", "zoe"] if row[0] == "stranger" else row[:2]) for row in rows]
    table.write_bytes(("\r\n".join(edited) + "\r\n").encode(encoding))
    assert main(["collect", LAB, str(tmp_path / "download.zip"), *root]) == 0, capsys.readouterr()
    assert (submitted(course, "zoe") / NOTEBOOK).read_bytes() == EMPTY


@pytest.mark.parametrize("path", ["C:\\Users\\me\\list.csv", "\\\\server\\share\\list.csv"])
def test_path_of_windows_is_named_as_it_was_typed(path, course, capsys):
    for words in (["roster", path], ["group", LAB, path], ["exam", "mid", "--students", path], ["collect", LAB, path]):
        assert main([*words, "--root", str(course.root)]) == 2
        assert path in capsys.readouterr().err
