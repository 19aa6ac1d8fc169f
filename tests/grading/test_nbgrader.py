"""Release, grade and return the roofline lab with stock nbgrader and our configuration alone."""

import json
import shutil

import pytest
from nbgrader.apps.api import NbGraderAPI
from nbgrader.converters import NbGraderException

from autograder.__main__ import main
from autograder.exercises import exercise
from autograder.grading import award
from autograder.grading.gradebook import autograde
from autograder.grading.gradebook.course import open_course
from autograder.grading.runs.grading_run import GradingRun
from tests.grading import fakes
from tests.grading.course import LAB, ROOT, Course

MUTANTS = {
    "divides": ({"shortest_time": "def shortest_time(f, n, p, b):\n    return f / min(p, b * f / n)\n"}, 2.4 - 3),
    "two-slips": (
        {
            "efficiency": "def efficiency(m, i, p, b):\n    return m / p\n",
            "largest_batch": "def largest_batch(m, w, c):\n    return int((m - w) // c)\n",
        },
        -3 + 2.1 - 3,
    ),
}
FULL = 25.0
HIDDEN = ("BEGIN HIDDEN TESTS", award.__module__.rpartition(".")[0])
TASKS = (
    "shortest_time",
    "attention_intensity",
    "largest_batch",
    "tokens_per_second",
    "efficiency",
    "own_chip",
    "rank_chips",
)


@pytest.fixture(scope="module")
def course(registered, tmp_path_factory):
    course = Course(tmp_path_factory.mktemp("course"))
    # What `nbgrader generate_assignment` has made.
    for made in ("labs", "autograder/work"):
        shutil.rmtree(course.root / made, ignore_errors=True)
        shutil.copytree(registered / made, course.root / made)
    answers = course.answers()
    course.submit("untouched", {})
    course.submit("reference", answers)
    for name, (edits, _) in MUTANTS.items():
        course.submit(name, answers | edits)
    course.submit("helped", answers | {"shortest_time": "from mine import shortest_time"})
    mine = course.root / "autograder/work/submitted/helped" / LAB / "mine.py"
    mine.write_text("".join(answers["shortest_time"]), encoding="utf-8")
    course.nbgrader("autograde", LAB)
    course.nbgrader_here("generate_feedback", LAB)
    return course


@pytest.fixture
def course_with_one(new_gradebook, tmp_path, monkeypatch):
    """A course of this test's own in which ann has submitted."""
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "jupyter"))
    course = Course(tmp_path)
    new_gradebook()
    course.submit("ann", fakes.answers(course, 1))
    return course


@pytest.mark.sandbox
def test_autograde_gives_the_stated_scores(course):
    with course.gradebook() as gradebook:
        scores = {
            submission.student.id: sum(
                grade.auto_score or 0 for notebook in submission.notebooks for grade in notebook.grades
            )
            for submission in gradebook.assignment_submissions(LAB)
        }
        by_hand = {
            submission.student.id: submission.needs_manual_grade for submission in gradebook.assignment_submissions(LAB)
        }
        assert gradebook.find_assignment(LAB).max_score == 31
    assert scores == pytest.approx(
        {"untouched": 0, "reference": FULL, "helped": FULL} | {n: FULL + d for n, (_, d) in MUTANTS.items()}
    )
    assert by_hand["reference"] and not by_hand["untouched"]


@pytest.mark.sandbox
def test_feedback_names_the_mistake_and_hides_cases(course):
    assert all(hidden in json.dumps(course.notebook("solutions")) for hidden in HIDDEN)
    text = course.feedback
    assert "divided by the peak" in text("two-slips")
    assert "A pure copy" in text("divides")
    assert "not written yet" in text("untouched")
    for student in ("untouched", "reference", *MUTANTS):
        assert not any(hidden in text(student) for hidden in HIDDEN)
        assert "expected" not in text(student).split("</style>")[-1].lower()


@pytest.mark.sandbox
def test_autograde_leaves_the_written_question_to_a_person(course):
    with course.gradebook() as gradebook:
        submission = gradebook.find_submission(LAB, "reference")
        grades = {grade.name: grade for notebook in submission.notebooks for grade in notebook.grades}
        assert grades["recommendation"].needs_manual_grade and grades["recommendation"].max_score == 6
        total = sum(g.max_score for g in grades.values() if g.name != "recommendation")
        assert total == FULL == sum(exercise(f"lab.roofline.{task}").points for task in TASKS)


@pytest.mark.sandbox
def test_release_equals_the_committed_lab(course):
    released = sorted(file.name for file in (course.root / "labs" / LAB).iterdir())
    assert released == [f"lab_{LAB}.ipynb"]
    assert course.notebook("labs") == json.loads((ROOT / "labs" / LAB / f"lab_{LAB}.ipynb").read_text(encoding="utf-8"))


