"""Without bubblewrap: the profile for macOS, and refusals. None of it has been tried on a Mac."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.sandbox import Sandbox, SandboxUnavailable, bwrap_binary, seatbelt
from autograder.sandbox.backends import FALLBACKS, ISOLATED, ISOLATION, Backend
from autograder.sandbox.inside.reply_codes import Isolation
from tests.grading.attacks.model import LAB

HOME = "/private/var/folders/x/box-1/home"
ADA = str(Path("/Users", "ada"))
COURSE, PYTHON = ADA + "/course", ADA + "/course/.venv"
COPY = PYTHON + "/lib/python3.13/site-packages/autograder"


def parsed(text):
    """Parse the rules of a profile into nested lists of words."""
    stack = [[]]
    for quoted, bracket, word in re.findall(r'"((?:[^"\\]|\\.)*)"|([()])|([^\s()"]+)', text):
        if bracket == "(":
            stack.append([])
        elif bracket == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word or re.sub(r"\\(.)", r"\1", quoted))
    (rules,) = stack
    return rules


def may(rules, operation, place=None):
    """Return the action of the last matching rule; an operation's name matches every name that begins with it."""
    verdict = None
    for rule in rules[1:]:
        action, name, *folders = rule
        fits = name == "default" or (operation.startswith(name[:-1]) if name.endswith("*") else operation == name)
        if fits and (not folders or any(place and Path(place).is_relative_to(folder) for _, folder in folders)):
            verdict = action
    return verdict == "allow"


@pytest.fixture
def rules(monkeypatch):
    monkeypatch.setattr(seatbelt.Path, "resolve", lambda self: self)
    return parsed(seatbelt.profile(HOME, [str(Path(HOME).parent), PYTHON], [COURSE, COPY]))


@pytest.mark.parametrize(
    "operation, place, wanted",
    [
        ("network-outbound", None, False),
        ("network-bind", None, False),
        ("appleevent-send", None, False),
        ("process-fork", None, True),
        ("file-read-data", "/usr/lib/libSystem.dylib", True),
        ("file-read-data", "/Library/Frameworks/Python.framework/Python", True),
        ("file-read-data", PYTHON + "/lib/python3.13/site-packages/numpy/__init__.py", True),
        ("file-read-data", COPY + "/exercises/roofline.py", False),
        ("file-read-data", COURSE + "/solutions/03_roofline/lab_03_roofline.ipynb", False),
        ("file-read-data", COURSE + "/autograder/work/gradebook.db", False),
        ("file-read-data", ADA + "/.ssh/id_ed25519", False),
        ("file-read-data", "/Volumes/USB/marks.csv", False),
        ("file-read-metadata", COURSE, True),
        ("file-read-data", str(Path(HOME).parent / "page/page.json"), True),
        ("file-write-data", HOME + "/x", True),
        ("file-write-data", str(Path(HOME).parent / "page/page.json"), False),
        ("file-write-data", "/dev/null", True),
        ("file-write-create", "/private/tmp/x", False),
        ("file-write-unlink", ADA + "/thesis.tex", False),
    ],
)
def test_seatbelt_profile_hides_personal_folders(rules, operation, place, wanted):
    assert may(rules, operation, place) is wanted


@given(st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1))
def test_seatbelt_profile_escapes_folder_names(name):
    home = Path("/Users", f"x{name}y")
    rules = parsed(seatbelt.profile(home, [], []))
    assert ["allow", "file-write*", ["subpath", str(home)]] in rules


def test_seatbelt_command_has_the_profile_first():
    tool, flag, profile, *program = seatbelt.command(["python", "-I"], home="/h", shown=[], hidden=[])
    assert tool.endswith("sandbox-exec") and flag == "-p" and program == ["python", "-I"]
    assert profile.startswith("(version 1)\n(allow default)\n")


def test_seatbelt_is_not_reported_as_isolated():
    assert Backend.SEATBELT not in FALLBACKS["auto"] and Backend.SEATBELT not in ISOLATED
    assert ISOLATION[Backend.SEATBELT] is Isolation.NONE


@pytest.fixture
def mac(monkeypatch):
    """Simulate a Mac for the two modules, with the tools in this set."""
    tools = set()
    monkeypatch.setattr(seatbelt.sys, "platform", "darwin")
    monkeypatch.setattr(seatbelt.shutil, "which", lambda name: f"/usr/bin/{name}" if name in tools else None)
    return tools


def test_seatbelt_unavailable_without_the_tool(mac):
    assert "no sandbox-exec" in seatbelt.unavailable_reason() and bwrap_binary.bundled() is None
    mac.add("sandbox-exec")
    assert not seatbelt.unavailable_reason()


@pytest.mark.parametrize("tools", [set(), {"sandbox-exec"}])
def test_macos_refuses_to_grade_without_unsandboxed(mac, tools):
    mac |= tools
    with pytest.raises(SandboxUnavailable, match=r"(?s)needs Linux.*container.*--unsandboxed"), Sandbox(LAB):
        pass


def test_macos_tries_seatbelt_before_unsandboxed(mac, monkeypatch):
    tried = []

    def start(self):
        tried.append(self.backend)
        raise OSError("nothing starts here")

    monkeypatch.setattr(Sandbox, "_start", start)
    for tools, kinds in ((set(), []), ({"sandbox-exec"}, [Backend.SEATBELT])):
        mac |= tools
        tried.clear()
        with pytest.raises(SandboxUnavailable), Sandbox(LAB, sandbox="unsandboxed"):
            pass
        assert tried == [*kinds, Backend.UNSANDBOXED]


def test_windows_error_names_wsl_and_container(monkeypatch):
    from autograder.sandbox import sandbox

    class Windows:
        getpid = staticmethod(lambda: 1)

    monkeypatch.setattr(sandbox, "os", Windows)
    with pytest.raises(SandboxUnavailable, match="WSL.*container"), Sandbox(LAB):
        pass
