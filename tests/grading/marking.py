"""A graded class whose essays wait for marks, and the marking page's server as a process of its own."""

import base64
import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager

from tests.grading import fakes
from tests.grading.course import LAB, Course
from tests.grading.injection_texts import VECTORS
from tests.waiting import wait_until

ESSAY = "recommendation"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
ESSAYS = {
    "ann017": "I take the H200.\n\n| chip | tokens/s |\n|---|---|\n| H200 | 1892 |\n| H100 | 1321 |",
    "bob042": "The H100, because its peak is the highest.",
    "chen003": "My plot says it all: ![image.png](attachment:image.png)",
    "dora55": "I, Dora Diaz (dora55), would buy the H200. doramaar is somebody else.",
    "eve666": "\n\n".join(VECTORS),
    "finn08": "Memory bandwidth decides: $I = 6.3$ FLOP/byte is far below the ridge.",
}
UNTOUCHED = "gina99"
DRAFT = "Your draft is kept"


def graded_class(registered, root, essays=ESSAYS, pasted=("chen003",)):
    """Make a course in which students answered the written question, some with a pasted picture, and one left it untouched."""
    course = Course(root)
    (root / "autograder/work").mkdir(parents=True, exist_ok=True)
    shutil.copy(registered / "autograder/work/gradebook.db", root / "autograder/work")
    for student, essay in essays.items():
        course.submit(student, fakes.answers(course, 1) | {ESSAY: essay})
    course.submit(UNTOUCHED, {name: text for name, text in fakes.answers(course, 1).items() if name != ESSAY})
    for student in pasted:
        picture = fakes.submitted(course, student) / f"lab_{LAB}.ipynb"
        text = picture.read_text(encoding="utf-8")
        attached = f'"id": "{ESSAY}", "attachments": {{"image.png": {{"image/png": "{PIXEL}"}}}}'
        assert base64.b64decode(PIXEL) and f'"id": "{ESSAY}"' in text
        picture.write_text(text.replace(f'"id": "{ESSAY}"', attached), encoding="utf-8")
    fakes.run(course)
    with course.gradebook() as book:
        dora = book.find_student(next(iter({"dora55"} & {*essays}), UNTOUCHED))
        dora.first_name, dora.last_name, dora.email = "Dora", "Diaz", "dora@example.org"
        book.db.commit()
    return course


@contextmanager
def marking_page(course, *arguments):
    """Run ``autograder mark``; gives the address that it prints, and ends it with Ctrl-C."""
    log = course.root / "mark.log"
    with open(log, "w") as stream:
        command = [
            sys.executable,
            "-m",
            "autograder",
            "mark",
            LAB,
            "--no-browser",
            "--root",
            str(course.root),
            *arguments,
        ]
        server = subprocess.Popen(command, env=os.environ | course.environment, stdout=stream, stderr=stream)
    try:

        def address():
            assert server.poll() is None, log.read_text()
            return re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", log.read_text())

        yield wait_until(address, seconds=120, what=lambda: f"the page answers\n{log.read_text()}")[0]
    finally:
        server.send_signal(2)
        server.wait(30)
    assert server.returncode == 0, log.read_text()


def entry(course, student):
    """Return what formgrader would show: points by hand, comment, and whether a mark is still needed."""
    with course.gradebook() as book:
        grade = book.find_grade(ESSAY, f"lab_{LAB}", LAB, student)
        comment = book.find_comment(ESSAY, f"lab_{LAB}", LAB, student)
        return grade.manual_score, comment.manual_comment, grade.needs_manual_grade


def set_entry(course, student, points):
    """Give points as formgrader does."""
    with course.gradebook() as book:
        grade = book.find_grade(ESSAY, f"lab_{LAB}", LAB, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        book.db.commit()


def press(tab, keys, then=None):
    """Press keys; with ``then``, wait until the status or the heading says so."""
    for key in keys.split():
        tab.keyboard.press(key)
    if then:
        arrive(tab, then)


def arrive(tab, text):
    """Wait until the page says so and listens to the keyboard."""
    tab.get_by_text(text).first.wait_for()
    tab.wait_for_function("document.readyState === 'complete'")
