"""Work that this account may not read waits for the instructor, with its owner: it is neither missing nor worth 0."""

import errno
import os
import pwd
import stat

import pytest

from autograder.grading.collect.collect import collect
from autograder.grading.intake import permissions
from tests.grading.course import LAB
from tests.grading.downloads import NOTEBOOK
from tests.grading.fakes import answers, run, scores, submitted
from tests.grading.test_mishaps import grade  # noqa: F401  (a fixture)

NOBODY = 65534
pytestmark = pytest.mark.skipif(os.name != "posix", reason="files have no such permissions")


@pytest.fixture
def locked(monkeypatch):
    """A function that takes this account's permission to read a path: root may read everything."""
    denied = set()

    def refusing(function):
        def call(path=".", *more, **options):
            if isinstance(path, str | bytes | os.PathLike) and os.path.abspath(os.fsdecode(path)) in denied:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
            return function(path, *more, **options)

        return call

    for name in ("open", "scandir"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name)))
    return lambda path: denied.add(str(path))


def test_locked_submission_needs_the_instructor(course, locked):
    for student in ("ann", "bob"):
        course.submit(student, answers(course, 1))
    file = submitted(course, "ann") / NOTEBOOK
    file.chmod(0o600)
    locked(file)
    found = run(course)
    assert found.not_graded == ["ann"] and not found.clean
    told = "\n".join(found.notices)
    me = pwd.getpwuid(os.geteuid()).pw_name
    assert "Need you: 1." in told and f"ann: The file {file} belongs to the account {me} and has the mode 0600" in told
    assert "The grader itself failed" not in told and "bob" not in told
    with course.gradebook() as book:
        (ann,) = book.find_submission(LAB, "ann").notebooks
        assert all(grade.needs_manual_grade for grade in ann.grades), "its 0 is not a mark"


def test_submission_counts_again_when_it_may_be_read(course, locked, monkeypatch):
    course.submit("ann", answers(course, 1))
    with monkeypatch.context() as lock:
        lock.setattr("autograder.grading.runs.pipeline.find_locked", lambda folder: "locked")
        assert run(course).not_graded == ["ann"]
    assert run(course).clean and scores(course)["ann"] > 0


def test_lock_keeps_marks_that_stood(course, locked):
    course.submit("ann", answers(course, 1))
    assert run(course).clean
    before = scores(course)
    locked(submitted(course, "ann"))
    found = run(course, regrade=True)
    assert found.kept == ["ann"] and scores(course) == before and "Earlier marks are kept" in "\n".join(found.notices)


def test_locked_module_beside_the_notebook_counts(course, locked):
    """Functions that import it would lose their points."""
    course.submit("ann", answers(course, 1))
    helper = submitted(course, "ann") / "helper.py"
    helper.write_text("x = 1")
    locked(helper)
    assert "helper.py" in run(course).locked["ann"]


def test_grade_command_says_whose_the_work_is(course, locked, grade):  # noqa: F811
    course.submit("ann", answers(course, 1))
    locked(submitted(course, "ann") / NOTEBOOK)
    code, told = grade()
    assert code == 1 and "Need you: 1." in told and "belongs to the account" in told


@pytest.mark.parametrize("part", [NOTEBOOK, ""])
def test_collection_takes_nothing_from_a_locked_folder(course, locked, tmp_path, part):
    """Work that was collected before stays, and the student is not among those who handed in nothing."""
    course.submit("ann", answers(course, 1))
    before = (submitted(course, "ann") / NOTEBOOK).read_bytes()
    folder = tmp_path / "download" / "ann"
    folder.mkdir(parents=True)
    (folder / NOTEBOOK).write_bytes(b"{}")
    locked(folder / part)
    result = collect(course.root, LAB, [tmp_path / "download"])
    (row,) = [one for one in result.rows if one.handed_in_as]
    assert [one.student for one in result.unresolved] == ["ann"] and not result.clean and not result.absent
    assert "belongs to the account" in row.what and "Nothing of it was taken" in row.what
    assert not result.unreadable and (submitted(course, "ann") / NOTEBOOK).read_bytes() == before


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="takes the rights of another account")
def test_denial_names_owner_and_mode(tmp_path_factory):
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        folder = permissions.Path(place, "ann")
        folder.mkdir(mode=0o700)
        (folder / "lab.ipynb").write_text("{}")
        os.seteuid(NOBODY)
        try:
            told = permissions.find_locked(folder)
            inside = permissions.denial(folder / "lab.ipynb")
        finally:
            os.seteuid(0)
        assert told == inside and f"The folder {folder} belongs to the account root and has the mode 0700" in told
        assert "the account nobody may not read it" in told and "chmod a+rx" in told
        folder.chmod(0o755)
        (folder / "lab.ipynb").chmod(stat.S_IRUSR)
        os.seteuid(NOBODY)
        try:
            assert "chmod a+r`" in permissions.find_locked(folder)
        finally:
            os.seteuid(0)
        assert permissions.find_locked(folder) == "", "root may read it"
