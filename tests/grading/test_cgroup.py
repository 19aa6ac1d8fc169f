"""Control group around a sandbox: created if this account may, and removed at the end."""

import subprocess
import sys
import time
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from autograder.sandbox import CellStatus, CodeCell, Limits, Sandbox, cgroup
from tests.grading.attacks.model import BARE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="control groups are Linux's")
LIMITS = Limits(memory_bytes=1000, tmp_bytes=24, processes=10)


def machine(tmp_path, own="/user.slice/shell.scope", root="/", delegated=("user.slice",), line=None):
    """Process in a tree of control groups, as the kernel describes them; groups within ``delegated`` can be limited."""
    tree, proc = tmp_path / "tree", tmp_path / "proc"
    proc.mkdir()
    (tree / own[len(root.rstrip("/")) + 1 :]).mkdir(parents=True)
    for folder in (tree, *(place for place in tree.rglob("*"))):
        names = "cpu memory pids" if str(folder.relative_to(tree)) in delegated else ""
        (folder / "cgroup.subtree_control").write_text(names)
    (proc / "cgroup").write_text(line or f"12:cpuset:/elsewhere\n0::{own}\n")
    (proc / "mountinfo").write_text(
        f"25 1 0:23 / /proc rw - proc proc rw\n30 23 0:26 {root} {tree} rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"
    )
    return tree, proc


@pytest.mark.parametrize(
    "own, root, delegated, place",
    [
        ("/user.slice/shell.scope", "/", ("user.slice",), "user.slice"),
        ("/a/b/grader", "/a", ("b",), "b"),  # a container sees the tree from its own group on
        ("/", "/", (".",), "."),
    ],
)
def test_control_group_limits_a_sandbox(tmp_path, own, root, delegated, place):
    tree, proc = machine(tmp_path, own, root, delegated)
    assert cgroup.create_group(7, LIMITS, proc) is not None
    (made,) = (tree / place).glob("chip2cluster-*-7")
    assert (made / "memory.max").read_text() == "2048" and (made / "memory.swap.max").read_text() == "0"
    assert 10 < int((made / "pids.max").read_text()) < 100


@pytest.mark.parametrize(
    "changes",
    [{"delegated": ()}, {"line": "4:memory:/user.slice\n"}, {"line": "0::/elsewhere\n", "root": "/user.slice"}],
    ids=["nobody may be limited", "an old kernel", "not in the tree that is seen"],
)
def test_create_group_returns_none_without_rights(tmp_path, changes):
    tree, proc = machine(tmp_path, **changes)
    assert cgroup.create_group(7, LIMITS, proc) is None and not [*tree.rglob("chip2cluster*")]
    assert cgroup.create_group(7, LIMITS, tmp_path / "no such process") is None


def test_create_group_removes_stale_groups(tmp_path):
    tree, proc = machine(tmp_path)
    dead = subprocess.Popen(["true"])
    dead.wait()
    left, living = (tree / "user.slice" / f"chip2cluster-{pid}-0" for pid in (dead.pid, 1))
    left.mkdir()
    living.mkdir()
    assert cgroup.create_group(7, LIMITS, proc) is not None
    assert not left.exists() and living.exists()


def test_program_enters_its_group_and_ends_with_it():
    folder = None
    for place in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        if Path(place, "cgroup.procs").exists():
            folder = Path(place, f"chip2cluster-test-{time.monotonic_ns()}")
    try:
        folder.mkdir()
    except (AttributeError, OSError):
        pytest.skip("no control group (v2) can be made here")
    group = cgroup.ControlGroup(folder)
    try:
        program = subprocess.Popen(group.wrap(["sh", "-c", "echo in; sleep 600"]), stdout=subprocess.PIPE)
        assert program.stdout.readline() == b"in\n"
        assert str(program.pid) in (folder / "cgroup.procs").read_text().split()
    finally:
        group.close()
    assert not folder.exists() and program.wait(10) != 0
    program.stdout.close()


@pytest.mark.sandbox
def test_oom_kill_is_distinguished_from_an_exit(tmp_path, monkeypatch):
    group = cgroup.ControlGroup(tmp_path)
    assert group.oom_kills() == 0
    (tmp_path / "memory.events").write_text("low 0\nmax 9\noom 5\noom_kill 3\noom_group_kill 0\n")
    assert group.oom_kills() == 3
    monkeypatch.setattr(cgroup, "create_group", lambda *_: group)
    dies = [CodeCell("import os\nos.kill(os.getpid(), 9)"), CodeCell("1")]
    with Sandbox(BARE) as sandbox:
        (itself, _), before = sandbox.run(dies), sandbox.oom_kills()
        # As if the kernel killed processes during the cell: each reading is one higher.
        monkeypatch.setattr(cgroup.ControlGroup, "oom_kills", partial(next, count(before)))
        killed, after = sandbox.run(dies)
    assert itself.status is killed.status is CellStatus.KILLED and after.status is CellStatus.NOT_RUN
    assert [("more memory than it may" in str(one.outputs)) for one in (itself, killed)] == [False, True]


def test_program_runs_outside_a_missing_group(tmp_path):
    entering = cgroup.ControlGroup(tmp_path / "no such group").wrap(["echo", "it's", "here"])
    ran = subprocess.run(entering, capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("it's here\n", "")
