"""Which places of this machine a box shows, and which it hides wherever they lie.

Shown is what Python and its packages need. Hidden are the course, what was handed
in, the gradebook, the secret, every copy of the answers: also where one of them lies
inside of a place that is shown, or Python inside of it.
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

# What packages of the system install; never what somebody has put beside it, such as /usr/src or nbgrader's exchange.
SYSTEM: tuple[str, ...] = (
    *("/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/include", "/usr/share"),
    *("/usr/local/bin", "/usr/local/lib", "/usr/local/lib64", "/usr/local/share/fonts"),
    *("/bin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts"),
)
# The same of a Python with a prefix of its own: a virtual environment, conda, pyenv.
PREFIX = ("bin", "lib", "lib32", "lib64", "libexec", "include", "share", "fonts", "etc/fonts", "pyvenv.cfg")
# Inside, these packages come from the page's own folder; an installed copy holds the answers.
OWN = ("chip2cluster", "autograder")


class Do(Enum):
    """What is done with a place."""

    SHOW = auto()
    LINK = auto()
    HIDE = auto()


Step: TypeAlias = tuple[Do, str]


class Exposed(SandboxUnavailable):
    """A place that must be hidden is one that Python needs; the message says what to move."""


def plan(hidden: Iterable[str | Path] = ()) -> list[Step]:
    """Say what to show and what to hide, in the order in which it must be done.

    Parameters
    ----------
    hidden : list of path
        What no box may see, besides the course's own packages and secret.

    Raises
    ------
    Exposed
        When that cannot be done without hiding Python itself.
    """
    shown = _shown()
    covers = _covers(shown, hidden)
    steps: dict[str, Do] = {}
    for place in sorted({*shown, *covers}, key=lambda place: (len(Path(place).parts), place)):
        around = above(place, steps)
        if place in covers:
            steps |= {place: Do.HIDE} if around is Do.SHOW else {}
        elif around not in (Do.SHOW, Do.LINK):
            steps[place] = Do.LINK if os.path.islink(place) else Do.SHOW
    return [(do, place) for place, do in steps.items()]


def above(place: str, steps: dict[str, Do]) -> Do | None:
    """What is done with the innermost place around this one."""
    return next((steps[str(outer)] for outer in Path(place).parents if str(outer) in steps), None)


def interpreter() -> list[str]:
    """Places of this Python and its packages; those of the system among them."""
    places = {os.path.join(prefix, part) for prefix in _prefixes() for part in PREFIX} | _packages()
    places |= {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    places |= {os.path.dirname(os.path.realpath(sys.executable))}
    return sorted(place for place in places if os.path.exists(place))


def _shown() -> set[str]:
    places = {place for place in (*SYSTEM, *interpreter()) if os.path.lexists(place)}
    # What a link leads to is shown where it is, and the link as a link.
    return places | {os.path.realpath(place) for place in places if os.path.exists(place)}


def _covers(shown: set[str], hidden: Iterable[str | Path]) -> set[str]:
    """Where, as a box sees it, something must be covered."""
    covers = set()
    needed = [(place, os.path.realpath(place)) for place in shown if os.path.isdir(place) and not os.path.islink(place)]
    musts = {os.path.realpath(place) for place in (*hidden, *own())}
    # An account may have a folder of the system for its home; nothing private is in that.
    for private in musts | {os.path.realpath(place) for place in (os.path.expanduser("~"), tempfile.gettempdir())}:
        for place, real in needed:
            if private == real and private in musts:
                raise Exposed(
                    f"{private} must stay hidden from what students hand in, but Python needs that folder: move your "
                    "course and its files into a folder of their own, or use a Python that is installed elsewhere"
                )
            if Path(private).is_relative_to(real) and private != real and os.path.isdir(private):
                covers.add(os.path.join(place, os.path.relpath(private, real)))
    return covers


def own() -> Iterator[Path | str]:
    """The secret, and all copies of the course's packages: where they run from, and where any Python here has them."""
    yield journal.path().parent
    prefixes = {"/usr", "/usr/local", *_prefixes()}
    packages = _packages() | {str(place) for top in prefixes for place in Path(top).glob("lib*/python*/*-packages")}
    for package in (Path(chip2cluster.__file__).parent, Path(__file__).parents[1]):
        # From a checkout all of it is hidden, with the tests and whatever was built from it.
        yield package if str(package.parent) in packages else package.parent
    for place in packages:
        yield from (os.path.join(place, name) for name in OWN)
        yield from Path(place).glob("chip2cluster-*")


def _prefixes() -> set[str]:
    return {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}


def _packages() -> set[str]:
    places = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()}
    return {place for place in places if os.path.isdir(place)}
