"""Choose the strongest room that this machine allows."""

import shutil
import sys
from functools import cache

from .box import Box, SandboxUnavailable


def open_box(lab, *, sandbox="auto", limits=None):
    """Return a `Box` for a lab, to be used in a ``with`` statement.

    Parameters
    ----------
    lab : grading.lab.Lab
    sandbox : str
        ``"auto"`` takes bubblewrap and raises where it cannot run;
        ``"unsandboxed"`` takes a plain subprocess with limits where bubblewrap
        cannot run; ``"never"`` takes the plain subprocess in any case.
    limits : Limits, optional

    Raises
    ------
    SandboxUnavailable
        With the reason and what to do about it.
    ValueError
        For another ``sandbox``.
    """
    if sandbox not in ("auto", "unsandboxed", "never"):
        raise ValueError(f'sandbox is "auto", "unsandboxed" or "never", not {sandbox!r}')
    kind, reason = ("unsandboxed", "") if sandbox == "never" else _best(lab)
    if kind == "unsandboxed" and sandbox == "auto":
        raise SandboxUnavailable(
            f"{reason}. Student code would run with your rights: grade on a Linux machine where bubblewrap runs, "
            "or say --unsandboxed if you trust these students."
        )
    return Box(lab, kind, limits)


def why_unavailable(lab):
    """Why bubblewrap cannot be used here, as a sentence; empty when it can."""
    return _best(lab)[1]


_known = {}


def _best(lab):
    """The best kind of box here and, when it is none, the reason. Found out once for each process."""
    if "best" not in _known:
        _known["best"] = _try(lab)
    return _known["best"]


def _try(lab):
    if sys.platform != "linux":
        return "unsandboxed", "bubblewrap needs Linux"
    if shutil.which("bwrap") is None:
        return "unsandboxed", "bubblewrap is not installed (the package is called bubblewrap)"
    from .box import Cell

    reason = ""
    for kind in ("bubblewrap", "bubblewrap-cold"):
        try:
            with Box(lab, kind) as box:
                if box.run([Cell("1 + 1")])[0].how == "ok":
                    return kind, ""
                reason = "a notebook could not be started in it"
        except (SandboxUnavailable, OSError) as problem:
            reason = str(problem).splitlines()[-1]
    return "unsandboxed", f"bubblewrap may not run here ({reason}); inside a container it needs user namespaces"
