"""Parser of the output of ``lfs getstripe``."""

from __future__ import annotations

import re
from typing import NamedTuple

from .._validate import shortened

_COUNT = re.compile(r"^\s*lmm_stripe_count:\s*(-?\d+)")
_SIZE = re.compile(r"^\s*lmm_stripe_size:\s*(\d+)")
_START = re.compile(r"^\s*lcme_extent\.e_start:\s*(\d+)")
_END = re.compile(r"^\s*lcme_extent\.e_end:\s*(\d+|EOF)")
_PATH = re.compile(r"^(/\S.*|\./?\S.*)$")


class FileStripes(NamedTuple):
    """One component of the layout of a file.

    Attributes
    ----------
    path : str
        Path of the file; empty if it is not in the text.
    start_bytes : int
        Offset at which the component begins, bytes.
    end_bytes : int or None
        Offset at which it ends, bytes; None if unbounded.
    stripe_count, stripe_size : int
        Number of targets, -1 for all of them, and bytes of a stripe.
    """

    path: str
    start_bytes: int
    end_bytes: int | None
    stripe_count: int
    stripe_size: int


def read_getstripe(text: str) -> tuple[FileStripes, ...]:
    r"""Parse the output of ``lfs getstripe``.

    Parameters
    ----------
    text : str
        Output for one file or several, with plain or progressive layouts.

    Returns
    -------
    tuple of FileStripes
        Components in the order of the text; a file with a plain layout has one.

    Raises
    ------
    ValueError
        The text is something else, or a component lacks its count or its size.

    Notes
    -----
    Ignores pools, mirrors and the list of objects. Source: Lustre's lfs-getstripe(1).

    Examples
    --------
    >>> file, = read_getstripe("/mnt/f\nlmm_stripe_count:  2\nlmm_stripe_size:   1048576\n")
    >>> file.path, file.stripe_count, file.stripe_size
    ('/mnt/f', 2, 1048576)
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be the output of lfs getstripe, got {text!r}")
    path, start, end, count = "", 0, None, None
    found: list[FileStripes] = []
    # Not normalized: a line such as `lmm_stripe_count:  2` looks like one with the name of a host before it.
    for line in text.splitlines():
        if match := _PATH.match(line.strip()):
            path, start, end, count = match[1], 0, None, None
        elif match := _START.match(line):
            start = int(match[1])
        elif match := _END.match(line):
            end = None if match[1] == "EOF" else int(match[1])
        elif match := _COUNT.match(line):
            count = int(match[1])
        elif match := _SIZE.match(line):
            if count is None:
                break
            found.append(FileStripes(path, start, end, count, int(match[1])))
            count = None
    if not found or count is not None:
        raise ValueError(
            "text must be the output of lfs getstripe, with lmm_stripe_count and then lmm_stripe_size of each component; "
            f"got {shortened(text.strip())}"
        )
    return tuple(found)
