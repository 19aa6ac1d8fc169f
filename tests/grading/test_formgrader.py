"""The buttons of formgrader, pressed through the addresses that the page itself uses."""

import json
import secrets
import subprocess
import sys
import time
import urllib.request

import pytest

from tests.grading.course import LAB, Course


@pytest.fixture(scope="module")
def formgrader(tmp_path_factory):
    course = Course(tmp_path_factory.mktemp("course"))
    token = secrets.token_hex(16)
    command = [
        *(sys.executable, "-m", "jupyter_server", "--allow-root", "--no-browser", "--ServerApp.ip=127.0.0.1"),
        *("--ServerApp.port=0", f"--IdentityProvider.token={token}", "--ServerApp.disable_check_xsrf=True"),
    ]
    with open(course.root / "server.log", "w+") as log:
        server = subprocess.Popen(command, cwd=course.root, env=course.environment, stdout=log, stderr=log)
        try:
            info = course.root / "runtime" / f"jpserver-{server.pid}.json"
            deadline = time.monotonic() + 60
            while not info.exists() or not info.read_text():
                log.seek(0)
                assert server.poll() is None and time.monotonic() < deadline, log.read()
                time.sleep(0.05)
            base = json.loads(info.read_text())["url"]

            def press(path, method="GET"):
                request = urllib.request.Request(f"{base}formgrader/{path}?token={token}", method=method)
                with urllib.request.urlopen(request, timeout=120) as answer:
                    return answer.read().decode()

            yield course, press
        finally:
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