def test_release_keeps_a_lab_that_was_edited(registered, tmp_path, capsys):
    course = Course(tmp_path)
    shutil.copytree(registered / "autograder/work", course.root / "autograder/work", dirs_exist_ok=True)
    file = tmp_path / "labs" / LAB / f"lab_{LAB}.ipynb"
    notebook = course.notebook("labs")
    notebook["cells"][3]["source"] = "def shortest_time(*a):\n    return 'an hour of work'\n"
    file.write_text(json.dumps(notebook), encoding="utf-8")
    before = file.read_bytes()
    assert "has been worked in" in course.nbgrader("generate_assignment", LAB)
    assert file.read_bytes() == before
    (tmp_path / "solutions" / LAB / f"lab_{LAB}.ipynb").write_text(
        (ROOT / "solutions" / LAB / f"lab_{LAB}.ipynb")
        .read_text(encoding="utf-8")
        .replace("about to buy", "going to buy"),
        encoding="utf-8",
    )
    for other in (*(tmp_path / "solutions").iterdir(), *(tmp_path / "labs").iterdir()):
        if other.name != LAB:
            shutil.rmtree(other)
    assert main(["generate-labs", "--root", str(tmp_path)]) == 2
    assert "Move it to my_labs/" in capsys.readouterr().err
    assert file.read_bytes() == before


def test_start_keeps_an_existing_copy_of_a_lab(tmp_path, capsys):
    def start(*names):
        return main(["workspace", *names, "--to", str(tmp_path / "mine")]), capsys.readouterr()

    code, said = start()
    copied = tmp_path / "mine/my_labs" / LAB / f"lab_{LAB}.ipynb"
    assert code == 0 and "new" in said.out and copied.exists()
    copied.write_text("my work")
    assert "kept" in start(LAB)[1].out and copied.read_text() == "my work"
    code, said = start("03_roofine")
    assert code == 2 and f"did you mean {LAB}" in said.err


def _mark(course, student):
    with course.gradebook() as book:
        essay = book.find_grade("recommendation", f"lab_{LAB}", LAB, student)
        essay.manual_score, essay.needs_manual_grade = 4.5, False
        book.db.commit()


def _asks_again(course, student):
    course.nbgrader_here("autograde", LAB, "--student", student, "--force")
    with course.gradebook() as book:
        essay = book.find_grade("recommendation", f"lab_{LAB}", LAB, student)
        assert essay.manual_score == 4.5
        return essay.needs_manual_grade


@pytest.mark.sandbox
def test_autograde_requests_a_review_only_after_a_change(registered, tmp_path):
    course = Course(tmp_path)
    shutil.copytree(registered / "autograder/work", course.root / "autograder/work", dirs_exist_ok=True)
    course.submit("ann", {"recommendation": "The H200."})
    course.nbgrader_here("autograde", LAB)
    _mark(course, "ann")
    assert not _asks_again(course, "ann")
    shutil.rmtree(course.root / "autograder/work/submitted/ann")
    course.submit("ann", {"recommendation": "The cheapest."})
    assert _asks_again(course, "ann")


def test_autograde_says_how_to_recover_a_gradebook(registered, tmp_path):
    course = Course(tmp_path)
    shutil.copytree(registered / "autograder/work", course.root / "autograder/work", dirs_exist_ok=True)
    course.submit("ann", {})
    (course.root / "autograder/work/gradebook.db").write_bytes(b"garbage" * 1000)
    with pytest.raises(AssertionError, match="gradebook.db cannot be read") as failed:
        course.nbgrader_here("autograde", LAB)
    assert "Traceback" not in str(failed.value)


def test_command_and_button_grade_by_the_same_function(course_with_one, monkeypatch):
    calls = []

    def grade_lab(root, lab, **options):
        calls.append((lab, options["students"], options["regrade"], options["unsandboxed"]))
        return GradingRun(lab)

    monkeypatch.setattr(autograde, "grade_lab", grade_lab)
    course_with_one.nbgrader_here("autograde", LAB, "--student", "a*")
    app = open_course(course_with_one.root).app
    assert NbGraderAPI(app.coursedir, parent=app).autograde(LAB, "ann")["success"]
    assert calls == [(LAB, ["ann"], False, False), (LAB, ["ann"], True, False)]


@pytest.mark.parametrize("section", ["RunInSandbox", "Ask"])
def test_autograde_reads_the_sandbox_option_of_both_names(section, course_with_one, monkeypatch):
    """Configurations of earlier versions say ``c.Ask.sandbox``."""
    calls = []

    def grade_lab(root, lab, **options):
        calls.append(options["unsandboxed"])
        return GradingRun(lab)

    monkeypatch.setattr(autograde, "grade_lab", grade_lab)
    config = course_with_one.root / "nbgrader_config.py"
    config.write_text(f'{config.read_text()}\nc.{section}.sandbox = "unsandboxed"\n')
    course_with_one.nbgrader_here("autograde", LAB)
    assert calls == [True]


def test_button_stores_the_same_marks_as_the_command(course_with_one, new_gradebook):
    fakes.run(course_with_one)
    before = fakes.contents(course_with_one)
    new_gradebook()
    assert fakes.press_autograde(course_with_one, "ann")["success"]
    assert fakes.contents(course_with_one) == before


def test_autograde_of_an_unknown_lab_is_one_sentence(course_with_one):
    with pytest.raises(AssertionError, match="no lab is called '03_rooflin'; there are") as failed:
        course_with_one.nbgrader_here("autograde", "03_rooflin")
    assert "Traceback" not in str(failed.value)


def test_listed_preprocessor_refuses_to_run_in_nbgrader():
    with pytest.raises(NbGraderException, match="only after autograder.nbgrader.configure"):
        autograde.RunInSandbox().preprocess(None, {})
