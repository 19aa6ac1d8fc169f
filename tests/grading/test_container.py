"""The container file of the grader, as far as it can be looked at without building it."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "deploy" / "grader" / "Containerfile"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
GUIDE = (ROOT / "docs/instructors/sandbox.md").read_text(encoding="utf-8")


def steps(word):
    """What stands after an instruction, one for each time that it is there."""
    text = re.sub(r"\\\n", "", FILE.read_text())
    return [line.partition(" ")[2].strip() for line in text.splitlines() if line.startswith(f"{word} ")]


def test_it_starts_from_a_python_that_the_project_supports():
    (base,) = steps("FROM")
    name, _, tag = base.partition(":")
    # The short name of an image: whose registry it is, is for the tool that builds.
    assert name == "python"
    assert SpecifierSet(PROJECT["requires-python"]).contains(re.match(r"[\d.]+", tag)[0])


def test_nothing_of_the_course_and_of_students_is_copied_into_it():
    sources = [source for step in steps("COPY") for source in shlex.split(step)[:-1]]
    assert sources == ["pyproject.toml", "constraints.txt"] and not steps("ADD")


@pytest.mark.parametrize("line", steps("RUN"), ids=range(len(steps("RUN"))))
def test_each_line_that_it_runs_is_a_command(line):
    checked = subprocess.run(["sh", "-n", "-c", line], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def test_it_installs_what_grading_needs():
    (line,) = [line for line in steps("RUN") if "pip install" in line]
    program = shlex.split(line)[2]
    needed = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    names = {Requirement(one).name for one in needed.stdout.splitlines()}
    wanted = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["grading"]]
    assert names == {Requirement(one).name for one in wanted} >= {"numpy", "nbgrader"}
    assert "bubblewrap" in " ".join(steps("RUN"))


def test_the_mounted_course_is_what_runs_and_not_as_root():
    paths = re.search(r"PYTHONPATH=(\S+)", " ".join(steps("ENV")))[1].split(":")
    here = [Path(path.replace("/course", str(ROOT), 1)) for path in paths]
    for package in ("autograder", "chip2cluster"):
        assert any((path / package / "__init__.py").exists() for path in here)
    assert steps("WORKDIR")[-1] == "/course" and steps("USER") == ["grader"]


def test_guide_builds_the_container_and_mounts_the_course():
    commands = re.findall(r"^(?:docker|podman) (?:build|run).*", GUIDE, re.MULTILINE)
    build, *runs = [shlex.split(command) for command in commands]
    assert (ROOT / build[build.index("--file") + 1]) == FILE and build[-1] == "."
    tag = build[build.index("--tag") + 1]
    assert runs
    for run in runs:
        assert tag in run and run[run.index("--volume") + 1].endswith(":/course")
        # Without it bubblewrap cannot make its rooms.
        assert "seccomp=unconfined" in run and "CHIP2CLUSTER_SECRET" in run
