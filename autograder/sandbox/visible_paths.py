"""Paths of this machine that the sandbox shows, and those that it hides wherever they are.

Python and its packages are shown. The course, submissions, the gradebook, the secret and every copy of the answers are
hidden, even if one of them is inside a folder that is shown, or Python is inside one of them.
"""

import os
import site
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from pathlib import Path
from typing import TypeAlias

import chip2cluster
from chip2cluster import journal

from .backends import SandboxUnavailable

# Folders that system packages install into; never folders with other content, such as /usr/src or nbgrader's exchange.
SYSTEM: tuple[str, ...] = (
    *("/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/include", "/usr/share"),
    *("/usr/local/bin", "/usr/local/lib", "/usr/local/lib64", "/usr/local/share/fonts"),
    *("/bin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts"),
)
# The same for a Python with its own prefix: a virtual environment, conda, pyenv.
PREFIX = ("bin", "lib", "lib32", "lib64", "libexec", "include", "share", "fonts", "etc/fonts", "pyvenv.cfg")
# Inside, these packages come from the page's own folder; an installed copy holds the answers.
PRIVATE_PACKAGES = ("chip2cluster", "autograder")


class PathAction(Enum):
    """What the sandbox does with a path."""

    SHOW = auto()
    LINK = auto()
    HIDE = auto()


Step: TypeAlias = tuple[PathAction, str]


class HiddenPathConflict(SandboxUnavailable):
    """A path that must be hidden is one that Python needs; the message says what to move."""


def plan(hidden: Iterable[str | Path] = ()) -> list[Step]:
    """Return the paths to show and to hide, in the order in which they must be mounted.

    Parameters
    ----------
    hidden : list of path
        Paths that must stay hidden, besides the course's own packages and secret.

    Raises
    ------
    HiddenPathConflict
        If that cannot be done without hiding Python itself.
    """
    shown = _existing_paths()
    covers = _covers(shown, hidden)
    actions: dict[str, PathAction] = {}
    for path in sorted({*shown, *covers}, key=lambda path: (len(Path(path).parts), path)):
        enclosing = enclosing_action(path, actions)
        if path in covers:
            actions |= {path: PathAction.HIDE} if enclosing is PathAction.SHOW else {}
        elif enclosing not in (PathAction.SHOW, PathAction.LINK):
            actions[path] = PathAction.LINK if os.path.islink(path) else PathAction.SHOW
    return [(action, path) for path, action in actions.items()]


def enclosing_action(path: str, actions: dict[str, PathAction]) -> PathAction | None:
    """Return the action on the innermost folder around a path; None without one."""
    return next((actions[str(outer)] for outer in Path(path).parents if str(outer) in actions), None)


def interpreter() -> list[str]:
    """Return the paths of this Python and its packages, those of the system included."""
    paths = {os.path.join(prefix, part) for prefix in _prefixes() for part in PREFIX} | _packages()
    paths |= {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    paths |= {os.path.dirname(os.path.realpath(sys.executable))}
    return sorted(path for path in paths if os.path.exists(path))


def _existing_paths() -> set[str]:
    paths = {path for path in (*SYSTEM, *interpreter()) if os.path.lexists(path)}
    # The target of a link is shown at its own path, and the link as a link.
    return paths | {os.path.realpath(path) for path in paths if os.path.exists(path)}


def _covers(shown: set[str], hidden: Iterable[str | Path]) -> set[str]:
    """Return the paths to cover, as the sandbox sees them."""
    covers = set()
    needed = [(path, os.path.realpath(path)) for path in shown if os.path.isdir(path) and not os.path.islink(path)]
    required = {os.path.realpath(path) for path in (*hidden, *private_paths())}
    # An account may have a system folder as its home; nothing private is in that one.
    for private in required | {os.path.realpath(path) for path in (os.path.expanduser("~"), tempfile.gettempdir())}:
        for path, real in needed:
            if private == real and private in required:
                raise HiddenPathConflict(
                    f"{private} must stay hidden from what students hand in, but Python needs that folder: move your "
                    "course and its files into a folder of their own, or use a Python that is installed elsewhere"
                )
            if Path(private).is_relative_to(real) and private != real and os.path.isdir(private):
                covers.add(os.path.join(path, os.path.relpath(private, real)))
    return covers


def private_paths() -> Iterator[Path | str]:
    """Yield the secret's folder and all copies of the course's packages: the running ones and installed ones."""
    yield journal.path().parent
    prefixes = {"/usr", "/usr/local", *_prefixes()}
    packages = _packages() | {str(path) for top in prefixes for path in Path(top).glob("lib*/python*/*-packages")}
    for package in (Path(chip2cluster.__file__).parent, Path(__file__).parents[1]):
        # A checkout is hidden as a whole, with its tests and everything that was built from it.
        yield package if str(package.parent) in packages else package.parent
    for folder in packages:
        yield from (os.path.join(folder, name) for name in PRIVATE_PACKAGES)
        yield from Path(folder).glob("chip2cluster-*")


def _prefixes() -> set[str]:
    return {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}


def _packages() -> set[str]:
    paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()}
    return {path for path in paths if os.path.isdir(path)}
