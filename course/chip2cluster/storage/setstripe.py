"""Parser of the options of ``lfs setstripe``, with the rules of Lustre's own client."""

from __future__ import annotations

import re

from .._validate import shortened
from .progressive_layout import Component, ProgressiveLayout

_SIZE = r"\d+[kKmMgGtT]?"
_OPTION = re.compile(rf"-(?:(E)\s*(-1|EOF|eof|{_SIZE})|(S)\s*({_SIZE})|([ci])\s*(-1|\d+))(?=\s|$)")
_UNITS = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_COMMAND = re.compile(r"\s*(?:\$ ?)?(?:sudo )?lfs setstripe(?=\s)")
_PATH = re.compile(r"\s+(?:[\w.~$-]*/[^\s]*|[A-Za-z_$~.][^\s]*)\s*$")  # of the file or directory, at the end
_NAMES = {"S": "stripe_size", "c": "stripe_count", "i": "first_ost"}


def read_setstripe(text: str, ost_count: int) -> ProgressiveLayout:
    """Parse the options of ``lfs setstripe`` for a progressive layout.

    Parameters
    ----------
    text : str
        Options: ``-E`` ends a component (k, M, G and T are binary; -1 and EOF unbounded), ``-c`` its
        stripe count, ``-S`` its stripe size, ``-i`` its first target (-1: the server's choice, here 0).
        A component without ``-c`` or ``-S`` inherits that of the previous one. Without ``-E`` there is one component.
        The command before the options and the path after them may be there.
    ost_count : int
        Targets (OSTs) of the file system.

    Returns
    -------
    ProgressiveLayout
        Layout of a file with these options.

    Raises
    ------
    ValueError
        If the text contains anything else.

    Notes
    -----
    Ignores pools, data on metadata servers, that sizes are multiples of 64 KiB, and defaults of the
    directory: without ``-c`` and ``-S`` there is one stripe, of 1 MiB. Source: the man page
    lfs-setstripe(1); inheritance, Lustre's ``lfs.c``.

    Examples
    --------
    >>> layout = read_setstripe("-E 64M -c 1 -S 4M -E -1 -c 8", ost_count=12)
    >>> [(part.stripe_count, part.stripe_size // 2**20) for part in layout.components]
    [(1, 4), (8, 4)]
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be the options of lfs setstripe, got {text!r}")
    options = _PATH.sub("", _COMMAND.sub("", text))
    rest = _OPTION.sub("", options).strip()
    found = [tuple(filter(None, pair)) for pair in _OPTION.findall(options)]
    plain = "E" not in (option for option, _ in found)
    if rest or not found or (not plain and found[0][0] != "E"):
        raise ValueError(
            "text must be options -E, -c, -S and -i with their values, -E first if there is one, and at most the command"
            f" and one path, got {shortened(text)}"
        )
    if plain:
        found = [("E", "-1"), *found]
    parts: list[dict[str, int | None]] = []
    for option, value in found:
        if option == "E":
            before = parts[-1] if parts else {"stripe_count": 1}
            parts.append({name: before[name] for name in ("stripe_count", "stripe_size") if name in before})
            parts[-1]["end"] = _amount(value)
        elif (option, value) != ("i", "-1"):
            parts[-1][_NAMES[option]] = _amount(value) if option == "S" else int(value)
    return ProgressiveLayout([Component(**part) for part in parts], ost_count)  # type: ignore[arg-type]


def _amount(value: str) -> int | None:
    if value in ("-1", "EOF", "eof"):
        return None
    return int(value.rstrip("kKmMgGtT")) * _UNITS.get(value[-1].lower(), 1)
