"""The command line that runs a program under macOS's own `sandbox-exec`: less than a locked room, more than nothing.

Nobody has run this on a Mac yet. So it is only taken by who has asked for no sandbox
at all, and reports say *unsandboxed* of it.
"""

import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

TOOL = "sandbox-exec"
# What belongs to people, and disks that are plugged in.
PERSONAL = ("/Users", "/Volumes", "/private/var/root")


def missing() -> str:
    """Why it cannot even be tried here; empty when it can."""
    if sys.platform != "darwin":
        return f"{TOOL} needs macOS"
    if shutil.which(TOOL) is None:
        return f"this macOS has no {TOOL}"
    return ""


def command(
    program: list[str], *, home: str | Path, shown: Iterable[str | Path], hidden: Iterable[str | Path]
) -> list[str]:
    """Return the arguments that run ``program`` without a network and without what is personal.

    Parameters
    ----------
    program : list of str
        Runs inside.
    home : path
        The only folder that it may write to.
    shown, hidden : paths
        Folders that it can see, and others that it cannot; of two, one in the other, the inner one counts.
        What belongs to people is hidden.
    """
    return [shutil.which(TOOL) or TOOL, "-p", profile(home, shown, hidden), *program]


def profile(home: str | Path, shown: Iterable[str | Path], hidden: Iterable[str | Path]) -> str:
    """What is allowed, in the tool's own language: of all lines that fit, the last one holds."""
    rules = [(place, "allow") for place in _real((*shown, home))]
    rules += [(place, "deny") for place in _real((*PERSONAL, *hidden))]
    rules.sort(key=lambda rule: len(rule[0].parts))
    return "\n".join(
        [
            "(version 1)",
            "(allow default)",
            "(deny network*)",
            "(deny appleevent-send)",
            "(deny lsopen)",
            "(deny signal)",
            "(allow signal (target same-sandbox))",
            *(f"({rule} file-read* {_folder(place)})" for place, rule in rules),
            # To find the way to a folder, a program looks at those above it.
            "(allow file-read-metadata)",
            "(deny file-write*)",
            *(f"(allow file-write* {_folder(place)})" for place in _real((home, "/dev"))),
        ]
    )


def _real(places: Iterable[str | Path]) -> list[Path]:
    """By their real names: on macOS /tmp and /var are links."""
    return [Path(place).resolve() for place in places]


def _folder(place: Path) -> str:
    text = str(place).replace("\\", "\\\\").replace('"', '\\"')
    return f'(subpath "{text}")'
