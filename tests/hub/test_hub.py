"""A class on a real JupyterHub: its proxy, nbgrader's exchange, and everybody with rights of their own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hub.running import Hub, missing

ROOT = Path(__file__).resolve().parents[2]
LAB = "03_roofline"
NOTEBOOK = f"{LAB}/lab_{LAB}.ipynb"
ESSAY = "Buy B: the batch of one waits for memory."


@pytest.fixture(scope="module")
def hub():
    if missing():
        message = f"NO HUB TESTED: {missing()}"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
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


def test_what_a_student_submits_lies_in_the_exchange_under_their_name(hub, ann):
    (folder,) = inbound(hub).iterdir()
    assert folder.name.split("+")[:2] == ["ann", LAB]
    assert ESSAY in (folder / f"lab_{LAB}.ipynb").read_text(encoding="utf-8")
    assert not hub.real or hub.users["ann"] == folder.stat().st_uid


def can(hub, name, *command):
    """Whether a command of this person succeeds."""
    return subprocess.run(hub.as_user(name, command), cwd="/", capture_output=True).returncode == 0


def test_nobody_gets_at_what_is_not_theirs(hub, course, ann):
    if not hub.real:
        pytest.skip("NO RIGHTS TESTED: only root can start a hub whose people are users of their own")
    (handed_in,) = inbound(hub).iterdir()
    gradebook = course / "autograder/work"
    assert can(hub, "instructor", "cat", handed_in / f"lab_{LAB}.ipynb")
    assert can(hub, "instructor", "ls", gradebook)
    own = hub.home["ann"]
    for path in (
        own,
        own / NOTEBOOK,
        inbound(hub),
        gradebook,
        course / "solutions",
        hub.home["instructor"],
        hub.top / "hub",
    ):
        assert path.exists() and not can(hub, "bob", "ls", path), path
    # Who learned its name somehow can read a submission; but not move it, and not put another in its place.
    assert not can(hub, "bob", "mv", handed_in, inbound(hub) / "gone")
    assert not can(hub, "bob", "rm", "-r", inbound(hub))
    assert not can(hub, "bob", "mv", hub.exchange / "chip2cluster", hub.exchange / "gone")
    assert handed_in.is_dir()
    # Nor by the network: Ann's server is hers.
    hub.ask("POST", "/hub/api/users/bob", hub.token)
    token = hub.ask("POST", "/hub/api/users/bob/tokens", hub.token, {"note": "bob's"})["token"]
    assert hub.refused("GET", f"/user/ann/api/contents/{NOTEBOOK}", token) in (403, 404)
    assert hub.refused("GET", "/hub/api/users", token) == 403
