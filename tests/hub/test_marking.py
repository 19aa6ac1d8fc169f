"""Two markers in the course's own server on a real hub: each logs in, and marks under the name on the hub."""

import json
import os
import shutil
import socket
import urllib.error
from contextlib import suppress

import pytest

from tests.grading.course import LAB, Course
from tests.grading.marking import ESSAY, entry, graded_class
from tests.hub.hub_process import Hub, missing
from tests.waiting import wait_until

PAGE = f"/services/marking/marking/{LAB}/{ESSAY}/1of1/"


class MarkingHub(Hub):
    """A hub with a graded course of the instructor, of which ann and bob are markers and nobody else is."""

    def __init__(self, graded):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self._graded, self.course = graded, Course.__new__(Course)
        more = {"CHIP2CLUSTER_MARKERS": "ann,bob", "CHIP2CLUSTER_MARKING_PORT": str(port)}
        super().__init__(more, ("instructor", "ann", "bob", "cid"))

    def _begin(self, stack):
        self.course.root = shutil.copytree(self._graded.root, self.home["instructor"] / "course")
        for path in [self.course.root, *self.course.root.rglob("*")] if self.real else ():
            os.chown(path, self.users["instructor"], self.users["instructor"])
        super()._begin(stack)


class Marker:
    """Somebody with a token of theirs; the page's own token is sent along with changes."""

    def __init__(self, hub, name):
        with suppress(urllib.error.HTTPError):  # known already
            hub.ask("POST", f"/hub/api/users/{name}", hub.token)
        body = {"note": "test", "scopes": ["access:services!service=marking"]} if name != "cid" else {"note": "test"}
        self.hub, self.token = hub, hub.ask("POST", f"/hub/api/users/{name}/tokens", hub.token, body)["token"]

    def get(self, path):
        return self.hub.ask("GET", PAGE + path, self.token)

    def post(self, path, body):
        return self.hub.ask("POST", PAGE + path, self.token, body)


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    if missing():
        pytest.skip(f"NO HUB TESTED: {missing()}")
    root = tmp_path_factory.mktemp("registered")
    Course(root).nbgrader_here("generate_assignment", LAB)
    with MarkingHub(graded_class(root, tmp_path_factory.mktemp("course"))) as running:
        yield running, running.course


@pytest.mark.prove
def test_markers_of_a_hub_keep_their_own_drafts(hub):
    running, course = hub
    ann, bob = Marker(running, "ann"), Marker(running, "bob")

    def answers():
        with suppress(urllib.error.HTTPError):  # the server is still starting
            return ann.get("answers/1")

    page = wait_until(answers, seconds=120, what=lambda: f"the marking server\n{running.log.read_text()[-4000:]}")
    assert "marker ann" in page and "marker bob" in bob.get("answers/1")
    line = {"lines": ["names-two-chips"], "comment": "of ann"}
    assert ann.post("answers/1/draft", line) == {"points": "1", "next": 0}
    bob.post("answers/1/draft", {"lines": ["names-two-chips", "batch-256"], "comment": "of bob"})
    assert "of ann" in ann.get("answers/1") and "of bob" not in ann.get("answers/1")
    assert "of bob" in bob.get("answers/1")
    ann.post("answers/1/give", line)
    bob.post("answers/2/give", {"lines": [], "comment": ""})
    sheet = json.loads((course.root / f"autograder/work/rubrics/{LAB}/{ESSAY}.json").read_text(encoding="utf-8"))
    first, second = sheet["order"][:2]
    assert (sheet["marks"][first]["marker"], sheet["marks"][second]["marker"]) == ("ann", "bob")
    assert entry(course, first) == (1.0, "of ann", False) and entry(course, second)[0] == 0
    # Undo takes back one's own mark only.
    bob.post("undo", {})
    assert entry(course, first)[0] == 1 and entry(course, second) == (None, None, True)
    # A student, and somebody without an account, are refused or come to the hub's login, and change nothing.
    for token in (Marker(running, "cid").token, "wrong"):
        seen = ""
        with suppress(urllib.error.HTTPError):
            seen = running.ask("GET", PAGE + "answers/1", token)
        assert "Answer 1 of" not in seen and "H200" not in seen and "marker" not in seen
        assert running.refused("POST", PAGE + "answers/1/give", token, line) == 403
    assert entry(course, second) == (None, None, True)
