"""The list of packages that the kernel reads: Pyodide's, and ours among them.

A package comes from Pyodide's distribution where that has it, else as a pure Python
wheel that lies beside the list. What can be had from neither (compiled packages, for
a site that fetches nothing from afar) is left out, with all that needs it.
"""

import json
import shutil
from dataclasses import dataclass

from packaging.utils import canonicalize_name

from ..pyodide import PYTHON
from . import wheels

# What the kernel needs before it runs a cell: there when it starts, so that it looks nowhere else.
KERNEL = ("micropip", "piplite", "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython")
COURSE = "chip2cluster"


@dataclass(frozen=True)
class Resolved:
    """``packages`` by name, the ``files`` of the wheels to serve, and the names ``missing``."""

    packages: dict
    files: tuple
    missing: tuple


def resolve(distribution, given, cache):
    """Find everything that the kernel and the course need.

    Parameters
    ----------
    distribution : Distribution
    given : iterable of path
        Wheels that are there already: the course's and the kernel's.
    cache : Path
        Folder of the wheels that were fetched.
    """
    packages = {canonicalize_name(name): entry for name, entry in distribution.entries().items()}
    known = {canonicalize_name(name): entry for name, entry in distribution.lock["packages"].items()}
    at_hand = {wheel.name: wheel for wheel in map(wheels.Wheel, given)}
    files, missing, waiting, seen = [], set(), [COURSE, *KERNEL], set()
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in seen:
            continue
        seen.add(name)
        wheel = at_hand.get(name)
        if wheel is None and name not in packages:
            wanted = known.get(name)
            if wanted is not None and not wanted["file_name"].endswith("-none-any.whl"):
                missing.add(name)
                continue
            wheel = wheels.Wheel(wheels.fetch(name, cache, PYTHON, wanted and wanted["version"]))
        if wheel is not None:
            packages[name] = wheel.entry(PYTHON)
            files.append(wheel.file)
        waiting += packages[name]["depends"]
    return _without(packages, files, missing)


def _without(packages, files, missing):
    """Leave out what needs something that is missing, but never the course itself."""
    lost = set(missing)
    while more := {
        name
        for name, entry in packages.items()
        if name not in lost and name != COURSE and lost & set(map(canonicalize_name, entry["depends"]))
    }:
        lost |= more
    if stuck := lost & set(KERNEL):
        raise LookupError(f"the kernel cannot start: {', '.join(sorted(stuck))} cannot be had")
    listed = {name: entry for name, entry in sorted(packages.items()) if name not in lost}
    wanted = packages[COURSE]["depends"]
    listed[COURSE] = {**packages[COURSE], "depends": [name for name in wanted if name not in lost]}
    served = {entry["file_name"] for entry in listed.values()}
    left = tuple(name for name in wanted if name in lost)
    return Resolved(listed, tuple(file for file in files if file.name in served), left)


def write(distribution, resolved, folder):
    """Write the list into ``folder`` and lay the wheels beside it."""
    folder.mkdir(parents=True)
    for file in resolved.files:
        shutil.copyfile(file, folder / file.name)
    text = json.dumps({"info": distribution.lock["info"], "packages": resolved.packages}, indent=1, sort_keys=True)
    (folder / "pyodide-lock.json").write_text(text + "\n", encoding="utf-8")
