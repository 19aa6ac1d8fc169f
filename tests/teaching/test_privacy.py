"""What PRIVACY.md says of files is so."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from autograder import secret
from autograder.__main__ import main
from chip2cluster import journal

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "course/teaching/PRIVACY.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="files have no modes there")


@pytest.fixture
def open_to_all():
    """The most careless umask: what is private is so by our own doing."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_record_is_its_owners_alone_and_names_nobody(open_to_all, tmp_path, monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path))
    monkeypatch.setenv("CHIP2CLUSTER_STUDENT", "ann.example")
    journal.predict("roofline.faster_chip", 40)
    journal.note("roofline.explore", "It climbs.")
    journal.attempt("roofline.ridge", "wrong unit", solved=False)
    journal.note_help("roofline.ridge", hints=1)
    assert mode(journal.path()) == 0o600
    assert "ann.example" not in journal.path().read_text(encoding="utf-8")
    record = journal.read()
    assert record.keys() == {"format", "predictions", "notes", "exercises"}
    kept = {"attempts", "verdict", "solved", "hints", "revealed", "when"}
    assert record["exercises"]["roofline.ridge"].keys() == kept
    assert record["predictions"]["roofline.faster_chip"].keys() == {"guess", "when"}


def test_a_secret_is_its_owners_alone(open_to_all, tmp_path, monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path))
    monkeypatch.delenv("CHIP2CLUSTER_SECRET", raising=False)
    secret.seed_for("roofline.ridge")
    assert mode(tmp_path / "course-secret") == 0o600


def course(folder):
    for name in ("nbgrader_config.py", "solutions/03_roofline", "labs/03_roofline"):
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    return folder


def run(command, folder):
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": beside, "JUPYTER_CONFIG_DIR": str(folder / "jupyter")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_one_student_is_forgotten_and_the_others_stay(open_to_all, tmp_path, monkeypatch):
    folder = course(tmp_path)
    (folder / "students.csv").write_text("student,first_name,last_name\nann,Annabel,Secretsurname\nbob,Bob,Other\n")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(folder / "jupyter"))
    assert main(["roster", str(folder / "students.csv"), "--root", str(folder)]) == 0
    work = folder / "autograder/work"
    # As any command of the course has made it.
    assert mode(work) == 0o700
    for student in ("ann", "bob"):
        for step in ("submitted", "autograded", "feedback"):
            own = work / step / student / "03_roofline"
            own.mkdir(parents=True)
            (own / "file").write_text(f"of {student}")
        (work / "results/03_roofline").mkdir(parents=True, exist_ok=True)
        (work / f"results/03_roofline/{student}.json").write_text("{}")
    (work / "backup").mkdir(exist_ok=True)
    shutil.copy(work / "gradebook.db", work / "backup")
    assert b"Secretsurname" in (work / "gradebook.db").read_bytes()

    block = re.search(r"```sh\n(student=ann\n.+?)```", PAGE, re.S)[1]
    said = run(["bash", "-euo", "pipefail", "-c", block], folder)
    assert "nothing is left" in said
    # Nor in the bytes of the database.
    files = [file for file in work.rglob("*") if file.is_file()]
    assert not [file for file in files if b"Secretsurname" in file.read_bytes() or "ann" in file.parts]
    assert b"Other" in (work / "gradebook.db").read_bytes()
    assert len([file for file in files if "bob" in str(file)]) == 4


def test_the_folder_of_a_class_is_made_for_its_owner_alone(open_to_all, tmp_path):
    """A new one; one that is there stays as its owner wants it."""
    from autograder.grading.gradebook.course import open_course

    folder = course(tmp_path)
    open_course(folder)
    assert mode(folder / "autograder/work") == 0o700
    (folder / "autograder/work").chmod(0o770)
    open_course(folder)
    assert mode(folder / "autograder/work") == 0o770


def test_all_that_lies_in_the_folder_of_a_class_is_listed():
    """Whatever the code keeps below ``autograder/work`` has its row."""
    listed = set(
        re.findall(r"`(\w+)(?:/|\.db)`", PAGE.split("below `autograder/work/`")[1].split("In the course folder")[0])
    )
    kept = set()
    for file in [*(ROOT / "autograder").rglob("*.py"), ROOT / "nbgrader_config.py"]:
        text = file.read_text(encoding="utf-8")
        kept |= set(re.findall(r"""(?:\.work|"work") / (?:f?")([a-z]+)(?:\.db)?["/]""", text))
        kept |= set(re.findall(r"autograder/work/([a-z]+)", text))
    assert {"submitted", "autograded", "results"} <= kept
    assert kept <= listed, kept - listed
