"""The zip for a learning platform: all that a student needs, and nothing that a student must not have."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from autograder import secret
from autograder.questions import questions
from chip2cluster import __version__
from course.publish import bundle, wheel
from course.publish.__main__ import main
from tests.private_text import found, question_file, question_texts

ROOT = Path(__file__).resolve().parents[2]
TOP = f"chip2cluster-labs-{__version__}"
MARKS = (
    "BEGIN SOLUTION",
    "END SOLUTION",
    "BEGIN HIDDEN",
    "BEGIN MARK SCHEME",
    "award(",
    "INSTRUCTOR.md",
    "CHIP2CLUSTER_SECRET",
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return bundle.build(tmp_path_factory.mktemp("bundle"))


@pytest.fixture(scope="module")
def contents(made):
    """Every file of the bundle, its name without the folder that all lie in."""
    with zipfile.ZipFile(made) as archive:
        assert all(name.startswith(f"{TOP}/") for name in archive.namelist())
        return {name.removeprefix(f"{TOP}/"): archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def package(contents):
    with zipfile.ZipFile(io.BytesIO(contents[wheel.NAME])) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_it_holds_pages_labs_package_and_how_to_start(contents):
    pages = {
        path.relative_to(ROOT).as_posix()
        for pattern in ("course/*.ipynb", "labs/*/*.ipynb")
        for path in ROOT.glob(pattern)
        if not path.parent.name.startswith("exam_")
    }
    around = {
        "AGENTS.md",
        "README.md",
        "environment.yml",
        "requirements.txt",
        "constraints.txt",
        "LICENSE",
        "LICENSE-prose",
        wheel.NAME,
    }
    assert set(contents) == pages | around
    for name in pages | {"environment.yml", "constraints.txt"}:
        assert contents[name] == (ROOT / name).read_bytes(), name


def test_bundle_tells_assistants_not_to_write_graded_functions(contents):
    text = contents["AGENTS.md"].decode()
    for words in (
        "Don't write, complete or correct a graded function",
        "Ask first",
        "`hint()`",
        "Say so",
        "`my_labs/`",
    ):
        assert words in text
    assert len(text.split()) < 400


def test_package_takes_the_choice_of_help_along(package):
    assert package["autograder/graded_help.json"] == (ROOT / "autograder/graded_help.json").read_bytes()


def test_bundle_holds_no_written_question(contents, package):
    files = {question_file(question): question_file(question).read_bytes() for question in questions().values()}
    texts = [text for question in questions().values() for text in question_texts(question)]
    assert len(files) > 10 and found(texts, files) == [*files]
    assert found(texts, contents | package) == []


def test_the_same_files_give_the_same_bytes(made, tmp_path):
    again = bundle.build(tmp_path)
    assert again.name == made.name == f"{TOP}.zip" and again.read_bytes() == made.read_bytes()


# --- no solutions ---------------------------------------------------------------------
def plain(text):
    """Text as one line without indentation, in which a solution would be found wherever it was pasted."""
    return re.sub(r"\s+", " ", text)


def solutions():
    """What only instructors have: every solution block, model answer, hidden test and note."""
    for file in sorted(ROOT.glob("solutions/*/*.ipynb")):
        for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
            source, marks = "".join(cell["source"]), cell["metadata"].get("nbgrader", {})
            blocks = re.findall(r"### BEGIN [^\n]*\n(.*?)\n *### END", source, re.S)
            if cell["cell_type"] == "markdown" and marks.get("solution"):
                blocks.append(source)
            yield from ((file.stem, block) for block in blocks)
    for file in sorted(ROOT.glob("solutions/*/*.md")):
        paragraphs = file.read_text(encoding="utf-8").split("\n\n")
        yield from ((file.parent.name, paragraph) for paragraph in paragraphs if len(paragraph) > 80)


def test_no_page_holds_a_solution(contents):
    pages = {
        name: plain("\n".join("".join(cell["source"]) for cell in json.loads(data)["cells"]))
        for name, data in contents.items()
        if name.endswith(".ipynb")
    }
    assert solved_on(pages) == []
    for name, data in contents.items():
        if name != wheel.NAME:
            assert [mark for mark in MARKS if mark in data.decode()] == [], name


def solved_on(pages):
    """The solutions that pages hold, each with the name of its page; pages are texts by name."""
    private = [(lab, plain(text).strip()) for lab, text in solutions()]
    assert len(private) > 100
    held = [(name, text) for lab, text in private for name in pages if text in pages[name] and lab in name]
    # A chapter may well use a line that solves a lab's first task; two lines are no accident.
    return held + [(name, text) for _, text in private for name in pages if len(text) > 100 and text in pages[name]]


def test_search_for_solutions_finds_them_where_they_are():
    labs = {file.name: file.read_text(encoding="utf-8") for file in ROOT.glob("solutions/*/*.ipynb")}
    solved = {
        name: "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"]) for name, text in labs.items()
    }
    assert {name for name, _ in solved_on({name: plain(text) for name, text in solved.items()})} == set(labs)


def test_every_mark_stands_in_a_file_of_instructors():
    files = [*ROOT.glob("solutions/*/*.ipynb"), *ROOT.glob("docs/instructors/*.md"), Path(secret.__file__)]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    assert [mark for mark in MARKS if mark not in text] == [] and [*ROOT.glob("solutions/*/INSTRUCTOR.md")]


def test_the_package_holds_nothing_of_the_solutions_folder(package):
    assert {name.split("/")[0] for name in package} == {
        "chip2cluster", "autograder", f"chip2cluster-{__version__}.dist-info", f"chip2cluster-{__version__}.data"
    }  # fmt: skip
    assert not [
        name
        for name in package
        if name.endswith((".ipynb", "INSTRUCTOR.md", ".db")) or "solutions" in name or "work/" in name
    ]
    text = plain("\n".join(data.decode() for name, data in package.items() if name.endswith((".py", ".md", ".json"))))
    written = [plain(block).strip() for _, block in solutions() if block.startswith(("*Model answer", "#", "|"))]
    assert written and not [block for block in written if block in text]


def copy_sources(root):
    """Copy what a bundle is made of, other than the package, to ``root``."""
    for pattern in ("course/*.ipynb", "labs/*/*.ipynb", *bundle.COPIED):
        for file in ROOT.glob(pattern):
            (root / file.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, root / file.relative_to(ROOT))


def test_what_somebody_has_worked_in_is_not_handed_out(tmp_path):
    copy_sources(tmp_path)
    lab, page = tmp_path / "labs/03_roofline/lab_03_roofline.ipynb", tmp_path / "course/03_roofline.ipynb"
    lab.write_text(
        lab.read_text(encoding="utf-8").replace("raise NotImplementedError", "return 1", 1), encoding="utf-8"
    )
    notebook = json.loads(page.read_text(encoding="utf-8"))
    next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")["execution_count"] = 1
    page.write_text(json.dumps(notebook), encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"^course/03_roofline\.ipynb, labs/03_roofline/lab_03_roofline\.ipynb has been worked in"
    ):
        bundle.build(tmp_path / "out", root=tmp_path)
    assert not (tmp_path / "out").exists()


# --- only the course's own files ---------------------------------------------------------
@pytest.fixture
def sources(contents, tmp_path, monkeypatch):
    """A copy of the sources whose package is built already."""
    copy_sources(tmp_path / "sources")
    (tmp_path / wheel.NAME).write_bytes(contents[wheel.NAME])
    monkeypatch.setattr(wheel, "build", lambda folder, root: tmp_path / wheel.NAME)
    return tmp_path / "sources"


def test_bundle_leaves_out_released_exams(sources, made):
    exam = sources / "labs/exam_final-2027/exam_final-2027.ipynb"
    exam.parent.mkdir()
    shutil.copy(sources / "labs/03_roofline/lab_03_roofline.ipynb", exam)
    assert bundle.build(sources / "out", sources).read_bytes() == made.read_bytes()


def test_bundle_takes_a_lab_under_either_name(sources):
    lab = sources / "labs/20_power/20_power.ipynb"
    lab.parent.mkdir()
    shutil.copy(sources / "labs/03_roofline/lab_03_roofline.ipynb", lab)
    with zipfile.ZipFile(bundle.build(sources / "out", sources)) as archive:
        assert f"{TOP}/labs/20_power/20_power.ipynb" in archive.namelist()


@pytest.mark.parametrize(
    "name", ["course/03_roofline-Copy1.ipynb", "course/Untitled.ipynb", "labs/03_roofline/old.ipynb"]
)
def test_bundle_refuses_a_stray_notebook(sources, name):
    shutil.copy(sources / "labs/03_roofline/lab_03_roofline.ipynb", sources / name)
    with pytest.raises(
        wheel.NotDistributable, match=rf"not the course's own: {re.escape(name)}\. Move each out of course/"
    ):
        bundle.build(sources / "out", sources)
    assert not (sources / "out").exists()


@pytest.mark.parametrize(
    "name",
    [f"{TOP}/autograder/work/gradebook.db", f"{TOP}/labs/exam_a/exam_a.ipynb", f"{TOP}/README.md/ann", "README.md"],
)
def test_bundle_check_refuses_a_foreign_file(made, tmp_path, name):
    shutil.copy(made, tmp_path / "made.zip")
    bundle.check(tmp_path / "made.zip")
    with zipfile.ZipFile(tmp_path / "made.zip", "a") as archive:
        archive.writestr(name, "")
    with pytest.raises(wheel.NotDistributable, match=re.escape(name.removeprefix(f"{TOP}/"))):
        bundle.check(tmp_path / "made.zip")


def test_bundle_check_opens_the_wheel_inside(contents, tmp_path):
    inside = io.BytesIO(contents[wheel.NAME])
    with zipfile.ZipFile(inside, "a") as archive:
        archive.writestr("autograder/work/gradebook.db", "")
    with zipfile.ZipFile(tmp_path / "made.zip", "w") as archive:
        archive.writestr(f"{TOP}/{wheel.NAME}", inside.getvalue())
    with pytest.raises(wheel.NotDistributable, match=r"^the wheel holds files .* own: autograder/work/gradebook\.db\."):
        bundle.check(tmp_path / "made.zip")


def test_bundle_command_says_why_it_refuses(monkeypatch, tmp_path):
    def refuse(folder, students):
        raise wheel.NotDistributable("course/Untitled.ipynb is not the course's own")

    monkeypatch.setattr(bundle, "build", refuse)
    monkeypatch.setattr(sys, "argv", ["course.publish", "bundle", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"^course/Untitled\.ipynb is not the course's own$"):
        main()


# --- it works by itself -----------------------------------------------------------------
@pytest.fixture(scope="module")
def student(made, tmp_path_factory):
    """The unpacked bundle with its wheel installed, and the environment in which nothing else of the course is seen."""
    place = tmp_path_factory.mktemp("student")
    shutil.unpack_archive(made, place)
    home, site = place / TOP, place / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(site)]
    subprocess.run([*pip, wheel.NAME], cwd=home, check=True)
    record = {name: str(place / name.lower()) for name in ("CHIP2CLUSTER_HOME", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR")}
    return home, site, os.environ | record | {"PYTHONPATH": str(site)}


def test_a_lab_starts_and_is_checked_with_the_bundle_alone(student):
    home, site, environment = student
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "workspace"],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.search(r"^my_course: \d+ pages new\.\nmy_labs: \d+ labs new\.$", done.stdout, re.M)

    notebook = nbformat.read(home / "my_labs/03_roofline/lab_03_roofline.ipynb", as_version=4)
    names = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    del notebook.cells[names.index("shortest_time-check") + 1 :]
    where = nbformat.v4.new_code_cell(
        "import autograder, chip2cluster\nprint(autograder.__file__, chip2cluster.__file__)"
    )
    right = nbformat.v4.new_code_cell(
        "def mine(flops, moved, peak, bandwidth):\n    return max(flops / peak, moved / bandwidth)\n\n"
        'check("lab.roofline.shortest_time", mine)'
    )
    notebook.cells += [where, right]
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(home)}}).execute(env=environment)
    untouched, where, right = (cell.outputs for cell in notebook.cells[-3:])
    assert where[0].text.split() == [str(site / "autograder/__init__.py"), str(site / "chip2cluster/__init__.py")]
    assert untouched[0].data["text/plain"].startswith("○ The shortest time: not written yet")
    assert right[0].data["text/plain"].startswith("✓ The shortest time: correct")


def test_what_is_installed_is_said_once(contents, package):
    constraint, itself = contents["requirements.txt"].decode().split("\n")[:2]
    assert constraint == "--constraint constraints.txt" and itself == f"./{wheel.NAME}"
    metadata = package[f"chip2cluster-{__version__}.dist-info/METADATA"].decode()
    needed = re.findall(r"^Requires-Dist: ([\w-]+)(?!.*extra ==)", metadata, re.M)
    pinned = contents["constraints.txt"].decode().lower()
    assert len(needed) >= 9 and not [name for name in needed if f"\n{name}==" not in f"\n{pinned}"]


def test_the_readme_names_what_is_there(contents):
    text = contents["README.md"].decode()
    assert __version__ in text and "$" not in text
    for name in re.findall(r"[\w.-]+/[\w./-]*\w|[\w.-]+\.(?:txt|yml|whl)", text):
        name = name.removeprefix("./").replace("my_labs/", "labs/").replace("my_course/", "course/")
        if not name.startswith((".venv", "bin/")):
            assert any(file == name or file.startswith(f"{name}/") for file in contents), name
