"""Files of the course in the sandbox: what a lab's notebook needs, and no answer."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import chip2cluster
from autograder import exercise_headers, secret
from autograder import exercises as registry
from autograder.checking import judge
from autograder.exercises import exercises
from autograder.grading.lab import Lab, load, source_notebook
from autograder.questions import questions
from autograder.sandbox import CellStatus, CodeCell, Sandbox, page_files
from chip2cluster._package import PRIVATE, is_model
from chip2cluster.exercise import solved_by
from tests.grading.attacks.model import BARE, ROOT
from tests.private_text import exercise_file, exercise_texts, found, question_file

LABS = [load(ROOT, folder.name) for folder in sorted((ROOT / "solutions").iterdir()) if folder.is_dir()]
MARK = "marker-5823"


def contents(folder):
    """Return the contents of all files below a folder by their names in it."""
    files = (file for file in sorted(folder.rglob("*")) if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def exercises_of(lab):
    """Return the exercises of a lab and of its chapter."""
    topics = {exercise_headers.topic(task.exercise) for task in lab.tasks}
    return [one for name, one in exercises().items() if exercise_headers.topic(name) in topics]


@pytest.fixture(scope="module", params=LABS, ids=lambda lab: lab.name)
def lab(request):
    return request.param


@pytest.fixture(scope="module")
def built(lab, tmp_path_factory):
    return contents(page_files.build(tmp_path_factory.mktemp("built"), lab))


def test_page_holds_no_text_of_an_exercise(lab, built):
    known = exercises_of(lab)
    assert len(known) > 8 and len(built) > 20
    for exercise in known:
        texts = exercise_texts(exercise)
        assert len(texts) > 2, exercise.id
        assert found(texts, {"": exercise_file(exercise).read_bytes()})
    assert found([text for exercise in known for text in exercise_texts(exercise)], built) == []


def test_page_holds_no_file_of_an_answer(lab, built):
    there = set(built.values())
    source = source_notebook(ROOT, lab.name)
    question = question_file(questions()[exercise_headers.topic(lab.tasks[0].exercise)])
    private = {source, *source.parent.glob("*.md"), question, *map(exercise_file, exercises_of(lab))}
    private |= {Path(module.__file__) for module in (judge, registry, secret)}
    assert len(private) > 10 and not [file for file in private if file.read_bytes() in there]
    # The same comparison finds a file that is present.
    assert (page_files.PACKAGE / "units.py").read_bytes() in there


def test_page_holds_no_model_that_solves_a_task(lab, built):
    for task in lab.tasks:
        for function in solved_by(task.definition) if task.definition else ():  # an assert test has no exercise
            module = getattr(function, "__module__", "")
            if is_model(module):
                stem = module.partition(".")[2].replace(".", "/")
                files = f"{stem}.py", f"{stem}/__init__.py"
                assert any((page_files.PACKAGE / name).is_file() for name in files), module
                there = [built[f"chip2cluster/{name}"] for name in files if f"chip2cluster/{name}" in built]
                assert all(b"inside.stub_modules" in content for content in there), (task.exercise, files)


def test_search_for_exercises_finds_a_copy_on_the_page(tmp_path, monkeypatch):
    lab = LABS[0]
    file = exercise_file(lab.tasks[0].definition)
    shutil.copytree(page_files.INSIDE, tmp_path / "inside")
    shutil.copy(file, tmp_path / "inside" / "copied.py")
    monkeypatch.setattr(page_files, "INSIDE", tmp_path / "inside")
    built = contents(page_files.build(tmp_path, lab))
    assert found(exercise_texts(lab.tasks[0].definition), built) == ["autograder/sandbox/inside/copied.py"]


def test_page_preloads_pandas_for_every_lab():
    # Otherwise the first import would use each student's own time.
    assert all("pandas" in page_files.modules_to_preload(lab.released) for lab in LABS)
    assert page_files.modules_to_preload(
        {"cells": [{"cell_type": "code", "source": "import chip2clusterx, json"}]}
    ) == [
        "numpy",
        "chip2clusterx",
        "json",
    ]


def test_views_are_subjects_of_the_package():
    assert set(page_files.VIEWS) <= set(chip2cluster.__all__)


# --- exercises in the package --------------------------------------------------------
@pytest.fixture
def planted(tmp_path, monkeypatch):
    """Package without its subjects, but with exercises and with a model that imports them."""
    package = tmp_path / "planted" / "chip2cluster"
    package.mkdir(parents=True)
    for file in page_files.PACKAGE.glob("*.py"):
        shutil.copy(file, package)
    texts = {
        "chapters/__init__.py": "",
        "chapters/roofline/__init__.py": "",
        "chapters/roofline/lab.py": f"def reference(): return '{MARK}'\n",
        "exercise/__init__.py": f"MARK = '{MARK}'\n",
        "tides/__init__.py": "from ..chapters.roofline import lab\nfrom ..exercise import MARK\nfrom .high import HIGH\n",
        "tides/high.py": "HIGH = 7\n",
    }
    for name, text in texts.items():
        (package / name).parent.mkdir(exist_ok=True)
        (package / name).write_text(text)
    monkeypatch.setattr(page_files, "PACKAGE", package)
    page_files._needs.cache_clear()
    yield package
    page_files._needs.cache_clear()


@pytest.mark.parametrize(
    "allowed",
    [("chip2cluster",), tuple(f"chip2cluster.{name}" for name in (*PRIVATE, "chapters.roofline.lab", "tides"))],
    ids=["all", "named"],
)
def test_page_leaves_out_exercises_whatever_is_allowed(planted, allowed, tmp_path, monkeypatch):
    monkeypatch.setattr(Lab, "allowed", allowed)
    built = contents(page_files.build(tmp_path / "hidden", BARE))
    assert {"chip2cluster/tides/__init__.py", "chip2cluster/tides/high.py"} <= set(built)
    assert not [name for name in built if name.startswith(tuple(f"chip2cluster/{one}" for one in PRIVATE))]
    assert found([MARK], built) == []

    monkeypatch.setattr(page_files, "_is_model", lambda file: True)
    built = contents(page_files.build(tmp_path / "shown", BARE))
    assert found([MARK], built) == ["chip2cluster/chapters/roofline/lab.py", "chip2cluster/exercise/__init__.py"]


@pytest.mark.sandbox
def test_sandbox_has_stubs_in_place_of_exercises(planted, monkeypatch):
    monkeypatch.setattr(Lab, "allowed", ("chip2cluster.tides", "chip2cluster.chapters"))
    code = (
        "from chip2cluster import tides, chapters\n"
        "from chip2cluster.chapters.roofline.lab import reference\n"
        "from chip2cluster.exercise import Exercise\n"
        "print(tides.HIGH, list(chapters.__path__))"
    )
    calls = ("reference()", "Exercise(1)", "tides.lab.reference()", "chapters.roofline.lab.reference()")
    with Sandbox(replace(BARE, tasks=())) as sandbox:
        ran, *refused = sandbox.run([CodeCell(code), *map(CodeCell, calls)])
    assert ran.status is CellStatus.OK and ran.outputs[0]["text"] == "7 []\n", ran.outputs
    assert [one.outputs[0]["ename"] for one in refused] == ["NotAvailableInGrading"] * len(calls)
    assert all("write the formula in your own lines" in one.outputs[0]["evalue"] for one in refused)
    assert MARK not in str([ran, *refused])
