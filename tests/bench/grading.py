"""The part ``grading``: a class graded by stock nbgrader and by ours, on the same submissions in the same minutes.

Grading takes too long to repeat: each number is measured once, and stock nbgrader on fewer submissions.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograder.exercises import exercise
from autograder.grading.lab import load
from autograder.grading.reports.answer_cells import answer_cells
from tests.bench.rows import MissingTool, Row, once
from tests.grading.course import LAB, ROOT, Course

CLASS, LARGE = 60, 300
ALONE, BATCH = 6, 15  # submissions that stock nbgrader is measured on
NO_SANDBOX = 3  # exit status of `autograder grade`
STOCK = """
c = get_config()
c.CourseDirectory.course_id = "chip2cluster"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "released"
c.CourseDirectory.submitted_directory = "autograder/work/submitted"
c.CourseDirectory.autograded_directory = "autograder/work/autograded"
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}
"""
MEMORY = """
import sys
from autograder.__main__ import main
from tests.bench.peak import peak_bytes

code = main(sys.argv[1:])
print(peak_bytes())
sys.exit(code)
"""


def list_edits(course):
    """Return the edits of each kind of submission: the reference, nothing, two mutants of each exercise."""
    lab, answers = load(ROOT, LAB), course.answers()
    cells = answer_cells(lab)
    submissions = [answers, {}]
    for task in lab.tasks:
        submissions += [answers | {cells[task.cell]: mutant.source} for mutant in exercise(task.exercise).mutants[:2]]
    return submissions


def make_course(place, count, config=None):
    """Make a course with submissions, its lab in the gradebook, with our configuration or another."""
    course = Course(Path(tempfile.mkdtemp(dir=place)))
    course.environment.pop("PYTEST_CURRENT_TEST", None)
    if config:
        (course.root / "nbgrader_config.py").write_text(config)
    edits = list_edits(course)
    for number in range(count):
        course.submit(f"s{number:03}", edits[number % len(edits)])
    course.nbgrader("generate_assignment", LAB)
    return course


def time_stock_alone(place):
    """Return the seconds that stock nbgrader takes for one submission in a process of its own."""
    course = make_course(place, ALONE, STOCK)
    start = time.perf_counter()
    for number in range(ALONE):
        course.nbgrader("autograde", LAB, "--student", f"s{number:03}")
    return (time.perf_counter() - start) / ALONE


def time_stock_batch(place, alone):
    """Return the seconds that stock nbgrader takes for a class in one process, from the seconds of one submission."""
    course = make_course(place, BATCH, STOCK)
    start = time.perf_counter()
    course.nbgrader("autograde", LAB)
    more = (time.perf_counter() - start - alone) / (BATCH - 1)
    return alone + (CLASS - 1) * more


def grade_class(place, count):
    """Return the seconds that ``autograder grade`` takes for a class and the peak memory of its parent process."""
    course = make_course(place, count)
    command = [sys.executable, "-c", MEMORY, "grade", LAB, "--root", str(course.root)]
    start = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, env=course.environment, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode == NO_SANDBOX:
        raise MissingTool(done.stderr.strip().removeprefix("autograder: "))
    if done.returncode not in (0, 1) or f"{count} graded now" not in done.stdout:
        raise RuntimeError(f"autograder grade did not grade {count} submissions: {(done.stderr or done.stdout)[-300:]}")
    return seconds, float(done.stdout.split()[-1])


def rows(stack):
    """Yield the rows; the first of them shows whether a sandbox runs here."""
    import nbgrader  # noqa: F401  # a machine without it is told so before anything is graded

    place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    ours = once(lambda count: grade_class(place, count))
    alone = once(lambda: time_stock_alone(place))
    yield Row(f"autograder grade, 1 submission of {LAB}", lambda: ours(1)[0], budget=5)
    yield Row(
        f"autograder grade, {CLASS} submissions (baseline: nbgrader autograde, one process each, from {ALONE} runs)",
        lambda: ours(CLASS)[0],
        lambda: CLASS * alone(),
        max_ratio=1 / 25,
    )
    yield Row(
        f"autograder grade, {CLASS} submissions (baseline: nbgrader autograde, one process, from {BATCH} submissions)",
        lambda: ours(CLASS)[0],
        lambda: time_stock_batch(place, alone()),
        max_ratio=1 / 5,
    )
    yield Row(
        f"autograder grade, {LARGE} submissions (baseline: nbgrader autograde, one process each, from {ALONE} runs)",
        lambda: ours(LARGE)[0],
        lambda: LARGE * alone(),
        budget=90,
    )
    for count in (CLASS, LARGE):
        yield Row(
            f"autograder grade, {count} submissions: peak memory of the parent",
            lambda count=count: ours(count)[1],
            unit="B",
        )
