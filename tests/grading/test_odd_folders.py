"""Any submitted folder gives one row, the same with both commands, and does not affect other students."""

import io
import json
import os
import shutil
import subprocess
import tempfile
import zipfile
from contextlib import suppress
from pathlib import Path

import nbgrader.apps.api
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from autograder.grading.gradebook.attachments import MAX_DEPTH, copy_files, submission_stamp
from autograder.grading.gradebook.course import folder_to_student_id, open_course
from autograder.grading.intake.archive import pack_submission, unpack_submission
from autograder.grading.intake.notebook_candidates import MAX_OTHERS
from autograder.grading.intake.submission_reader import read_submission
from autograder.grading.reports.feedback import write_feedback
from autograder.grading.result_store import ResultStore
from autograder.grading.runs.pipeline import grade_lab
from tests.grading import fakes
from tests.grading.attacks.model import FULL, LAB, NAME, SOLVED, notebook
from tests.grading.course import ROOT, Course
from tests.grading.fakes import answers, run
from tests.grading.test_submission_reader import refused, somebody

FILE, OLD = f"lab_{NAME}.ipynb", f"{NAME}.ipynb"  # current and former name of the notebook
SOLUTION = json.dumps(notebook(base=SOLVED))
STUB = json.dumps(LAB.released)
PRIVATE = "nobody may read this out of a submission"

ANOTHERS = "whose page of feedback this is"


