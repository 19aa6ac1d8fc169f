"""The buttons of formgrader, pressed through the addresses that the page itself uses."""

import json
import secrets
import urllib.request

import pytest

from tests.grading.course import LAB, Course
from tests.serving import start_jupyter


@pytest.fixture(scope="module")
def formgrader(tmp_path_factory):
    course = Course(tmp_path_factory.mktemp("course"))
    token = secrets.token_hex(16)
    arguments = [
        *("jupyter_server", "--allow-root", "--no-browser"),
        *(f"--IdentityProvider.token={token}", "--ServerApp.disable_check_xsrf=True"),
    ]
    server, base = start_jupyter(arguments, course.environment, course.root, course.root / "server.log")

    def press(path, method="GET"):
        request = urllib.request.Request(f"{base}formgrader/{path}?token={token}", method=method)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.read().decode()

    yield course, press
    server.terminate()
    server.wait(30)


def test_generate_autograde_and_feedback_by_button(formgrader):
    course, press = formgrader
    assert "nbgrader" in press("manage_assignments")
    assert json.loads(press(f"api/assignment/{LAB}/assign", "POST"))["success"]
    course.submit("ann", course.answers())
    (listed,) = json.loads(press(f"api/submissions/{LAB}"))
    assert listed["student"] == "ann" and listed["submitted"]
    assert json.loads(press(f"api/submission/{LAB}/ann/autograde", "POST"))["success"]
    (graded,) = json.loads(press(f"api/submissions/{LAB}"))
    assert (graded["code_score"], graded["max_code_score"], graded["needs_manual_grade"]) == (25, 25, True)
    assert json.loads(press(f"api/assignment/{LAB}/generate_feedback", "POST"))["success"]
    assert "Every case agrees" in course.feedback("ann")
