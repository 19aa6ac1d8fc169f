"""The wheel holds the package's own files and nothing else, wherever the checkout lies and whatever lies in it."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from autograder.questions import questions
from course.publish import wheel
from tests.private_text import found, question_file, question_texts

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("autograder", "course/chip2cluster")
PROJECT = ("pyproject.toml", "README.md", "LICENSE", "LICENSE-prose")
# The real file has /build/, which fits a checkout below the file system's own /build. No test can make one there.
IGNORE = ".venv/\nbuild/\ndist/\n/autograder/work/\n"
NO_ALLOW_LIST = """
[tool.hatch.build.targets.wheel]
packages = ["course/chip2cluster", "autograder"]
exclude = ["autograder/scaffold/templates", "goals.toml", "GOALS.md"]

"""
# Its name in a wheel for the file of each written question.
QUESTIONS = {
    question_file(question).relative_to(ROOT).as_posix().removeprefix("course/"): question
    for question in questions().values()
}
# Files that .gitignore hides, and files beside the code that it does not.
PLANTED = (
    "autograder/work/gradebook.db",
    "autograder/work/submitted/ann/03_roofline/lab_03_roofline.ipynb",
    "autograder/work/submitted/ann/03_roofline/__init__.py",
    "autograder/work/feedback/ann/03_roofline/lab_03_roofline.html",
    "autograder/grading/submission_notes.csv",
    "autograder/grading/.ipynb_checkpoints/run-checkpoint.py",
    "course/chip2cluster/secret.txt",
    "course/chip2cluster/data/measure/marks.csv",
)


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    """A clean copy of all that the wheel is built from. It is made without git, so that it needs none."""
    top = tmp_path_factory.mktemp("clean")
    other = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", "work")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, top / name, ignore=other)
    for name in PROJECT:
        shutil.copy(ROOT / name, top / name)
    (top / ".gitignore").write_text(IGNORE)
    return top


@pytest.fixture(scope="module")
def built(clean, tmp_path_factory):
    return wheel.build(tmp_path_factory.mktemp("built"), clean)


@pytest.fixture(scope="module")
def names(built):
    return names_in(built)


def names_in(file):
    with zipfile.ZipFile(file) as archive:
        return archive.namelist()


def plant(clean, root, ignore=IGNORE):
    """Copy the clean sources to ``root`` and put files beside them that are not the package's own."""
    shutil.copytree(clean, root, copy_function=os.link)
    (root / ".gitignore").unlink()
    if ignore is not None:
        (root / ".gitignore").write_text(ignore)
    for name in PLANTED:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("ann")
    return root


def test_wheel_holds_every_file_of_the_package(clean, names):
    files = (file.relative_to(clean) for name in PACKAGES for file in (clean / name).rglob("*.*"))
    sources = {file.as_posix().removeprefix("course/") for file in files}
    wanted = {name for name in sources if not wheel.LEFT_OUT.match(name)}
    packed = {name for name in names if not name.startswith("chip2cluster-")}
    assert packed == wanted and len(packed) > 1000


def test_wheel_holds_no_written_question(clean, built):
    texts = [text for question in QUESTIONS.values() for text in question_texts(question)]
    with zipfile.ZipFile(built) as archive:
        assert found(texts, {name: archive.read(name) for name in archive.namelist()}) == []
    sources = {file.relative_to(clean).as_posix(): file.read_bytes() for file in clean.rglob("*.py")}
    assert {name.removeprefix("course/") for name in found(texts, sources)} == set(QUESTIONS)


def test_every_written_question_is_found_in_its_file():
    assert len(QUESTIONS) == len(questions()) > 10
    for question in questions().values():
        source = {"": question_file(question).read_bytes()}
        assert all(found([text], source) for text in question_texts(question))


def test_left_out_files_exist():
    """A pattern that fits nothing would guard nothing."""
    files = [*ROOT.glob("autograder/scaffold/templates/*"), *ROOT.glob("course/chip2cluster/chapters/*/*.py")]
    left_out = [
        file for file in files if wheel.LEFT_OUT.match(file.relative_to(ROOT).as_posix().removeprefix("course/"))
    ]
    assert {file.name for file in left_out} >= {"exercise.py.template", "written_question.py"}
    assert wheel.LEFT_OUT.match("autograder/work/gradebook.db")


@pytest.mark.parametrize(
    "place, ignore",
    [
        ("chip", IGNORE),
        ("build/chip", IGNORE),
        (".venv/chip", IGNORE),
        ("dist/chip", IGNORE),
        ("chip", None),
        ("chip", IGNORE.replace("/autograder/work/\n", "")),
    ],
    ids=["clone", "below-build", "below-venv", "below-dist", "no-gitignore", "line-gone"],
)
def test_wheel_leaves_out_planted_files(clean, names, tmp_path, place, ignore):
    root = plant(clean, tmp_path / place, ignore)
    assert names_in(wheel.build(tmp_path / "built", root)) == names


def test_wheel_build_refuses_foreign_files(clean, tmp_path, monkeypatch):
    monkeypatch.setattr(wheel, "SHOWN", 99)
    root = plant(clean, tmp_path / "build/chip")
    project = root / "pyproject.toml"
    before, rest = project.read_text(encoding="utf-8").split("[tool.hatch.build]\n")
    after = rest.partition("[tool.hatch.build.targets.wheel.shared-data]\n")[1:]
    project.unlink()  # it is a link to the clean one
    project.write_text("".join((before, NO_ALLOW_LIST, *after)), encoding="utf-8")
    with pytest.raises(wheel.NotDistributable) as refused:
        wheel.build(tmp_path / "built", root)
    for name in (*PLANTED, *QUESTIONS):
        assert name.removeprefix("course/") in str(refused.value), name
    assert list((tmp_path / "built").iterdir()) == []


@pytest.mark.parametrize(
    "name",
    [
        "autograder/scaffold/templates/skeleton.py",
        *QUESTIONS,
        "autograder/exam/templates/exam.json",
        "autograder/drafts/exam.py",
        "autograder/ann/03_roofline/__init__.py",
        "autograder/NOTES.md",
        "chip2cluster/data/slurm/class.csv",
        "chip2cluster/../secret.py",
        "solutions/03_roofline/__init__.py",
        "chip2cluster-0.0.1.dist-info/METADATA",
    ],
)
def test_foreign_names_other_files(names, name):
    assert wheel.unexpected_files(names) == []
    assert wheel.unexpected_files([*names, name]) == [name]


def test_editable_install_finds_both_packages(clean, tmp_path):
    root = plant(clean, tmp_path / "build/chip")
    program = "import sys; from hatchling.build import build_editable; build_editable(sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=root, check=True)
    with zipfile.ZipFile(tmp_path / wheel.NAME) as archive:
        assert set(archive.read("_chip2cluster.pth").decode().splitlines()) == {str(root), str(root / "course")}


def test_sdist_leaves_out_planted_files(clean, tmp_path):
    root = plant(clean, tmp_path / "build/chip")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    (packed,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        files = {
            member.name.partition("/")[2]: archive.extractfile(member).read() for member in archive if member.isfile()
        }
    assert "autograder/grading/notebook_run.py" in files and files.keys().isdisjoint(PLANTED)
    assert found([text for question in QUESTIONS.values() for text in question_texts(question)], files) == []