def put(folder, text=SOLUTION, name=FILE):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def zipped(text=SOLUTION, name=f"my lab/{FILE}"):
    with zipfile.ZipFile(data := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("my lab/notes.txt", "x")
        archive.writestr(name, text)
        archive.writestr(f"__MACOSX/._{FILE}", "x")
    return data.getvalue()


def nest(folder, name):
    """Create nested folders until the system refuses, each from within its parent."""
    back = os.open(".", os.O_RDONLY)
    try:
        os.chdir(folder)
        for _ in range(1500):
            os.mkdir(name)
            os.chdir(name)
    except OSError:
        pass
    finally:
        with suppress(OSError):
            open("last", "w").close()
        os.fchdir(back)
        os.close(back)


def remove(folder):
    """Remove a tree that is too deep for shutil, so that pytest can delete its folders."""
    subprocess.run(["rm", "-rf", folder], check=True)


def hand_in(above):
    """Create a class with unusual folders; return the expected status and points by student."""
    folder = {name: above / name / NAME for name in ("honest", "utf-16", "pipes", "links", "long", "deep", "time")}
    for name, place in folder.items():
        put(place, SOLUTION.encode("utf-16") if name == "utf-16" else SOLUTION)
    os.mkfifo(folder["pipes"] / "timestamp.txt")
    os.mkfifo(folder["pipes"] / "data.csv")
    (folder["time"] / "timestamp.txt").write_text("half past eight")
    secret = put(above.parent / "private", PRIVATE, "private.txt") / "private.txt"
    (folder["links"] / "data.txt").symlink_to(secret)
    (folder["links"] / "timestamp.txt").symlink_to(secret)
    (folder["links"] / "submission_secret.txt").symlink_to(secret)
    (folder["links"] / "others").symlink_to(above / "honest")
    (folder["links"] / "loop").symlink_to(folder["links"])
    put(folder["honest"], ANOTHERS, "submission_secret.txt")
    nest(folder["long"], "n" * 200)
    nest(folder["deep"], "d")
    (above / "linked").symlink_to("honest")
    (above / "dangling").symlink_to("nobody")
    (above / "linked lab").mkdir()
    (above / "linked lab" / NAME).symlink_to(above / "honest" / NAME)
    (above / "linked file" / NAME).mkdir(parents=True)
    (above / "linked file" / NAME / FILE).symlink_to(ROOT / "solutions" / NAME / FILE)
    # Two folders with similar names.
    twin = os.fsdecode(b"M\xfcller")
    put(above / twin / NAME)
    put(above / "M\\xfcller" / NAME, STUB)
    put(above / "zip" / NAME, zipped(), "lab.zip")
    put(above / "zip in folder" / NAME / "lab", zipped(), "lab.zip")
    put(above / "folder" / NAME / "lab 3")
    put(above / "copy" / NAME, STUB)
    put(above / "copy" / NAME, name="03_roofline-Copy1.ipynb")
    for name, text in ((FILE, STUB), ("a.ipynb", SOLUTION), ("b.ipynb", SOLUTION)):
        put(above / "copies" / NAME, text, name)
    put(above / "script" / NAME, "print(1)", "03_roofline.py")
    put(above / "half" / NAME, SOLUTION[:999])
    put(above / "misplaced")
    put(above, name="file.ipynb")
    full, none = ("graded", FULL), ("unreadable", 0.0)
    good = (*folder, folder_to_student_id(twin), "zip", "zip in folder", "folder", "copy")
    bad = ("linked", "dangling", "linked lab", "linked file", "script", "half", "misplaced", "file")
    return (
        dict.fromkeys(good, full)
        | dict.fromkeys(bad, none)
        | {folder_to_student_id("M\\xfcller"): ("graded", 0.0), "copies": ("graded_with_errors", 0.0)}
    )


# Students that nbgrader's own command also grades in `make test`; in `make prove` it grades all.
BOTH = ("honest", "pipes", "links", "linked", "linked file", "dangling", "zip", "copies", "half")


@pytest.fixture(scope="module")
def graded(registered, tmp_path_factory):
    """Grade the class of `hand_in` by this grader's command and by nbgrader's; return courses, reports and expectations."""
    courses = []
    with pytest.MonkeyPatch.context() as patch:
        for name in ("ours", "theirs"):
            root = tmp_path_factory.mktemp(name)
            course = Course(root)
            shutil.copytree(registered / "autograder/work", root / "autograder/work", dirs_exist_ok=True)
            (root / "autograder/work/submitted").mkdir(parents=True, exist_ok=True)
            expected = hand_in(root / "autograder/work/submitted")
            courses.append(course)
        for name in ("CHIP2CLUSTER_SECRET", "CHIP2CLUSTER_HOME", "JUPYTER_CONFIG_DIR"):
            patch.setenv(name, course.environment[name])
        ours, theirs = courses
        others = theirs.root / "others"
        others.mkdir()
        for place in list((theirs.root / "autograder/work/submitted").iterdir()):
            if place.name not in BOTH:
                place.rename(others / place.name)
        try:
            found = grade_lab(ours.root, NAME, jobs=1)
            theirs.nbgrader_here("autograde", NAME)
            yield ours, theirs, found, expected
        finally:
            for course in courses:
                remove(course.root)


def stored(course):
    return {result.student: result.row() for result in ResultStore.of(course.root, NAME)}


@pytest.mark.sandbox
def test_everybody_has_a_row_of_their_own(graded):
    ours, _, found, expected = graded
    assert {student: (row["status"], row["score"]) for student, row in found.rows.items()} == expected
    assert found.failures == {} and fakes.scores(ours) == {student: score for student, (_, score) in expected.items()}
    sentences = {
        "linked": "symbolic link",
        "linked lab": "symbolic link",
        "linked file": "symbolic link",
        "script": "only 03_roofline.py",
        "misplaced": "belongs in STUDENT/03_roofline/lab_03_roofline.ipynb",
        "zip": f"my lab/{FILE} in lab.zip",
        "folder": f"lab 3/{FILE}",
        "copy": "03_roofline-Copy1.ipynb has answers and was graded instead",
        "copies": "a.ipynb, b.ipynb were also handed in and not graded",
    }
    for student, words in sentences.items():
        assert words in " ".join(found.rows[student]["repairs"]), student


@pytest.mark.sandbox
def test_a_second_run_finds_nothing_new(graded):
    ours, _, found, _ = graded
    again = grade_lab(ours.root, NAME, jobs=1)
    assert (again.graded, again.rows, again.failures) == (0, found.rows, {})


@pytest.mark.sandbox
def test_nbgraders_own_command_gives_the_same(graded):
    _, theirs, found, expected = graded
    assert stored(theirs) == {student: found.rows[student] for student in BOTH}
    assert fakes.scores(theirs) == {student: expected[student][1] for student in BOTH}


@pytest.mark.sandbox
@pytest.mark.parametrize("student", ["linked", "zip", "links"])
def test_so_does_the_button(graded, student):
    _, theirs, found, _ = graded
    ResultStore.of(theirs.root, NAME).file(student).unlink()
    app = open_course(theirs.root).app
    done = nbgrader.apps.api.NbGraderAPI(app.coursedir, parent=app).autograde(NAME, student)
    assert done["success"], done
    assert ResultStore.of(theirs.root, NAME).get(student).row() == found.rows[student]


@pytest.mark.sandbox
def test_nothing_behind_a_link_is_carried_on(graded):
    for course in graded[:2]:
        write_feedback(course.root, NAME)
        made = [course.root / "autograder/work" / step for step in ("autograded", "feedback")]
        files = [file for folder in made for file in folder.rglob("*")]
        assert len(files) > 50 and not any(file.is_symlink() for file in files)
        assert not any(PRIVATE.encode() in file.read_bytes() for file in files if file.is_file())
        holders = {file.parts[-3] for file in files if file.is_file() and ANOTHERS.encode() in file.read_bytes()}
        assert holders == {"honest"}
        assert not any(file.name in ("others", "loop", "data.txt", "data.csv") for file in files)


@pytest.mark.sandbox
def test_the_page_of_formgrader_lists_them(graded):
    _, theirs, _, expected = graded
    app = open_course(theirs.root).app
    listed = nbgrader.apps.api.NbGraderAPI(app.coursedir, parent=app).get_submissions(NAME)
    assert {one["student"] for one in listed} >= {student for student in BOTH if expected[student][1]}


@pytest.mark.prove
def test_nbgraders_own_command_gives_everybody_the_same(graded):
    _, theirs, found, expected = graded
    for place in list((theirs.root / "others").iterdir()):
        place.rename(theirs.root / "autograder/work/submitted" / place.name)
    theirs.nbgrader_here("autograde", NAME)
    assert stored(theirs) == found.rows
    assert fakes.scores(theirs) == {student: score for student, (_, score) in expected.items()}


# --- one at a time -------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="files have no such permissions")
def test_closed_folders_are_their_owners_problem():
    # Only its owner may enter pytest's folder.
    with tempfile.TemporaryDirectory() as place:
        above = Path(place)
        above.chmod(0o755)
        for student in ("open", "lab", "all"):
            put(above / student / NAME)
        course = open_course(ROOT, above)
        (above / "lab" / NAME).chmod(0)
        (above / "all").chmod(0)
        with somebody():
            found = course.submissions(NAME)
            assert list(found) == ["all", "lab", "open"]
            for student in ("all", "lab"):
                refused(read_submission(found[student], f"lab_{NAME}", LAB.released), "Permission denied")
                assert [kind for _, kind, _ in pack_submission(found[student], f"lab_{NAME}")] == ["absent"]
                assert submission_stamp("x", found[student]) == submission_stamp("x", above / "nowhere")
            assert read_submission(found["open"], f"lab_{NAME}", LAB.released).notebook


def test_one_who_cannot_be_entered_ends_no_run(course, monkeypatch):
    from autograder.grading.gradebook import writer

    for student in ("ann", "bob"):
        course.submit(student, answers(course, 1))
    assert run(course).clean

    def broken(digest, source):
        if "bob" in str(source):
            raise OSError(36, "File name too long")
        return digest

    monkeypatch.setattr(writer, "submission_stamp", broken)
    again = run(course)
    assert list(again.failures) == ["bob"] and list(again.rows) == ["ann", "bob"] and not again.clean


def test_a_file_that_vanishes_costs_nothing(tmp_path, monkeypatch):
    put(tmp_path / "in", "x", "a.txt")
    put(tmp_path / "in", "x", "b.txt")
    really = os.lstat

    def gone(path, **more):
        (tmp_path / "in" / "a.txt").unlink(missing_ok=True)
        return really(path, **more)

    monkeypatch.setattr(os, "lstat", gone)
    assert len(submission_stamp("x", tmp_path / "in")) == 64


def test_no_tree_is_followed_to_its_end(tmp_path):
    nest(put(tmp_path / "in"), "d")
    copy_files(tmp_path / "in", tmp_path / "out", (), 10**6, 10**6)
    deepest = max(len(path.relative_to(tmp_path / "out").parts) for path in (tmp_path / "out").rglob("*"))
    assert deepest <= MAX_DEPTH + 1 and (tmp_path / "out" / FILE).exists()
    assert len(submission_stamp("x", tmp_path / "in")) == 64
    remove(tmp_path / "in")


def test_a_file_in_place_of_a_folder_hides_nobody(course):
    above = course.root / "autograder/work/submitted"
    for name in ("ann", "a.ipynb"):
        put(above / name / NAME)
    for name in ("ann.ipynb", "bob.ipynb", "README.md"):
        put(above, name=name)
    found = open_course(course.root).submissions(NAME)
    assert found == {"a.ipynb": above / "a.ipynb" / NAME, "ann": above / "ann" / NAME, "bob": above / "bob.ipynb"}


@given(st.binary(min_size=1, max_size=60), st.binary(min_size=1, max_size=60))
@example(b"M\xfcller", b"M\\xfcller")
@example(b"M\\\xfcller", b"M\\\\xfcller")
@example(b"\xfc" * 250, b"\xfc" * 249 + b"\xfd")
def test_no_two_folders_are_one_student(one, other):
    ids = [folder_to_student_id(os.fsdecode(name)) for name in (one, other)]
    assert (ids[0] == ids[1]) == (one == other)
    assert all(len(name.encode()) <= 255 for name in ids)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\\/\0"), min_size=1))
def test_ordinary_names_are_their_ids(name):
    assert folder_to_student_id(name) == name


# --- which of several counts ---------------------------------------------------------

OTHER_LAB = (ROOT / "solutions" / "05_systolic" / "lab_05_systolic.ipynb").read_text(encoding="utf-8")
OWN = json.dumps({"cells": [{"cell_type": "code", "source": "1 + 1", "metadata": {}}]})


@pytest.mark.parametrize(
    "files, taken, status",
    [
        ({FILE: SOLUTION, "03_roofline-Copy1.ipynb": STUB}, True, "graded"),
        ({FILE: STUB, "03_roofline-Copy1.ipynb": STUB}, False, "graded"),
        ({FILE: STUB, "sub/other.ipynb": SOLUTION}, True, "graded"),
        ({FILE: STUB, "lab.zip": zipped()}, True, "graded"),
        ({FILE: STUB, "05_systolic.ipynb": OTHER_LAB, "own.ipynb": OWN}, False, "graded"),
        ({FILE: STUB, "05_systolic.ipynb": OTHER_LAB, "mine.ipynb": SOLUTION}, True, "graded"),
        ({FILE: STUB, "a.ipynb": SOLUTION, "b.ipynb": SOLUTION}, False, "graded_with_errors"),
        ({FILE: STUB, "half.ipynb": SOLUTION[:500]}, False, "graded_with_errors"),
        ({FILE: STUB, **{f"{n}.ipynb": STUB for n in range(MAX_OTHERS + 1)}}, False, "graded_with_errors"),
        ({FILE: SOLUTION[:500], "03_roofline (1).ipynb": SOLUTION}, True, "graded"),
        ({FILE: SOLUTION[:500], "a.ipynb": STUB}, False, "unreadable"),
        ({"a.ipynb": STUB, "b.ipynb": SOLUTION}, True, "graded"),
        ({"a.ipynb": SOLUTION, "b.ipynb": SOLUTION}, False, "unreadable"),
        ({f"labs/{FILE}": SOLUTION, "labs/05_systolic.ipynb": OTHER_LAB}, True, "graded"),
        ({OLD: SOLUTION}, True, "graded"),
        ({FILE: STUB, OLD: SOLUTION}, True, "graded"),
        ({FILE: SOLUTION, OLD: STUB}, True, "graded"),
        ({OLD: SOLUTION, "05_systolic.ipynb": OTHER_LAB, "a.ipynb": STUB}, True, "graded"),
        ({OLD: SOLUTION, **{f"{n}.ipynb": STUB for n in range(MAX_OTHERS + 1)}}, True, "graded"),
        ({"03_roofline.ipynb.txt": SOLUTION}, True, "graded"),
        ({"03_roofline.html": "<html>", "03_roofline.pdf": "%PDF"}, False, "unreadable"),
    ],
)
def test_which_notebook_counts_and_what_is_said(files, taken, status, tmp_path):
    (tmp_path / "there").mkdir()
    for path, text in files.items():
        put((tmp_path / "here" / path).parent, text, path.rpartition("/")[2])
    found = read_submission(tmp_path / "here", f"lab_{NAME}", LAB.released)
    sources = ["".join(cell["source"]) for cell in (found.notebook or {"cells": ()})["cells"]]
    assert (SOLVED["shortest_time"] in sources) == taken and found.status == status
    said = " ".join((found.problem, *found.notes))
    if list(files) == [OLD]:
        assert said == "", "a name that was right once is no repair"
    else:
        assert any(path.rpartition("/")[2] in said for path in files if path != FILE)
    assert (
        read_submission(
            unpack_submission(pack_submission(tmp_path / "here", f"lab_{NAME}"), tmp_path / "there"),
            f"lab_{NAME}",
            LAB.released,
        )
        == found
    )
