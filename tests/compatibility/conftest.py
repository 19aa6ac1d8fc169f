"""Copies of the fixtures, and an environment without anybody's record or settings."""

import os
import sys

import pytest

from tests.compatibility import places


@pytest.fixture(scope="module", autouse=True)
def environment(tmp_path_factory):
    """Set only the variables with which the fixtures were made."""
    scratch = tmp_path_factory.mktemp("scratch")
    kept = [*sys.path]
    with pytest.MonkeyPatch.context() as patch:
        for name in [*os.environ]:
            if name.startswith(("CHIP2CLUSTER_", "JUPYTERHUB_", "JPY_SESSION_NAME")):
                patch.delenv(name)
        patch.setenv("CHIP2CLUSTER_HOME", str(scratch / "record"))
        patch.setenv("CHIP2CLUSTER_SECRET", "for the tests")
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
            patch.setenv(name, str(scratch / name))
        yield
    # nbgrader puts the course folder there.
    sys.path[:] = kept


@pytest.fixture
def course(tmp_path):
    """A copy of the class's course folder."""
    return places.copied("class_course", tmp_path)


@pytest.fixture
def student(tmp_path, monkeypatch):
    """A copy of the student's folder, which is the current one and whose record counts."""
    folder = places.copied("student", tmp_path)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(folder / "record"))
    monkeypatch.delenv("CHIP2CLUSTER_SECRET")
    return folder
