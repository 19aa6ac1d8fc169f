"""Wheels for the browser: ours, the kernel's, and pure Python ones that Pyodide's distribution lacks."""

import re
import subprocess
import sys
from email.parser import HeaderParser
from functools import cached_property
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from zipfile import ZipFile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# Front ends of a server. JupyterLite has its own; no Python code imports these.
FRONT_ENDS = {"jupyterlab-widgets", "widgetsnbextension"}


class Wheel:
    """A pure Python wheel: name, version, what it needs in a browser, what it lets one import."""

    def __init__(self, file):
        self.file = Path(file)

    @cached_property
    def metadata(self):
        """The fields of its METADATA."""
        with ZipFile(self.file) as archive:
            name = next(n for n in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", n))
            return HeaderParser().parsestr(archive.read(name).decode())

    @property
    def name(self):
        """Its normalized name."""
        return canonicalize_name(self.metadata["Name"])

    def needs(self, python):
        """Names of what it needs there; ``python`` is such as ``"3.14"``."""
        there = {"sys_platform": "emscripten", "platform_system": "Emscripten", "os_name": "posix", "extra": "",
                 "platform_machine": "wasm32", "python_version": python, "python_full_version": f"{python}.0"}  # fmt: skip
        wanted = map(Requirement, self.metadata.get_all("Requires-Dist") or ())
        names = {canonicalize_name(need.name) for need in wanted if need.marker is None or need.marker.evaluate(there)}
        return sorted(names - FRONT_ENDS)

    def entry(self, python):
        """Its entry in a lock file that lies beside it."""
        return {
            "name": self.name,
            "version": self.metadata["Version"],
            "file_name": self.file.name,
            "sha256": sha256(self.file.read_bytes()).hexdigest(),
            "install_dir": "site",
            "package_type": "package",
            "unvendored_tests": False,
            "imports": self._imports(),
            "depends": self.needs(python),
        }

    def _imports(self):
        with ZipFile(self.file) as archive:
            files = [name for name in archive.namelist() if name.endswith(".py") and ".d" not in name.split("/")[0]]
        tops = {name.split("/")[0].removesuffix(".py") for name in files if name.count("/") == 0 or "__init__" in name}
        return sorted(tops)


def fetch(name, folder, python, wanted=None):
    """Fetch the pure Python wheel of a package once, in the version ``wanted`` or the one installed here."""
    try:
        wanted = wanted or version(name)
    except PackageNotFoundError:
        raise LookupError(f"the site needs {name}, which is not installed here: pip install -e .[site]") from None
    own = folder / f"{name}-{wanted}"
    if not any(own.glob("*-none-any.whl")):
        only = ("--only-binary=:all:", "--platform=any", "--implementation=py", "--abi=none")
        _pip("download", "--no-deps", *only, f"--python-version={python}", "--dest", own, f"{name}=={wanted}")
    return next(own.glob("*-none-any.whl"))


def _pip(*arguments):
    command = [sys.executable, "-m", "pip", *map(str, arguments), "--quiet", "--disable-pip-version-check"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"pip {arguments[0]} failed:\n{done.stderr}")
