"""A class on a real JupyterHub: its proxy, nbgrader's exchange, and everybody with rights of their own."""

import json
import os
import shutil
import subprocess
import sys
import urllib.error
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest

from autograder.hub_link import link
from tests import sandbox
from tests.hub.hub_process import Hub, missing

ROOT = Path(__file__).resolve().parents[2]
LAB = "03_roofline"
NOTEBOOK = f"{LAB}/lab_{LAB}.ipynb"
ESSAY = "Buy B: the batch of one waits for memory."


@pytest.fixture(scope="module")
def hub():
    if missing():
        pytest.skip(f"NO HUB TESTED: {missing()}")
    with Hub() as running:
        yield running


@pytest.fixture(scope="module")
def course(hub):
    """The instructor's course folder, with the lab released into the exchange."""
    place = hub.home["instructor"] / "course"
    place.mkdir(mode=0o700)
    shutil.copy(ROOT / "nbgrader_config.py", place)
    for name in ("solutions", "labs"):
        shutil.copytree(ROOT / name / LAB, place / name / LAB)
    own(hub, "instructor", place)
    hub.run("instructor", sys.executable, "-m", "nbgrader", "release_assignment", LAB, cwd=place)
    return place


def own(hub, name, folder):
    """Give a folder and all in it to somebody."""
    if hub.real:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, hub.users[name], hub.users[name])


def answers(*, wrong=()):
    """Source of the answered cells of the lab by cell id; the tasks in ``wrong`` stay as they were."""
    solved = json.loads((ROOT / "solutions" / LAB / f"lab_{LAB}.ipynb").read_text(encoding="utf-8"))
    return {
        cell["id"]: cell["source"]
        for cell in solved["cells"]
        if cell["metadata"].get("nbgrader", {}).get("solution") and cell["id"] not in wrong
    }


def work(desk, *, wrong=()):
    """Fetch the lab, fill it in, save it."""
    assert desk.assignments()["released"]["assignment_id"] == LAB
    assert "fetched" in desk.assignments("fetch", LAB)
    notebook, right = desk.notebook(NOTEBOOK), answers(wrong=wrong)
    for cell in notebook["cells"]:
        cell["source"] = "".join(right.get(cell["id"], cell["source"]))
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "recommendation":
            cell["source"] = ESSAY
    desk.save(NOTEBOOK, notebook)


@pytest.fixture(scope="module")
def ann(hub, course):
    """Ann's server, after she has handed in."""
    desk = hub.enter("ann")
    work(desk)
    assert "submitted" in desk.assignments("submit", LAB)
    return desk


def inbound(hub):
    return hub.exchange / "chip2cluster/inbound"


def can(hub, name, *command):
    """Whether a command of this person succeeds."""
    return subprocess.run(hub.as_user(name, command), cwd="/", capture_output=True).returncode == 0


def test_hub_submission_is_private_to_its_student(hub, course, ann):
    """One test, so that one process starts one hub."""
    (handed_in,) = inbound(hub).iterdir()
    assert handed_in.name.split("+")[:2] == ["ann", LAB]
    assert ESSAY in (handed_in / f"lab_{LAB}.ipynb").read_text(encoding="utf-8")
    # By the network Ann's server is hers.
    with suppress(urllib.error.HTTPError):  # known already
        hub.ask("POST", "/hub/api/users/bob", hub.token)
    token = hub.ask("POST", "/hub/api/users/bob/tokens", hub.token, {"note": "bob's"})["token"]
    assert hub.refused("GET", f"/user/ann/api/contents/{NOTEBOOK}", token) in (403, 404)
    assert hub.refused("GET", "/hub/api/users", token) == 403
    if not hub.real:
        pytest.skip("NO RIGHTS OF USERS TESTED: only root can start a hub whose people are users of their own")
    assert handed_in.stat().st_uid == hub.users["ann"]
    gradebook = course / "autograder/work"
    assert can(hub, "instructor", "cat", handed_in / f"lab_{LAB}.ipynb")
    assert can(hub, "instructor", "ls", gradebook)
    for path in (
        hub.home["ann"],
        hub.home["ann"] / NOTEBOOK,
        inbound(hub),
        gradebook,
        course / "solutions",
        hub.home["instructor"],
        hub.top / "hub",
    ):
        assert path.exists() and not can(hub, "bob", "ls", path), path
    # Anyone who knows its name can read and write in a submission, but not move it; see `test_exchange_owners`.
    assert not can(hub, "bob", "mv", handed_in, inbound(hub) / "gone")
    assert not can(hub, "bob", "rm", "-r", inbound(hub))
    assert not can(hub, "bob", "mv", hub.exchange / "chip2cluster", hub.exchange / "gone")
    assert handed_in.is_dir()


