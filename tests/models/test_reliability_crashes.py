"""Crash consistency of saves, against exhaustive enumeration of crashes and known recipes."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chip2cluster import reliability
from tests.tables import every_row

NAMES = ("ckpt-2", "ckpt-2.tmp", "latest", "latest.tmp")
SAFE = [
    "write ckpt-2", "sync ckpt-2", "sync .", "write latest.tmp ckpt-2", "sync latest.tmp", "rename latest.tmp latest",
    "sync .", "delete ckpt-1",
]  # fmt: skip


def brute_force(steps):
    """Enumerate every directory that a crash may leave, and load each as a restart would; files are lists."""
    now = {"ckpt-1": [True, None], "latest": [True, "ckpt-1"]}
    kept, changes, fatal = dict(now), [], []
    for step in steps:
        verb, name, *rest = step.split()
        if verb == "write":
            if name not in now:
                now[name] = [False, None]
                changes.append((name, now[name]))
            now[name][:] = [False, rest[0] if rest else None]
        elif name == ".":
            kept, changes = dict(now), []
        elif verb == "sync":
            now[name][0] = True
        else:
            file = now.pop(name)
            changes.append((name, None))
            if verb == "rename":
                now[rest[0]] = file
                changes.append((rest[0], file))
        each = {name: [kept.get(name), *(file for changed, file in changes if changed == name)] for name in {*kept, *(c[0] for c in changes)}}  # fmt: skip
        outcomes = (dict(zip(each, chosen, strict=True)) for chosen in product(*each.values()))
        fatal.append(int(any(not restarts(directory) for directory in outcomes)))
    return fatal


def restarts(directory):
    manifest = directory.get("latest")
    if not manifest or not manifest[0] or manifest[1] is None:
        return False
    checkpoint = directory.get(manifest[1])
    return bool(checkpoint) and checkpoint[0]


@st.composite
def saves(draw):
    """Draw steps that refer to existing files."""
    there, steps = {"ckpt-1", "latest"}, []
    for _ in range(draw(st.integers(1, 9))):
        verb = draw(st.sampled_from(("write", "write", "sync", "sync", "rename", "delete")))
        if verb == "write":
            name = draw(st.sampled_from(NAMES))
            steps.append(f"write {name}" + " ckpt-2" * name.startswith("latest"))
            there.add(name)
            continue
        if verb == "sync":
            steps.append(f"sync {draw(st.sampled_from(['.', *sorted(there)]))}")
            continue
        if not there:
            continue
        name = draw(st.sampled_from(sorted(there)))
        there.discard(name)
        new = name.removesuffix(".tmp")
        if verb == "rename" and new != name:
            there.add(new)
            steps.append(f"rename {name} {new}")
        else:
            steps.append(f"delete {name}")
    return steps or ["sync ."]


@given(saves())
def test_crash_table_matches_exhaustive_crashes(steps):
    assert reliability.fatal_crashes(steps).tolist() == brute_force(steps)


def test_safe_order_needs_each_of_its_steps():
    assert not reliability.fatal_crashes(SAFE).any()
    for place, step in enumerate(SAFE[:-1]):
        less = SAFE[:place] + SAFE[place + 1 :]
        if step.startswith(("sync", "rename")):
            assert reliability.fatal_crashes(less).any(), step


def test_crash_table_lists_restart_outcomes():
    found = reliability.crash_table(SAFE)["a restart may find"].tolist()
    assert found == ["ckpt-1"] * 5 + ["ckpt-1 or ckpt-2"] + ["ckpt-2"] * 2
    assert reliability.crash_table(["write latest ckpt-2"])["a restart may find"].tolist() == ["nothing whole"]


@every_row(
    ("steps", "error", "says"),
    [
        ([], ValueError, "at least one step"),
        ("sync .", TypeError, "list of texts"),
        (["fsync latest"], ValueError, "legal|must be 'write NAME'"),
        (["rename latest"], ValueError, "got 'rename latest'"),
        (["sync ckpt-2"], ValueError, "there are ckpt-1, latest"),
        ([3], ValueError, "got 3"),
    ],
)
def test_invalid_steps_are_rejected(steps, error, says):
    with pytest.raises(error, match=says):
        reliability.fatal_crashes(steps)
