"""A course for tests of what stands around the grader, with its gradebook made once."""

import shutil

import pytest

# What they assert is shown in full, as in a test.
pytest.register_assert_rewrite("tests.grading.notebooks")

from tests.grading.course import LAB, Course  # noqa: E402


@pytest.fixture(scope="session")
def registered(tmp_path_factory):
    """A course whose lab is in the gradebook: making that takes seconds."""
    course = Course(tmp_path_factory.mktemp("registered"))
    course.nbgrader("generate_assignment", LAB)
    return course


@pytest.fixture
def new_gradebook(registered, tmp_path):
    """A function that puts a gradebook without submissions in place."""

    def put():
        shutil.copy(registered.root / "autograder/work/gradebook.db", tmp_path / "autograder/work")

    (tmp_path / "autograder/work").mkdir(parents=True, exist_ok=True)
    return put


@pytest.fixture
def course(new_gradebook, tmp_path, monkeypatch):
    """A course for `fakes.run`; nobody has handed in yet."""
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "jupyter"))
    monkeypatch.setenv("FAKE_TRACE", str(tmp_path / "trace"))
    course = Course(tmp_path)
    new_gradebook()
    return course
