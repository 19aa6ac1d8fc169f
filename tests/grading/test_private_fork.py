"""Run the private-fork commands of docs/instructors/private-material.md with bare repositories in place of the hosts."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile

import pytest

from autograder.__main__ import main
from autograder.questions import class_question
from autograder.questions.cells import text_of, without_question
from course.publish import wheel
from tests.grading.assignments import change
from tests.grading.course import LAB, ROOT, STRONG_SECRET

PAGE = (ROOT / "docs/instructors/private-material.md").read_text(encoding="utf-8")
MAKE, OURS, UPDATE = re.findall(r"^```sh\n(.*?)^```", PAGE.partition("## Add a second")[0], re.M | re.S)
PUBLIC, PRIVATE = "https://github.com/chip-to-cluster/chip-to-cluster", "https://your-host/course-2027.git"
# A small course: what a fork is tried with.
FILES = (".gitignore", "nbgrader_config.py", "autograder/graded_help.json")
FOLDERS = (f"solutions/{LAB}", f"labs/{LAB}")


@pytest.fixture
def hosts(tmp_path, monkeypatch):
    """A public repository with a working copy of its makers, and an empty private one."""
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", STRONG_SECRET)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Ann")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ann@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    makers = tmp_path / "makers"
    for name in FILES:
        (makers / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, makers / name)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, makers / name)
    source = makers / f"solutions/{LAB}/lab_{LAB}.ipynb"
    source.write_text(text_of(without_question(json.loads(source.read_text(encoding="utf-8")))), encoding="utf-8")
    bash("git init --quiet --initial-branch main && git add --all && git commit --quiet --message First", makers)
    for name in ("public.git", "private.git"):
        bash(f"git init --quiet --bare --initial-branch main {name}", tmp_path)
    bash("git remote add origin ../public.git && git push --quiet origin main", makers)
    return tmp_path


def bash(line, folder):
    done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{line}\n{done.stderr}"
    return done.stdout


def follow(block, folder, hosts):
    """Do the lines of a block, our own commands in this process, and return where they have led to."""
    for line in block.splitlines():
        words = shlex.split(line, comments=True)
        if words[0] == "cd":
            folder = folder / words[1]
        elif words[0] == "autograder":
            assert main([*words[1:], "--root", str(folder)]) == 0, line
        else:
            bash(line.replace(PUBLIC, str(hosts / "public.git")).replace(PRIVATE, str(hosts / "private.git")), folder)
    return folder


def first_cell(file):
    return "".join(json.loads(file.read_text(encoding="utf-8"))["cells"][0]["source"])


def ours(hosts, without=()):
    """Follow the page up to the first push, but for these lines, and look at both hosts; return the fork."""
    block = "\n".join(line for line in OURS.splitlines() if line not in without)
    fork = follow(block, follow(MAKE, hosts, hosts), hosts)
    assert "bear out" in bash(f"git show main:solutions/{LAB}/lab_{LAB}.ipynb", hosts / "private.git")
    # Nothing of ours is anywhere else, nor gets there by accident.
    assert bash("git log --oneline main", hosts / "public.git").count("\n") == 1
    assert subprocess.run(["git", "push", "upstream", "HEAD:main"], cwd=fork, capture_output=True).returncode
    (fork / "autograder/work").mkdir(exist_ok=True)
    (fork / "autograder/work/gradebook.db").touch()
    bash("git add --all", fork)
    assert "autograder/work" not in bash("git ls-files", fork)
    assert "autograder/work" in bash("git ls-files --others", fork)
    return fork


def test_private_fork_is_created_and_filled(hosts):
    fork = ours(hosts, without=["autograder generate-labs"])
    assert json.loads((fork / "autograder/graded_help.json").read_text()) == {"all": "mistakes"}


@pytest.mark.prove
def test_private_fork_releases_labs_and_is_updated(hosts):
    fork = ours(hosts)
    lab = fork / f"labs/{LAB}/lab_{LAB}.ipynb"
    words = class_question("roofline").wording.splitlines()[2]
    assert words in bash(f"git show main:labs/{LAB}/lab_{LAB}.ipynb", hosts / "private.git")
    assert "switched off" in first_cell(lab) and "35 points" in first_cell(lab)

    # The public course mends a sentence where our release says something else.
    makers = hosts / "makers"
    source = makers / f"solutions/{LAB}/lab_{LAB}.ipynb"

    def mend(cell):
        cell["source"] = [line.replace("You are about to buy", "You will soon buy") for line in cell["source"]]

    change(source, mend)
    notebook = json.loads(source.read_text(encoding="utf-8"))
    source.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert main(["generate-labs", "--root", str(makers)]) == 0
    bash("git commit --quiet --all --message Mended && git push --quiet origin main", makers)
    follow(UPDATE, fork, hosts)
    assert (
        "You will soon buy" in first_cell(lab) and "35 points" in first_cell(lab) and "switched off" in first_cell(lab)
    )
    assert words in lab.read_text(encoding="utf-8") and not bash("git status --short", fork)
    assert main(["generate-labs", "--check", "--root", str(fork)]) == 0
    # The question is the same, and goes without a trace.
    assert main(["written-question", LAB, "--remove", "--root", str(fork)]) == 0
    assert (fork / f"solutions/{LAB}/lab_{LAB}.ipynb").read_bytes() == source.read_bytes()


def test_private_guide_names_existing_commands(capsys):
    lines = [line for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.M | re.S) for line in block.splitlines()]
    asked = [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("autograder ")]
    assert len(asked) > 8
    for words in asked:
        with pytest.raises(SystemExit) as ended:
            main([*words, "--help"])
        assert ended.value.code == 0


@pytest.mark.prove
def test_help_policy_is_in_the_students_zip(tmp_path):
    """Of a copy of all that is tracked: what its makers chose is what a student's check does."""
    fork = tmp_path / "fork"
    for name in bash("git ls-files --cached --others --exclude-standard", ROOT).splitlines():
        if (ROOT / name).is_file():
            (fork / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, fork / name)
    environment = os.environ | {"CHIP2CLUSTER_HOME": str(tmp_path / "record"), "CHIP2CLUSTER_SECRET": STRONG_SECRET}

    def python(words, **more):
        where = {"PYTHONPATH": f"{fork}:{fork}/course"} | more
        done = subprocess.run(
            [sys.executable, *words],
            cwd=tmp_path if more else fork,
            env=environment | where,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    python(["-m", "autograder", "help-policy", "off", "--labs", LAB])
    python(["-m", "autograder", "generate-labs"])
    python(["-m", "course.publish", "bundle"])
    (zipped,) = (fork / "build/dist").glob("*.zip")
    student = tmp_path / "student"
    with zipfile.ZipFile(zipped) as archive:
        archive.extractall(student)
    (top,) = student.iterdir()
    with zipfile.ZipFile(top / wheel.NAME) as archive:
        archive.extractall(student / "package")
    assert "switched off" in first_cell(top / f"labs/{LAB}/lab_{LAB}.ipynb")
    wrong = "check('lab.roofline.shortest_time', lambda flops, bytes_moved, peak_flops, memory_bandwidth: flops / peak_flops + bytes_moved / memory_bandwidth)"
    program = f"from autograder import check, hint; print({wrong}); print(hint('lab.roofline.shortest_time')); print(hint('lab.links.fit_link'))"
    said = python(["-c", program], PYTHONPATH=str(student / "package"))
    assert "leave it to you" in said and "No hints here" in said and "Hint 1 of 3" in said