@pytest.mark.prove
def test_a_class_goes_the_whole_way(hub, course, ann):
    """Two students fetch, work and submit; the instructor collects, grades and releases; each sees their own page."""
    bob = hub.enter("bob")
    work(bob, wrong=["shortest_time"])
    bob.assignments("submit", LAB)

    def autograder(*arguments):
        return hub.run("instructor", sys.executable, "-m", "autograder", *arguments, "--root", course, cwd=course)

    assert "2 new submissions" in (said := autograder("collect", LAB)), said
    # Where all are one account, it is not the student's.
    assert not hub.real or "belongs to the account" not in said
    assert "2 graded" in autograder("grade", LAB, *(["--unsandboxed"] if sandbox.missing() else []))
    autograder("feedback", LAB)
    hub.run("instructor", sys.executable, "-m", "nbgrader", "release_feedback", LAB, cwd=course)

    pages = {}
    for desk in (ann, bob):
        seen = desk.assignments("fetch_feedback", LAB)["submitted"]["submissions"]
        assert len(seen) == 1 and seen[0]["has_local_feedback"] and seen[0]["feedback_updated"] is False, seen
        path = f"{seen[0]['local_feedback_path']}/lab_{LAB}.html"
        pages[desk.name] = desk.get(f"/api/contents/{quote(path)}?content=1&type=file&format=text")["content"]
    assert "not written yet" in pages["bob"] and "not written yet" not in pages["ann"]
    assert ESSAY in pages["ann"]
    # The marks are the instructor's alone, and so are the pages of others.
    released = [*(hub.exchange / "chip2cluster/feedback").iterdir()]
    assert len(released) == 2
    if hub.real:
        assert not can(hub, "bob", "ls", hub.exchange / "chip2cluster/feedback")
        assert not can(hub, "bob", "ls", course / "autograder/work/feedback")
        assert not any(path.stat().st_mode & 0o077 for path in [course / "autograder/work"])


@pytest.mark.prove
def test_each_works_with_numbers_of_their_own_and_nobody_listens(hub, course):
    """The key comes from the class's file, the name from the hub; a kernel has no port that others can reach."""
    key = hub.run("instructor", sys.executable, "-c", "from autograder.secret import values_key; print(values_key())")
    (hub.pages / "class.json").write_text(json.dumps({"values_key": key.strip(), "students": []}))
    told = hub.home["instructor"] / ".local/share/chip2cluster/course-secret"
    assert told.exists() and (not hub.real or not can(hub, "bob", "cat", told))
    for name in ("ann", "bob"):
        with suppress(urllib.error.HTTPError):
            hub.ask("DELETE", f"/hub/api/users/{name}/server", hub.token)
        desk = hub.enter(name)
        said = desk.execute(
            "import ipykernel, json; from autograder import given\n"
            "print(json.dumps([given('lab.roofline.own_chip'), ipykernel.get_connection_info(unpack=True)['transport']]))"
        )
        numbers, transport = json.loads(said)
        graded = hub.run(
            "instructor",
            sys.executable,
            "-c",
            "import json, sys; from autograder.exercises import exercise; from autograder.secret import student_seed\n"
            "print(json.dumps(exercise(sys.argv[1]).given(student_seed(sys.argv[2], sys.argv[1]))))",
            "lab.roofline.own_chip",
            name,
        )
        assert numbers == json.loads(graded) and transport == "ipc"


@pytest.mark.prove
def test_a_link_brings_a_repository_to_the_desk(hub, course, ann):
    pages = hub.top / "repository"
    pages.mkdir()
    (pages / "README.md").write_text("for students")
    for words in (
        ["init", "-b", "main"],
        ["add", "."],
        ["-c", "user.name=us", "-c", "user.email=us@localhost", "commit", "-m", "pages"],
    ):
        subprocess.run(["git", *words], cwd=pages, check=True, capture_output=True)
    own(hub, "ann", pages)  # git takes nothing from a folder of somebody else
    query = urlsplit(link("https://hub.example.edu", "https://git.example.edu/us/pages", page="README.md")).query
    words = parse_qs(query) | {"repo": [f"file://{pages}"], "targetpath": ["pages"]}
    said = ann.get(f"/git-pull/api?{urlencode(words, doseq=True)}")
    assert '"phase": "finished"' in said, said
    assert ann.get("/api/contents/pages/README.md?content=1")["content"] == "for students"
