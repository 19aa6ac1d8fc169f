"""Binder builds what we mean, and its last step does what it should.

repo2docker is Binder's own program; without building an image it says how it
reads this repository. The last step, ``postBuild``, really runs here.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.publishing.conftest import make_environment

# Files that repo2docker would follow instead of, or besides, environment.yml.
SHADOWS = [
    "binder",
    ".binder",
    "Dockerfile",
    "requirements.txt",
    "setup.py",
    "Pipfile",
    "Pipfile.lock",
    "runtime.txt",
    "install.R",
    "DESCRIPTION",
    "Project.toml",
    "REQUIRE",
    "default.nix",
    "apt.txt",
    "start",
    "environment.yaml",
]


@pytest.fixture(scope="module")
def read(checkout):
    """What repo2docker makes of a clean checkout: its log, then the Dockerfile."""
    done = subprocess.run(
        [sys.executable, "-m", "repo2docker", "--no-build", "--debug", "."],
        cwd=checkout,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr, done.stdout


def test_binder_takes_the_environment_file_and_its_python(read):
    log, dockerfile = read
    assert "Building conda environment for python=3.11" in log
    assert re.search(r"env update -p \$\{NB_PYTHON_PREFIX\} --file \"environment\.yml\"", dockerfile)
    assert "environment.py-3.11-linux-64.lock" in dockerfile.replace("-2d", "-").replace("-2e", ".")
    # It is installed before the pages are copied, so that a changed page costs no new environment.
    assert dockerfile.index('--file "environment.yml"') < dockerfile.index(" src/ ${REPO_DIR}/")


def test_binder_ignores_nothing_and_runs_the_last_step(read, checkout):
    log, dockerfile = read
    assert not re.search(r"ignor|warn|deprecat|unspecified", log, re.I), log
    assert [name for name in SHADOWS if (checkout / name).exists()] == []
    *_, last = re.findall(r"^RUN (.*)$", dockerfile, re.M)
    assert last == "./postBuild"
    assert os.access(checkout / "postBuild", os.X_OK)


@pytest.fixture(scope="module")
def built(checkout, tmp_path_factory):
    """A fresh environment after ``postBuild``, with this one's packages standing in for conda's."""
    top = tmp_path_factory.mktemp("binder")
    home, prefix = top / "repository", top / "environment"
    shutil.copytree(checkout, home)
    variables = make_environment(prefix)
    done = subprocess.run(
        ["./postBuild"],
        cwd=home,
        env=variables | {"HOME": str(top)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return home, prefix


def test_the_last_step_installs_the_course_from_the_repository(built):
    home, prefix = built
    code = "import chip2cluster, autograder; print(chip2cluster.__file__); print(autograder.__file__)"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [prefix / "bin/python", "-c", code], cwd=prefix, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(home / "course/chip2cluster/__init__.py"), str(home / "autograder/__init__.py")]


def test_the_last_step_brings_settings_extension_and_labs(built):
    home, prefix = built
    settings = json.loads(
        (prefix / "share/jupyter/lab/settings/overrides.d/chip2cluster.json").read_text(encoding="utf-8")
    )
    # The same file that tests/browser/test_opening.py opens JupyterLab with.
    assert settings == json.loads((home / "course/chip2cluster/overrides.json").read_text(encoding="utf-8"))
    assert settings["@jupyterlab/apputils-extension:notification"] == {"fetchNews": "false", "checkForUpdates": False}
    extension = prefix / "etc/jupyter/jupyter_server_config.d/chip2cluster.json"
    assert extension.read_bytes() == (home / "course/chip2cluster/serverextension.json").read_bytes()
    for mine, theirs in (("my_labs", "labs"), ("my_course", "course")):
        copies = sorted(path.relative_to(home / mine) for path in (home / mine).rglob("*.ipynb"))
        assert copies == sorted(path.relative_to(home / theirs) for path in (home / theirs).rglob("*.ipynb")) != []


def test_jupyterlab_reads_the_settings_where_they_are_put(built):
    from jupyterlab_server.settings_utils import _get_overrides

    _, prefix = built
    overrides, error = _get_overrides(str(Path(prefix) / "share/jupyter/lab/settings"))
    assert not error and overrides["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"
