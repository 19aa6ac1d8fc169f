"""A course for tests of what stands around the grader, with its gradebook made once."""

import functools
import os
import shutil
import subprocess
import sys

import pytest
from filelock import FileLock

# What they assert is shown in full, as in a test.
pytest.register_assert_rewrite("tests.grading.notebooks")

from autograder.grading.result_store import ResultStore  # noqa: E402
from tests.grading.course import LAB, ROOT, Course  # noqa: E402
from tests.grading.downloads import CANVAS_GRADEBOOK, MOODLE_PEOPLE, import_list, zip_bytes  # noqa: E402
from tests.grading.hand_marks import fill  # noqa: E402
from tests.grading.samples import correct, graded, reference  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def asked_once():
    """What nbgrader asks again and again and what stays the same, each of which takes most of the time of its step.

    For each new gradebook it asks the program alembic for a version; for each cell whether its own schema is a schema.
    """
    from alembic.script import ScriptDirectory
    from jsonschema.validators import validator_for
    from nbgrader import api
    from nbgrader.dbutil import ALEMBIC_DIR
    from nbgrader.nbgraderformat import MetadataValidator

    ours = validator_for(MetadataValidator().schema)
    check, found_good = ours.check_schema, []

    def check_schema(schema, *arguments, **options):
        if schema not in found_good:
            check(schema, *arguments, **options)
            found_good.append(schema)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(api, "get_alembic_version", functools.cache(ScriptDirectory(ALEMBIC_DIR).get_current_head))
        patch.setattr(ours, "check_schema", check_schema)
        yield


@pytest.fixture(scope="session")
def registered(tmp_path_factory):
    """The folder of a course whose lab is in the gradebook: making that takes seconds, so all workers have one."""
    place = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        place = place.parent
    ready, making = place / "registered", place / "registering"
    with FileLock(place / "registered.lock"):
        if not ready.exists():
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir()
            Course(making).nbgrader_here("generate_assignment", LAB)
            making.rename(ready)
    return ready


@pytest.fixture
def new_gradebook(registered, tmp_path):
    """A function that puts a gradebook without submissions in place."""

    def put():
        shutil.copy(registered / "autograder/work/gradebook.db", tmp_path / "autograder/work")

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


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    """What `marked_course` is a copy of. Write nothing there."""
    root = fill(tmp_path_factory.mktemp("marked"))
    for folder in ("labs", "solutions"):
        shutil.copytree(ROOT / folder, root / folder)
    store = ResultStore.of(root, LAB)
    for student in ("ann", "bob"):
        store.put(graded(student, reference(), correct()))
    return root


@pytest.fixture
def marked_course(marked, tmp_path):
    """A course whose lab two have handed in and a person has marked."""
    # Making a gradebook takes seconds, copying one does not.
    return shutil.copytree(marked, tmp_path / "course")


@pytest.fixture
def on_canvas(course):
    import_list(course, CANVAS_GRADEBOOK)
    return course


@pytest.fixture
def on_moodle(course):
    import_list(course, MOODLE_PEOPLE)
    return course


@pytest.fixture
def download(tmp_path):
    """A function that writes a zip as a platform offers it."""

    def write(files, name="submissions.zip"):
        (tmp_path / "download").mkdir(exist_ok=True)
        file = tmp_path / "download" / name
        file.write_bytes(zip_bytes(files))
        return file

    return write


@pytest.fixture
def tab(browser):
    """A page of a browser, on which no script of a student ran and nothing was loaded from elsewhere."""
    context = browser.new_context()
    page = context.new_page()
    page.did = []
    page.add_init_script("window.ran = []; window.xss = what => window.ran.push(String(what))")
    page.on("dialog", lambda dialog: (page.did.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: page.did.append(request.url) if "evil" in request.url else None)
    page.on("pageerror", lambda problem: page.did.append(str(problem)))
    yield page
    assert page.did == [] and page.evaluate("window.ran") == []
    context.close()


@pytest.fixture
def edited_exercise(course, tmp_path):
    """A function that runs ``autograder`` by a copy of the package in which one exercise's text was replaced."""
    copied = tmp_path / "package"
    shutil.copytree(ROOT / "course/chip2cluster", copied / "chip2cluster")
    file = copied / "chip2cluster/chapters/roofline/lab/efficiency.py"
    text = file.read_text(encoding="utf-8")

    def autograder(old, new, *words):
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "autograder", *words, "--root", str(course.root)],
            env=course.environment | {"PYTHONPATH": os.pathsep.join([str(copied), str(ROOT)])},
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout, done.stderr

    autograder.file = file
    return autograder
