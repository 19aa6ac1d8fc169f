"""The course secret: made by a command, refused where students would get what follows from a weak one, and stretched."""

import hashlib
import hmac
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile

import pytest

from autograder import secret
from autograder.__main__ import main
from autograder.exam.drawing import ExamRequest
from autograder.exam.exam import draw_exam
from autograder.exam.exam_file import FILE, exam_folder, save_exam
from autograder.secret_strength import is_strong, new_secret
from course.publish.__main__ import main as publish
from tests.grading.course import LAB, ROOT, STRONG_SECRET

WEAK = (
    "abc", "gpu-course-2027", "this term", "correct horse battery staple", "correct-horse-battery-staple-" * 4,
    "P4ssw0rd-for-the-GPU-c0urse-2027", "IntroductionToAcceleratorsAndNetworksSpring2027", "2027-02-01", "a" * 64,
    "NVIDIA-course-2027-Spring-H100-B200-GB200", "deadbeef" * 8, "0123456789abcdef" * 4, "31415926535897932384626433832795",
    "fedcba98765432100123456789abcdef", "qwertyuiopasdfghjklzxcvbnm1234567890", "Th1s1sMyS3cr3tF0rTh3C0urs3Of2027AtMyUn1v3rs1ty",
    "Wir lernen im Sommersemester 2027 viel Neues", "scrypt:gpu-course-2027", "scrypt:" + "0" * 63 + "1",
)  # fmt: skip
WEAKEST = WEAK[1]


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch, tmp_path):
    for name in ("CHIP2CLUSTER_SECRET", "CHIP2CLUSTER_VALUES_KEY", "CHIP2CLUSTER_STUDENT", "JUPYTERHUB_USER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "record"))


def unstretched(text):
    """The key of students' numbers as versions 0.1 and 0.2 derived it."""
    return hmac.new(text.encode(), b"per-student values", hashlib.sha256).hexdigest()


# --- the command ----------------------------------------------------------------------
def test_secret_command_prints_a_line_that_a_shell_runs(tmp_path):
    environment = os.environ | {"CHIP2CLUSTER_HOME": str(tmp_path / "record")}
    line = f"eval \"$('{sys.executable}' -m autograder secret 2>/dev/null)\" && printenv CHIP2CLUSTER_SECRET"
    first, other = (
        subprocess.run(
            ["bash", "-c", line], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    )
    assert re.fullmatch(r"scrypt:[0-9a-f]{64}\n", first) and first != other
    assert not (tmp_path / "record").exists()


def test_new_secret_is_strong():
    made = {new_secret() for _ in range(500)}
    assert len(made) == 500 and all(map(is_strong, made))


@pytest.mark.parametrize("text", WEAK)
def test_is_strong_refuses_words_dates_and_repetitions(text):
    assert not is_strong(text)


def test_is_strong_takes_secrets_of_the_earlier_guide():
    """The guide of version 0.1 said ``secrets.token_hex(32)``; a UUID without hyphens is random as well."""
    for number in range(500):
        assert is_strong(hashlib.sha256(str(number).encode()).hexdigest())
        assert is_strong(hashlib.md5(str(number).encode()).hexdigest())


# --- stretched -------------------------------------------------------------------------
def test_stretched_secret_is_scrypt_of_its_text(monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "scrypt:pleaseletmein")
    stretched = hashlib.scrypt(
        b"pleaseletmein", salt=b"chip2cluster course secret", n=2**15, r=8, p=1, maxmem=2**26, dklen=32
    )
    assert secret.values_key() == hmac.new(stretched, b"per-student values", hashlib.sha256).hexdigest()
    assert secret.values_key() not in (unstretched("scrypt:pleaseletmein"), unstretched("pleaseletmein"))


def test_secret_is_stretched_once_in_a_process(monkeypatch):
    calls = []
    monkeypatch.setattr(
        hashlib, "scrypt", lambda *args, stretch=hashlib.scrypt, **more: calls.append(1) or stretch(*args, **more)
    )
    secret._stretched.cache_clear()
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", STRONG_SECRET)
    keys = {secret.values_key(), *(secret.hidden_key(str(number), "roofline.ridge") for number in range(100))}
    assert len(keys) == 101 and len(calls) == 1


@pytest.mark.parametrize("text", ["for the tests", "5f" * 32, "my own phrase: scrypt:"])
def test_secret_of_an_earlier_version_keeps_its_values(monkeypatch, text):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", text)
    assert secret.values_key() == unstretched(text)


def test_local_secret_keeps_its_values(tmp_path):
    (tmp_path / "record").mkdir()
    (tmp_path / "record/course-secret").write_text("ab12" * 16 + "\n", encoding="utf-8")
    assert secret.values_key() == unstretched("ab12" * 16)


# --- refused ---------------------------------------------------------------------------
@pytest.fixture
def class_list(tmp_path):
    file = tmp_path / "students.csv"
    file.write_text("id,first_name\nann,Ann\nbob,Bob\ncid,Cid\n", encoding="utf-8")
    return file


def refused(capsys, *words):
    assert main([*map(str, words)]) == 2
    said = capsys.readouterr().err
    assert "can be guessed" in said and "`autograder secret` prints a new one" in said
    return said


@pytest.mark.parametrize("text", WEAK)
def test_exam_refuses_a_guessable_secret(monkeypatch, tmp_path, class_list, capsys, text):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", text)
    where = ("--root", tmp_path, "--topics", "roofline", "--minutes", "20")
    for who in (("--students", class_list), ("--copies", 3), ("--notebook",)):
        said = refused(capsys, "exam", "final", *who, *where)
        assert text not in said or text == "abc"
    assert not (tmp_path / "autograder").exists() and not (tmp_path / "solutions").exists()


def test_exam_takes_a_new_secret_and_the_local_one(monkeypatch, tmp_path, class_list):
    words = ["--students", str(class_list), "--root", str(tmp_path), "--topics", "roofline", "--minutes", "20"]
    assert main(["exam", "local", *words]) == 0
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", new_secret())
    assert main(["exam", "own", *words]) == 0


def test_drawn_exam_goes_on_with_its_guessable_secret(monkeypatch, tmp_path, class_list, capsys):
    """Papers are printed already: a late student gets one of the same exam, and the marks can be entered."""
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", WEAKEST)
    file = exam_folder(tmp_path, "final") / FILE
    file.parent.mkdir(parents=True)
    save_exam(draw_exam("final", ExamRequest(("roofline",), 1, 3, 20), ["ann", "bob"]), file)
    before = json.loads(file.read_text(encoding="utf-8"))["papers"]
    assert main(["exam", "final", "--students", str(class_list), "--root", str(tmp_path)]) == 0
    after = json.loads(file.read_text(encoding="utf-8"))["papers"]
    assert after.pop("cid") and after == before


def test_written_question_refuses_a_guessable_secret(monkeypatch, tmp_path, capsys):
    for folder in ("solutions", "labs"):
        shutil.copytree(ROOT / folder / LAB, tmp_path / folder / LAB)
    file = tmp_path / f"solutions/{LAB}/lab_{LAB}.ipynb"
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", WEAKEST)
    assert main(["written-question", LAB, "--remove", "--root", str(tmp_path)]) == 0
    before = file.read_bytes()
    refused(capsys, "written-question", LAB, "--add", "--root", tmp_path)
    assert file.read_bytes() == before


def test_values_key_is_refused_for_a_guessable_secret(monkeypatch, capsys):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", WEAKEST)
    assert "--keep-key" in refused(capsys, "secret", "--values-key")
    assert main(["secret", "--values-key", "--keep-key"]) == 0
    assert capsys.readouterr().out == f"{unstretched(WEAKEST)}\n"
    # A key that is set itself, as on a hub, may come from a strong secret.
    monkeypatch.setenv("CHIP2CLUSTER_VALUES_KEY", "5f" * 32)
    assert main(["secret", "--values-key"]) == 0 and capsys.readouterr().out == "5f" * 32 + "\n"
    assert main(["secret", "--keep-key"]) == 2


@pytest.fixture
def bundle(monkeypatch, tmp_path, class_list):
    """Function that runs ``make bundle STUDENTS=...``; the package is not built."""
    from course.publish import wheel

    built = tmp_path / wheel.NAME
    with zipfile.ZipFile(built, "w") as archive:
        archive.writestr("chip2cluster/__init__.py", "")
    monkeypatch.setattr(wheel, "build", lambda folder, root: built)
    monkeypatch.setattr(wheel, "check", lambda file: None)

    def run(*more):
        monkeypatch.setattr(
            sys, "argv", ["course.publish", "bundle", "--students", str(class_list), *more, str(tmp_path / "out")]
        )
        publish()
        (made,) = (tmp_path / "out").glob("*-class.zip")
        with zipfile.ZipFile(made) as archive:
            (name,) = [name for name in archive.namelist() if name.endswith("class.json")]
            return json.loads(archive.read(name))

    return run


@pytest.mark.parametrize("text", WEAK)
def test_bundle_refuses_a_guessable_secret(monkeypatch, tmp_path, bundle, text):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", text)
    with pytest.raises(SystemExit, match=r"can be guessed .* `autograder secret` prints a new one.* --keep-key"):
        bundle()
    assert not (tmp_path / "out").exists()


def test_bundle_of_the_gradebook_refuses_a_guessable_secret(monkeypatch, tmp_path, bundle):
    monkeypatch.setattr("autograder.grading.collect.roster.class_in_gradebook", lambda root: ["ann"])
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", WEAKEST)
    monkeypatch.setattr(sys, "argv", ["course.publish", "bundle", str(tmp_path / "out"), "--students"])
    with pytest.raises(SystemExit, match=r"can be guessed"):
        publish()
    assert not (tmp_path / "out").exists()


def test_bundle_keeps_the_key_that_students_have(monkeypatch, bundle):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", WEAKEST)
    assert bundle("--keep-key")["values_key"] == unstretched(WEAKEST)


def test_bundle_of_a_new_secret_has_a_stretched_key(monkeypatch, bundle):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", STRONG_SECRET)
    told = bundle()["values_key"]
    assert told == secret.values_key() != unstretched(STRONG_SECRET)
    assert told != unstretched(STRONG_SECRET.removeprefix("scrypt:"))


def test_guessing_from_a_class_file_is_slow(monkeypatch):
    """The attack of version 0.1, 53 words at 6 microseconds each, takes seconds for a stretched secret."""
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "scrypt:gpu-course-2027")
    told = secret.values_key()
    start = time.perf_counter()
    for guess in ("scrypt:course", "scrypt:gpu", "scrypt:gpu-course-2026", "scrypt:gpu-course-2027"):
        secret._stretched.cache_clear()
        monkeypatch.setenv("CHIP2CLUSTER_SECRET", guess)
        found = secret.values_key() == told
    assert found and (time.perf_counter() - start) / 4 > 1e-2
