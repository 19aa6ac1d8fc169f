"""A class graded by stock nbgrader and by ours, on the same submissions in the same minutes.

Too long to be repeated: each is measured once, and stock nbgrader on fewer submissions.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograder.exercises import exercise
from autograder.grading.lab import load
from autograder.grading.reports.answers_in import answer_cells
from tests.grading.course import LAB, ROOT, Course

CLASS, LARGE = 60, 300
ALONE, BATCH = 6, 15  # submissions that stock nbgrader is measured on
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
import resource, sys
from autograder.__main__ import main

code = main(sys.argv[1:])
print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
sys.exit(code)
"""


def kinds(course):
    """Edits of one kind of submission after another: the reference, nothing, one mutant of each exercise."""
    lab, answers = load(ROOT, LAB), course.answers()
    cells = answer_cells(lab)
    submissions = [answers, {}]
    for task in lab.tasks:
        submissions += [answers | {cells[task.cell]: mutant.source} for mutant in exercise(task.exercise).mutants[:2]]
    return submissions


def made(folder, count, config=None):
    """A course with ``count`` submissions whose lab is in the gradebook, with our configuration or another."""
    folder.mkdir()
    course = Course(folder)
    course.environment.pop("PYTEST_CURRENT_TEST", None)
    if config:
        (folder / "nbgrader_config.py").write_text(config)
    every = kinds(course)
    for number in range(count):
        course.submit(f"s{number:03}", every[number % len(every)])
    course.nbgrader("generate_assignment", LAB)
    return course


def stock(place):
    """Seconds that stock nbgrader takes for a class: one process a submission, and one for all."""
    course = made(place / "alone", ALONE, STOCK)
    began = time.perf_counter()
    for number in range(ALONE):
        course.nbgrader("autograde", LAB, "--student", f"s{number:03}")
    seconds_each = (time.perf_counter() - began) / ALONE
    course = made(place / "batch", BATCH, STOCK)
    began = time.perf_counter()
    course.nbgrader("autograde", LAB)
    more = (time.perf_counter() - began - seconds_each) / (BATCH - 1)
    return CLASS * seconds_each, seconds_each + (CLASS - 1) * more


def ours(place, count):
    """Seconds that ``autograder grade`` takes for a class, start to end, and the parent's peak memory in MB."""
    course = made(place / f"ours-{count}", count)
    command = [sys.executable, "-c", MEMORY, "grade", LAB, "--root", str(course.root), "--unsandboxed"]
    began = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, env=course.environment, capture_output=True, text=True)
    seconds = time.perf_counter() - began
    assert done.returncode in (0, 1), done.stderr
    last, peak = done.stdout.splitlines()[-2:]
    assert f"{count} graded now" in last, done.stdout
    return seconds, float(peak.split()[1]), last.rpartition("Sandbox: ")[2].rstrip(".")


def main():
    """Measure and print."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        seconds, peak, sandbox = ours(place, CLASS)
        alone, batch = stock(place)
        large, large_peak, _ = ours(place, LARGE)
    print(f"{CLASS} submissions of {LAB}, {cores} cores, {sandbox}")
    _show("  autograder grade", seconds, "", f"{peak:.0f} MB at most in the parent")
    _show("  nbgrader autograde, a process each", alone, f"{alone / seconds:.1f}x", f"15x; from {ALONE} runs")
    _show(
        "  nbgrader autograde, one process for all", batch, f"{batch / seconds:.1f}x", f"5x; from {BATCH} submissions"
    )
    _show(
        f"{LARGE} submissions, autograder grade",
        large,
        f"{LARGE / CLASS * alone / large:.1f}x",
        f"90 s; against a process each; {large_peak:.0f} MB at most in the parent",
    )


def _show(name, seconds, ratio, budget):
    print(f"{name:<58} {seconds:>8.1f} s {'':>10} {ratio:>8}  {budget}")


if __name__ == "__main__":
    main()
